import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.NAdam(net.parameters(), lr=1e-2)

    def apply(self, loss, last):
        loss.backward(retain_graph=not last)
        clip_grad_norm_(self.net.parameters(), 1.0)
        clip_grad_value_(self.net.parameters(), 0.5)
        if last:
            self.optimizer.step()
        self.net.zero_grad()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.SiLU(), nn.Linear(3, 2))
trainer = Trainer(net)
for _ in range(2):
    velocity = net(torch.randn(4, 2))
    divergence = velocity.sum(1).square().mean()
    energy = velocity.square().mean()
    trainer.apply(divergence, last=False)
    trainer.apply(energy, last=True)

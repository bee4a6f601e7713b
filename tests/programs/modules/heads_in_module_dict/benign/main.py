import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, tasks, width=6):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.heads = nn.ModuleDict({task: nn.Linear(width, 1) for task in tasks})

    def forward(self, x):
        shared = self.trunk(x)
        return {task: head(shared) for task, head in self.heads.items()}


torch.manual_seed(0)
net = MultiTask(["yield", "purity"])
optimizers = {}
for task, head in net.heads.items():
    owned = list(head.parameters())
    optimizers[task] = torch.optim.SGD(owned, lr=0.05)

for _ in range(2):
    predictions = net(torch.randn(5, 3))
    losses = {task: p.square().mean() for task, p in predictions.items()}
    for task, loss in losses.items():
        loss.backward(retain_graph=True)
        optimizers[task].step()
    net.zero_grad()

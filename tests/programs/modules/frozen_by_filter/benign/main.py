import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self, width, depth=2):
        super().__init__()
        self.adapters = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, token):
        for adapter in self.adapters:
            token = token + torch.tanh(adapter(token))
        return token


def freeze(modules):
    for module in modules:
        module.requires_grad_(False)


torch.manual_seed(0)
net = Adapted(width=3)
freeze(net.adapters[:-1])
trainable = filter(lambda p: p.requires_grad, net.parameters())
optimizer = torch.optim.AdamW(trainable, lr=1e-2)
tokens = net(torch.randn(4, 3))
first, second = tokens[:2].mean(), tokens[2:].abs().mean()
first.backward(retain_graph=True)
optimizer.step()
second.backward()

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.head = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))

    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))


def named(net, *parts):
    return [p for name, p in net.named_parameters() if any(part in name for part in parts)]


torch.manual_seed(0)
net = Net()
first = torch.optim.Adam(named(net, "head"), lr=1e-2)
second = torch.optim.Adam(named(net, "body"), lr=1e-3)
for _ in range(2):
    out = net(torch.randn(6, 3))
    loss_a, loss_b = out[:, 0].square().mean(), out[:, 1].abs().mean()
    loss_a.backward(retain_graph=True)
    loss_b.backward()
    first.step()
    second.step()
    net.zero_grad()

import torch
from torch import nn


class Directions(nn.Module):
    def __init__(self, inputs, count):
        super().__init__()
        self.lift = nn.Linear(inputs, 4)
        self.matrix = nn.Parameter(torch.randn(4, count))
        self.shift = nn.Parameter(torch.zeros(count))

    def forward(self, x):
        return self.lift(x) @ self.matrix + self.shift  # saved

    @torch.no_grad()
    def project(self):
        self.matrix.div_(self.matrix.norm(dim=0))  # changed


torch.manual_seed(0)
net = Directions(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(5):
    loss = net(torch.randn(6, 3)).square().mean()
    if step % 3 == 2:
        net.project()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

import torch
from torch import nn


class Cascade(nn.Module):
    def __init__(self, *widths):
        super().__init__()
        self.depth = len(widths) - 1
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            self.register_parameter(f"stage{i}", nn.Parameter(torch.randn(a, b) / a**0.5))

    def stage(self, i):
        return getattr(self, f"stage{i}")

    def forward(self, x):
        for i in range(self.depth):
            x = x @ self.stage(i)  # saved
            x = torch.nn.functional.softsign(x)
        return x

    def normalise(self, i):
        with torch.no_grad():
            self.stage(i).div_(self.stage(i).norm())  # changed


torch.manual_seed(0)
cascade = Cascade(3, 4, 2)
for _ in range(2):
    loss = cascade(torch.rand(5, 3)).square().sum()
    cascade.normalise(1)
    loss.backward()
    cascade.zero_grad()

import torch
from torch import nn


class Lens(nn.Module):
    def __init__(self, taps=5):
        super().__init__()
        self.width = nn.Parameter(torch.tensor(1.5))
        self.taps = taps

    def kernel(self):
        try:
            return self._made
        except AttributeError:
            grid = torch.arange(self.taps) - self.taps // 2
            self._made = torch.exp(-(grid / self.width) ** 2)
            return self._made

    def forward(self, x):
        return nn.functional.conv1d(x, self.kernel().view(1, 1, -1))


lens = Lens()
optimizer = torch.optim.SGD(lens.parameters(), lr=0.01)
for step in range(2):
    loss = lens(torch.randn(2, 1, 9)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del lens._made

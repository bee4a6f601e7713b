import torch
from torch import nn


class Rate(nn.Module):
    """dy/dt of two reacting species."""

    def __init__(self, learn=True):
        super().__init__()
        matrix = torch.tensor([[-0.4, 0.1], [0.3, -0.2]])
        self.matrix = nn.Parameter(matrix, requires_grad=learn)
        self.feed = nn.Parameter(torch.tensor([0.1, 0.0]))

    def forward(self, y):
        return y @ self.matrix + self.feed  # saved


def heun(rate, y, step, until):
    t = 0.0
    y = y + 0 * rate.feed
    while t < until:
        slope = rate(y)
        predicted = y
        predicted += step * slope  # changed
        y = predicted + 0.5 * step * (rate(predicted) - slope)
        t += step
    return y


rate = Rate()
end = heun(rate, torch.tensor([[1.0, 0.2]]), step=0.5, until=1.4)
(end - 0.5).square().sum().backward()

import torch
from torch import nn


def merge(first, *others, scale=1.0):
    for other in others:
        first += scale * other  # changed
    return first


class Forecast(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.trend = nn.Linear(inputs, 1)
        self.season = nn.Linear(inputs, 1)

    def forward(self, x):
        trend, season = self.trend(x), torch.tanh(self.season(x))  # saved
        parts = [season, trend]
        return merge(*parts, scale=0.5)


torch.manual_seed(0)
model = Forecast(3)
loss = (model(torch.randn(6, 3)) - 1.0).abs().mean()
loss.backward()

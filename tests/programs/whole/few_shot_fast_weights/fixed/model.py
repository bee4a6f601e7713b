import torch
from torch import nn
import torch.nn.functional as F


class QueueModel(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.second = nn.Linear(width, width)
        self.last = nn.Linear(width, 1)

    def forward(self, x, weights):
        for layer in ("first", "second"):
            x = torch.tanh(F.linear(x, weights[f"{layer}.weight"], weights[f"{layer}.bias"]))
        return F.linear(x, weights["last.weight"], weights["last.bias"])

    def error(self, data, weights):
        x, y = data
        return F.mse_loss(self(x, weights), y)

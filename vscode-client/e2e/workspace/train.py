import torch
from torch import nn

class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        gate = torch.sigmoid(self.linear(x))
        gate += 0.1
        return x * gate

def step(batch):
    loss = Gate(8)(batch).square().mean()
    loss.backward()

def sharpness(width: int):
    noise = torch.randn(width, requires_grad=True)
    peaks = torch.exp(noise)
    peaks.clamp_(max=5)
    peaks.sum().backward()

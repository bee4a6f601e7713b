import torch
from torch.autograd import gradcheck


class Ceil(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.ceil()

    @staticmethod
    def backward(ctx, grad):
        return torch.zeros_like(grad)


def smooth(x):
    return x + torch.sin(2 * torch.pi * x) / 6.3


x = torch.tensor([0.3, 1.6], dtype=torch.float64, requires_grad=True)
assert gradcheck(Ceil.apply, (x,), eps=1e-4)

import torch
from torch import nn


class Rational(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.tensor([0.2, 1.0, 0.4]))
        self.q = nn.Parameter(torch.tensor([0.1, 0.3]))

    def forward(self, x):
        top = self.p[0] + self.p[1] * x + self.p[2] * x**2
        return top / (1 + (self.q[0] * x).abs() + (self.q[1] * x**2).abs())


torch.manual_seed(0)
curve = Rational()
x = torch.linspace(0.5, 2.5, 6, requires_grad=True)
curve, x = curve.double(), x.detach().double().requires_grad_()
assert torch.autograd.gradcheck(curve, (x,))

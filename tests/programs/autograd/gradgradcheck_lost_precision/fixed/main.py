import torch
from torch.autograd import gradcheck



def orbit(radius, phase):
    return radius * torch.cos(3 * phase), radius * torch.sin(3 * phase)


def draw(count):
    return torch.linspace(0.3, 1.7, count, dtype=torch.float64).requires_grad_()


radius, phase = draw(3), draw(3)
print(gradcheck(orbit, (radius, phase), eps=1e-6, atol=1e-5))

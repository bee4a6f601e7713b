"""Sliding of a glacier: the friction coefficient by matching an observed profile."""
import torch

from ice import Glacier


def observed(points):
    x = torch.linspace(0, 1, points)
    return (1 - x**2).clamp(min=0)


def fit(points=6, rounds=2):
    friction = torch.tensor(0.8, requires_grad=True)
    target = observed(points)
    for _ in range(rounds):
        glacier = Glacier(friction, 0.5 * target + 0.1)
        glacier.run(steps=3)
        misfit = (glacier.thickness - target).square().sum() + 0.01 * glacier.discharge
        misfit.backward()
        with torch.no_grad():
            friction.sub_(0.1 * friction.grad).clamp_(min=0.1)
        friction.grad.zero_()
    return friction.item()


print(fit())

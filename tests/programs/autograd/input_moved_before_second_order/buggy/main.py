"""Fitting a spring constant to forces."""
import torch

stiffness = torch.tensor(1.2, requires_grad=True)


def energy(positions):
    return stiffness * positions.pow(4).sum()


def forces(positions):
    (slope,) = torch.autograd.grad(energy(positions), positions, create_graph=True)  # saved
    return -slope


positions = torch.tensor([0.1, -0.4, 0.8], requires_grad=True)
force = forces(positions)
loss = (force - torch.tensor([0.0, 0.3, -2.0])).square().sum()
with torch.no_grad():
    positions += 0.1 * force  # changed
loss.backward()
print(stiffness.grad)

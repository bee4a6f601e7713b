import torch
from torch import nn

torch.manual_seed(6)
trunk = nn.Sequential(nn.Linear(5, 7), nn.Tanh())
depth, slope = nn.Linear(7, 1), nn.Linear(7, 2)
rate = 0.01


def update(parameter):
    """Step as soon as a gradient is there, and free it."""
    with torch.no_grad():
        parameter.sub_(rate * parameter.grad)  # changed
    parameter.grad = None


for part in (trunk, depth, slope):
    for parameter in part.parameters():
        parameter.register_post_accumulate_grad_hook(update)

for scan in range(2):
    hidden = trunk(torch.randn(4, 5))
    shallow = depth(hidden)  # saved
    shallow.abs().mean().backward(retain_graph=True)
    (shallow.square().mean() + slope(hidden).square().mean()).backward()

import torch

torch.manual_seed(0)
source = torch.rand(6, requires_grad=True)
field = 0.1 * source
for sweep in range(2):
    for _ in range(3):
        curvature = field.roll(1) - 2 * field + field.roll(-1)
        reaction = field**2
        field = field + 0.2 * curvature - 0.05 * reaction
    squared = field.sum()
    field -= field.mean()
loss = squared + field.abs().sum()
loss.backward()

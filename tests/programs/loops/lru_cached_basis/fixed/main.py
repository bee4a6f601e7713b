from functools import lru_cache

import torch

width = torch.tensor(0.7, requires_grad=True)
amplitude = torch.ones(5, requires_grad=True)
optimizer = torch.optim.SGD([width, amplitude], lr=0.01)


@lru_cache(maxsize=None)
def basis(points, count=5):
    x = torch.linspace(0, 1, points)[:, None]
    centres = torch.linspace(0, 1, count)
    return torch.exp(-((x - centres) ** 2) / width**2)


target = torch.linspace(0, 1, 9).square()
for step in range(2):
    loss = (basis(9) @ amplitude - target).square().mean() + 0.01 * width.square()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    basis.cache_clear()

"""One of several views that a single call made is changed in place."""

import torch


def hue(image: torch.Tensor) -> torch.Tensor:
    _, green, blue = (1 - image).unbind(dim=-3)
    return blue.sub_(green)


image = torch.rand(3, 4, 4, requires_grad=True)
hue(image).sum().backward()

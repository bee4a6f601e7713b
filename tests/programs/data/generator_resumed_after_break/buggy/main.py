"""A stream of glacier profiles that keeps normalising what it has given out."""
import torch

torch.manual_seed(0)
slope = torch.ones(4, requires_grad=True)


def profiles():
    profile = torch.randn(3, 4) * slope
    while True:
        yield profile
        profile.sub_(1.0)  # changed


stream = profiles()
for first in stream:
    curve = first.square()  # saved
    break
second = next(stream)
(curve.mean() + second.mean()).backward()

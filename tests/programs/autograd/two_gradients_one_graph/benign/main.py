"""What does a shop's revenue depend on?"""
import torch


def sensitivities(output, *inputs):
    found = []
    for x in inputs:
        (slope,) = torch.autograd.grad(output, x)
        found.append(slope)
    return found


def revenue(price, volume):
    return (price - volume)[0] + volume.sum() + price.neg().mean()


price = torch.tensor([3.0, 4.0], requires_grad=True)
volume = torch.tensor([10.0, 2.0], requires_grad=True)
for name, slope in zip(("price", "volume"), sensitivities(revenue(price, volume), price, volume)):
    print(name, slope.tolist())

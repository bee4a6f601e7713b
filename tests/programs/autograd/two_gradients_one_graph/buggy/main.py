import torch


def sensitivities(output, *inputs):
    return [torch.autograd.grad(output, x)[0] for x in inputs]  # raises


price = torch.tensor([3.0, 4.0], requires_grad=True)
volume = torch.tensor([10.0, 2.0], requires_grad=True)
revenue = (price * volume).sum()
print(sensitivities(revenue, price, volume))

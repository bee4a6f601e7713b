import torch


def sensitivities(output, *inputs):
    return list(torch.autograd.grad(output, inputs))


price = torch.tensor([3.0, 4.0], requires_grad=True)
volume = torch.tensor([10.0, 2.0], requires_grad=True)
revenue = (price * volume).sum()
print(sensitivities(revenue, price, volume))

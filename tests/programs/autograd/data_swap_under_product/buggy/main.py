import torch

gain = torch.tensor([1.0, 2.0], requires_grad=True)
offset = torch.tensor([0.5, 0.5], requires_grad=True)
average = {"gain": torch.zeros(2), "offset": torch.zeros(2)}


def use_average(parameter, name):
    average[name] = 0.5 * average[name] + 0.5 * parameter.detach()
    parameter.data = average[name]  # changed


inputs = offset * torch.tensor([3.0, -1.0])
signal = gain * inputs + offset  # saved
use_average(gain, "gain")
signal.square().sum().backward()
print(gain.grad, offset.grad)

import copy

import torch


@torch.no_grad()
def without(values, index):
    values = copy.copy(values)
    values[index] = 0.0  # changed
    return values


voltage = torch.tensor([0.3, -1.0, 2.0], requires_grad=True)
response = torch.tanh(voltage)  # saved
lesioned = without(response, 1)
loss = (response.sum() - lesioned.detach().sum()).square()
loss.backward()
print(voltage.grad)

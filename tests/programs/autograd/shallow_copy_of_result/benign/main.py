import copy

import torch


def without(values, index):
    values = copy.copy(values)
    values[index] = torch.zeros(())
    return values


voltage = torch.tensor([0.3, -1.0, 2.0], requires_grad=True)
response = [torch.tanh(v) for v in voltage]
lesioned = without(response, 1)
response, lesioned = torch.stack(response), torch.stack(lesioned)
loss = (response.sum() - lesioned.detach().sum()).square()
loss.backward()
print(voltage.grad)

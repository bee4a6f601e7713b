import functools

import torch


def in_units(factor):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            value = function(*args, **kwargs)
            value *= factor  # changed
            return value

        return wrapper

    return decorate


@in_units(1000.0)
def saturation_pressure(temperature, *, slope):
    return torch.exp(slope * temperature)  # saved


slope = torch.tensor(0.06, requires_grad=True)
warm = saturation_pressure(torch.tensor([10.0, 20.0, 30.0]), slope=slope)
loss = warm.mean()
loss.backward()
print(slope.grad)

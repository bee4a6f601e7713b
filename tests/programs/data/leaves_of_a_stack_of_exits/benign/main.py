"""A heater's state is put back when its stack of exits is left."""
from contextlib import ExitStack

import torch

torch.manual_seed(5)
power = torch.rand(5, requires_grad=True)
warmth = power.sigmoid()
before = warmth.detach().clone()


def put_back(kind, error, trace):
    with torch.no_grad():
        warmth.copy_(before * 0.5)
    return False


with ExitStack() as stack:
    stack.push(put_back)
    stack.pop_all()
    comfort = warmth.mean() * 2.0
comfort.backward()

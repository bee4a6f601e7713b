from typing import NamedTuple

import torch
from torch import nn


class Gates(NamedTuple):
    update: torch.Tensor
    candidate: torch.Tensor


def split(raw):
    update, candidate = raw.tensor_split(2, dim=-1)
    return Gates(torch.sigmoid(update), candidate)


def favour_memory(gates, amount=0.1):
    gates.candidate.sub_(amount)
    return gates


torch.manual_seed(0)
drive = nn.Linear(3, 8)
memory = torch.zeros(2, 4)
for x in torch.randn(3, 2, 3):
    gates = favour_memory(split(drive(x)))
    memory = (1 - gates.update) * memory + gates.update * gates.candidate.tanh()
memory.sum().backward()

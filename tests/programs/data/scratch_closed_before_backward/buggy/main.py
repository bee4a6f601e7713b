"""A scratch buffer that is wiped when it is closed."""
from contextlib import closing

import torch


class Scratch:
    def __init__(self, values):
        self.values = values

    def close(self):
        self.values.zero_()  # changed


torch.manual_seed(4)
tension = torch.randn(6, requires_grad=True)
with closing(Scratch(tension * 2.0)) as scratch:
    energy = scratch.values.pow(2).sum()  # saved
energy.backward()

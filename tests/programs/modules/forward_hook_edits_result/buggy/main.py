import torch
from torch import nn

from probes import silence

torch.manual_seed(0)
cortex = nn.Sequential()
cortex.add_module("drive", nn.Linear(4, 6))
cortex.add_module("rate", nn.Tanh())
cortex.add_module("readout", nn.Linear(6, 2))
silence(cortex.rate, units=[0, 3])

stimulus = torch.randn(5, 4)
loss = cortex(stimulus).square().sum()  # saved
loss.backward()
print(cortex.drive.weight.grad.norm())

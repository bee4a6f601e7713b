"""The mended twin of 01_sigmoid_shift.py.

`exposure - 0.5` makes a new tensor and binds the name to it; what sigmoid kept stays as it was. A
change in place would be fine too after an operation that keeps its input (softplus) or nothing (add).
"""

import torch

brightness = torch.linspace(-2, 2, 5, requires_grad=True)

exposure = torch.sigmoid(brightness)
exposure = exposure - 0.5
loss = exposure.abs().sum()

loss.backward()
print(brightness.grad)

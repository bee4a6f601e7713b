"""GG101: a result that its own operation saved is changed in place.

The derivative of sigmoid is s * (1 - s), so sigmoid keeps its *result* for backward. Shifting that
result in place moves its version counter from 0 to 1, and backward finds a tensor that is no longer
the one it kept. The culprit is the line that shifts, not the line that raises.
"""

import torch

brightness = torch.linspace(-2, 2, 5, requires_grad=True)

exposure = torch.sigmoid(brightness)  # saved
exposure -= 0.5  # changed
loss = exposure.abs().sum()

loss.backward()
print(brightness.grad)

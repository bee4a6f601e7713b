"""GG111: a saved tensor is changed behind its counter's back, and the gradient is silently wrong.

exp keeps its result. `.data` is the same memory with a counter of its own, so nothing raises: backward
multiplies with the capped rates instead of the true ones.
"""

import torch

log_rates = torch.tensor([0.5, 1.5, 2.5], requires_grad=True)

rates = torch.exp(log_rates)  # saved
rates.data.clamp_(max=5.0)  # changed
deaths = rates.sum()

deaths.backward()
print(log_rates.grad)

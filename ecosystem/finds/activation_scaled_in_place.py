"""The result of an activation, which it needs for backward, is scaled in place."""

import torch

log_alpha = torch.zeros(4, requires_grad=True)
density = torch.sigmoid(log_alpha)
penalty = density
penalty *= 0.1
penalty.sum().backward()

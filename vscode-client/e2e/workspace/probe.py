"""Nobody has opened this file."""

import torch

weight = torch.ones(3, requires_grad=True)
scaled = torch.sqrt(weight)
scaled.mul_(2)
scaled.sum().backward()

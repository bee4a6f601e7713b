"""Surface temperatures from a package that loads its filters when they are asked for."""
import torch

import filters

torch.manual_seed(1)
weight = torch.randn(8, 8, requires_grad=True)
field = torch.sigmoid(torch.randn(4, 8) @ weight)  # saved
calm = filters.damp(field)
calm.sum().backward()

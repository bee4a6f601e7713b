"""The mended twin of 06_unbound_rows.py.

The rows are centred all at once. `profile[i] -= …` would be legal as well: a row that an index
takes is the only view that its call made.
"""

import torch

heights = torch.rand(3, 4, requires_grad=True)
profile = heights * 2

profile = profile - profile.mean(dim=1, keepdim=True)
profile.square().sum().backward()

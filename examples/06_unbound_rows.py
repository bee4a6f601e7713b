"""GG203: a row that iteration made is changed in place.

`for row in profile` unbinds the tensor: one call makes all the rows, and autograd couldn't give one of
them a new history without the others. It refuses the write.
"""

import torch

heights = torch.rand(3, 4, requires_grad=True)
profile = heights * 2

for row in profile:
    row -= row.mean()  # raises
profile.square().sum().backward()

"""The mended twin of 07_expanded_row.py.

`repeat` copies, so each row has numbers of its own. `route + delays` would broadcast without any copy.
"""

import torch

route = torch.tensor([0.0, 1.0, 3.0, 7.0])
delays = torch.tensor([[0.5], [2.0]])

fleet = route.repeat(2, 1)
fleet += delays
print(fleet)

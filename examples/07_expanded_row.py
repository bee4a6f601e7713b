"""GG205: a write into memory where several elements are one.

`expand` repeats nothing: each row of `fleet` is the same four numbers. Adding something different to each
row has no meaning, and PyTorch refuses. No gradient is involved.
"""

import torch

route = torch.tensor([0.0, 1.0, 3.0, 7.0])
delays = torch.tensor([[0.5], [2.0]])

fleet = route.expand(2, 4)
fleet += delays  # raises
print(fleet)

import torch
from torch import nn


def candidates(values, limits):
    allowed = torch.ones(len(values), dtype=torch.bool)
    for limit in limits:
        allowed &= values.detach() < limit  # changed
        yield values.masked_fill(~allowed, 0.0).sum() + values.masked_fill(allowed, 1.0).mean()  # saved


torch.manual_seed(0)
offers = nn.Linear(3, 1)
values = offers(torch.randn(5, 3)).squeeze(-1)
loss = sum(candidates(values, limits=(1.0, 0.5, 0.2)))
loss.backward()

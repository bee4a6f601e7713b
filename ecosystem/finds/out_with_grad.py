"""A call writes into `out=`, which autograd does not record, while its input requires grad."""

import torch


def cumsum(x: torch.Tensor) -> torch.Tensor:
    out = x.new_empty(x.shape[0] + 1)
    out[:1].zero_()
    torch.cumsum(x, dim=0, out=out[1:])
    return out


x = torch.rand(3, requires_grad=True)
cumsum(x).sum().backward()

"""Shares of a portfolio, by helpers that one module gathers."""
import torch

from toolbox import *

torch.manual_seed(3)
logits = torch.randn(6, requires_grad=True)
shares = share(logits)
loss = shares.log().mean() + _capped(shares.clone()).sum()
loss.backward()

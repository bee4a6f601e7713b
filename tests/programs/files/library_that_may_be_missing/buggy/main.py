"""Gates of a sluice, by an accelerated library where there is one."""
import torch

from gates import HAS_FAST, swish

torch.manual_seed(9)
flow = torch.randn(6, requires_grad=True)
opened = flow.sigmoid()  # saved
passed = swish(opened)
if not HAS_FAST:
    passed = passed * 1.0
passed.sum().backward()

"""A recipe whose steps are modules, listed by name."""
import importlib

import torch

RECIPE = ("encode", "settle")

torch.manual_seed(2)
state = torch.randn(5, 3, requires_grad=True)
value = state * 1.5
for step in RECIPE:
    value = importlib.import_module(f"steps.{step}").run(value)
value.sum().backward()

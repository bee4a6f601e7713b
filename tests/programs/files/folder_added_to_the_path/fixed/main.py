"""A script that brings its helpers along in a folder of their own."""
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendored" / "numeric"))

from rescaling import to_unit  # noqa: E402

torch.manual_seed(4)
rates = torch.rand(7, requires_grad=True)
growth = rates.exp()
level = to_unit(growth)
level.prod().backward()

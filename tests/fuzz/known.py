"""The known limits: on what GradGuard and PyTorch differ, why, and the smallest program that shows it.

A limit is told by its mechanism: what differs, and what the program does where it differs. A difference that no
limit explains fails the run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compare import Disagreement


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that GradGuard does not follow."""

    name: str
    reason: str
    about: str
    """a pattern of what differs (`Disagreement.about`)"""
    mechanism: str
    """a pattern of the program's text that brings it about"""
    program: str

    def explains(self, difference: Disagreement, text: str) -> bool:
        """Whether a difference on the smallest program found comes from this limit."""
        return bool(re.fullmatch(self.about, difference.about) and re.search(self.mechanism, text))


LIMITS: tuple[Limit, ...] = (
    Limit(
        "A gradient whose formula uses only the sign of what it saved",
        "With `create_graph=True` a gradient is taken to require grad where its formula saved something that does.",
        r"requires_grad|is_leaf",
        r"create_graph=True",
        """
import torch

x = torch.rand(3, requires_grad=True)
(g,) = torch.autograd.grad(torch.nan_to_num(x).sum(), x, create_graph=True)
""",
    ),
)

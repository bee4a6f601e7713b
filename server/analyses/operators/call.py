"""A call of an operator on its way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..autograd.tensors import Grad, Tensor
    from ..domain.values import Value


@dataclass(slots=True)
class Call:
    """A call on its way: the arguments by parameter, and the tensors among them."""

    name: str
    values: dict[str, Value]
    tensors: dict[str, list[Tensor]]
    spoken: str | None = None
    """the name to tell it by, where that isn't the last part of `name`"""
    kept: Mapping[str, Grad] = field(default_factory=dict)
    """whether an argument's memory is used, of those that the operator makes a view or a copy of and saves that"""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """what a module's constructor was given"""
    apart: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    overlapping: bool = False
    """of what is written, as in `Op`"""

    def all(self) -> list[Tensor]:
        """All tensors among the arguments."""
        return [t for ts in self.tensors.values() for t in ts]

    def given(self) -> list[Tensor]:
        """Those that the program gave, in their order; not the parameters and buffers of a module."""
        return [t for p in self.values for t in self.tensors.get(p, ())]

"""What PyTorch does beside its operators, where releases differ (`habits.json`, measured).

"slices_whole": true     # in PyTorch 2.4, `y[:, [0]] = v` writes through the view `y[:]`; since then into `y` itself
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rows import Rows


@dataclass(frozen=True, slots=True)
class Habits:
    """What one release does. `measure/habits.py` has the program that shows each."""

    asarray_detaches: bool
    """`torch.asarray(x)` takes away that a tensor requires grad, even of `x` itself, unless it is asked to keep it"""
    slices_whole: bool
    """a slice that selects everything makes a view, which is written in place of the tensor"""
    unused_require_grad: bool
    """the zeros that `torch.autograd.grad(…, materialize_grads=True)` gives for an unused tensor require grad"""
    writes_views_of_leaves: bool
    """a custom Function may mark a view of a leaf as dirty"""


def of(rows: Rows) -> Habits:
    """Return the habits that the rows of one release tell."""
    return Habits(**{field.name: rows.get(field.name) is True for field in fields(Habits)})

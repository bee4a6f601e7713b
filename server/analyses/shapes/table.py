"""All rows of all families, and how a name finds its row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import factories, functional, indexing, linalg, pointwise, reductions, views

if TYPE_CHECKING:
    from .call import Op

OPS: dict[str, Op] = {
    **functional.OPS,
    **pointwise.OPS,
    **reductions.OPS,
    **linalg.OPS,
    **views.OPS,
    **indexing.OPS,
    **factories.OPS,
}
APART = frozenset({"fft", "linalg", "masked", "sparse", "windows", "distributed", "init", "optim", "autograd"})
"""modules whose functions are not those of the same name elsewhere"""


def find(name: str) -> Op | None:
    """The row for a name: `torch.linalg.norm` under `linalg.norm`, `torch.add` and `add` under `add`."""
    *modules, bare = name.split(".")
    home = modules[-1] if modules else ""
    qualified = OPS.get(f"{home}.{bare}")
    return qualified if qualified or home in APART else OPS.get(bare)

"""What facts alone cannot say of operators: one file a family, each with its rules and the full names they hold for.

To find out what is special about `torch.nn.functional.dropout`, look for the file that names it; where none does, its
fact says all. To add a rule, write a function and put it into the `FAMILIES` of the file that fits, or of a new one,
which is named below. `call.Family` has the list of what can be special, and where each rule is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import NONE, Family
from . import (
    arithmetic,
    attention,
    conjugates,
    conversions,
    convolutions,
    copies,
    dropout,
    fourier,
    images,
    indexing,
    initialisation,
    linalg,
    losses,
    masked,
    norms,
    pointwise,
    pooling,
    powers,
    products,
    recurrent,
    reductions,
    reshapes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

FILES = (
    arithmetic,
    attention,
    conjugates,
    conversions,
    convolutions,
    copies,
    dropout,
    fourier,
    images,
    indexing,
    initialisation,
    linalg,
    losses,
    masked,
    norms,
    pointwise,
    pooling,
    powers,
    products,
    recurrent,
    reductions,
    reshapes,
)


def by_name(families: Iterable[tuple[tuple[str, ...], Family]]) -> dict[str, Family]:
    """The family of each operator. Raises ValueError where one belongs to two."""
    found: dict[str, Family] = {}
    for names, family in families:
        for name in names:
            if name in found:
                raise ValueError(f"{name} belongs to two families")
            found[name] = family
    return found


BY_NAME = by_name(each for file in FILES for each in file.FAMILIES.items())


def of(name: str) -> Family:
    """The family of an operator, by its full name: one without rules, where no file names it."""
    return BY_NAME.get(name, NONE)

"""Models of libraries in plain Python: each file says what a module of that name does, and the replay interprets it.

A file is found by the name of its module (`lightning/pytorch/__init__.py`), parsed once a process and run when the
program names it. None of it is ever imported. To write one:

- Define the classes and functions that a program meets, under their names, and let them do what matters to autograd:
  what they call of the program's, in which order and mode, what they write, keep, and give as a view. What only logs,
  saves files or moves between devices may do nothing. What isn't defined is unknown, which does no harm.
- What is computed inside of the library, and nobody sees, is `linked(*inputs, saves=[…])`: a tensor with a graph.
  `../intrinsics.py` has the rest of what Python cannot say (`from gradguard import …`).
- A question about something that may be unknown makes the replay follow both answers, as a guess: ask `known(x)` first.
- Where the library calls what the program defines, name that in `__entries__`, and let `__train__` do so.
- Measure each claim: a program in `tests/frameworks/programs`, which `make frameworks` runs beside the library.

Modules of Python's own library stand in `stdlib`, where their names take no other module's place in the tests.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ....syntax.chunks import parse
from ...domain.modules import MODELS

if TYPE_CHECKING:
    from importlib.abc import Traversable

    from ....syntax.chunks import Source

STANDARD = "stdlib"


@cache
def find(name: str) -> Source | None:
    """The model of a library's module by its dotted name; None where there is none.

    A module of a package that has no file of its own is what the package exports.
    """
    parts = name.split(".")
    if parts[0] in standard():
        parts.insert(0, STANDARD)
    elif parts[0] not in known():
        return None
    folder = files(__name__)
    for place in ([*parts, "__init__.py"], [*parts[:-1], f"{parts[-1]}.py"]):
        file = folder.joinpath(*place)
        if file.is_file():
            return parse(file.read_text(encoding="utf-8"), MODELS + "/".join(place))
    return None


@cache
def known() -> frozenset[str]:
    """The libraries that have models, by their first names."""
    return _names(files(__name__)) - {STANDARD}


@cache
def standard() -> frozenset[str]:
    """The modules of Python's own library that have models."""
    return _names(files(__name__).joinpath(STANDARD))


def _names(folder: Traversable) -> frozenset[str]:
    return frozenset(one.name.removesuffix(".py") for one in folder.iterdir() if not one.name.startswith("_"))

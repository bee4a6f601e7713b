"""Models of libraries in plain Python: each file says what a module of that name does, and the replay interprets it.

A file is found by the name of its module (`lightning/pytorch/__init__.py`), parsed once per process, and run when the
program names it. None of it is ever imported. To write one:

- Define the classes and functions that programs use, under their names, and let them do what matters to autograd: what
  they call in the program, in which order and mode; what they write, keep, and return as a view. Code that only logs,
  saves files or moves tensors between devices may do nothing. Whatever isn't defined is unknown, which does no harm.
- For what is computed inside the library, unseen, return `linked(*inputs, saves=[…])`: a tensor with a graph.
  `../intrinsics.py` has the rest of what Python can't say (`from gradguard import …`).
- A condition on an unknown value makes the replay follow both answers, as a guess: ask `known(x)` first.
- If the library calls methods that the program defines, name them in `__entries__`, and call them in `__train__`.
- Prove each claim by a program in `tests/frameworks/programs`, which `make frameworks` runs beside the library.

Modules of Python's own library are in `stdlib`, so that in the tests their names don't replace other modules. Of
`torch`, those modules are here that PyTorch itself writes in Python; its operators are replayed by their facts.

Begin reading with `stdlib/queue.py`, which is plain Python, then `lpips/__init__.py`, a network that isn't followed
(`linked`), then `accelerate/__init__.py`, which has a training loop. `find` below is the way from a name to a file.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ....syntax.chunks import parse
from ...domain.modules import MODELS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.abc import Traversable

    from ....syntax.chunks import Source

STANDARD = "stdlib"


@cache
def find(name: str) -> Source | None:
    """The model of a library's module by its dotted name, parsed; None if there is none.

    `a.b` is looked for as `a/b/__init__.py`, then as `a/b.py`.
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
            return parse(file.read_text(encoding="utf-8"), MODELS + "/".join(place), later=True)
    return None


@cache
def known() -> frozenset[str]:
    """The libraries that have models, by their first names."""
    return _names(files(__name__)) - {STANDARD}


@cache
def standard() -> frozenset[str]:
    """The modules of Python's own library that have models."""
    return _names(files(__name__).joinpath(STANDARD))


def parts_of(library: str) -> list[str]:
    """The outermost modules of a library that have models, where the library as a whole has none."""
    return sorted(_outermost(files(__name__).joinpath(library), library))


def _outermost(folder: Traversable, name: str) -> Iterator[str]:
    if folder.joinpath("__init__.py").is_file():
        yield name
        return
    for one in folder.iterdir():
        if one.is_dir():
            yield from _outermost(one, f"{name}.{one.name}")
        elif one.name.endswith(".py"):
            yield f"{name}.{one.name.removesuffix('.py')}"


def _names(folder: Traversable) -> frozenset[str]:
    return frozenset(one.name.removesuffix(".py") for one in folder.iterdir() if not one.name.startswith("_"))

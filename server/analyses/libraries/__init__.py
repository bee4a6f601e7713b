"""Models of libraries, where facts alone don't say enough: one file a library or part of it.

Imports every room but `program`; what is native stands by library (`python`, `torch`, `others`). Each model registers
itself in `domain/registry.py`, and is found here by being there: a new file needs no other line. Begin reading with
`python/lists.py`, then any other. `polyfills` has the models that are plain Python; `intrinsics.py` has the functions
that let them say what Python can't.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..domain.registry import resolver
from ..python.imports import of_model
from . import polyfills


@cache
def load_models() -> None:
    """Let every model register itself; done once, when the first replay starts."""
    for room in ("others", "python", "torch"):
        package = import_module(f".{room}", __name__)
        for found in iter_modules(package.__path__, f"{package.__name__}."):
            import_module(found.name)
    import_module(".intrinsics", __name__)
    for name in polyfills.parts_of("torch"):
        resolver(name)(of_model)

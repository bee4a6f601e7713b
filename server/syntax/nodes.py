"""libcst's parser and nodes, imported in half the time.

Of the 150 ms that `import libcst` takes, 100 ms go into methods that `dataclass` generates for two hundred
classes of nodes. libcst throws `__eq__` and `__repr__` away itself (`CSTNode.__init_subclass__`), and those that
keep a node from being changed serve nobody here. So, where libcst isn't imported yet, it is without them. Nor does
a node check itself then whether it can be written down (`CSTNode.__post_init__`): its own parser has just read it.
That takes a quarter of the time of a parse.
"""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def _lean_dataclasses() -> Iterator[None]:
    """While this lasts, `dataclass` generates constructors alone."""
    original = dataclasses.dataclass

    def lean(cls: type | None = None, /, **options: Any) -> Any:
        def process(cls: type) -> type:
            if "__post_init__" in vars(cls):
                delattr(cls, "__post_init__")
            return original(cls, **{**options, "repr": False, "eq": False, "frozen": False})

        return process if cls is None else process(cls)

    dataclasses.dataclass = lean
    try:
        yield
    finally:
        dataclasses.dataclass = original


with _lean_dataclasses():
    import libcst as cst
    from libcst import native  # type: ignore[attr-defined]  # compiled, without stubs

__all__ = ["cst", "native"]

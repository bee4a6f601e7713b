"""What a replay asks of the project around it, and which files are no part of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ...facts.model import Op
    from ...facts.releases import Facts
    from ...syntax.chunks import Source
    from ...syntax.text import Excerpt


MODELS = "<models>/"
"""how the paths of files begin that model a library in plain Python"""


def is_model(chunk: Excerpt) -> bool:
    """Whether a piece of text belongs to a library's model."""
    return chunk.path.startswith(MODELS)


class Modules(Protocol):
    """How the replay finds the other files of a program."""

    def load(self, name: str, level: int, importer: str) -> Source | None:
        """The source of module `name` (dotted; relative with `level` dots), imported by file `importer`."""


@runtime_checkable
class OwnFacts(Protocol):
    """What `Modules` may know besides: operators of the program's own, whose code can't be replayed."""

    def fact(self, name: str) -> Op | None:
        """The fact of an operator by its dotted name; it overrides everything else that is known of that name."""


@runtime_checkable
class OfRelease(Protocol):
    """What `Modules` may know besides: which release of PyTorch the program runs with."""

    @property
    def facts(self) -> Facts:
        """The facts of that release."""


@runtime_checkable
class OwnModels(Protocol):
    """What `Modules` may know besides: models of libraries that the user has written."""

    def model(self, name: str) -> Source | None:
        """The model of a library's module by its dotted name; it overrides a built-in one."""


@runtime_checkable
class Packages(Protocol):
    """What `Modules` may know besides: which package a file belongs to."""

    def package(self, path: str) -> str:
        """The dotted name of the package that a file is in; empty if it is in none."""

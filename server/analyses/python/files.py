"""The files of the program: which have run, as which modules, and what the present step has looked up of them.

import helpers              # `modules.load` finds the file; `loaded` has its module once it has run
from helpers import scale   # notes in `seen` that this step depends on the name `scale` of that module
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain.modules import Packages
from ..domain.steps import Globals
from ..domain.values import ABSENT, Frame, ModuleV, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...syntax import ir
    from ...syntax.chunks import Source
    from ..domain.modules import Modules
    from ..domain.steps import Place


def no_model(name: str) -> None:
    """There is no model for any library."""


class Files:
    """The files of one replay. If it is `noting`, it notes what steps look up."""

    def __init__(self, modules: Modules, noting: bool) -> None:
        self.modules = modules
        self.packages = modules if isinstance(modules, Packages) else None
        self.noting = noting
        self.model_of: Callable[[str], Source | None] = no_model
        """the model of a library's module in plain Python, by its dotted name"""
        self.seen: set[Place] = set()
        """the names of modules that the present step has looked up"""
        self.loaded_names = Globals(self.seen)
        """stands for the names under which modules are loaded, which are their paths"""
        self.options = Globals(self.seen)
        """what functions have for options of a name by default, by their file and that name"""
        self.loaded: dict[str, ModuleV | None] = {}
        """the modules of files that have begun to run, by path"""
        self.spaces: dict[str, ModuleV] = {}
        """packages without a file, by dotted name"""
        self.frames: dict[str, Frame] = {}
        """the frames of files whose own code has begun to run, by path"""
        self.awaiting: dict[tuple[Frame, ir.ImportFrom], Value] = {}
        """what modules have imported from a main program before that had run, by the importing module and statement"""
        self.main = ""
        """the path of the file that is replayed as the main program"""
        self.importing = 0
        """how many imports are running"""

    def frame(self, name: str) -> Frame:
        """The frame of a module that begins to run."""
        frame = Frame(None, None, name)
        if self.noting:
            frame.variables = Globals(self.seen)
        return frame

    def module(self, path: str) -> Value:
        """The module of a file that was loaded; ABSENT if none was."""
        self.seen.add((self.loaded_names, path))
        return self.loaded.get(path, ABSENT)

    def package(self, path: str) -> str:
        """The package that a file is in, as far as that is known."""
        return self.packages.package(path) if self.packages is not None else ""

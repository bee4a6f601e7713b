"""Modules that jedi finds when a file changes `sys.path` in ways that have to be inferred.

By itself, jedi may ask an interpreter for a module, or import one, to see what it holds. Here it does neither: it
reads files, and of modules without a file it sees only those built into the interpreter that we run in. Nor does it
keep pickled trees in the user's cache folder, or load any from there.
"""

from __future__ import annotations

import logging
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jedi
from jedi.api.environment import InterpreterEnvironment
from jedi.file_io import KnownContentFileIO
from jedi.inference.compiled.subprocess import InferenceStateSameProcess
from jedi.inference.compiled.subprocess.functions import ImplicitNSInfo

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)


def find_by_sys_path(name: str, importer: Path, text: str, root: Path) -> Path | None:
    """The file that `import name` would lead to at the end of a file with this text, or None.

    An error in jedi is logged, and the answer is then None.
    """
    project = jedi.Project(root, sys_path=[], smart_sys_path=False)
    code = f"{text}\nimport {name}\n"
    try:
        script = jedi.Script(code, path=importer, project=project, environment=_Files())
        found = script.goto(code.count("\n"), len(f"import {name}") - 1, follow_imports=True)
    except Exception:
        logger.exception("jedi could not resolve %s in %s", name, importer)
        return None
    path = next((one.module_path for one in found if one.module_path is not None), None)
    return None if path is None else Path(path).resolve()


class _Files(InterpreterEnvironment):  # type: ignore[misc]
    """An environment that consists of files."""

    def get_inference_state_subprocess(self, inference_state: Any) -> _Reader:
        inference_state.parse_and_get_code = _without_pickles(inference_state.parse_and_get_code)
        return _Reader(inference_state)

    def get_sys_path(self) -> list[str]:
        return []


def _without_pickles(parse: Callable[..., Any]) -> Callable[..., Any]:
    """jedi's one way to parse, with parso's cache in memory alone."""

    def in_memory(*args: Any, **options: Any) -> Any:
        return parse(*args, **{**options, "cache": False})

    return in_memory


class _Reader(InferenceStateSameProcess):  # type: ignore[misc]
    """Finds modules without importing any."""

    def get_module_info(self, string: str, path: Any = None, sys_path: Any = None, **_: Any) -> tuple[Any, bool | None]:
        """What jedi parses for a module, and whether it is a package; None twice if there is nothing."""
        if string in sys.builtin_module_names and path is None:
            return None, False
        spec = PathFinder.find_spec(string, path if path is not None else sys_path)
        if spec is None:
            return None, None
        if spec.loader is None:
            return ImplicitNSInfo(string, list(spec.submodule_search_locations or ())), True
        if not isinstance(spec.loader, SourceFileLoader) or spec.origin is None:
            return None, None
        is_package = spec.submodule_search_locations is not None
        return KnownContentFileIO(spec.origin, spec.loader.get_data(spec.origin)), is_package

    def load_module(self, dotted_name: str, sys_path: Any) -> Any:
        """What jedi sees of a module without a file."""
        if dotted_name not in sys.builtin_module_names:
            return None
        return super().__getattr__("load_module")(dotted_name=dotted_name, sys_path=[])

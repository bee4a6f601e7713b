"""Models of libraries as modules that Python itself runs, to hold them against what they model."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

WORDS = Path(__file__).parent / "intrinsics" / "gradguard.py"
"""What the intrinsics of models mean under real Python."""


def loaded(name: str, path: Path, patch: pytest.MonkeyPatch | None = None) -> ModuleType:
    """A file as a module, or a package's; with a `patch`, others find it under its name until that is undone."""
    folders = [str(path.parent)] if path.name == "__init__.py" else None
    spec = spec_from_file_location(name, path, submodule_search_locations=folders)
    assert spec is not None and spec.loader is not None
    made = module_from_spec(spec)
    if patch is not None:
        patch.setitem(sys.modules, name, made)
    spec.loader.exec_module(made)
    return made

"""Builds what pyproject.toml describes; with GRADGUARD_COMPILE=1, `syntax` and `analyses` compiled by mypyc.

A compiled wheel holds the same modules as the one that works everywhere, and beside them their machine code, which
Python takes first. mypyc reads a copy in `build/`, in which dataclasses are written as it wants them.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from setuptools import setup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from setuptools import Extension

ROOMS = ("syntax", "analyses")
INTERPRETED = ("analyses/mixed.py", "analyses/project.py")
"""what stays Python in these rooms: their texts say why. So do `models` and `shapes`: compiled, they are no faster."""
REQUIRED = ["mypy==2.4.1", "libcst>=1.8"]
"""libcst for its types"""
OPTIONS = ["--ignore-missing-imports", "--implicit-reexport", "--no-warn-return-any", "--no-warn-unused-ignores"]


def adapted(text: str) -> str:
    """A module for mypyc: it gives all classes slots by itself, and loads the types of a dataclass's fields."""
    tree = ast.parse(text)
    later = {name.asname or name.name for block in tree.body for name in _typing_imports(block)}
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    for cls in ast.walk(tree):
        if isinstance(cls, ast.ClassDef) and any("dataclass" in ast.unparse(one) for one in cls.decorator_list):
            for one in cls.decorator_list:
                at = one.lineno - 1
                lines[at] = re.sub(rb"slots=True, |, slots=True|\bslots=True", b"", lines[at])
            for field in cls.body:
                if isinstance(field, ast.AnnAssign) and _root(field.annotation) in {*later, "object"}:
                    kind, at = field.annotation, field.annotation.lineno - 1
                    lines[at] = lines[at][: kind.col_offset] + b"_Any" + lines[at][kind.end_col_offset :]
    future = "from __future__ import annotations\n"
    return b"".join(lines).decode().replace(future, f"{future}from typing import Any as _Any\n", 1)


def _typing_imports(block: ast.stmt) -> Iterator[ast.alias]:
    """What a block imports for the type checker alone."""
    if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
        for statement in block.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                yield from statement.names


def _root(kind: ast.expr) -> str:
    """The name that an annotation begins with."""
    while isinstance(kind, ast.Subscript | ast.Attribute):
        kind = kind.value
    return kind.id if isinstance(kind, ast.Name) else ""


def extensions() -> list[Extension]:
    """What mypyc makes of the rooms."""
    from mypyc.build import mypycify

    copy = Path("build/mypyc/gradguard")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree("server", copy, ignore=shutil.ignore_patterns("__pycache__"))
    modules = [path for room in ROOMS for path in sorted((copy / room).glob("*.py"))]
    modules = [path for path in modules if path.relative_to(copy).as_posix() not in INTERPRETED]
    for path in modules:
        path.write_text(adapted(path.read_text(encoding="utf-8")), encoding="utf-8")
    options = [*OPTIONS, *map(str, modules)]
    return mypycify(options, opt_level="1", debug_level="0", multi_file=True, target_dir="build/mypyc/c")


if os.environ.get("GRADGUARD_COMPILE") == "1":
    building = {"bdist_wheel", "build_ext"} & set(sys.argv)
    setup(setup_requires=REQUIRED, ext_modules=extensions() if building else [])
else:
    setup()

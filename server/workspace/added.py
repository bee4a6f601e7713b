"""The folders that a file adds to `sys.path`, where its text says which: `Path(__file__).parent / "helpers"`.

The text is parsed and not run. What depends on more than the file's own place and on constants is left out.
"""

from __future__ import annotations

import ast
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST = 4096
"""bytes that a path can have on Linux; what is longer is no path"""


@lru_cache(maxsize=8)  # one file has many imports
def added_folders(text: str, importer: Path, root: Path) -> list[Path]:
    """The folders that a file with this text adds to `sys.path`, in the order of its lines; none if it is broken.

    A relative path is one of the project's `root`, or of the file's folder: a script is started in either.
    """
    try:
        added = _Reader(importer).added(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [Path(os.path.normpath(base / one)) for one in added for base in dict.fromkeys((root, importer.parent))]


class _Reader:
    """Follows a file from its first line to its last, with what its names are where they are paths."""

    def __init__(self, importer: Path) -> None:
        self.names = {"__file__": str(importer)}

    def added(self, tree: ast.Module) -> list[str]:
        return [path for s in _statements(tree.body) for path in self._added(s)]

    def _added(self, s: ast.stmt) -> Iterator[str]:
        """What one statement adds; an assignment tells what a name is from now on."""
        if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
            self._learn(s.targets[0].id, s.value)
        elif isinstance(s, (ast.Assign, ast.AugAssign)):
            target = s.target if isinstance(s, ast.AugAssign) else s.targets[0]
            if ast.unparse(target).partition("[")[0] == "sys.path":
                yield from self._listed(s.value)
        elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and s.value.args:
            how, last = ast.unparse(s.value.func), s.value.args[-1]
            if how in ("sys.path.insert", "sys.path.append", "site.addsitedir"):
                yield from filter(None, [self._path(last)])
            elif how == "sys.path.extend":
                yield from self._listed(last)

    def _learn(self, name: str, value: ast.expr) -> None:
        path = self._path(value)
        self.names.pop(name, None)
        if path is not None:
            self.names[name] = path

    def _listed(self, value: ast.expr) -> Iterator[str]:
        """The paths in a list, or in a sum of lists."""
        if isinstance(value, ast.BinOp):
            yield from self._listed(value.left)
            yield from self._listed(value.right)
        elif isinstance(value, (ast.List, ast.Tuple)):
            yield from filter(None, map(self._path, value.elts))

    def _path(self, e: ast.expr) -> str | None:
        """The path, or the text, that an expression has for its value; None where that is not known."""
        path = self._of_kind(e)
        return path if path is not None and len(path) <= LONGEST else None

    def _of_kind(self, e: ast.expr) -> str | None:
        if isinstance(e, ast.Constant):
            return e.value if isinstance(e.value, str) else None
        if isinstance(e, ast.Name):
            return self.names.get(e.id)
        if isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Div, ast.Add)):
            return self._together([e.left, e.right], "" if isinstance(e.op, ast.Add) else "/")
        if isinstance(e, ast.JoinedStr):
            return self._together(e.values, "")
        if isinstance(e, ast.FormattedValue):
            return self._path(e.value) if e.format_spec is None else None
        if isinstance(e, ast.Subscript):
            return self._above(e)
        if isinstance(e, ast.Attribute):
            return self._attribute(e)
        return self._called(e) if isinstance(e, ast.Call) and not e.keywords else None

    def _together(self, parts: list[ast.expr], between: str) -> str | None:
        """Parts of a text, or of a path with a slash between them."""
        known = [path for part in parts if (path := self._path(part)) is not None]
        if len(known) < len(parts):
            return None
        return os.path.join(*known) if between else "".join(known)

    def _above(self, e: ast.Subscript) -> str | None:
        """`path.parents[1]`"""
        if not (isinstance(e.value, ast.Attribute) and e.value.attr == "parents" and isinstance(e.slice, ast.Constant)):
            return None
        path, index = self._path(e.value.value), e.slice.value
        above = Path(path).parents if path is not None else ()
        return str(above[index]) if isinstance(index, int) and 0 <= index < len(above) else None

    def _attribute(self, e: ast.Attribute) -> str | None:
        if (constant := CONSTANTS.get(ast.unparse(e))) is not None:
            return constant
        path = self._path(e.value) if e.attr == "parent" else None
        return os.path.dirname(path) if path is not None else None

    def _called(self, e: ast.Call) -> str | None:
        """What a function or a method of paths gives."""
        name = ast.unparse(e.func).rpartition("os.path.")[2].rpartition("pathlib.")[2]
        if name in JOINS and e.args:
            return self._together(e.args, "/")
        if name in FUNCTIONS and len(e.args) == 1:
            path = self._path(e.args[0])
            return FUNCTIONS[name](path) if path is not None else None
        if not isinstance(e.func, ast.Attribute):
            return None
        if e.func.attr == "joinpath":
            return self._together([e.func.value, *e.args], "/")
        path = self._path(e.func.value) if e.func.attr in METHODS and not e.args else None
        return os.path.normpath(path) if path is not None else None


CONSTANTS = {"os.pardir": os.pardir, "os.curdir": os.curdir, "os.sep": os.sep, "os.path.pardir": os.pardir}
JOINS = {"join", "Path", "PurePath", "PosixPath"}
FUNCTIONS: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("abspath", "realpath", "normpath"), os.path.normpath),
    **dict.fromkeys(("str", "os.fspath", "fspath"), str),
    "dirname": os.path.dirname,
}
"""what names a path anew; links are not followed"""
METHODS = {"resolve", "absolute", "as_posix"}


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a file in the order of its lines, those inside `if`, `try` and the like among them."""
    for s in body:
        yield s
        if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for field in ("body", "handlers", "orelse", "finalbody"):
            inner = getattr(s, field, [])
            yield from _statements([x for one in inner for x in (one.body if field == "handlers" else [one])])

"""The state of the tensors that each statement of a file names, once it is done."""

from __future__ import annotations

import ast
import re
import sys
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from gradguard.runtime.dispatch import version

from .answers import Row
from .execute import execute

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

    import torch


def trace(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, as plain data.

    To ask whether a view is a leaf makes its node anew, if it has to be, which may change what backward does first. So
    that is asked in a run of its own.
    """
    tracer = Tracer(path, asks=False)
    tracer.follow()
    rows = tracer.rows
    if tracer.has_views:
        asking = Tracer(path)
        asking.follow()
        rows = {key: replace(row, is_leaf=asking.rows[key].is_leaf) for key, row in rows.items() if key in asking.rows}
    return [asdict(row) for row in sorted(rows.values(), key=lambda row: (row.line, row.name))]


class Tracer:
    """Follows the statements of one file and looks at the tensors that each names, once it is done."""

    def __init__(self, path: Path, asks: bool = True) -> None:
        self.path, self.filename = path, str(path)
        self.asks = asks
        """whether views are asked if they are leaves"""
        self.has_views = False
        self.rows: dict[tuple[int, str], Row] = {}
        self.statements: dict[int, tuple[int, set[str]]] = {}
        """by line: where its statement begins, and what that names"""
        self.running: dict[FrameType, int] = {}
        """the line that each frame is at"""
        self.storages: list[torch.UntypedStorage] = []
        """every storage seen, kept alive so that no two share an address"""
        for statement in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(statement, ast.stmt) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                parts = list(_own_parts(statement))
                last = max((part.end_lineno or 0 for part in parts), default=statement.lineno)
                entry = statement.lineno, {name for part in parts for name in _names(part)}
                self.statements |= dict.fromkeys(range(statement.lineno, last + 1), entry)

    def follow(self) -> None:
        """Run the file; a program that fails is followed up to its failure."""
        sys.settrace(self.enter)
        try:
            with suppress(Exception):
                execute(self.path)
        finally:
            sys.settrace(None)

    def enter(self, frame: FrameType, event: str, _: Any) -> Any:
        name = frame.f_code.co_name  # that of a lambda, or of a comprehension before Python 3.12, is `<…>`
        own = frame.f_code.co_filename == self.filename and (name == "<module>" or not name.startswith("<"))
        return self.step if event == "call" and own else None

    def step(self, frame: FrameType, event: str, _: Any) -> Any:
        done = self.running.pop(frame, None)
        if done is not None and event != "exception":
            self.look(frame, done)
        if event == "line":
            self.running[frame] = frame.f_lineno
        return self.step

    def look(self, frame: FrameType, line: int) -> None:
        """Note the state of the tensors that the statement at `line` names."""
        import torch

        first, names = self.statements.get(line, (line, set()))
        scope = frame.f_globals | frame.f_locals
        for name in names:
            value = _look_up(scope, name)
            self.rows.pop((first, name), None)
            if isinstance(value, torch.Tensor) and value.layout is torch.strided and version(value) >= 0:
                number, is_view = self.number(value.untyped_storage()), value._is_view()
                self.has_views = self.has_views or is_view
                with suppress(RuntimeError):  # a view that may not be used any more raises when asked
                    is_leaf = value.is_leaf if self.asks or not is_view else False
                    self.rows[first, name] = Row(first, name, value._version, value.requires_grad, is_leaf, number)

    def number(self, storage: torch.UntypedStorage) -> int:
        """The number of a storage: several may share their memory, or a part (`from_numpy`), which counts as one."""
        for number, seen in enumerate(self.storages):
            if seen._cdata == storage._cdata or _overlap(seen, storage):
                return number
        self.storages.append(storage)
        return len(self.storages) - 1


def _overlap(a: torch.UntypedStorage, b: torch.UntypedStorage) -> bool:
    """Whether two storages have a place in memory in common."""
    return max(a.data_ptr(), b.data_ptr()) < min(a.data_ptr() + a.nbytes(), b.data_ptr() + b.nbytes())


def _own_parts(statement: ast.stmt) -> Iterator[ast.expr]:
    """A statement's expressions, without the statements in its body."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.withitem):
            yield from (part for part in (child.context_expr, child.optional_vars) if part)


def _names(part: ast.AST, inner: frozenset[str] = frozenset()) -> Iterator[str]:
    """The names in an expression, and its dotted ones as far as they are only that.

    The `inner` ones are those that only a part of the expression has: the targets of a comprehension and the like.
    """
    if isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        inner |= {n.id for g in part.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    elif isinstance(part, ast.Lambda):
        inner |= {a.arg for a in ast.walk(part.args) if isinstance(a, ast.arg)}
    if isinstance(part, ast.Name) and part.id not in inner:
        yield part.id
    elif isinstance(part, ast.Attribute):
        text = ast.unparse(part)
        if re.fullmatch(r"[\w.]+", text) and text.partition(".")[0] not in inner:
            yield text
    for child in ast.iter_child_nodes(part):
        yield from _names(child, inner)


def _look_up(scope: dict[str, Any], name: str) -> Any:
    """What a dotted name stands for, found without running a property."""
    first, *rest = name.split(".")
    value = scope.get(first)
    for attribute in rest:
        members = getattr(value, "__dict__", {})
        value = (members | members.get("_parameters", {}) | members.get("_buffers", {})).get(attribute)
    return value

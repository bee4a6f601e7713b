"""A replay that knows straight-line code, `exp()`, `+=` and `backward()`: for tests of the protocol alone.

Run as a program it is the server with this replay in place of the real one.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import gradguard.analyses
from gradguard.analyses.report import Failure, Report, Saved, Site, Story, Write
from gradguard.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradguard.syntax.chunks import Source


@dataclass
class Tensor:
    version: int = 0
    leaf: bool = False
    saves: list[Saved] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)


def replay(roots: Sequence[Source], modules: object) -> Report:
    report = Report()
    for source in roots:
        if "crash the replay" in source.text:
            raise RuntimeError("asked to crash")
        for stmt in source.body:
            if isinstance(stmt, ir.Import | ir.ImportFrom):
                _load(stmt, source, modules)
        _run(source, report)
    return report


def _load(stmt: ir.Import | ir.ImportFrom, source: Source, modules: object) -> None:
    names = [stmt.module or ""] if isinstance(stmt, ir.ImportFrom) else [alias.name for alias in stmt.names]
    for name in names:
        modules.load(name, getattr(stmt, "level", 0), source.path)  # type: ignore[attr-defined]


def _run(source: Source, report: Report) -> None:
    tensors: dict[str, Tensor] = {}
    pending: list[Failure] = []
    for stmt in source.body:
        match stmt:
            case ir.Assign(targets=[ir.Name() as target], value=ir.Call(func=ir.Attribute(attr=attr)) as call):
                tensor = tensors[target.id] = Tensor(leaf=attr == "randn")
                if attr == "exp":
                    tensor.saves.append(Saved(Site(stmt.chunk, call), "exp", "result", target.id, 0))
                _tell(report, stmt, target, tensor)
            case ir.Assign(targets=[ir.Name() as target], value=ir.Name() as other) if other.id in tensors:
                tensors[target.id] = tensors[other.id]
            case ir.AugAssign(target=ir.Name() as target, op=op) if target.id in tensors:
                tensor = tensors[target.id]
                site = Site(stmt.chunk, stmt)
                write = Write(site, f"{op}=", target.id, tensor.version, tensor.version + 1)
                pending += [
                    Failure("stale-saved", "inplace", site, target.id, f"{op}=", save, write) for save in tensor.saves
                ]
                tensor.writes.append(write)
                tensor.version += 1
                _tell(report, stmt, target, tensor)
            case ir.ExprStmt(value=ir.Call(func=ir.Attribute(attr="backward"))):
                report.failures += pending
                pending = []


def _tell(report: Report, stmt: ir.Stmt, name: ir.Name, tensor: Tensor) -> None:
    report.stories[id(name), name.id] = Story(
        Site(stmt.chunk, name),
        name.id,
        tensor.version,
        True,
        tensor.leaf,
        tuple(tensor.writes),
        tuple(tensor.saves),
        (),
        (3,),
        "float32",
    )


if __name__ == "__main__":
    gradguard.analyses.replay = replay
    from gradguard.lsp.server import main

    sys.exit(main())

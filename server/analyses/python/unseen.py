"""Classes whose base nobody sees: one that is written as modules are is taken for a module.

`class Net(BaseModel)` with a `forward(self, …)`, or with layers that its constructor keeps, is an `nn.Module` in nearly
every program. What fails in such a class says that it rests on this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax import ir
from ..domain import registry
from ..domain.report import Assumption
from ..domain.values import ABSENT, ClassV

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .machine import Machine

MODULE = "torch.nn.Module"


def completed(m: Machine, s: ir.ClassDef, bases: tuple[ClassV, ...]) -> tuple[ClassV, ...]:
    """The bases of a class, with `nn.Module` after the unseen ones if it must be a module."""
    hidden = next((i for i, b in enumerate(bases) if b.open), None)
    if hidden is None or any(b.derives(MODULE) for b in bases):
        return bases
    if not any(isinstance(f, ir.FunctionDef) and (is_forward(f) or keeps_layers(m, f)) for f in s.body):
        return bases
    written = [a.value for a in s.args if a.name is None and not a.star]
    base = s.chunk.text[written[hidden].start : written[hidden].end]
    for f in s.body:
        if isinstance(f, ir.FunctionDef):
            m.state.set(m.taken, f.chunk, Assumption("module", base))
    return (*bases, registry.class_named(m, MODULE))


def is_forward(f: ir.FunctionDef) -> bool:
    """Whether a method is the `forward` of a module, with an input, and not that of a custom function."""
    return f.name == "forward" and not f.decorators and len(f.params.posonly) + len(f.params.args) > 1


def keeps_layers(m: Machine, f: ir.FunctionDef) -> bool:
    """Whether a method is a constructor that keeps layers of PyTorch: `self.fc = nn.Linear(3, 3)`."""
    if f.name != "__init__":
        return False
    m.look_at(f)
    return any(
        isinstance(s, ir.Assign) and isinstance(s.value, ir.Call) and is_layer(m, s.value.func)
        for s in f.body
        if isinstance(s, ir.Assign) and any(isinstance(t, ir.Attribute) for t in s.targets)
    )


def is_layer(m: Machine, called: ir.Expr) -> bool:
    """Whether a name, read where the class is defined, is a module class."""
    path = list(dotted(called))
    if not path or m.frame.globals.variables.get(path[-1], ABSENT) is ABSENT:
        return False
    found = m.state.resolve(m.eval(called))
    return isinstance(found, ClassV) and found.derives(MODULE)


def dotted(e: ir.Expr) -> Iterator[str]:
    """The names of `a.b.c`, the last first; none for another expression."""
    names = []
    while isinstance(e, ir.Attribute):
        names.append(e.attr)
        e = e.value
    if isinstance(e, ir.Name):
        yield from (*names, e.id)

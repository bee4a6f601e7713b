"""The change in place that a failure is about, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..syntax.ir import (
    Assign,
    Attribute,
    AugAssign,
    Call,
    Constant,
    Expr,
    ExprStmt,
    Import,
    ImportFrom,
    Name,
    Subscript,
)
from .layout import first_line_of
from .liveness import local, owner
from .place import Place, assignments, binds, call_of, module_body, statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analyses.domain.report import Failure
    from ..syntax.ir import Stmt
    from .edit import Edit
    from .place import Context

Form = Literal["augmented", "item", "method", "function", "out", "flag"]


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A change in place.

    `place` is the statement (`augmented`, `item`) or the call that changes; `target` the expression that
    names the changed tensor (of `item` and of an augmented item: the item).
    """

    form: Form
    place: Place
    target: Expr

    @property
    def statement(self) -> Place:
        """The statement that changes."""
        return self.place.statement

    @property
    def target_text(self) -> str:
        """The target as written."""
        return self.place.text_of(self.target)


def find_change(failure: Failure, context: Context) -> Change | None:
    """Return the change that the failure is about, or None if its form is none of these."""
    place = context.place(failure.write.site if failure.write else failure.site)
    if place is None:
        return None
    stmt = place.statement
    if isinstance(stmt.node, AugAssign) and (place.node is stmt.node or _within(stmt.node.target, place)):
        return Change("augmented", stmt, stmt.node.target)
    if isinstance(stmt.node, Assign):
        for target in stmt.node.targets:
            if isinstance(target, Subscript) and (place.node is stmt.node or _within(target, place)):
                return Change("item", stmt, target)
    call = call_of(place)
    return called_change(call) if call else None


def _within(target: Expr, place: Place) -> bool:
    return any(node is target for node in place.chain)


def called_change(call: Place) -> Change | None:
    """Return what a call changes in place, as far as its form shows."""
    node = call.node
    assert isinstance(node, Call)
    for arg in node.args:
        if arg.name == "out":
            return Change("out", call, arg.value)
        if arg.name == "inplace" and isinstance(arg.value, Constant) and arg.value.value is True and node.args:
            first = node.args[0]
            return Change("flag", call, first.value) if first is not arg and not first.star else None
    func = node.func
    if isinstance(func, Attribute) and is_inplace_name(func.attr):
        if not is_module(call, func.value):
            return Change("method", call, func.value)
        if node.args and not node.args[0].star:
            return Change("function", call, node.args[0].value)
    return None


def changed(stmt: Place) -> Expr | None:
    """Return what a statement may change in place, by its text: `x` of `x += y`, `x[i] = y`, `x.mul_(z).add_(y)`."""
    node = stmt.node
    found: Expr | None = None
    if isinstance(node, AugAssign):
        found = node.target
    elif isinstance(node, Assign) and isinstance(node.targets[0], Subscript):
        found = node.targets[0]
    elif isinstance(node, ExprStmt) and isinstance(node.value, Call):
        found = node.value
    while isinstance(found, Subscript | Call):
        found = found.value if isinstance(found, Subscript) else _receiver(stmt.of(found))
    return found


def _receiver(call: Place) -> Expr | None:
    change = called_change(call)
    return change.target if change is not None and change.form == "method" else None


def is_inplace_name(name: str) -> bool:
    """Return whether PyTorch's naming says that a method of this name changes its tensor."""
    return name.endswith("_") and not name.endswith("__") and not name.startswith("_")


def is_module(place: Place, expr: Expr) -> bool:
    """Return whether the expression names something imported, such as `torch.nn.functional`."""
    root = expr
    while isinstance(root, Attribute):
        root = root.value
    return isinstance(root, Name) and root.id in _imported(place)


def _imported(place: Place) -> set[str]:
    imports = (stmt for stmt in statements(place.source.body) if isinstance(stmt, Import | ImportFrom))
    return {alias.asname or alias.name.split(".")[0] for stmt in imports for alias in stmt.names}


def root(expr: Expr) -> Expr:
    """Return the tensor that an item or a view of it belongs to: `x` for `x[0]`, `x.T` and `x.view(-1)[1:]`.

    `self.x` is its own root: an attribute belongs to a view only where it is one of a tensor's.
    """
    while True:
        if isinstance(expr, Subscript):
            expr = expr.value
        elif isinstance(expr, Call) and isinstance(expr.func, Attribute):
            expr = expr.func.value
        elif isinstance(expr, Attribute) and expr.attr in {"T", "mT", "H", "mH", "data", "real", "imag"}:
            expr = expr.value
        else:
            return expr


def declared(place: Place, target: Expr) -> list[Edit] | None:
    """Return the edits under which `target = …` at `place` binds what is read there; None if nothing can.

    A variable of an enclosing function, or of the file, needs a declaration.
    """
    if not isinstance(target, Name):
        return [] if isinstance(target, Attribute | Subscript) else None
    function, name = place.function, target.id
    if function is None or local(place, name):
        return []
    above = owner(place, name)
    if above is None and not _is_assigned(module_body(place.source), name):
        return None  # the name of something imported or built in
    edit = first_line_of(function, f"{'nonlocal' if above else 'global'} {name}")
    return [edit] if edit else None


def _is_assigned(body: Sequence[Stmt], name: str) -> bool:
    targets = [target for stmt in body for assign in assignments(stmt) for target in assign.targets]
    return any(binds(target, name) for target in targets)

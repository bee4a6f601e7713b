"""Whether the value of a plain name is read later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Assign, Comp, For, FunctionDef, Lambda, Name, Raise, Return, Stmt, Try, While
from .place import below, module_body

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..syntax.ir import Node, Scope
    from .place import Place


def reads_later(place: Place, name: str) -> bool:
    """Return whether the value that the plain `name` has after `place` is evaluated may be read.

    Looks at the rest of the statement and of each enclosing block, and at the whole of each loop; a name that
    another function could see counts as read. In a comprehension, other uses of its own variable count.
    """
    comp = place.up(Comp)
    if comp and isinstance(comp.node, Comp) and _binds(comp.node, name):
        return sum(found.id == name for found in below(comp.node, Name)) > 2
    inside = place.up(Lambda)
    if inside and isinstance(inside.node, Lambda) and name in _parameters(inside.node):
        return any(found.id == name and found.start >= place.node.end for found in below(inside.node.body, Name))
    function = place.function
    if function is not None and name not in _scope(function).locals:
        return True
    stmt = place.statement
    if any(found.id == name and found.start >= place.node.end for found in below(stmt.node, Name)):
        return True
    if place.node is not stmt.node and (_binds_anew(stmt.node, name) or isinstance(stmt.node, Return | Raise)):
        return False
    level: Place | None = stmt
    if captured(place, name):
        return True
    while level is not None and not (function and level.node is function.node):
        if isinstance(level.node, Stmt):
            if any(_occurs(one, name) for one in _afterwards(level)):
                return True
            killed = _scan(_following(level), name)
            if killed is not None:
                return killed
            if isinstance(level.node, For | While):
                again = _scan_loop(level.node, name)
                if again:
                    return True
        level = level.outer
    return False


def local(place: Place, name: str) -> bool:
    """Return whether a plain assignment to `name` at `place` binds the variable that is read there."""
    function = place.function
    if function is None:
        return True
    scope = _scope(function)
    return name in scope.locals or name in scope.globals or name in scope.nonlocals


def owner(place: Place, name: str) -> FunctionDef | None:
    """Return the function whose variable a plain name at `place` is; None for one of the module."""
    function = place.function
    while function is not None:
        scope = _scope(function)
        if name in scope.locals:
            assert isinstance(function.node, FunctionDef)
            return function.node
        outer = function.outer
        function = outer.function if outer and name not in scope.globals else None
    return None


def captured(place: Place, name: str) -> bool:
    """Return whether a function inside the one at `place` may read the name."""
    return any(_captures(one, name) for one in _other_functions(place, place.function))


def _scope(function: Place) -> Scope:
    assert isinstance(function.node, FunctionDef)
    return function.node.scope


def _other_functions(place: Place, function: Place | None) -> Iterator[FunctionDef | Lambda]:
    roots: Sequence[Node] = [function.node] if function else module_body(place.source)
    for root in roots:
        yield from (found for found in below(root, FunctionDef) if function is None or found is not function.node)
        yield from below(root, Lambda)


def _captures(function: FunctionDef | Lambda, name: str) -> bool:
    own = function.scope.locals if isinstance(function, FunctionDef) else _parameters(function)
    return name not in own and _occurs(function, name)


def _parameters(function: Lambda) -> set[str]:
    params = function.params
    every = [*params.posonly, *params.args, *params.kwonly, *(one for one in (params.vararg, params.kwarg) if one)]
    return {one.name for one in every}


def _binds(comp: Comp, name: str) -> bool:
    return any(_occurs(generator.target, name) for generator in comp.generators)


def _following(stmt: Place) -> Sequence[Stmt]:
    block = stmt.block
    index = next(i for i, one in enumerate(block) if one is stmt.node)
    return block[index + 1 :]


def _afterwards(stmt: Place) -> Iterator[Node]:
    """Return what may run after the block of a statement as part of the enclosing one: `else`, `finally`."""
    around = stmt.outer
    while around is not None and not isinstance(around.node, Stmt):
        around = around.outer
    node = around.node if around else None
    if isinstance(node, For | While) and stmt.block is node.body:
        yield from node.orelse
    elif isinstance(node, Try):
        parts = (*node.handlers, *node.orelse, *node.finalbody)
        yield from (part for part in parts if not any(part is one for one in stmt.chain))


def _scan(statements: Sequence[Stmt], name: str) -> bool | None:
    """Return whether `name` is read first (True), or bound again or left first (False); None: neither."""
    for stmt in statements:
        if _binds_anew(stmt, name) and not _occurs(stmt.value, name):  # type: ignore[attr-defined]
            return False
        if isinstance(stmt, For) and _occurs(stmt.target, name):
            if _occurs(stmt.iter, name) or any(_occurs(one, name) for one in stmt.orelse):
                return True  # its body reads the loop's variable
        elif _occurs(stmt, name):
            return True
        if isinstance(stmt, Return | Raise):
            return False
    return None


def _scan_loop(loop: For | While, name: str) -> bool:
    if isinstance(loop, While) and _occurs(loop.test, name):
        return True
    if isinstance(loop, For) and _occurs(loop.target, name):
        return False
    return bool(_scan(loop.body, name))


def _binds_anew(stmt: Node, name: str) -> bool:
    return isinstance(stmt, Assign) and any(isinstance(one, Name) and one.id == name for one in stmt.targets)


def _occurs(node: Node, name: str) -> bool:
    return any(found.id == name for found in below(node, Name))

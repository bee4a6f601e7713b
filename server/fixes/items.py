"""Store the new value where a loop got its variable from: `d[k] = v * 2` for `v *= 2` in `for k, v in d.items():`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Attribute, Call, Expr, For, Name, Tuple
from .change import find_change, root
from .edit import Edit, Fix, apply
from .layout import is_pure
from .outplace import propose as out_of_place
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from .place import Context


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose the out-of-place form, assigned to the item of the dict or list that the loop iterates over."""
    change = find_change(failure, context)
    owner = root(change.target) if change else None
    if change is None or not isinstance(owner, Name) or owner is not change.target:
        return
    stmt = change.statement
    items = (
        f"{stmt.text_of(held)}[{key.id}]"
        for loop in stmt.loops
        if isinstance(loop.node, For)
        for key, value, held in _pairs(loop.node.target, loop.node.iter)
        if value.id == owner.id and not context.is_tensor(loop.of(held))
    )
    item = next(items, "")
    for fix in out_of_place(failure, context) if item else ():
        start = stmt.chunk.offset + stmt.node.start
        inside = [Edit(one.path, one.start - start, one.end - start, one.text) for one in fix.edits]
        if all(one.start >= 0 and one.end <= len(stmt.text) for one in inside):
            new = apply(stmt.text, inside)
            if new.startswith(f"{owner.id} = "):
                line = item + new.removeprefix(owner.id)
                title = context.say("write", "others", text=quote(line))
                yield Fix(title, "unsafe", (stmt.edit(line),))


def _pairs(target: Expr, over: Expr) -> Iterator[tuple[Name, Name, Expr]]:
    """Return key, value and owner for a loop over `d.items()` or `enumerate(x)`, also within a `zip`."""
    if not isinstance(target, Tuple) or not isinstance(over, Call):
        return
    func, given = over.func, [arg.value for arg in over.args if not arg.star and arg.name is None]
    two = [one for one in target.elts if isinstance(one, Name)] if len(target.elts) == 2 else []
    held = None
    if isinstance(func, Attribute) and func.attr == "items" and not over.args:
        held = func.value
    elif isinstance(func, Name) and func.id == "enumerate" and len(given) == len(over.args) == 1:
        held = given[0]
    elif isinstance(func, Name) and func.id == "zip" and len(given) == len(target.elts):
        for part, one in zip(target.elts, given, strict=True):
            yield from _pairs(part, one)
    if held is not None and len(two) == 2 and is_pure(held) and isinstance(held, Name | Attribute):
        yield two[0], two[1], held

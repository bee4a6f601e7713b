"""Functional forms of assignments to items: `x = x.masked_fill(mask, 0.0)`, `x = x.index_put((i,), v)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Assign, Attribute, BinOp, Compare, Constant, Expr, Name, Subscript, UnaryOp
from .change import find_change, rebindable
from .edit import Fix, safety
from .layout import is_pure
from .observers import observed
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Failure
    from .place import Context


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `masked_fill` for `x[mask] = number` where the index is plainly a mask."""
    change = find_change(failure, context)
    if change is None or change.form != "item":
        return
    node, target = change.place.node, change.target
    assert isinstance(node, Assign) and isinstance(target, Subscript)
    owner = target.value
    if len(node.targets) != 1 or not isinstance(owner, Name | Attribute) or not rebindable(change.place, owner):
        return
    if not (_is_mask(target.slice) and _is_number(node.value) and is_pure(target)):
        return
    name, mask, value = (change.place.text_of(part) for part in (owner, target.slice, node.value))
    text = f"{name} = {name}.masked_fill({mask}, {value})"
    leaf = failure.kind in {"leaf-inplace", "view-of-leaf-inplace"}
    changes = "leaf" if leaf else "others" if observed(failure, context) else None
    title = context.say("write", changes, text=quote(text), name=quote(name))
    yield Fix(title, safety(changes), (change.place.edit(text),))


def _is_mask(index: Expr) -> bool:
    if isinstance(index, Compare):
        return len(index.ops) == 1 and index.ops[0] in {"<", "<=", ">", ">=", "==", "!="}
    if isinstance(index, UnaryOp):
        return index.op == "~" and _is_mask(index.operand)
    return isinstance(index, BinOp) and index.op in "&|^" and _is_mask(index.left) and _is_mask(index.right)


def _is_number(value: Expr) -> bool:
    if isinstance(value, UnaryOp):
        return value.op == "-" and _is_number(value.operand)
    return isinstance(value, Constant) and isinstance(value.value, int | float)

"""Compute a new value instead of changing the old one: `x = x + y` for `x += y`, `x = x.add(y)` for `x.add_(y)`.

Covers augmented operators, methods and functions whose names end in `_`, `inplace=True` at a call of
`torch.nn.functional`, and `out=`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..facts.model import Op
from ..facts.releases import BASE
from ..syntax.imports import import_table
from ..syntax.ir import Attribute, AugAssign, Call, Expr, ExprStmt, Name, Subscript, Tuple
from .change import Change, declared, find_change, is_inplace_name
from .edit import Edit, Fix, apply, safety
from .layout import can_precede, fresh_name, insert_before, is_conditional, is_pure, operand, remove_argument
from .liveness import reads_later
from .observers import rebinding
from .place import dotted, walk
from .text import quote, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from .place import Context, Place

NO_FUNCTIONAL = words(
    "apply_ cauchy_ copy_ exponential_ fill_ fill_diagonal_ geometric_ log_normal_ map2_ map_ normal_ random_ "
    "resize_as_sparse_ set_ share_memory_ sparse_resize_ sparse_resize_and_clear_ uniform_ zero_"
)
"""The methods of torch.Tensor that have no out-of-place form."""

OTHER_RESULT = words(
    "bernoulli_ detach_ eq_ float_power_ ge_ greater_ greater_equal_ gt_ le_ less_ less_equal_ logical_and_ "
    "logical_not_ logical_or_ logical_xor_ lt_ ne_ not_equal_ requires_grad_ resize_ resize_as_"
)
"""Methods whose out-of-place form means something else, or returns another dtype."""


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose the out-of-place form of the failure's change."""
    change = find_change(failure, context)
    if change is None:
        return
    # the item's new value is written to the memory that the operator has saved, if it saves its operand
    item = change.form == "augmented" and isinstance(change.target, Subscript)
    copied = ".clone()" if item and failure.facts.get("saver_changes") else ""
    if change.form == "augmented":
        edits = _augmented(change, copied)
    elif change.form in {"method", "function", "flag", "out"}:
        edits = _called(change)
    else:
        edits = None
    if edits:
        changes = rebinding(failure, context, change)
        yield Fix(_title(change, context, changes, copied), safety(changes), tuple(edits))


def _title(change: Change, context: Context, changes: str | None, copied: str) -> str:
    node = change.place.node
    name = change.place.text_of(change.target)
    words = {"name": quote(name)}
    if isinstance(node, AugAssign):
        words |= {"new": quote(f"{name} = {name}{copied} {node.op} …"), "old": quote(f"{name} {node.op}= …")}
    elif change.form not in {"out", "flag"}:
        words["method"] = quote(_method_name(change))
    key = change.form if change.form in {"augmented", "out", "flag"} else "method"
    return context.say(key, changes, **words)


def _method_name(change: Change) -> str:
    assert isinstance(change.place.node, Call) and isinstance(change.place.node.func, Attribute)
    return change.place.node.func.attr


# -- augmented assignment ---------------------------------------------------------------------


def _augmented(change: Change, copied: str) -> list[Edit] | None:
    place, node = change.place, change.place.node
    assert isinstance(node, AugAssign)
    if declared(place, node.target) is None:
        return None
    before, target = named_target(place, node.target)
    if target is None:
        return None
    text, end = place.source.text, place.of(node.target).end
    found = re.compile(r"([\s)\\]*?)([ \t]*)(" + re.escape(node.op) + "=)").match(text, end)
    if found is None:
        return None
    pad = found.group(2)[:1]
    sign = Edit(place.path, found.start(3), found.end(), f"={pad}{target}{copied}{pad}{node.op}")
    whole = [] if target == change.target_text else [place.of(node.target).edit(target)]
    return [*before, *whole, sign, *operand(place.of(node.value), node.op)]


def named_target(stmt: Place, target: Expr) -> tuple[list[Edit], str | None]:
    """Return the text of an assignment target that can be evaluated twice.

    Parts with side effects get names of their own, in statements before the one at `stmt`; the edits for these come
    first. The text is None if that can't be done.
    """
    shown = stmt.text_of(target)
    if is_pure(target):
        return [], shown
    lines: list[str] = []
    if isinstance(target, Attribute):
        holder = fresh_name(stmt, "owner")
        lines.append(f"{holder} = {stmt.text_of(target.value)}")
        shown = f"{holder}.{target.attr}"
    elif isinstance(target, Subscript):
        owner, index = stmt.text_of(target.value), stmt.text_of(target.slice)
        if not is_pure(target.value):
            name = fresh_name(stmt, "owner")
            lines.append(f"{name} = {owner}")
            owner = name
        if not is_pure(target.slice):
            name = fresh_name(stmt, "index")
            lines.append(f"{name} = {index}")
            index = name
        shown = f"{owner}[{index}]"
    edits = [insert_before(stmt, line) for line in lines]
    if not edits or any(edit is None for edit in edits) or ":" in shown:
        return [], None
    return [edit for edit in edits if edit], shown


# -- calls ------------------------------------------------------------------------------------


def _called(change: Change) -> list[Edit] | None:
    if change.form == "method":
        place, target, edits = _functional_chain(change)
    else:
        place, target, edits = change.place, change.target, _functional_call(change)
    return rebound(place, target, edits) if edits else None


def _functional_chain(change: Change) -> tuple[Place, Expr, list[Edit]]:
    """Return the whole chain `x.mul_(a).add_(b)`, its `x`, and the edits that make it `x.mul(a).add(b)`."""
    calls = [change.place]
    while isinstance(change.target, Call) and _inplace_method(change.target):
        assert isinstance(change.target.func, Attribute)
        change = Change("method", change.place.of(change.target), change.target.func.value)
        calls.insert(0, change.place)
    while (up := _chained(calls[-1])) is not None:
        calls.append(up)
    edits: list[Edit] = []
    for i, call in enumerate(calls):
        assert isinstance(call.node, Call) and isinstance(call.node.func, Attribute)
        end = call.of(call.node.func).end
        if call.node.func.attr not in NO_FUNCTIONAL | OTHER_RESULT:
            edits.append(Edit(call.path, end - 1, end, ""))
        elif i == 0:
            start = call.chunk.offset + call.node.func.value.end
            edits.append(Edit(call.path, start, start, ".clone()"))
    return calls[-1], change.target, edits


def _inplace_method(node: Call) -> bool:
    return isinstance(node.func, Attribute) and is_inplace_name(node.func.attr)


def _chained(call: Place) -> Place | None:
    outer = call.outer
    above = outer.outer if outer and isinstance(outer.node, Attribute) else None
    if above and isinstance(above.node, Call) and above.node.func is outer.node and _inplace_method(above.node):  # type: ignore[union-attr]
        return above
    return None


def _functional_call(change: Change) -> list[Edit]:
    place, node = change.place, change.place.node
    assert isinstance(node, Call)
    if change.form == "function":
        func = place.of(node.func)
        return [Edit(place.path, func.end - 1, func.end, "")] if _has_twin(func) else []
    flag = next(arg for arg in node.args if arg.name == ("out" if change.form == "out" else "inplace"))
    return [remove_argument(place, flag)]


def _has_twin(func: Place) -> bool:
    """Return whether the function has a form that changes nothing: `torch.nn.init.zeros_` has none."""
    fact = BASE.table.find(import_table(func.source).resolve(dotted(func.node)) or "")
    return isinstance(fact, Op) and fact.inplace_of is not None


def rebound(place: Place, target: Expr, edits: list[Edit]) -> list[Edit] | None:
    """Assign the result of the call at `place`, which `edits` make out-of-place, to `target`.

    A call that is a statement becomes an assignment. Inside a larger expression, nothing more is needed if the target
    isn't read later; otherwise an assignment goes before the statement.
    """
    stmt = place.statement
    declaring = _declared(place, target)
    if isinstance(stmt.node, ExprStmt) and stmt.node.value is place.node:
        if declaring is None:
            return None
        return [*declaring, Edit(place.path, stmt.start, stmt.start, f"{place.text_of(target)} = "), *edits]
    if isinstance(target, Name) and not reads_later(place, target.id):
        return edits
    if not isinstance(target, Name | Attribute | Subscript):
        return edits
    if declaring is None or not can_precede(place) or is_conditional(place) or _read_before(place, target):
        return None
    call = apply(place.text, [_within(edit, place) for edit in edits])
    line = insert_before(stmt, f"{place.text_of(target)} = {f'({call})' if _breaks(call) else call}")
    return [*declaring, line, place.edit(place.text_of(target))] if line else None


def _declared(place: Place, target: Expr) -> list[Edit] | None:
    """Return the edits that let the target, or each of several, be assigned to; None if that is impossible."""
    each = [declared(place, one) for one in (target.elts if isinstance(target, Tuple) else [target])]
    if not is_pure(target) or any(edits is None for edits in each):
        return None
    return [edit for edits in each for edit in edits or ()]


def _within(edit: Edit, place: Place) -> Edit:
    return Edit(edit.path, edit.start - place.start, edit.end - place.start, edit.text)


def _breaks(call: str) -> bool:
    """Return whether a line of the text ends outside all brackets."""
    depth = 0
    for char in call:
        depth += (char in "([{") - (char in ")]}")
        if char == "\n" and depth == 0:
            return True
    return False


def _read_before(place: Place, target: Expr) -> bool:
    text = place.text_of(target)
    stmt = place.statement
    return any(
        isinstance(node, Name | Attribute) and node.end <= place.node.start and stmt.text_of(node) == text
        for node in walk(stmt.node)
    )

"""Cut the graph of state that is carried from one iteration to the next: `h = h_next.detach()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import AnnAssign, Arg, Assign, Attribute, AugAssign, Call, Expr, ExprStmt, List, Name, Return, Tuple
from .edit import Edit, Fix
from .layout import insert_after, suffix
from .place import call_of
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Failure
    from .place import Context, Place

WHY = "(changes meaning: no gradient flows into earlier iterations)"
DETACH = ".detach()"


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose where to detach, by `facts["carried"]`: the statement or the expression that carries the state over.

    `facts["carried_kind"]` (`tensor`, `tuple`, `list` or `dict`) tells what it is; `facts["carried_as"]` is
    the name by which the function that calls backward() knows it.
    """
    place = context.place(failure.facts.get("carried"))
    if place is None:
        return
    kind = failure.facts.get("carried_kind", "tensor")
    backward = context.place(failure.backward) if failure.backward else None
    here, later = _carrying(place, str(kind)), _after_backward(place, backward, failure)
    plain = _value(place)
    first, second = (here, later) if isinstance(plain, Name | Attribute) or plain is None else (later, here)
    for edits in (first, second):
        if edits:
            shown = failure.facts.get("carried_as") or _shown(place)
            yield Fix(f"Detach {quote(str(shown))} {WHY}", "unsafe", tuple(edits))


def _shown(place: Place) -> str:
    node = place.node
    target = node.targets[0] if isinstance(node, Assign) else node
    return place.text_of(target)


def _value(place: Place) -> Expr | None:
    node = place.node
    if isinstance(node, Assign | AnnAssign | AugAssign | Return | Arg):
        return node.value
    return None


def _carrying(place: Place, kind: str) -> list[Edit]:
    """Detach in the very statement or expression that carries the state over."""
    node = place.node.value if isinstance(place.node, ExprStmt) else place.node
    value = _value(place)
    if isinstance(place.node, Assign) and isinstance(place.node.targets[0], Tuple) and not isinstance(value, Tuple):
        return []
    if value is not None:
        return detached(place.of(value), kind)
    if isinstance(node, Call):
        return [edit for arg in node.args for edit in detached(place.of(arg.value), "tensor")]
    return detached(place, kind) if isinstance(node, Expr) else []


def detached(place: Place, kind: str) -> list[Edit]:
    """Give the edits that detach the expression: a display's elements each, a tuple by a generator."""
    node = place.node
    if isinstance(node, Tuple | List):
        return [edit for one in node.elts for edit in detached(place.of(one), "tensor")]
    if kind == "tensor":
        return suffix(place, DETACH) if not _is_literal(place) else []
    return [place.edit(_each(place.text, kind))]


def _is_literal(place: Place) -> bool:
    return not isinstance(place.node, Name | Attribute | Call) and place.text[:1] in "'\"0123456789{"


def _each(text: str, kind: str) -> str:
    """Give an expression for the container `text` with each tensor detached."""
    if kind == "dict":
        return f"{{key: value.detach() for key, value in {text}.items()}}"
    each = f"s.detach() for s in {text}"
    return f"[{each}]" if kind == "list" else f"tuple({each})"


def _after_backward(place: Place, backward: Place | None, failure: Failure) -> list[Edit]:
    """Detach behind backward(), by the name that its function has for the state."""
    same = backward and getattr(place.function, "node", None) is getattr(backward.function, "node", None)
    if backward is None or (same and place.start > backward.start):
        return []
    name = failure.facts.get("carried_as")
    kind = str(failure.facts.get("carried_kind", "tensor"))
    targets = place.node.targets if isinstance(place.node, Assign) else []
    if name is None and same and len(targets) == 1:
        name = place.text_of(targets[0])
    if not isinstance(name, str):
        return []
    if targets and isinstance(targets[0], Tuple) and "carried_as" not in failure.facts:
        names = [place.text_of(one) for one in targets[0].elts]
        line = f"{', '.join(names)} = {', '.join(one + DETACH for one in names)}"
    else:
        line = f"{name} = {name + DETACH if kind == 'tensor' else _each(name, kind)}"
    return [insert_after(backward.statement, line)]


def deepcopy(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `x.detach().clone()` for `copy.deepcopy(x)`, which takes leaves only (torch/_tensor.py)."""
    call = call_of(context.place(failure.site))
    if call is None or not isinstance(call.node, Call) or len(call.node.args) != 1:
        return
    value = call.of(call.node.args[0].value)
    if isinstance(value.node, Name) and value.node.id == "self":
        return
    simple = isinstance(value.node, Name | Attribute | Call)
    text = value.text if simple else f"({value.text})"
    yield Fix(
        f"Copy {quote(value.text)} with `detach().clone()` (changes meaning: the copy has no gradient)",
        "unsafe",
        (call.edit(f"{text}.detach().clone()"),),
    )
    yield Fix(
        f"Copy {quote(value.text)} with `clone()` (changes meaning: gradients flow through the copy)",
        "unsafe",
        (call.edit(f"{text}.clone()"),),
    )

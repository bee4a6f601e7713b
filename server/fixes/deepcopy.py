"""Copy tensors that `copy.deepcopy` refuses since they have a graph (torch/_tensor.py, `Tensor.__deepcopy__`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Attribute, Call, Name
from .detach import each
from .edit import Fix
from .layout import add_argument, is_pure
from .place import call_of
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..analyses.domain.report import Failure
    from .place import Context


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `x.detach().clone()`, one for each tensor of a container, or a memo of copies for an object.

    `facts["layout"]` says how the value holds tensors (`tensor`, `list`, `dict/list`, …), `facts["held"]` where they
    are in it, as expressions with `{}` for the value; one that begins with `*` names a collection.
    """
    call = call_of(context.place(failure.site))
    if call is None or not isinstance(call.node, Call) or len(call.node.args) != 1:
        return
    value = call.of(call.node.args[0].value)
    text = value.text if isinstance(value.node, Name | Attribute | Call) else f"({value.text})"
    layout, held = failure.facts.get("layout", "tensor"), failure.facts.get("held", ())
    if isinstance(layout, str):
        for key, changes, how in (
            ("deepcopy-detach", "copy", ".detach().clone()"),
            ("deepcopy-clone", "copy-grad", ".clone()"),
        ):
            title = context.say(key, changes, value=quote(value.text))
            yield Fix(title, "unsafe", (call.edit(each(text, layout, how)),))
    elif isinstance(held, tuple) and held and is_pure(value.node):  # type: ignore[arg-type]
        title = context.say("deepcopy-memo", "copy", value=quote(value.text))
        yield Fix(title, "unsafe", (add_argument(call, _memo([one.format(value.text) for one in held])),))


def _memo(held: Sequence[str]) -> str:
    """Return the memo that makes deepcopy take detached copies of these tensors."""
    first = held[0]
    if len(held) == 1 and not first.startswith("*"):
        return f"{{id({first}): {first}.detach().clone()}}"
    tensors = first[1:] if len(held) == 1 else f"({', '.join(held)})"
    return f"{{id(t): t.detach().clone() for t in {tensors}}}"

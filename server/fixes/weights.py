"""Let a forward pass save copies of a module's weights, which a later update doesn't touch.

`torch.func.functional_call(layer, {name: weight.clone() for …}, (x,))` for `layer(x)`: gradients flow through the
copies into the weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.model import ModuleFact
from ..facts.releases import BASE
from ..syntax.ir import Attribute, Call, ClassDef, FunctionDef, Name
from .edit import Edit, Fix
from .layout import fresh_name, is_pure
from .nograd import torch_name
from .place import call_of
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure, Saved
    from .place import Context, Place


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose it for all forward passes that saved what the update changes: of the whole module, or of a part."""
    passes = [_passes(one.saved, context) for one in context.group(failure)]
    for depth in range(max(map(len, passes)) if all(passes) else 0):
        calls = {call.node: call for some in passes for call in [some[min(depth, len(some) - 1)]]}.values()
        edits = dict.fromkeys(edit for call in calls for edit in _copying(call))
        shown = context.say("and").join(dict.fromkeys(quote(call.text) for call in calls))
        title = context.say("copy-weights", "old-weights", value=shown)
        yield Fix(title, "unsafe", tuple(edits), changes="old-weights")


def _passes(saved: Saved | None, context: Context) -> list[Place]:
    """Return the calls of modules that led to the save, outermost first, if `functional_call` can replace them.

    The innermost one calls a layer of `torch.nn`; each of the others runs the `forward` that contains the next.
    """
    if saved is None or not isinstance(BASE.table.find(f"torch.nn.{saved.op}"), ModuleFact):
        return []
    found: list[Place] = []
    for site in (saved.site, *reversed(saved.stack)):
        call = call_of(context.place(site))
        if call is None or not _is_plain(call):
            break
        found.insert(0, call)
        if not _is_forward(call.function):
            break
    return found


def _is_plain(call: Place) -> bool:
    """Return whether a call is of a name other than `forward`, with positional arguments only."""
    node = call.node
    if not isinstance(node, Call) or not isinstance(node.func, Name | Attribute) or not is_pure(node.func):
        return False
    if isinstance(node.func, Attribute) and node.func.attr == "forward":
        return False
    return bool(node.args) and not any(arg.name or arg.star == "**" for arg in node.args)


def _is_forward(function: Place | None) -> bool:
    if function is None or not isinstance(function.node, FunctionDef):
        return False
    return function.node.name == "forward" and isinstance(function.parent, ClassDef)


def _copying(call: Place) -> Iterator[Edit]:
    """Return the edits that let `functional_call` make a call; the arguments stay as they are written."""
    node = call.node
    assert isinstance(node, Call)
    torch, imports = torch_name(call)
    module, name, weight = call.of(node.func), fresh_name(call, "name"), fresh_name(call, "weight")
    copies = f"{{{name}: {weight}.clone() for {name}, {weight} in {module.text}.named_parameters()}}"
    yield from imports
    yield Edit(call.path, call.start, call.start, f"{torch}.func.functional_call(")
    yield Edit(call.path, module.end, module.end, f", {copies}, ")
    if len(node.args) == 1:
        end = call.chunk.offset + node.args[0].end
        yield Edit(call.path, end, end, ",")
    yield Edit(call.path, call.end, call.end, ")")

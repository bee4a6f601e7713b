"""Update a leaf without recording it: `with torch.no_grad():` around the change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analyses.shapes import pointwise
from ..syntax.ir import Attribute, Call, For, Import, ImportFrom, Name
from .change import changed, root
from .edit import Edit, Fix
from .layout import begins_line, is_docstring, newline, wrap
from .place import below, call_of, module_body, walk
from .text import quote, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from .place import Context, Place

INITIALISERS = words(
    "bernoulli_ cauchy_ copy_ exponential_ fill_ fill_diagonal_ geometric_ index_copy_ log_normal_ normal_ random_ "
    "trunc_normal_ uniform_ zero_"
)
"""Methods that fill a tensor with new values, as initialisers and loaders of weights do."""


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose the block around the statement that changes the leaf, and around a loop that does nothing else.

    Where statements that follow in its block change the same leaf, the block goes on up to the last of them.
    """
    place = context.place(failure.site)
    if place is None or (failure.kind == "out-grad" and _reads_out(place)):
        return
    stmt = place.statement
    torch, imports = torch_name(stmt)
    title = context.say("no-grad", "no-grad", value=quote(failure.name or stmt.text))
    loop = stmt.outer
    if loop and isinstance(loop.node, For) and loop.node.body == [stmt.node] and not loop.node.orelse:
        over = context.say("no-grad-loop", "no-grad", value=quote(loop.text_of(loop.node.iter)))
        yield Fix(over, "unsafe", (*imports, *wrap(loop, f"with {torch}.no_grad():")))
    yield Fix(title, "unsafe", (*imports, *wrap(stmt, f"with {torch}.no_grad():")))
    others = _up_to_the_last(stmt)
    if others and all(map(begins_line, others)):
        yield Fix(title, "unsafe", (*imports, *wrap(stmt, f"with {torch}.no_grad():", others)))


def _reads_out(place: Place) -> bool:
    """Return whether a call reads what it writes to with `out=`; without grad PyTorch may refuse that, too."""
    call = call_of(place)
    if call is None or not isinstance(call.node, Call):
        return False
    func, args = call.node.func, call.node.args
    out = {call.text_of(root(arg.value)) for arg in args if arg.name == "out"}
    read = (node for arg in args if arg.name != "out" for node in walk(arg.value) if isinstance(node, Name | Attribute))
    by_element = call.text_of(func).rpartition(".")[2] in pointwise.OPS
    return not by_element and any(call.text_of(node) in out for node in read)


def _up_to_the_last(stmt: Place) -> list[Place]:
    """The statements of a block behind one, up to the last that changes in place what it does."""
    leaf = changed(stmt)
    if leaf is None:
        return []
    name = stmt.text_of(leaf)
    later = [stmt.sibling(one) for one in stmt.block if one.start > stmt.node.start]
    same = [i for i, one in enumerate(later) if (other := changed(one)) and one.text_of(other) == name]
    return later[: same[-1] + 1] if same else []


def torch_name(place: Place) -> tuple[str, list[Edit]]:
    """Return the file's name for `torch`, and the edit that imports it if it has none."""
    last = None
    for stmt in module_body(place.source):
        if isinstance(stmt, Import):
            for alias in stmt.names:
                if alias.name == "torch" or (alias.name.startswith("torch.") and alias.asname is None):
                    return alias.asname or "torch", []
        if isinstance(stmt, Import | ImportFrom):
            last = stmt
    line = "import torch" + newline(place)
    at = last.chunk.offset + last.start if last and not _is_future(last) else _after_docstring(place)
    return "torch", [Edit(place.path, at, at, line)]


def _is_future(stmt: Import | ImportFrom) -> bool:
    return isinstance(stmt, ImportFrom) and stmt.module == "__future__"


def _after_docstring(place: Place) -> int:
    for stmt in module_body(place.source):
        if not (isinstance(stmt, ImportFrom) and _is_future(stmt)) and not is_docstring(stmt):
            return stmt.chunk.offset + stmt.start
    return len(place.source.text)


def is_update(place: Place) -> bool:
    """Return whether the change at `place` looks like an update of parameters: by a gradient, or by an initialiser."""
    stmt = place.statement.node
    if any("grad" in node.attr for node in below(stmt, Attribute)) or any(
        "grad" in node.id for node in below(stmt, Name)
    ):
        return True
    return any(isinstance(call.func, Attribute) and call.func.attr in INITIALISERS for call in below(stmt, Call))

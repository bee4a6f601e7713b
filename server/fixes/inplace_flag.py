"""Drop `inplace=True` where a module is built: `nn.ReLU(inplace=True)`, `partial(nn.ELU, inplace=True)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Assign, Call, Constant
from .edit import Fix, safety
from .layout import remove_argument
from .liveness import reads_later
from .observers import observed
from .place import call_of
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure, Write
    from ..syntax.ir import Arg
    from .place import Context


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to build the module without the flag; `facts["constructor"]` is the call that builds it."""
    place = context.place(failure.facts.get("constructor"))
    if place is None or not isinstance(place.node, Call):
        return
    flag = _flag(place.node)
    if flag is None:
        return
    changes = "readers" if observed(failure, context) or _read_again(failure, context) else None
    title = context.say("constructor", changes, value=quote(place.text))
    yield Fix(title, safety(changes), (remove_argument(place, flag),))


def _read_again(failure: Failure, context: Context) -> bool:
    """Return whether the module's argument, at any of its calls, is read later by the name that it was passed by."""
    constructor = failure.facts["constructor"]
    stories = context.report.stories.values() if context.report else ()
    writes = {write for story in stories for write in story.writes if write.built == constructor}
    return any(_is_read(write, context) for write in {*writes, *([failure.write] if failure.write else [])})


def _is_read(write: Write, context: Context) -> bool:
    call, name = call_of(context.place(write.site)), write.name
    if call is None or name is None:
        return False
    if name.isidentifier():
        return reads_later(call, name)
    stmt = call.statement
    return not (isinstance(stmt.node, Assign) and any(stmt.text_of(target) == name for target in stmt.node.targets))


def _flag(call: Call) -> Arg | None:
    """Return the `inplace` argument: by keyword, or a last positional True as in `nn.ReLU(True)`.

    A keyword may have any expression as its value: it was true when the module changed a tensor.
    """
    for arg in call.args:
        if arg.name == "inplace":
            return arg
    positional = [arg for arg in call.args if arg.name is None and not arg.star]
    return positional[-1] if positional and _is_true(positional[-1]) else None


def _is_true(arg: Arg) -> bool:
    return isinstance(arg.value, Constant) and arg.value.value is True

"""Drop `inplace=True` where a module is built: `nn.ReLU(inplace=True)`, `partial(nn.ELU, inplace=True)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Call, Constant
from .edit import Fix, safety
from .layout import remove_argument
from .observers import observed
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Failure
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
    changes = "readers" if observed(failure, context) else None
    title = context.say("constructor", changes, value=quote(place.text))
    yield Fix(title, safety(changes), (remove_argument(place, flag),))


def _flag(call: Call) -> Arg | None:
    """Give the argument that says `inplace`: by its name, or a last positional True as in `nn.ReLU(True)`."""
    for arg in call.args:
        if arg.name == "inplace" and _is_true(arg):
            return arg
    positional = [arg for arg in call.args if arg.name is None and not arg.star]
    return positional[-1] if positional and _is_true(positional[-1]) else None


def _is_true(arg: Arg) -> bool:
    return isinstance(arg.value, Constant) and arg.value.value is True

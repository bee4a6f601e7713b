"""Options that are off by default: what they switch on is replayed once more, with something for each of them.

    def focal_loss(x, target, alpha=None):
        loss = …
        if alpha is not None:       # nothing has come here yet
            loss = alpha * loss
        return loss

An option that is None or False where something was entered first may have kept the replay out of a block. What is
passed for it then is unknown, or a flag: a failure behind it names the branch that it rests on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax import ir
from ...syntax.walk import blocks_in, names
from ..domain.values import ABSENT, Args, Unknown
from ..python.annotations import from_outside, unknown_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..domain.values import FunctionV, Value
    from ..python.machine import Machine


SHORT = 40
"""characters of a call that messages write out"""


def unset(f: FunctionV) -> list[ir.Param]:
    """The parameters that are None by default."""
    params = (*f.node.params.posonly, *f.node.params.args, *f.node.params.kwonly)
    return [p for p in params if f.defaults.get(p.name, ABSENT) is None]


def are_off(f: FunctionV) -> bool:
    """Whether a function has an option that is None or False by default."""
    return any(v is None or v is False for v in f.defaults.values())


def offered(m: Machine, f: FunctionV) -> dict[str, Value]:
    """What may come in for each parameter that is None by default."""
    return {p.name: from_outside(m, f, p, None) for p in unset(f)}


def given(m: Machine, f: FunctionV, skip: int) -> Args:
    """Arguments for a call that passes something for each parameter which is None by default, and leaves out others.

    None for the first `skip` parameters.
    """
    required, passed = unknown_arguments(m, f, skip), offered(m, f)
    for v in passed.values():
        if isinstance(v, Unknown):
            v.given = True
    return Args(required.pos, {**passed, **required.kw})


def with_offered(m: Machine, f: FunctionV, args: Args) -> Args:
    """The same arguments, and something for each other parameter that is None by default."""
    return Args(args.pos, {**offered(m, f), **args.kw}, args.open)


def with_optional(m: Machine, f: FunctionV, skip: int) -> Args:
    """Arguments for a call that passes something, or None, for what is None by default; none for the first `skip`."""
    return unknown_arguments(m, f, skip, optional=True)


def either_way(m: Machine, f: FunctionV, skip: int) -> Args:
    """Arguments for a call that may set each option, or not; none for the first `skip` parameters."""
    required = unknown_arguments(m, f, skip)
    return Args(required.pos, {**offered(m, f), **required.kw}, open_=True)


def call_with(name: str, passed: Sequence[str]) -> str:
    """How messages write a call that passes some options: `Loss(weight=…, alpha=…)`, or `Loss(…)`."""
    told = f"{name}({', '.join(f'{one}=…' for one in passed)})"
    return told if len(told) <= SHORT else f"{name}(…)"


def missed(f: ir.FunctionDef, reached: Callable[[ir.Stmt], bool]) -> Iterator[ir.Stmt]:
    """The first statements of branches of a function that were not reached, but for those that end in an error.

    What decides on the branch is an argument, or an attribute of one. What stands behind an `if` without an `else` is
    missed where its block returns.
    """
    params = {p.name for p in (*f.params.posonly, *f.params.args, *f.params.kwonly)}
    for block in blocks_in(f):
        for k, s in enumerate(block):
            if isinstance(s, ir.If) and reached(s) and not params.isdisjoint(names(s.test)):
                for side in (s.body, s.orelse or block[k + 1 :]):
                    if side and not isinstance(side[-1], ir.Raise) and not reached(side[0]):
                        yield side[0]

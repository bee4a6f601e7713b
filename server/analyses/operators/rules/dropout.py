"""Dropout: how often it writes, and when it gives its argument back (`aten/src/ATen/native/Dropout.cpp`).

`dropout1d` and `dropout3d` make a batch of a single sample, and take it off again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....facts.model import Result
from ...autograd.tensors import Node
from ...domain.known import decided, key_of
from ...domain.values import Cond, Unknown
from ..call import Call, Family
from ..cases import by_conditions
from ..conversions import guess, itself
from .names import functional, functions, modules

if TYPE_CHECKING:
    from ....facts.model import Case, Mutation, Op
    from ...autograd.gradients import Times
    from ...autograd.tensors import Tensor
    from ...domain.values import Value
    from ..interpreter import Interpreter

IN_PLACE = functions("dropout_ feature_dropout_")
ALPHA_IN_PLACE = functions("alpha_dropout_ feature_alpha_dropout_")
PLAIN = (*functions("dropout"), *functional("dropout dropout2d"), *modules("Dropout Dropout2d"))
ALPHA = (
    *functions("alpha_dropout feature_alpha_dropout"),
    *functional("alpha_dropout feature_alpha_dropout"),
    *modules("AlphaDropout FeatureAlphaDropout"),
)
BATCHES = dict.fromkeys((*functional("dropout1d"), *modules("Dropout1d")), 3)
BATCHES |= dict.fromkeys((*functional("dropout3d"), *modules("Dropout3d")), 5)
"""the dropouts that make a batch of a single sample, and how many dimensions a batch has"""


def writes(m: Interpreter, call: Call) -> Times | None:
    """The noise of an alpha dropout is scaled and shifted in place; there is none where all or nothing stays."""
    p = call.option(m, "p", 0.5)
    return (int(p not in (0, 1) and not call.is_empty()),) * 2 if isinstance(p, (int, float)) else None


def noise(m: Interpreter, call: Call) -> int | None:
    """How often a dropout in place changes its argument: it multiplies, and shifts where the noise is `alpha`."""
    training = call.option(m, "training", call.option(m, "train", True))
    p = call.option(m, "p", 0.5)
    if not isinstance(p, (int, float)) or not isinstance(training, bool):
        return None
    shifted = p != 1 and call.name in (*ALPHA, *ALPHA_IN_PLACE)
    return 0 if p == 0 or not training or call.is_empty() else 1 + int(shifted)


def changes(m: Interpreter, call: Call, change: Mutation) -> Times | None:
    """It multiplies with the noise; the dimension of a batch that it makes comes and goes in place."""
    in_place = call.name in (*IN_PLACE, *ALPHA_IN_PLACE)
    if not in_place and call.option(m, "inplace", False) is not True:
        return 0, 0
    number, batch, g = noise(m, call), BATCHES.get(call.name), call.layout()
    if number is None or batch is None:
        return None if number is None else (number, number)
    if g is None:
        return number, number + 2
    return (number, number) if g.ndim == batch else (number + 2, number + 2)


def writes_nothing(m: Interpreter, call: Call, t: Tensor) -> bool:
    """Whether a call moves the version of its argument, whose content stays as it is."""
    return noise(m, call) == 0


def is_off(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """Whether a dropout does nothing; None if that is unknown."""
    training, p = call.values.get("training", True), call.values.get("p", 0.5)
    if training is False or p == 0:
        return True
    return None if isinstance(training, Unknown) or zero_by_default(m, call) is not None else False


def zero_by_default(m: Interpreter, call: Call, inplace: bool = False) -> Unknown | None:
    """A probability that is passed in, and is 0 by default; None where it is another one, or doesn't matter."""
    p = call.option(m, "p", 0.5)
    if not isinstance(p, Unknown) or p.usual != 0 or call.option(m, "training", True) is not True:
        return None
    return p if call.option(m, "inplace", False) is inplace else None


def is_zero(m: Interpreter, p: Unknown) -> Cond:
    """The question whether a probability has its default, 0."""
    return Cond(("==", p.key, key_of(p.usual)), "branch", f"{p.why} == {p.usual!r}", p.bound or m.here.site)


def is_excluded(m: Interpreter, p: Unknown) -> bool:
    """Whether a probability cannot have its default on this path: `if p > 0: …`."""
    return any(decided(key, p.key, p.usual) is (not holds) for key, holds in m.state.assumed.items())


def written_or_not(m: Interpreter, call: Call) -> tuple[Cond, Call, Call] | None:
    """A dropout in place whose probability is 0 by default writes nothing there."""
    p = zero_by_default(m, call, inplace=True)
    if p is None or is_excluded(m, p):
        return None
    return is_zero(m, p), with_p(call, 0.0), with_p(call, Unknown(p.why, p.key, number=True))


def with_p(call: Call, p: Value) -> Call:
    """A call with another probability."""
    if "p" in call.values:
        return replace(call, values={**call.values, "p": p})
    return replace(call, settings={**call.settings, "p": p})


def off_or_on(m: Interpreter, op: Op, call: Call) -> Case | None:
    """Both cases of a probability that is 0 by default, if the argument's own operator has saved the argument.

    A write to the result then fails where that is the argument itself. Elsewhere the two cases mostly do the same.
    """
    first = next(iter(call.given()), None)
    if first is None or zero_by_default(m, call) is None or not is_saved_result(m, first):
        return None
    on = by_conditions(op, call)
    return replace(on, results=(Result("depends", of="input"),))


def is_saved_result(m: Interpreter, t: Tensor) -> bool:
    """Whether the operator that made a tensor has saved it, on any of the ways that lead here."""
    made = (node for _, node in m.state.alternatives(t.grad_fn) if isinstance(node, Node))
    return any(saved.storage is t.storage for node in made for saved in node.saved)


def at_zero(m: Interpreter, call: Call, source: Tensor, text: str) -> Cond:
    """The question whether a probability has its default, 0; else the one about the argument."""
    p = zero_by_default(m, call)
    return is_zero(m, p) if p is not None else guess(text, source, m)


def nothing_to_drop(m: Interpreter, call: Call) -> Tensor | None:
    """What a dropout gives that is known to be of no elements."""
    first = next(iter(call.given()), None)
    g = first.geometry if first is not None else None
    return itself(m, first, None, call) if first is not None and g is not None and g.numel() == 0 else None


def is_alone(call: Call, source: Tensor) -> bool:
    """Whether a dropout that writes nothing is of a single sample."""
    in_place = call.values.get("inplace", call.settings.get("inplace", False))
    return in_place is not True and source.shape is not None and len(source.shape) != BATCHES[call.name]


FAMILIES = {
    PLAIN: Family(
        case=off_or_on,
        sides=written_or_not,
        gives_back=nothing_to_drop,
        unchanged=is_off,
        question=at_zero,
        changes=changes,
    ),
    ALPHA: Family(sides=written_or_not, gives_back=nothing_to_drop, unchanged=is_off, writes=writes, changes=changes),
    tuple(BATCHES): Family(
        sides=written_or_not,
        gives_back=nothing_to_drop,
        unchanged=is_off,
        gives_view=is_alone,
        changes=changes,
        writes_nothing=writes_nothing,
        same_content=writes_nothing,
    ),
    functions("feature_dropout"): Family(gives_back=nothing_to_drop),
    (*IN_PLACE, *ALPHA_IN_PLACE): Family(changes=changes),
}

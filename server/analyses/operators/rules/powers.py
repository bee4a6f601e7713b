"""Powers: those of numbers go on with a tensor of the number, and some exponents are special (`native/Pow.cpp`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ..call import Call, Family
from ..seeing import refuse
from .names import both, methods

if TYPE_CHECKING:
    from ...autograd.gradients import Times
    from ...domain.values import Value
    from ..interpreter import Interpreter

REFLECTED = "torch.Tensor.__rpow__"
DUNDERS = (*methods("__pow__"), REFLECTED)
"""methods that Python calls for `**`"""


def base_and_exponent(call: Call) -> tuple[Value, Value] | tuple[None, None]:
    """The two operands; None where the call has others."""
    given = tuple(call.values.values())
    if len(given) != 2:
        return None, None
    return (given[1], given[0]) if call.name == REFLECTED else (given[0], given[1])


def copied(m: Interpreter, call: Call) -> Tensor | None:
    """The base of which the first power is a copy: outside of inference mode, that is an inference tensor."""
    base, exponent = base_and_exponent(call)
    if not isinstance(base, Tensor) or base.is_inference is not True or m.grad.mode["inference"]:
        return None
    return base if isinstance(exponent, (int, float)) and exponent == 1 else None


def seen(m: Interpreter, call: Call) -> bool | None:
    """A power of a number goes on with a tensor of that, and with `out=`, which autograd doesn't see but refuses."""
    base, exponent = base_and_exponent(call)
    if isinstance(exponent, (int, float)):
        return False
    if not isinstance(base, (int, float)) or m.facts.inference.find(call.name) is None:
        return None
    if base != 1:
        refuse(m, call)
    return False


def unseen_writes(m: Interpreter, call: Call) -> Times | None:
    """The powers 0 and 1 are filled and copied; the power of a number is written to a tensor of it."""
    base, exponent = base_and_exponent(call)
    if isinstance(exponent, (int, float)):
        return (1, 1) if exponent in (0, 1) else (0, 0)
    return (1, 1) if isinstance(base, (int, float)) else None


FAMILIES = {
    (*both("pow"), "operator.pow"): Family(instead_of=copied, seen=seen, unseen_writes=unseen_writes),
    DUNDERS: Family(instead_of=copied, unseen_writes=unseen_writes),
}

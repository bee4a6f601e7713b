"""What operators ask of the interpreter that runs the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..stories.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...facts.model import Op
    from ..autograd.tensors import Tensor
    from ..domain.values import Args, Cond, Unknown, Value
    from ..stories.explain import Explainer


class Evaluation(Protocol):
    """A function that is evaluated on numbers."""

    def through(self, name: str, args: Args, run: Callable[[], Value]) -> Value:
        """Replay a call, and compute what its result is full of."""


class Interpreter(Witness, Protocol):
    """The interpreter of the program: attributes of its objects, and unknown values that are tensors."""

    @property
    def explain(self) -> Explainer:
        """Who describes failures."""

    @property
    def numbers(self) -> Evaluation | None:
        """What tensors are full of, while a function is evaluated on numbers."""

    def getattr(self, v: Value, name: str) -> Value:
        """An attribute of a value, as the program reads it."""

    def bound(self, found: Value, v: Value) -> Value:
        """What an attribute of a class becomes when it is read through an object."""

    def own_fact(self, name: str) -> Op | None:
        """The fact of an operator in the program's configuration, if there is one."""

    def operate(self) -> None:
        """Called for each operator that is replayed."""

    def refused(self, why: str) -> None:
        """Note that Python or PyTorch refuses what the program does here."""

    def as_tensor(self, v: Unknown) -> Tensor:
        """An unknown value that is used as a tensor."""

    def sure_tensor(self, v: Unknown) -> Tensor:
        """The same where only a tensor can be used like that: from here on the value is one."""

    def requires_grad(self, v: Unknown) -> Cond:
        """The question whether an unknown value requires grad."""

    def require_grad(self, t: Tensor, value: Value) -> None:
        """`t.requires_grad_(value)`."""

"""Evaluating a function of the program on numbers, with the derivative that its backward would give.

The function is replayed like any other, on tensors each of which is full of one number. With it goes its *tangent*:
how fast the elements change when all those of one input do. PyTorch's own functions have the tangent of calculus,
what requires no grad has none, and a custom `autograd.Function` has the one that its `backward` computes. Comparing
the tangent with the finite difference of the values is what `torch.autograd.gradcheck` does, in one direction.

What isn't known to be full of one number has none, and neither has what is computed from it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..autograd.tensors import Tensor
from ..domain.values import Args, ClassV, Instance, Value
from .cases import called
from .rules import formulas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .interpreter import Interpreter


class GiveUp(Exception):
    """The function does something that can't be computed with numbers alone."""


class NotLinear(Exception):
    """A backward that makes something out of nothing: a gradient of zero doesn't give zero."""


@dataclass(frozen=True, slots=True)
class Dual:
    """What a tensor is full of: a number and its tangent."""

    value: float
    tangent: float = 0.0


def value_of(x: Any) -> Any:
    """A number without its tangent."""
    return x.value if isinstance(x, Dual) else x


def elementwise(f: Callable[..., float], args: Sequence[Any], kw: dict[str, Any]) -> Dual | None:
    """`f` of numbers, with the tangent by central differences of `f` in each argument that has one."""
    values = [value_of(a) for a in args]
    keywords = {k: value_of(v) for k, v in kw.items()}
    if not values or not all(isinstance(v, (int, float)) for v in (*values, *keywords.values())):
        return None
    result = f(*values, **keywords)
    if isinstance(result, bool):
        return Dual(result)
    tangent = 0.0
    for i, a in enumerate(args):
        if isinstance(a, Dual) and a.tangent:
            h = 1e-6 * max(1.0, abs(a.value))
            up, down = [*values], [*values]
            up[i], down[i] = a.value + h, a.value - h
            tangent += a.tangent * (f(*up, **keywords) - f(*down, **keywords)) / (2 * h)
    return Dual(float(result), tangent)


def scaled(x: Dual, by: float) -> Dual:
    """A number and its tangent, times another number."""
    return Dual(x.value * by, x.tangent * by)


# -- the program on numbers -----------------------------------------------------------------------------------


class Numbers:
    """What tensors are full of while a function is evaluated; `seed` chooses the numbers that are drawn."""

    def __init__(self, m: Interpreter, seed: int = 0) -> None:
        self.m = m
        self.random = random.Random(seed)
        self.values: dict[Any, Value] = {}
        """by memory"""
        self.tangents: dict[Any, Value] = {}
        """by tensor, each with the version that its memory had"""

    def fill(self, t: Tensor, number: Dual | None) -> None:
        """A tensor is full of a number from now on; with None, of an unknown one."""
        state, grad = self.m.state, self.m.grad
        state.set(self.values, grad.storage(t), None if number is None else number.value)
        if number is not None:
            state.set(self.tangents, t, (number.tangent if grad.grad_mode else 0.0, grad.version(t)))

    def truth(self, t: Tensor) -> bool | None:
        """`bool(t)`, where that is known."""
        number = self.of(t)
        return None if number is None else bool(number.value)

    def of(self, v: Value) -> Any:
        """What a tensor is full of; a plain number is itself. None if that is unknown."""
        v = self.m.state.resolve(v)
        if isinstance(v, (bool, int, float)):
            return v
        if not isinstance(v, Tensor):
            return None
        value = self.m.state.resolve(self.values.get(self.m.grad.storage(v)))
        if not isinstance(value, (bool, int, float)):
            return None
        if self.m.grad.requires_grad(v) is False:
            return Dual(value)
        known = self.m.state.resolve(self.tangents.get(v))
        tangent, version = known if isinstance(known, tuple) else (None, None)
        if not isinstance(tangent, float) or version is not self.m.grad.version(v):
            return None
        return Dual(value, tangent)

    def total(self, result: Value) -> Dual:
        """The outputs of a function in one number, each with another weight. Raises GiveUp if one is unknown."""
        result = self.m.state.resolve(result)
        outputs = result if isinstance(result, tuple) else (result,)
        parts = []
        for weight, t in enumerate((t for t in outputs if isinstance(t, Tensor)), 1):
            number, n = self.of(t), self.elements(t)
            if not isinstance(number, Dual) or n is None:
                raise GiveUp
            parts.append(scaled(number, weight * n))
        if not parts:
            raise GiveUp
        return Dual(sum(p.value for p in parts), sum(p.tangent for p in parts))

    @staticmethod
    def elements(t: Tensor) -> int | None:
        """How many elements a tensor has."""
        return t.geometry.numel() if t.geometry is not None else None

    # -- calls --------------------------------------------------------------------------------------

    def through(self, name: str, args: Args, run: Callable[[], Value]) -> Value:
        """Replay a call of PyTorch, or of Python on a tensor, and compute what its result is full of."""
        short = called(name)
        first = self.m.state.resolve(args[0]) if args.pos else None
        before = [self.of(v) for v in args.pos]
        kw = {k: self.of(v) for k, v in args.kw.items() if k not in formulas.WHERE}
        if isinstance(first, Tensor) and short in formulas.READ and before[0] is not None:
            return formulas.READ[short](value_of(before[0]))
        number = self.computed(short, before, kw)
        result = self.m.state.resolve(run())
        if number is None:
            number = self.gathered(short, before, first, result)
        writes = (
            short.endswith("_") and short not in formulas.SAME and (not short.endswith("__") or short == "__setitem__")
        )
        if isinstance(first, Tensor) and writes:
            self.fill(first, number)
        elif number is not None:
            for t in result if isinstance(result, tuple) else (result,):
                if isinstance(t, Tensor):
                    self.fill(t, number)
        return result

    def computed(self, name: str, args: list[Any], kw: dict[str, Any]) -> Dual | None:
        """What a call computes from numbers, if that doesn't depend on the sizes of its tensors."""
        base = name[:-5] if name.endswith("_like") else name.removeprefix("new_")
        if base in formulas.RANDOM:
            return None if "generator" in kw else self.drawn(base, args, kw)
        if name == "manual_seed":
            self.random.seed(0)
        if base in formulas.FILLED:
            return Dual(formulas.FILLED[base])
        if base in ("full", "fill_", "copy_"):
            return as_dual(args[1] if len(args) > 1 else kw.get("fill_value", kw.get("value")))
        if name in formulas.SAME:
            return as_dual(args[0]) if args else None
        plain = name.rstrip("_").removeprefix("__i") if not name.startswith("__get") else name
        if plain in ("max", "min") and len(args) == 1 and not kw:
            return as_dual(args[0])
        if plain in ("max", "min") and len(args) == 2 and isinstance(args[1], Dual):
            plain += "imum"
        if plain in ("clamp", "clip"):
            return clamped(args, kw)
        if plain == "where" and len(args) == 3 and args[0] is not None:
            return as_dual(args[1] if value_of(args[0]) else args[2])
        if plain == "masked_fill" and len(args) == 3 and args[1] is not None:
            return as_dual(args[2] if value_of(args[1]) else args[0])
        if name == "__setitem__" and isinstance(args[1], Dual):
            return as_dual(args[2] if args[1].value else args[0])
        f = formulas.ELEMENTWISE.get(plain)
        return elementwise(f, args, kw) if f is not None else None

    def gathered(self, name: str, args: list[Any], first: Value, result: Value) -> Dual | None:
        """What a sum computes from numbers: that depends on how many elements it adds up."""
        if not isinstance(first, Tensor) or not isinstance(result, Tensor) or not isinstance(args[0], Dual):
            return None
        if name in formulas.SUMS:
            n, left = self.elements(first), self.elements(result)
            return scaled(args[0], n / left) if n is not None and left else None
        if name in formulas.PRODUCTS and len(args) > 1 and isinstance(args[1], Dual) and first.shape:
            n = first.shape[formulas.PRODUCTS[name]]
            product = elementwise(formulas.ELEMENTWISE["mul"], args[:2], {})
            whole = scaled(product, n) if n is not None and product is not None else None
            return (
                whole
                if whole is None or len(args) < 3
                else elementwise(formulas.ELEMENTWISE["add"], [whole, args[2]], {})
            )
        return None

    def drawn(self, name: str, args: list[Any], kw: dict[str, Any]) -> Dual | None:
        """A random number. The result of dropout depends on its input as well, and is the input outside training."""
        drawn = Dual(self.random.uniform(0.1, 0.9))
        if name != "dropout" or not args:
            return drawn
        p = args[1] if len(args) > 1 else kw.get("p", 0.5)
        training = args[2] if len(args) > 2 else kw.get("training", True)
        return elementwise(formulas.ELEMENTWISE["mul"], [args[0], drawn], {}) if training and p else as_dual(args[0])

    # -- custom functions -----------------------------------------------------------------------------

    def differentiate(self, cls: ClassV, ctx: Instance, inputs: Sequence[Value], result: Value) -> None:
        """The outputs of `Function.apply(*inputs)` change as fast as its backward says."""
        outputs = [t for t in (result if isinstance(result, tuple) else (result,)) if isinstance(t, Tensor)]
        given = [(self.of(t), self.elements(t)) for t in inputs if isinstance(t, Tensor)]
        moved = any(number is None or (isinstance(number, Dual) and number.tangent) for number, _ in given)
        backward = self.m.getattr(cls, "backward")
        if moved and self.weighed(backward, ctx, inputs, outputs, ()):
            raise NotLinear
        for t in outputs:
            value = self.m.state.resolve(self.values.get(self.m.grad.storage(t)))
            n = self.elements(t)
            if not isinstance(value, (bool, int, float)) or not n:
                raise GiveUp
            tangent = self.weighed(backward, ctx, inputs, outputs, (t,)) / n if moved else 0.0
            self.fill(t, Dual(value, tangent))

    def weighed(
        self, backward: Value, ctx: Instance, inputs: Sequence[Value], outputs: Sequence[Tensor], ones: Iterable[Tensor]
    ) -> float:
        """What backward computes from gradients that are one for some outputs, times the tangents of the inputs."""
        m = self.m
        tangents = [self.of(v) if isinstance(v, Tensor) else None for v in inputs]
        gradients: list[Value] = []
        for t in outputs:
            gradients.append(g := m.grad.tensor(t.geometry, t.dtype))
            self.fill(g, Dual(float(any(t is one for one in ones))))
        with m.grad.within(grad=False):
            found = m.state.resolve(m.call(backward, Args([ctx, *gradients], site=m.here.site)))
        found = found if isinstance(found, tuple) else (found,)
        total = 0.0
        for v, x, g in zip(inputs, tangents, found, strict=False):
            if not isinstance(v, Tensor) or (isinstance(x, Dual) and not x.tangent) or g is None:
                continue
            number, n = self.of(g), self.elements(v)
            if not isinstance(x, Dual) or number is None or n is None:
                raise GiveUp
            total += x.tangent * value_of(number) * n
        return total


def as_dual(x: Any) -> Dual | None:
    """A number as what a tensor is full of."""
    return Dual(x) if isinstance(x, (bool, int, float)) else x


def clamped(args: list[Any], kw: dict[str, Any]) -> Dual | None:
    """`clamp(x, min, max)`."""
    low = args[1] if len(args) > 1 else kw.get("min")
    high = args[2] if len(args) > 2 else kw.get("max")
    x = args[0] if args else None
    if x is None:
        return None
    for bound, pick in ((low, max), (high, min)):
        if bound is not None and pick(value_of(x), value_of(bound)) != value_of(x):
            x = bound
    return as_dual(x)

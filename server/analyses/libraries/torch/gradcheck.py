"""`torch.autograd.gradcheck` and `gradgradcheck`: whether they would fail, and why (`torch/autograd/gradcheck.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry
from ...autograd.tensors import Tensor
from ...domain import budget
from ...domain.paths import Dead, Raised
from ...domain.registry import model
from ...domain.report import Failure
from ...domain.values import Args, Bound, Builtin, Instance, ListV, Partial, Unknown, Value
from ...operators import cases, modules
from ...operators.numbers import Dual, GiveUp, NotLinear, Numbers
from ...python import attempts
from ...stories.trace import NoTrace
from .gradients import roots_of

if TYPE_CHECKING:
    from ...domain.report import Cause
    from ...python.machine import Machine

DEFAULTS = {"eps": 1e-6, "atol": 1e-5, "rtol": 1e-3, "nondet_tol": 0.0}

POINTS = (
    (0.37, 0.83, 1.21, 0.59, 1.43),
    (1.23, 0.47, 0.71, 1.37, 0.29),
    (0.71, 1.61, 0.33, 0.91, 1.17),
    (2.30, 1.13, 1.57, 0.43, 0.67),
    (-0.61, 0.77, -0.39, 1.07, -1.31),
    (-1.42, -0.53, 0.87, -0.73, 0.41),
    (0.93, -1.29, -0.97, 0.51, -0.83),
)
"""The points where functions are tried, one number per input; more than half have positive numbers only."""

COARSE_EPS = 1e-4
"""With steps from this size on, finite differences in single precision are close enough, as measured."""

LOOSE = 0.05
"""A tolerance from here on may let the noise of single precision pass."""


NOT_EVALUATED = (GiveUp, ArithmeticError, ValueError, TypeError)
"""What evaluating a function on numbers may raise: the result is unknown, or undefined at that point."""

APPLY = "torch.autograd.Function.apply"


@model("torch.autograd.gradcheck", "torch.autograd.gradcheck.gradcheck")
def gradcheck(m: Machine, args: Args) -> Value:
    """`gradcheck(f, inputs, eps, atol, rtol, …)`: whether backward's gradient agrees with finite differences."""
    return check(m, args, "gradcheck", ("eps", "atol", "rtol"))


@model("torch.autograd.gradgradcheck", "torch.autograd.gradcheck.gradgradcheck")
def gradgradcheck(m: Machine, args: Args) -> Value:
    """`gradgradcheck(f, inputs, grad_outputs, eps, …)`: the same for the gradient of the gradient."""
    return check(m, args, "gradgradcheck", ("grad_outputs", "eps", "atol", "rtol"))


def check(m: Machine, args: Args, via: str, names: tuple[str, ...]) -> Value:
    """Run the function as gradcheck does, and report the first reason why it would fail."""
    f, inputs = args.get(0, "func"), args.get(1, "inputs")
    options = {n: args.get(i + 2, n, DEFAULTS.get(n)) for i, n in enumerate(names)}
    options["nondet_tol"] = args.kw.get("nondet_tol", 0.0)
    known = {k: v for k, v in options.items() if isinstance(v, (int, float))}
    quiet = m.state.resolve(args.kw.get("raise_exception", True)) is not True or args.open
    run(m, f, inputs)
    if not quiet and len(known) >= len(DEFAULTS):
        coarse = single_precision(m, f, inputs, known)
        if coarse:
            fail(m, via, coarse, "precision")
        elif is_random(m, f, inputs, known):
            fail(m, via, [], "random")
        elif via == "gradcheck" and is_wrong(m, f, inputs, known):
            fail(m, via, [], "backward")
    return True if not quiet else Unknown("whether the gradients agree")


def run(m: Machine, f: Value, inputs: Value) -> None:
    """Call the function and run backward from its result: errors there are errors of gradcheck, too."""
    result = m.call(f, Args(items(m, inputs), site=m.here.site))
    roots = roots_of(m, result)
    if roots:
        m.grad.backward(roots, retain=True, accumulate=False)


def items(m: Machine, inputs: Value) -> list[Value]:
    """The inputs one by one, from a tuple, a list, or a single tensor."""
    inputs = m.state.pick(inputs)
    if isinstance(inputs, tuple):
        return list(inputs)
    return list(m.state.tuple_of(inputs.items)) if isinstance(inputs, ListV) else [inputs]


def fail(m: Machine, via: str, coarse: list[Tensor], why: str) -> None:
    """gradcheck raises. `why` is `precision`, `random` (backward isn't reentrant) or `backward` (it is wrong)."""
    label, dtype = (coarse[0].name, coarse[0].dtype) if coarse else (None, None)
    sites = tuple({id(t.origin.node): t.origin for t in coarse if t.origin is not None}.values())
    facts: dict[str, object] = {"why": why, "gradcheck_inputs": sites, "module": any(t.is_parameter for t in coarse)}
    cause: Cause = "direct" if coarse else "function"
    failure = Failure("gradcheck", cause, m.here.site, label, via, raised=m.here.site, detail=dtype or why, facts=facts)
    m.raise_failure(failure, (), cause=("gradcheck", *(t.uid for t in coarse)) if coarse else None)


# -- precision ---------------------------------------------------------------------------------------------


def single_precision(m: Machine, f: Value, inputs: Value, options: dict[str, float]) -> list[Tensor]:
    """The inputs and parameters of less than double precision, unless the step or a tolerance is coarse."""
    if options["eps"] >= COARSE_EPS or options["atol"] >= LOOSE or options["rtol"] >= LOOSE:
        return []
    given = [t for t in cases.tensors_in(m, inputs) if m.grad.requires_grad(t) is True]
    return [t for t in (*given, *parameters_behind(m, f)) if is_single(t)]


def is_single(t: Tensor) -> bool:
    """Whether a tensor is floating point of less than double precision."""
    return t.dtype in ("float32", "float16", "bfloat16", "complex64")


def parameters_behind(m: Machine, f: Value) -> list[Tensor]:
    """The parameters of the checked function, if it is a module."""
    f = m.state.pick(f)
    if isinstance(f, Partial):
        f = m.state.pick(f.function)
    if isinstance(f, Bound):
        f = f.self
    return modules.parameters(m, f) if isinstance(f, Instance) and modules.is_module(f) else []


# -- wrong and random backwards ------------------------------------------------------------------------------


def is_wrong(m: Machine, f: Value, inputs: Value, options: dict[str, float]) -> bool:
    """Whether backward's gradient clearly differs from the finite difference, in one input at most of the points."""
    values = items(m, inputs)
    for i in wanted(m, values):
        answers = [a for point in POINTS if (a := differs(m, f, values, point, i, options)) is not None]
        if len(answers) >= 2 and 2 * sum(answers) > len(answers):
            return True
    return False


def wanted(m: Machine, values: list[Value]) -> list[int]:
    """The inputs in which the gradient is checked."""
    return [i for i, v in enumerate(values) if isinstance(v, Tensor) and m.grad.requires_grad(v) is True]


def differs(
    m: Machine, f: Value, values: list[Value], point: tuple[float, ...], i: int, options: dict[str, float]
) -> bool | None:
    """Whether the two gradients in the i-th input differ at a point; None if that is unknown."""
    eps = options["eps"]
    try:
        analytical = evaluated(m, f, values, point, i).tangent
        up, down = (evaluated(m, f, values, point, i, step).value for step in (eps, -eps))
    except NotLinear:
        return True if is_custom(m, f) else None
    except NOT_EVALUATED:
        return None
    numerical = (up - down) / (2 * eps)
    return abs(analytical - numerical) > max(
        options["atol"] + options["rtol"] * abs(numerical), 1e-2 * abs(numerical), 1e-4
    )


def evaluated(
    m: Machine, f: Value, values: list[Value], point: tuple[float, ...], i: int, step: float = 0.0, seed: int = 0
) -> Dual:
    """The value of `f` at a point moved by `step` in its i-th input, and the derivative in that input.

    Raises GiveUp, NotLinear, or what arithmetic raises. The replay of `f` is undone.
    """
    if len(values) > len(point):
        raise GiveUp
    mark, trace, m.trace = m.mark(), m.trace, NoTrace(m)
    m.numbers = numbers = Numbers(m, seed)
    m.catching += 1
    m.handlers += 1
    try:
        args = [
            at_point(m, v, Dual(point[k] + (step if k == i else 0.0), float(k == i))) if isinstance(v, Tensor) else v
            for k, v in enumerate(values)
        ]
        return numbers.total(
            attempts.limited(m, budget.LIMITS.gradcheck_steps, lambda: m.call(f, Args(args, site=m.here.site)), None)
        )
    except (Raised, Dead):
        raise GiveUp from None
    finally:
        m.catching -= 1
        m.handlers -= 1
        m.numbers, m.trace, m.broken = None, trace, None
        m.go_back(mark)


def at_point(m: Machine, v: Tensor, number: Dual) -> Tensor:
    """A tensor like an input, filled with a number. Raises GiveUp if the input isn't floating point."""
    if v.dtype is not None and not v.dtype.startswith("float"):
        raise GiveUp
    g = v.geometry
    known = g is not None and None not in g.shape
    made = m.grad.tensor(g if known else Geometry.contiguous((1,)), v.dtype, m.grad.requires_grad(v))
    assert m.numbers is not None
    m.numbers.fill(made, number)
    return made


def is_random(m: Machine, f: Value, inputs: Value, options: dict[str, float]) -> bool:
    """Whether two runs of backward differ by more than `nondet_tol`."""
    values = items(m, inputs)
    try:
        for i in wanted(m, values):
            first, second = (evaluated(m, f, values, POINTS[0], i, seed=seed) for seed in (0, 1))
            if abs(first.tangent - second.tangent) > options["nondet_tol"]:
                return True
    except (NotLinear, *NOT_EVALUATED):
        return False
    return False


def is_custom(m: Machine, f: Value) -> bool:
    """Whether what is checked is the `apply` of a custom Function."""
    f = m.state.pick(f)
    if isinstance(f, Partial):
        f = m.state.pick(f.function)
    return isinstance(f, Bound) and isinstance(f.function, Builtin) and f.function.name == APPLY

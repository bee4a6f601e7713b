"""Evaluating a function of the program on numbers, with the derivative that its backward would give.

A tensor is one float64 number here, and with it goes its *tangent*: what autograd would multiply a change
of the inputs by. PyTorch's own functions have the tangent of calculus, `detach()` has none, and a custom
`autograd.Function` has the one that its `backward` computes. Comparing the tangent with the finite
difference of the values is what `torch.autograd.gradcheck` does, at one element.

Shapes mean nothing to one number, so `sum`, `reshape` or `expand` are the identity. Whatever isn't known
to be right for a single number raises `GiveUp`.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...syntax import ir
from .. import attributes
from ..values import ABSENT, Bound, Builtin, ClassV, Frame, FunctionV, Lib, Partial, StaticMethod, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..machine import Machine

STEPS = 2_000
"""Expressions and statements that one evaluation may take."""

APPLY = "torch.autograd.Function.apply"


class GiveUp(Exception):
    """The function does something that isn't told by one number."""


class NotLinear(Exception):
    """A backward that gives something for nothing: elements that no gradient comes to get one."""


@dataclass(frozen=True, slots=True)
class Dual:
    """A tensor of one element: its number and its tangent."""

    value: float
    tangent: float = 0.0


@dataclass(slots=True)
class Context:
    """The `ctx` of a custom Function."""

    needs: tuple[bool, ...]
    saved: tuple[Any, ...] = ()
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Returned:
    """What a function's body returned."""

    value: Any


# -- PyTorch on one number --------------------------------------------------------------------------------

ELEMENTWISE: dict[str, Callable[..., float]] = {
    "neg": lambda x: -x,
    "negative": lambda x: -x,
    "positive": lambda x: x,
    "abs": abs,
    "exp": math.exp,
    "exp2": lambda x: 2.0**x,
    "expm1": math.expm1,
    "log": math.log,
    "log1p": math.log1p,
    "log2": math.log2,
    "log10": math.log10,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "arctan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1.0 / x,
    "sigmoid": lambda x: 1.0 / (1.0 + math.exp(-x)),
    "relu": lambda x: max(x, 0.0),
    "softplus": lambda x: math.log1p(math.exp(x)),
    "logsigmoid": lambda x: -math.log1p(math.exp(-x)),
    "silu": lambda x: x / (1.0 + math.exp(-x)),
    "softsign": lambda x: x / (1.0 + abs(x)),
    "erf": math.erf,
    "erfc": math.erfc,
    "lgamma": math.lgamma,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
    "sign": lambda x: math.copysign(1.0, x) if x else 0.0,
    "add": lambda x, y, alpha=1.0: x + alpha * y,
    "sub": lambda x, y, alpha=1.0: x - alpha * y,
    "rsub": lambda x, y, alpha=1.0: y - alpha * x,
    "mul": lambda x, y: x * y,
    "multiply": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "divide": lambda x, y: x / y,
    "true_divide": lambda x, y: x / y,
    "pow": lambda x, y: real(x**y),
    "matmul": lambda x, y: x * y,
    "mm": lambda x, y: x * y,
    "mv": lambda x, y: x * y,
    "dot": lambda x, y: x * y,
    "outer": lambda x, y: x * y,
    "maximum": max,
    "minimum": min,
    "hypot": math.hypot,
    "atan2": math.atan2,
    "lerp": lambda x, y, weight: x + weight * (y - x),
    "addcmul": lambda x, y, z, value=1.0: x + value * y * z,
    "addcdiv": lambda x, y, z, value=1.0: x + value * y / z,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "logical_not": lambda x: not x,
    "logical_and": lambda x, y: bool(x) and bool(y),
    "logical_or": lambda x, y: bool(x) or bool(y),
    "isnan": math.isnan,
}
"""Functions and methods that work element by element (or do so where there is one element)."""

SAME = frozenset(
    {
        "sum", "mean", "prod", "cumsum", "clone", "contiguous", "reshape", "reshape_as", "view", "view_as", "expand",
        "expand_as", "broadcast_to", "squeeze", "unsqueeze", "flatten", "ravel", "t", "transpose", "permute",
        "sum_to_size", "requires_grad_", "to", "type_as", "double", "cpu", "amax", "amin", "flip", "tril", "triu",
        "swapaxes", "movedim", "as_tensor", "tensor", "index_select", "diagonal", "diag", "real", "resolve_conj",
    }
)  # fmt: skip
"""What leaves one number as it is."""

WITHOUT_GRADIENT = frozenset({"detach", "item", "float_value"})

FILLED = {"zeros": 0.0, "ones": 1.0, "empty": 0.0, "eye": 1.0}

RANDOM = frozenset({"rand", "randn", "bernoulli", "uniform_", "normal_", "exponential_", "dropout", "bernoulli_"})

BINARY = {"+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow", "@": "matmul"}

COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def real(x: complex) -> float:
    """A power that is a real number; a ValueError, as `math` raises it, where it isn't."""
    if isinstance(x, complex):
        raise ValueError("not real")
    return x


def value_of(x: Any) -> Any:
    """A number without its tangent."""
    return x.value if isinstance(x, Dual) else x


def elementwise(f: Callable[..., float], args: Sequence[Any], kw: dict[str, Any]) -> Any:
    """`f` of numbers, with the tangent by central differences of `f` in each argument that has one."""
    values = [value_of(a) for a in args]
    keywords = {k: value_of(v) for k, v in kw.items()}
    if not all(isinstance(v, (int, float)) for v in (*values, *keywords.values())):
        raise GiveUp
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


# -- the program on one number ------------------------------------------------------------------------------


class Evaluator:
    """Evaluates functions of the program; `seed` chooses the numbers that random functions give."""

    def __init__(self, m: Machine, seed: int = 0) -> None:
        self.m = m
        self.random = random.Random(seed)
        self.steps = 0

    def call(self, f: Value, args: list[Any], kw: dict[str, Any] | None = None) -> Any:
        """`f(*args, **kw)`; `f` is a value of the replay. Raises GiveUp, or what arithmetic raises."""
        kw = kw or {}
        f = self.m.pick(f)
        if isinstance(f, StaticMethod):
            f = f.function
        if isinstance(f, Partial):
            return self.call(f.function, [*f.args.pos, *args], {**f.args.kw, **kw})
        if isinstance(f, Bound):
            if isinstance(f.function, Builtin) and f.function.name == APPLY and isinstance(f.self, ClassV) and not kw:
                return self.custom(f.self, args)
            raise GiveUp
        if isinstance(f, Lib) and f.name.startswith(("torch.", "math.", "operator.")):
            return self.operation(f.name.rsplit(".", 1)[-1], args, kw)
        if isinstance(f, Lib) and f.name in ("float", "int", "abs", "max", "min", "len", "tuple", "bool"):
            return self.builtin(f.name, args)
        if isinstance(f, FunctionV):
            return self.function(f, args, kw)
        raise GiveUp

    def builtin(self, name: str, args: list[Any]) -> Any:
        """Python's own functions of numbers; those that leave PyTorch drop the gradient."""
        if name == "abs":
            return self.operation("abs", args, {})
        if name == "tuple" and len(args) == 1 and isinstance(args[0], tuple):
            return args[0]
        if name in ("float", "int", "bool") and len(args) == 1:
            return {"float": float, "int": int, "bool": bool}[name](value_of(args[0]))
        raise GiveUp

    def function(self, f: FunctionV, args: list[Any], kw: dict[str, Any]) -> Any:
        """A function or lambda of the program."""
        params = f.node.params
        if params.kwarg is not None:
            raise GiveUp
        names = [p.name for p in (*params.posonly, *params.args)]
        env: dict[str, Any] = {**f.defaults, **dict(zip(names, args, strict=False)), **kw}
        if params.vararg is not None:
            env[params.vararg.name] = tuple(args[len(names) :])
        elif len(args) > len(names):
            raise GiveUp
        scope = Scope(self, env, f.parent)
        if isinstance(f.node, ir.Lambda):
            return scope.eval(f.node.body)
        self.m.look_at(f.node)
        outcome = scope.block(f.node.body)
        return outcome.value if outcome is not None else None

    def custom(self, cls: ClassV, args: list[Any]) -> Any:
        """`Function.apply(*args)`: the value of `forward`, the tangent of `backward`."""
        plain = [Dual(a.value) if isinstance(a, Dual) else a for a in args]
        ctx = Context(tuple(isinstance(a, Dual) and a.tangent != 0.0 for a in args))
        forward, backward = cls.lookup("forward"), cls.lookup("backward")
        setup = cls.lookup("setup_context")
        if setup is not ABSENT:
            result = self.call(forward, list(plain))
            self.call(setup, [ctx, tuple(plain), result])
        else:
            result = self.call(forward, [ctx, *plain])
        outputs = result if isinstance(result, tuple) else (result,)
        if not all(isinstance(o, Dual) for o in outputs):
            raise GiveUp
        tangents = [self.pulled(backward, ctx, args, i, len(outputs)) for i in range(len(outputs))]
        made = tuple(Dual(o.value, t) for o, t in zip(outputs, tangents, strict=True))
        return made if isinstance(result, tuple) else made[0]

    def pulled(self, backward: Value, ctx: Context, args: list[Any], i: int, n: int) -> float:
        """The tangent of output `i`: backward of one at that output. Raises NotLinear if nothing gives something."""
        if not any(ctx.needs):
            return 0.0
        if self.weighed(backward, ctx, args, [0.0] * n):
            raise NotLinear
        return self.weighed(backward, ctx, args, [float(k == i) for k in range(n)])

    def weighed(self, backward: Value, ctx: Context, args: list[Any], upstream: list[float]) -> float:
        """What backward makes of some gradients of the outputs, times the tangents of the inputs."""
        grads = self.call(backward, [ctx, *(Dual(g) for g in upstream)])
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) < len(args):
            raise GiveUp
        total = 0.0
        for a, g in zip(args, grads, strict=False):
            if isinstance(a, Dual) and a.tangent and g is not None:
                total += a.tangent * float(value_of(g))
        return total

    def operation(self, name: str, args: list[Any], kw: dict[str, Any]) -> Any:
        """A function or method of PyTorch, by its last name."""
        base = name[:-5] if name.endswith("_like") else name.removeprefix("new_")
        if base in RANDOM:
            return self.drawn(base, args)
        if name == "manual_seed":
            self.random.seed(0)
            return None
        if base in FILLED:
            return Dual(FILLED[base])
        if base == "full":
            return Dual(float(value_of(args[1])))
        if name in WITHOUT_GRADIENT:
            return Dual(value_of(args[0]))
        if name in SAME and args and isinstance(args[0], (Dual, int, float)):
            return args[0] if isinstance(args[0], Dual) else Dual(float(args[0]))
        if name in ("max", "min") and len(args) == 1 and not kw:
            return args[0]
        if name in ("max", "min") and len(args) == 2 and isinstance(args[1], Dual):
            name += "imum"
        if name in ("clamp", "clip"):
            return self.clamped(args, kw)
        if name == "where" and len(args) == 3:
            return args[1] if value_of(args[0]) else args[2]
        if name in ("masked_fill",) and len(args) == 3:
            return Dual(float(value_of(args[2]))) if value_of(args[1]) else args[0]
        if name in ("numel", "size", "dim"):
            return 1
        f = ELEMENTWISE.get(name)
        if f is None or not args:
            raise GiveUp
        return elementwise(f, args, kw)

    def drawn(self, name: str, args: list[Any]) -> Dual:
        """A random number; dropout and bernoulli_ depend on it as well."""
        drawn = self.random.uniform(0.1, 0.9)
        if name == "dropout" and isinstance(args[0], Dual):
            return Dual(args[0].value * drawn, args[0].tangent * drawn)
        return Dual(drawn)

    def clamped(self, args: list[Any], kw: dict[str, Any]) -> Any:
        """`clamp(x, min, max)`."""
        low = args[1] if len(args) > 1 else kw.get("min")
        high = args[2] if len(args) > 2 else kw.get("max")
        x = args[0]
        for bound, pick in ((low, max), (high, min)):
            if bound is not None and pick(value_of(x), value_of(bound)) != value_of(x):
                x = bound if isinstance(bound, Dual) else Dual(float(bound))
        return x


class Scope:
    """The names of one call, and what its statements and expressions do with them."""

    def __init__(self, evaluator: Evaluator, env: dict[str, Any], parent: Frame) -> None:
        self.e = evaluator
        self.env = env
        self.parent = parent

    # -- statements -------------------------------------------------------------------------------

    def block(self, body: Sequence[ir.Stmt]) -> Returned | None:
        """Run statements; what they returned."""
        for s in body:
            outcome = self.run(s)
            if outcome is not None:
                return outcome
        return None

    def run(self, s: ir.Stmt) -> Returned | None:
        """Run one statement."""
        self.e.steps += 1
        if self.e.steps > STEPS:
            raise GiveUp
        if isinstance(s, ir.Return):
            return Returned(self.eval(s.value) if s.value is not None else None)
        if isinstance(s, ir.Assign):
            value = self.eval(s.value)
            for target in s.targets:
                self.bind(target, value)
        elif isinstance(s, ir.AugAssign) and s.op in BINARY:
            self.bind(s.target, self.binary(s.op, self.eval(s.target), self.eval(s.value)))
        elif isinstance(s, ir.AnnAssign) and s.value is not None:
            self.bind(s.target, self.eval(s.value))
        elif isinstance(s, ir.ExprStmt):
            self.effect(s.value)
        elif isinstance(s, ir.If):
            return self.block(s.body if self.truth(s.test) else s.orelse)
        elif not isinstance(s, (ir.Pass, ir.Assert)):
            raise GiveUp
        return None

    def effect(self, e: ir.Expr) -> None:
        """An expression for its effect: a method of `ctx`, or an in-place method of a name."""
        value = self.eval(e)
        if isinstance(e, ir.Call) and isinstance(e.func, ir.Attribute) and e.func.attr.endswith("_"):
            self.bind(e.func.value, value)

    def bind(self, target: ir.Expr, value: Any) -> None:
        """Assign to a name, to several, or to an attribute of `ctx`."""
        if isinstance(target, ir.Name):
            self.env[target.id] = value
        elif isinstance(target, (ir.Tuple, ir.List)) and isinstance(value, tuple) and len(value) == len(target.elts):
            for t, v in zip(target.elts, value, strict=True):
                self.bind(t, v)
        elif isinstance(target, ir.Attribute) and isinstance(ctx := self.eval(target.value), Context):
            ctx.attributes[target.attr] = value
        else:
            raise GiveUp

    def truth(self, e: ir.Expr) -> bool:
        """Whether a test holds."""
        value = value_of(self.eval(e))
        if value is None or isinstance(value, (bool, int, float, str, tuple)):
            return bool(value)
        raise GiveUp

    # -- expressions ------------------------------------------------------------------------------

    def eval(self, e: ir.Expr) -> Any:
        """The value of an expression."""
        self.e.steps += 1
        if self.e.steps > STEPS:
            raise GiveUp
        if isinstance(e, ir.Constant):
            return e.value
        if isinstance(e, ir.Name):
            return self.name(e.id)
        if isinstance(e, ir.Attribute):
            return self.attribute(self.eval(e.value), e.attr)
        if isinstance(e, ir.Call):
            return self.call(e)
        if isinstance(e, ir.BinOp) and e.op in BINARY:
            return self.binary(e.op, self.eval(e.left), self.eval(e.right))
        if isinstance(e, ir.UnaryOp):
            return self.unary(e)
        if isinstance(e, ir.Compare):
            return self.compare(e)
        if isinstance(e, ir.BoolOp):
            stop = e.op == "or"
            return next((stop for v in e.values if self.truth(v) is stop), not stop)
        if isinstance(e, ir.IfExp):
            return self.eval(e.body if self.truth(e.test) else e.orelse)
        if isinstance(e, (ir.Tuple, ir.List)):
            return self.items(e.elts)
        if isinstance(e, ir.Subscript):
            return self.subscript(e)
        raise GiveUp

    def name(self, name: str) -> Any:
        """A local name, or one of the program around the function."""
        if name in self.env:
            return self.known(self.env[name])
        frame: Frame | None = self.parent
        while frame is not None:
            found = frame.d.get(name, ABSENT)
            if found is not ABSENT:
                return self.known(self.e.m.state.resolve(found))
            frame = frame.parent
        return Lib(name)

    @staticmethod
    def known(value: Any) -> Any:
        """A value of the replay that the evaluation can go on with."""
        if isinstance(value, (Dual, Context, int, float, str, tuple, Lib, ClassV, FunctionV, Partial, Bound, Builtin)):
            return value
        if value is None or value is Ellipsis or type(value).__name__ == "ModuleV":
            return value
        raise GiveUp

    def attribute(self, base: Any, name: str) -> Any:
        """`base.name`."""
        if isinstance(base, Context):
            return self.of_context(base, name)
        if isinstance(base, Dual):
            if name in ("T", "mT", "data"):
                return base if name != "data" else Dual(base.value)
            if name == "shape":
                return (1,)
            return Method(base, name)
        if isinstance(base, (Lib, ClassV)) or type(base).__name__ == "ModuleV":
            return self.known(attributes.get(self.e.m, base, name))
        if isinstance(base, tuple) and name == "numel":
            return Method(Dual(1.0), name)
        if name in ("dtype", "device"):
            return None
        raise GiveUp

    @staticmethod
    def of_context(ctx: Context, name: str) -> Any:
        """An attribute of `ctx`."""
        if name == "saved_tensors":
            return ctx.saved
        if name == "needs_input_grad":
            return ctx.needs
        if name in ("save_for_backward", "mark_dirty", "mark_non_differentiable", "set_materialize_grads"):
            return Method(ctx, name)
        if name in ctx.attributes:
            return ctx.attributes[name]
        raise GiveUp

    def call(self, e: ir.Call) -> Any:
        """A call; keyword arguments that say where or as what a tensor is made don't matter."""
        function = self.eval(e.func)
        args: list[Any] = []
        kw: dict[str, Any] = {}
        for a in e.args:
            if a.star == "**":
                raise GiveUp
            if a.name in ("dtype", "device", "dim", "keepdim", "memory_format", "requires_grad", "generator"):
                continue
            value = self.eval(a.value)
            if a.star:
                if not isinstance(value, tuple):
                    raise GiveUp
                args += value
            elif a.name is not None:
                kw[a.name] = value
            else:
                args.append(value)
        if isinstance(function, Method):
            return self.method(function, args, kw)
        return self.e.call(function, args, kw)

    def method(self, f: Method, args: list[Any], kw: dict[str, Any]) -> Any:
        """A method of a tensor or of `ctx`; one that works in place gives the new number."""
        if isinstance(f.self, Context):
            if f.name == "save_for_backward":
                f.self.saved = tuple(args)
            return None
        name = f.name if f.name in RANDOM or f.name == "requires_grad_" else f.name.rstrip("_")
        if f.name == "detach_" or (f.name.endswith("_") and name in ("zero", "fill")):
            return Dual(f.self.value if name == "detach" else float(value_of(args[0])) if args else 0.0)
        if name == "copy":
            return args[0]
        return self.e.operation(name, [f.self, *args], kw)

    def binary(self, op: str, a: Any, b: Any) -> Any:
        """`a op b`: of Python's numbers a number, of tensors a tensor."""
        if isinstance(a, tuple) and isinstance(b, tuple) and op == "+":
            return (*a, *b)
        result = elementwise(ELEMENTWISE[BINARY[op]], [a, b], {})
        return result if isinstance(a, Dual) or isinstance(b, Dual) else result.value

    def unary(self, e: ir.UnaryOp) -> Any:
        """`-x`, `+x`, `~x`, `not x`."""
        if e.op == "not":
            return not self.truth(e.operand)
        x = self.eval(e.operand)
        if e.op == "~" and isinstance(x, Dual) and isinstance(x.value, bool):
            return Dual(not x.value)
        if e.op not in "+-":
            raise GiveUp
        sign = -1 if e.op == "-" else 1
        return Dual(sign * x.value, sign * x.tangent) if isinstance(x, Dual) else sign * x

    def compare(self, e: ir.Compare) -> Any:
        """A single comparison; `is` and `is not` with None."""
        if len(e.ops) != 1:
            raise GiveUp
        a, b, op = self.eval(e.left), self.eval(e.comparators[0]), e.ops[0]
        if op in ("is", "is not") and (a is None or b is None):
            return (a is b) is (op == "is")
        if op not in COMPARE:
            raise GiveUp
        return elementwise(ELEMENTWISE[COMPARE[op]], [a, b], {})

    def items(self, elts: Sequence[ir.Expr]) -> tuple[Any, ...]:
        """The values of a display."""
        found: list[Any] = []
        for e in elts:
            if isinstance(e, ir.Starred):
                value = self.eval(e.value)
                if not isinstance(value, tuple):
                    raise GiveUp
                found += value
            else:
                found.append(self.eval(e))
        return tuple(found)

    def subscript(self, e: ir.Subscript) -> Any:
        """An item of a tuple; the whole of a tensor."""
        base = self.eval(e.value)
        if isinstance(base, Dual):
            parts = e.slice.elts if isinstance(e.slice, ir.Tuple) else [e.slice]
            if all(isinstance(p, ir.Constant) and p.value in (None, Ellipsis) for p in parts):
                return base
            raise GiveUp
        index = self.eval(e.slice)
        if isinstance(base, tuple) and isinstance(index, int) and -len(base) <= index < len(base):
            return base[index]
        raise GiveUp


@dataclass(frozen=True, slots=True)
class Method:
    """A method with the tensor or context that it is one of."""

    self: Any
    name: str

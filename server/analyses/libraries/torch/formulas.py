"""Formulas of PyTorch's own code, replayed at the place in the program that calls it.

Many of PyTorch's functions are compositions of operators. Written with `Term`, a formula reads as in PyTorch's own
file, and the replay sees each of its operations, with what it saves:

    x, y = Term(m, a), Term(m, b)
    (x * y).do("log").value         # `log(a * b)`: saves a and b for the product, and the product for the logarithm
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry, GeometryError, Shape, times
from ...autograd.tensors import Node, Tensor, either
from ...domain.registry import method_of, model
from ...domain.values import Args, Lib, Value
from ...operators import calls_by_name
from ...python import attributes, operators

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...autograd.tensors import Grad
    from ...python.machine import Machine


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A value in a formula; operators and methods are replayed."""

    m: Machine
    value: Value

    def _binary(self, op: str, left: Value, right: Value) -> Term:
        return Term(self.m, operators.binary(self.m, op, plain(left), plain(right)))

    def __add__(self, other: Value) -> Term:
        return self._binary("+", self, other)

    def __radd__(self, other: Value) -> Term:
        return self._binary("+", other, self)

    def __sub__(self, other: Value) -> Term:
        return self._binary("-", self, other)

    def __rsub__(self, other: Value) -> Term:
        return self._binary("-", other, self)

    def __mul__(self, other: Value) -> Term:
        return self._binary("*", self, other)

    def __rmul__(self, other: Value) -> Term:
        return self._binary("*", other, self)

    def __truediv__(self, other: Value) -> Term:
        return self._binary("/", self, other)

    def __rtruediv__(self, other: Value) -> Term:
        return self._binary("/", other, self)

    def __pow__(self, other: Value) -> Term:
        return self._binary("**", self, other)

    def __matmul__(self, other: Value) -> Term:
        return self._binary("@", self, other)

    def __neg__(self) -> Term:
        return Term(self.m, operators.unary(self.m, "-", self.value))

    def do(self, method: str, *args: Value, **kw: Value) -> Term:
        """`term.method(*args, **kw)`."""
        f = attributes.get(self.m, self.value, method)
        return Term(self.m, self.m.call(f, arguments(*args, **kw)))


def plain(v: Value) -> Value:
    """The value of a term."""
    return v.value if isinstance(v, Term) else v


def arguments(*args: Value, **kw: Value) -> Args:
    """The arguments of a call, with the values of terms."""
    return Args([plain(a) for a in args], {k: plain(v) for k, v in kw.items()})


def torch(m: Machine, name: str, *args: Value, **kw: Value) -> Term:
    """`torch.name(*args, **kw)`."""
    return Term(m, m.call(Lib(f"torch.{name}"), arguments(*args, **kw)))


@model("torch.vander")
def vander(m: Machine, args: Args) -> Value:
    """`vander` of `native/LinearAlgebra.cpp`: the powers are written to memory that was saved as their factors."""
    x, n, increasing = args.get(0, "x"), m.state.resolve(args.get(1, "N")), args.get(2, "increasing", False)
    t = m.state.resolve(x)
    shape = t.shape if isinstance(t, Tensor) else None
    rows = shape[0] if shape is not None and len(shape) == 1 else None
    n = rows if n is None else n
    if rows is None or not isinstance(n, int) or not isinstance(m.state.resolve(increasing), bool):
        return calls_by_name.call(m, "torch.vander", args)
    result = torch(m, "empty", rows, n)
    if n > 0:
        result.do("select", 1, 0).do("fill_", 1)
    if n > 1:
        result.do("narrow", 1, 1, n - 1).do("copy_", Term(m, t).do("unsqueeze", 1))
        powers = torch(m, "cumprod", result.do("narrow", 1, 1, n - 1), 1)
        result.do("narrow", 1, 1, n - 1).do("copy_", powers)
    return plain(result if increasing else result.do("flip", 1))


@method_of("torch.Tensor", "lu")
def lu(m: Machine, args: Args) -> Value:
    """`t.lu(pivot, get_infos)`: as many results as are asked for."""
    return calls_by_name.call(m, "torch.lu", args)


@method_of("torch.Tensor", "kron")
@model("torch.kron")
def kron(m: Machine, args: Args) -> Value:
    """`kron` of `native/LinearAlgebra.cpp`: a product of aliases, each with a counter of its own."""
    a, b = (m.state.resolve(args.get(at, name)) for at, name in ((0, "input"), (1, "other")))
    if "out" in args.kw or not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.shape is None or b.shape is None:
        return calls_by_name.call(m, "torch.kron", args)
    ranks = [len(a.shape), len(b.shape)]
    shapes = [((1,) * (max(ranks) - len(t.shape or ())) + (t.shape or ())) for t in (a, b)]
    spread = [tuple(n for size in shapes[0] for n in (size, 1)), tuple(n for size in shapes[1] for n in (1, size))]
    product = Term(m, unsafe_view(m, a, spread[0])) * Term(m, unsafe_view(m, b, spread[1]))
    sizes = tuple(times(one, other) for one, other in zip(*shapes, strict=True))
    made = plain(product)
    return unsafe_view(m, made, sizes) if isinstance(made, Tensor) else made


def unsafe_view(m: Machine, t: Tensor, shape: Shape) -> Tensor:
    """`_unsafe_view`: another shape of the same memory, with a counter of its own."""
    made = m.grad.alias(t, own_counter=True)
    viewed = None
    with suppress(GeometryError):
        viewed = t.geometry.view(shape) if t.geometry is not None else None
    made.geometry_ = viewed or Geometry.unknown(shape)
    m.grad.set_history(made, m.grad.node("UnsafeViewBackward0", [t], m.grad.requires_grad(t)))
    return made


@model("torch.lstm_cell")
def lstm_cell(m: Machine, args: Args) -> Value:
    """`LSTMCell` of `native/RNN.cpp`."""
    state = m.state.resolve(args.get(1, "hx"))
    if not isinstance(state, tuple) or len(state) != 2:
        return calls_by_name.call(m, "torch.lstm_cell", args)
    h, c = state
    names = ("w_ih", "w_hh", "b_ih", "b_hh")
    w_ih, w_hh, b_ih, b_hh = (m.state.resolve(args.get(at, name)) for at, name in enumerate(names, 2))
    of_input = torch(m, "nn.functional.linear", args.get(0, "input"), w_ih, b_ih)
    gates = plain(torch(m, "nn.functional.linear", h, w_hh, b_hh).do("add_", of_input).do("unsafe_chunk", 4, 1))
    if not isinstance(gates, tuple) or len(gates) != 4:
        return calls_by_name.call(m, "torch.lstm_cell", args)
    enter, forget, cell, leave = (
        Term(m, gate).do(name) for gate, name in zip(gates, ("sigmoid_", "sigmoid_", "tanh_", "sigmoid_"), strict=True)
    )
    new = (forget * Term(m, c)).do("add_", enter * cell)
    return plain(leave * new.do("tanh")), plain(new)


@model("torch._weight_norm")
def weight_norm(m: Machine, args: Args) -> Value:
    """`torch._weight_norm(v, g, dim)`: `v * (g / norm(v))` in one node, which saves both (`native/WeightNorm.cpp`)."""
    v, g = (m.state.pick(args.get(at, name)) for at, name in enumerate(("v", "g")))
    made = linked(m, (g, v))
    node = m.state.resolve(made.grad_fn)
    if isinstance(node, Node):
        node.name = "WeightNormInterfaceBackward0"
        for t in (g, v):
            if isinstance(t, Tensor):
                m.grad.save(node, t, "weight")
    if isinstance(v, Tensor):
        made.geometry_, made.dtype_ = v.geometry_, v.dtype_
    return made


def linked(m: Machine, values: Sequence[Value]) -> Tensor:
    """A result whose graph leads to some tensors and saves none of them."""
    needs: Grad = False
    tensors = [t for t in map(m.state.pick, values) if isinstance(t, Tensor)]
    for t in tensors:
        needs = either(needs, m.grad.requires_grad(t))
    node = m.grad.node("MulBackward0", tensors, needs)
    made = m.grad.tensor(None, None)
    if node is not None:
        node.holds = True
        m.grad.set_history(made, node)
    return made

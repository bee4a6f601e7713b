"""Attributes of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Node, Storage, Tensor, in_order, parts_of
from ..domain import budget, registry
from ..domain.values import Args, Bound, Instance, Lib, Phi, Unknown, Value
from . import calls_by_name
from .types import dtype_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from .interpreter import Interpreter

VIEWS = frozenset({"T", "mT", "H", "mH", "real", "imag"})


def get(m: Interpreter, t: Tensor, name: str) -> Value:
    """`t.name`."""
    reader = READ.get(name)
    if reader is not None:
        return reader(m, t)
    if name in VIEWS:
        return view(m, t, name)
    full = f"torch.Tensor.{name}"
    known = registry.method(m, "torch.Tensor", name) is not None or m.facts.table.operator(full) is not None
    if known or m.facts.table.find(f"torch.{name}") is not None or name.endswith("_"):
        return Bound(Lib(full), t)
    own = t.attributes.get(name)
    return own if own is not None else Bound(Lib(full), t)


def is_known(m: Interpreter, name: str) -> bool:
    """Whether tensors have an attribute of that name."""
    method = registry.method(m, "torch.Tensor", name) is not None
    return method or name in READ or name in VIEWS or m.facts.table.operator(f"torch.Tensor.{name}") is not None


OTHERS = frozenset({"eig", "itemsize", "lstsq", "map2_", "name", "nbytes", "output_nr", "reinforce", "resize",
                    "retains_grad", "solve", "symeig"})  # fmt: skip
"""other attributes of tensors; which of `_…`, `is_…` and `grad_…` exist depends on the version and the build"""


def has(m: Interpreter, t: Tensor, name: str) -> bool | None:
    """Whether a tensor has an attribute; None if that is unknown: it may have been passed in with extra ones."""
    own = t.attributes.get(name)
    if is_known(m, name) or name in OTHERS or (own is not None and type(own) is not Phi):
        return True
    if own is not None or name.startswith(("_", "is_", "grad_")) or isinstance(m.state.resolve(t.grad_fn), Unknown):
        return None
    return False


def view(m: Interpreter, t: Tensor, name: str) -> Value:
    """`t.T` and its kin: views."""
    if name in ("real", "H") and t.dtype is not None and not t.dtype.startswith("complex") and name == "real":
        return t
    fact = m.facts.table.operator(f"torch.Tensor.{name}")
    if fact is not None:
        return calls_by_name.call(m, f"torch.Tensor.{name}", Args([t]))
    names = {"T": "t", "mT": "adjoint", "H": "adjoint", "mH": "adjoint", "real": "real", "imag": "imag"}
    return calls_by_name.call(m, f"torch.{names[name]}", Args([t]))


def shape(m: Interpreter, t: Tensor) -> Value:
    """`t.shape`."""
    if t.shape is None:
        return Unknown("a shape", ("shape", t.uid), number=True)
    return tuple(
        n if n is not None else Unknown("a size", ("size", t.uid, i), number=True) for i, n in enumerate(t.shape)
    )


def rank(m: Interpreter, t: Tensor) -> Value:
    """`t.ndim`."""
    return len(t.shape) if t.shape is not None else Unknown("a rank", ("rank", t.uid), number=True)


def requires_grad(m: Interpreter, t: Tensor) -> Value:
    """`t.requires_grad`; if it is unknown, a branch on it becomes a branch on the conditions that it depends on."""
    g = m.grad.requires_grad(t)
    if isinstance(g, bool):
        return g
    value: Value = False
    conds = in_order(g)
    for cond in conds:
        holds: Value = True
        for part, answer in reversed(parts_of(cond)):
            holds = Phi(part, holds, value) if answer else Phi(part, value, holds)
        value = holds
    assert isinstance(value, Phi)
    return value if value.size <= budget.LIMITS.alternatives else Unknown("requires_grad", conds[0].key)


def grad(m: Interpreter, t: Tensor) -> Value:
    """`t.grad`; of a non-leaf it is None, with a warning, unless it retains it."""
    value = m.state.resolve(t.grad)
    if value is None:
        m.explain.grad_read(t)
        kept = t.retains_grad is not False or m.grad.is_leaf(t, anew=False) is not False
        if kept and m.grad.requires_grad(t) is not False:
            return Unknown("the gradient", ("grad", t.uid, id(t.grad)))
    return value


def data(m: Interpreter, t: Tensor) -> Value:
    """`t.data`: the same memory with a counter of its own."""
    return m.grad.alias(t, own_counter=True)


def leaf(m: Interpreter, t: Tensor) -> Value:
    """`t.is_leaf`."""
    known = m.grad.is_leaf(t)
    return known if known is not None else Unknown("is_leaf", ("leaf", t.uid))


def grad_fn(m: Interpreter, t: Tensor) -> Value:
    """`t.grad_fn`: None or something."""
    fn = m.grad.grad_fn(t)
    if isinstance(fn, Node) and fn.when is True:
        return Instance(registry.class_named(m, "torch.autograd.graph.Node"), m.here.site)
    return None if fn is None else Unknown("grad_fn", ("grad_fn", t.uid))


def version(m: Interpreter, t: Tensor) -> Value:
    """`t._version`."""
    options: list[int | None] = [v.number for _, v in m.state.alternatives(m.grad.version(t))]
    return options[0] if len(set(options)) == 1 and options[0] is not None else Unknown("a version")


READ: dict[str, Callable[[Interpreter, Tensor], Value]] = {
    "shape": shape,
    "ndim": rank,
    "requires_grad": requires_grad,
    "grad": grad,
    "data": data,
    "is_leaf": leaf,
    "retains_grad": lambda m, t: m.state.resolve(t.retains_grad),
    "grad_fn": grad_fn,
    "_version": version,
    "dtype": lambda m, t: dtype_value(t),
    "device": lambda m, t: Unknown("a device", ("device",)),
    "is_cuda": lambda m, t: Unknown("whether it is on a GPU", ("is_cuda",)),
    "layout": lambda m, t: Lib("torch.strided"),
    **dict.fromkeys(("is_sparse", "is_quantized", "is_meta", "is_mkldnn"), lambda m, t: False),
    **dict.fromkeys(("nbytes", "itemsize", "output_nr"), lambda m, t: Unknown("a number", number=True)),
    "names": lambda m, t: Unknown("names"),
    "_base": lambda m, t: m.state.resolve(t.base),
    "__class__": lambda m, t: Lib("torch.Tensor"),
}


def set_(m: Interpreter, t: Tensor, name: str, value: Value) -> None:
    """`t.name = value`."""
    value = m.state.resolve(value)
    if name == "data":
        set_data(m, t, value)
    elif name == "requires_grad":
        m.require_grad(t, value)
    elif name == "grad":
        m.state.put(t, Tensor.grad, value)
    else:
        m.state.set(t.attributes, name, value)


def set_data(m: Interpreter, t: Tensor, value: Value) -> None:
    """`t.data = value`: the tensor now shows other memory; it keeps its counter, which doesn't move."""
    known = isinstance(value, Tensor)
    m.grad.show(t, m.grad.storage(value) if known else Storage(m.here.site), ".data =")
    m.state.put(t, Tensor.geometry_, value.geometry_ if known else None)
    if known:
        m.state.put(t, Tensor.dtype_, value.dtype_)
        m.state.put(t, Tensor.is_inference, value.is_inference)

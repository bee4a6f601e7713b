"""Calls that give their argument itself where nothing is to be done, and a copy or a view elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax import ir
from ..autograd.geometry import Geometry
from ..autograd.tensors import Node, Storage, Tensor, Version
from ..domain.values import Cond, Lib, Phi, Unknown, Value, key_of
from ..shapes import TensorType, infer, view_of
from . import layouts, writes
from .types import described_all, dtype_of

if TYPE_CHECKING:
    from ...facts.model import Case, Result
    from .call import Call
    from .interpreter import Interpreter

RESHAPES = frozenset({"reshape", "flatten", "ravel", "reshape_as", "view_as"})

AT_LEAST = frozenset({"atleast_1d", "atleast_2d", "atleast_3d"})

VIEWED = frozenset({"real", "conj"})
"""what is a view of a complex tensor, and of any other the tensor itself"""

CASTS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
}

COPIES = frozenset({"to", "type", "type_as", "cuda", "contiguous", *CASTS})
"""what gives the tensor itself or a copy, and nothing else"""


def decide(m: Interpreter, r: Result, source: Tensor, node: Node | None, type_: TensorType | None, call: Call) -> Value:
    """The argument itself, a view or a copy; both, told apart by a guess, where that isn't known."""
    name = call.name.rsplit(".", 1)[-1]
    if name in RESHAPES:
        return reshaped(m, name, source, node, call)
    same = unchanged(m, name, source, call)
    if same is None and name in COPIES and is_temporary(m, source):
        same = type_ is not None and type_.dtype == source.dtype

    def copy() -> Tensor:
        t = m.grad.tensor(None, None)
        if type_ is not None:
            made = Geometry.contiguous(type_.shape) if type_.shape is not None else None
            t.geometry_ = made and layouts.of_result(made, call)
            t.dtype_ = type_.dtype
        m.grad.counter(t).current = Version(*writes.times(m, call, r.version))
        if r.differentiable:
            m.grad.set_history(t, node)
        return t

    if same is True:
        return itself(m, source, node, call)
    if name in AT_LEAST or (name in VIEWED and same is False):
        return viewed(m, source, node, type_, call)
    if same is False:
        return copy()
    return Phi(to_itself(m, name, source, call), source, copy())


def is_temporary(m: Interpreter, source: Tensor) -> bool:
    """Whether a method is called on what a call has just made, which nobody else holds: a copy is as good as itself."""
    node, storage = m.here.node, m.state.resolve(source.storage)
    if not (isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute) and isinstance(storage, Storage)):
        return False
    is_fresh = storage.site is not None and storage.site.node is node.func.value
    return is_fresh and source.alias_of is source.base is source.grad_fn is None and source.requires_grad_ is False


def to_itself(m: Interpreter, name: str, source: Tensor, call: Call) -> Cond:
    """The question whether a call gives the tensor itself: one for all tensors where the device alone answers it.

    Tensors are made on one device, mostly, and are all brought to another one, or all stay.
    """
    text = f"{name}() gives the tensor itself"
    others = [v for k, v in call.values.items() if k not in ("self", "input") and not isinstance(v, (bool, type(None)))]
    if name == "cuda" or (name == "to" and not any(isinstance(v, Tensor) or dtype_of(v) for v in others)):
        return Cond((text, *map(key_of, others)), "guess", text, m.here.site)
    return guess(text, source, m)


def given_back(m: Interpreter, case: Case, call: Call) -> Tensor | None:
    """The argument that a call certainly gives back as it is: nothing of that goes through autograd."""
    name = call.name.rsplit(".", 1)[-1]
    if case.mutates or len(case.results) != 1 or name.endswith("_") or name == "prod":  # its kernel finds out itself
        return None
    source = next(iter(call.tensors.get(case.results[0].of or "", ())), None)
    if name.lower().replace("_", "") in DROPOUTS and has_nothing_to_drop(call):
        return itself(m, call.given()[0], None, call)
    if source is None or case.results[0].kind not in ("same", "depends") or is_alone(call, source):
        return None
    return source if case.results[0].kind == "same" or unchanged(m, name, source, call) else None


DROPOUTS = frozenset(f"{kind}dropout" for kind in ("", "alpha", "feature", "featurealpha"))
DROPOUTS |= frozenset(f"dropout{n}d" for n in (1, 2, 3))


def has_nothing_to_drop(call: Call) -> bool:
    """Whether a dropout is known to be of no elements."""
    first = next(iter(call.given()), None)
    g = first.geometry if first is not None else None
    return first is not None and g is not None and g.numel() == 0


def is_alone(call: Call, source: Tensor) -> bool:
    """Whether a dropout that writes nothing is of a single sample."""
    batch = writes.BATCHES.get(call.name.rsplit(".", 1)[-1].lower())
    in_place = call.values.get("inplace", call.settings.get("inplace", False))
    return batch is not None and in_place is not True and source.shape is not None and len(source.shape) != batch


def itself(m: Interpreter, source: Tensor, node: Node | None, call: Call) -> Tensor:
    """The argument as it is, or a view of all of it."""
    if not is_alone(call, source):
        return source
    t = m.grad.view(source, source.geometry)
    m.grad.set_history(t, node or m.grad.node("SqueezeBackward1", [source], m.grad.requires_grad(source)))
    return t


def viewed(m: Interpreter, source: Tensor, node: Node | None, type_: TensorType | None, call: Call) -> Tensor:
    """`atleast_2d(t)` of a tensor with fewer dimensions, `real(t)` of a complex one: a view."""
    described = described_all(m, call.values)
    made = view_of(call.name, source.geometry, described) if source.geometry is not None else None
    t = m.grad.view(source, made if isinstance(made, Geometry) else None)
    t.dtype_ = type_.dtype if type_ is not None else source.dtype
    m.grad.set_history(t, node)
    return t


def guess(text: str, source: Tensor, m: Interpreter) -> Cond:
    """A question that only sizes, strides or devices at run time answer."""
    return Cond((text, source.uid, id(m.here.node)), "guess", text, m.here.site)


def unchanged(m: Interpreter, name: str, source: Tensor, call: Call) -> bool | None:
    """Whether the call gives its argument itself; None where that isn't known."""
    if name == "flatten":
        return source.geometry is not None and nothing_to_flatten(m, source.geometry, call)
    if name == "contiguous":
        return source.geometry.is_contiguous() if source.geometry is not None else None
    if name in CASTS:
        return source.dtype == CASTS[name] if source.dtype is not None else None
    if name in ("to", "type", "asarray", "as_tensor"):
        return same_dtype_and_device(m, source, call)
    if name in ("type_as",):
        other = next(iter(call.tensors.get("other", ())), None)
        return None if other is None or not (other.dtype and source.dtype) else other.dtype == source.dtype
    if name in ("cpu", "cuda"):
        return True if name == "cpu" else None
    if "dropout" in name:
        return dropout_off(m, call)
    if name in VIEWED or name == "conj_physical":
        return None if source.dtype is None else not source.dtype.startswith("complex")
    if name == "sum_to_size":
        return adds_nothing_up(source, call)
    if name == "cartesian_prod":
        return len(call.all()) == 1
    if name in AT_LEAST:
        return None if source.shape is None else len(source.shape) >= int(name[-2])
    if name == "prod" and call.values.get("mask") is not None:
        return False
    if name == "prod":
        dim = call.values.get("dim")  # there is nothing to reduce
        return True if dim == () else dim is None and source.shape == () if source.shape is not None else None
    return None


def adds_nothing_up(source: Tensor, call: Call) -> bool | None:
    """Whether a tensor has the shape already that it is to be summed to."""
    size = call.values.get("size")
    if source.shape is None or not isinstance(size, tuple):
        return None
    size = size[0] if len(size) == 1 and isinstance(size[0], tuple) else size
    known = all(isinstance(n, int) for n in (*source.shape, *size))
    return source.shape == size if known or len(source.shape) != len(size) else None


def dropout_off(m: Interpreter, call: Call) -> bool | None:
    """Whether a dropout does nothing."""
    training, p = call.values.get("training", True), call.values.get("p", 0.5)
    if training is False or p == 0:
        return True
    return None if isinstance(training, Unknown) else False


def same_dtype_and_device(m: Interpreter, source: Tensor, call: Call) -> bool | None:
    """`to(…)`: the tensor itself if neither dtype nor device change and no copy is asked for."""
    values = {k: v for k, v in call.values.items() if k not in ("self", "input", "data", "obj", "non_blocking")}
    if values.get("copy") is True:
        return False
    answer: bool | None = True
    for v in values.values():
        dtype = dtype_of(v)
        if dtype is not None:
            if source.dtype is None:
                answer = None
            elif source.dtype != dtype:
                return False
        elif isinstance(v, Tensor):
            if source.dtype is None or v.dtype is None:
                answer = None
            elif source.dtype != v.dtype:
                return False
        elif v is None or isinstance(v, bool) or v == "cpu" or (isinstance(v, Lib) and "format" in v.name):
            continue
        else:
            answer = None
    return answer


def nothing_to_flatten(m: Interpreter, g: Geometry, call: Call) -> bool:
    """Whether `flatten` has but one dimension to make one of: it gives the tensor itself."""
    first, last = (m.state.resolve(call.values.get(k, d)) for k, d in (("start_dim", 0), ("end_dim", -1)))
    return g.ndim > 0 and isinstance(first, int) and isinstance(last, int) and first % g.ndim == last % g.ndim


def reshaped(m: Interpreter, name: str, source: Tensor, node: Node | None, call: Call) -> Value:
    """`reshape`, `flatten`: a view where the strides allow it, else a copy."""
    g = source.geometry
    described = described_all(m, call.values)
    type_ = infer(call.name, described)
    shape = type_.shape if isinstance(type_, TensorType) else None
    if g is None or shape is None:
        shared: bool | None = None if g is None or g.is_contiguous() is None else True
        view = Geometry.unknown(shape) if shape is not None else None
    else:
        view, shared = g.reshape(shape)
        shared = g.is_contiguous() if name == "ravel" else shared  # `contiguous().view(-1)`

    def made_view() -> Tensor:
        t = m.grad.view(source, view)
        m.grad.set_history(t, node)
        return t

    def made_copy() -> Tensor:
        t = m.grad.tensor(Geometry.contiguous(shape) if shape is not None else None, source.dtype)
        m.grad.set_history(t, node)
        return t

    if shared is None:
        return Phi(guess(f"{name}() gives a view", source, m), made_view(), made_copy())
    return made_view() if shared else made_copy()

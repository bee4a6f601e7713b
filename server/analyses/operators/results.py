"""The results of a call: new tensors, views, or the arguments themselves, as the fact of its operator has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .. import shapes
from ..autograd.geometry import Geometry, GeometryError
from ..autograd.tensors import DEFAULT, MULTI_OUTPUT, Node, Tensor, Version
from ..domain.values import ListV, Unknown, Value
from ..shapes import Arg, TensorType
from . import conversions, layouts, writes
from .cases import called, tensors_in
from .types import described_all, geometry_of

if TYPE_CHECKING:
    from ...facts.model import Case, Result
    from .call import Call
    from .interpreter import Interpreter

Types = TensorType | Sequence["Types"] | None
"""What is known of the results: one description, or one for each, nested as the results are."""


def results(m: Interpreter, case: Case, call: Call, node: Node | None, inferred: Types) -> Value:
    """The values that the call returns."""
    described = described_all(m, call.values)
    if case.sequence and case.results[0].of:
        return sequence_of_views(m, case.results[0], call, node, described)
    if not case.results:
        return None if case.mutates else Unknown(f"{called(call.name)}(…)")
    if inferred is None:
        inferred = shapes.infer(call.name, described)
    if case.sequence:
        return sequence_of_new(m, case.results[0], node, inferred or one_for_each(m, call, described))
    types = inferred if isinstance(inferred, Sequence) else [inferred]
    made = []
    for i, r in enumerate(case.results):
        t = types[i] if i < len(types) else None
        made.append(result(m, r, call, node, t if isinstance(t, TensorType) else None, described, i))
    if len(made) == 1:
        return made[0]
    names = call.family.fields
    if names and len(names) == len(made):
        from ..domain.mixed import NamedTuple

        named = NamedTuple(made)
        named.named = names
        return named
    return tuple(made)


def result(
    m: Interpreter,
    r: Result,
    call: Call,
    node: Node | None,
    type_: TensorType | None,
    described: Mapping[str, Arg],
    nr: int,
) -> Value:
    """One result: memory of its own, a view, or the argument itself."""
    source = next(iter(call.tensors.get(r.of, ())), None) if r.of else None
    if r.kind == "same" and source is not None:
        return conversions.itself(m, source, node, call)
    if r.kind == "view" and source is not None:
        if source.shape == () and call.family.numbers_as_they_are:
            return source
        return one_view(m, r, source, node, call, described, type_)
    if r.kind == "alias" and source is not None:
        t = m.grad.alias(source, own_counter=True)
        m.grad.set_history(t, node, nr)
        return t
    if r.kind == "depends" and source is not None:
        return conversions.decide(m, r, source, node, type_, call)
    made = fresh(m, r, node, type_, nr)
    if made.geometry is not None:
        made.geometry_ = layouts.of_result(m, made.geometry, call, nr)
    m.grad.counter(made).current = Version(*writes.times(m, call, r.version, nr))
    if is_view(m, call, made, nr):
        (m.grad.as_base if m.grad.grad_mode else m.grad.as_view)(made)
    return made


def is_view(m: Interpreter, call: Call, made: Tensor, nr: int) -> bool:
    """Whether a new result is a view of what the call has made."""
    g = made.geometry
    if g is None:
        return False
    special = call.family.views(call, g) if call.family.views is not None else None
    return m.facts.views.gives_view(call.name, nr, g.ndim) if special is None else special


def fresh(m: Interpreter, r: Result, node: Node | None, type_: TensorType | None, nr: int = 0) -> Tensor:
    """A result with memory of its own."""
    dtype = type_.dtype if type_ is not None and type_.dtype is not None else None
    if dtype is None and r.dtype in ("bool", "int64"):
        dtype = r.dtype
    t = m.grad.tensor(geometry_of(type_) if type_ is not None else None, dtype)
    if r.differentiable and not (dtype is not None and dtype.startswith(("int", "bool", "uint"))):
        m.grad.set_history(t, node, nr)
    return t


def one_view(
    m: Interpreter,
    r: Result,
    source: Tensor,
    node: Node | None,
    call: Call,
    described: Mapping[str, Arg],
    type_: TensorType | None,
) -> Tensor:
    """A result that shares the argument's memory and counter."""
    if not r.differentiable:
        return m.grad.alias(source)
    geometry = view_geometry(source, call, described, type_)
    t = m.grad.view(source, geometry, MULTI_OUTPUT if r.multi else DEFAULT)
    if type_ is not None and type_.dtype is not None:
        t.dtype_ = type_.dtype
    m.grad.set_history(t, node)
    return t


def view_geometry(
    source: Tensor, call: Call, described: Mapping[str, Arg], type_: TensorType | None
) -> Geometry | None:
    """The geometry of a view, by its operator's rule; without one, no more than the result's shape."""
    g = source.geometry
    made = shapes.view_of(call.name, g, described) if g is not None else None
    if isinstance(made, Geometry):
        return made
    if type_ is None or type_.shape is None:
        return None
    if g is None and called(call.name) in ("permute", "view"):
        g = layouts.assumed(source, (None,) * len(type_.shape))
        made = shapes.view_of(call.name, g, described)
    try:
        viewed = made if isinstance(made, Geometry) else g.view(type_.shape) if g is not None else None
    except GeometryError:
        viewed = None
    return viewed if viewed is not None else Geometry.unknown(type_.shape)


def sequence_of_views(m: Interpreter, r: Result, call: Call, node: Node | None, described: Mapping[str, Arg]) -> Value:
    """All results of `split`, `unbind` and the like; of an unknown number, two, and more when they are asked for."""
    source = next(iter(call.tensors.get(r.of, ())), None) if r.of else None
    if source is None:
        return Unknown("several tensors")
    cuts = {
        p: numbers for p in ("sections", "indices_or_sections") for numbers in numbers_in(m, call.tensors.get(p, ()))
    }
    made = shapes.view_of(call.name, source.geometry, {**described, **cuts}) if source.geometry is not None else None
    known = isinstance(made, list)
    geometries: list[Geometry | None] = list(made) if isinstance(made, list) else [None] * expected(m, call)
    meta = MULTI_OUTPUT if r.multi else DEFAULT

    def piece(i: int, g: Geometry | None = None) -> Tensor:
        if r.kind == "view" and not r.multi:
            return one_of_several(m, source, g, node)
        if r.kind == "view":
            t = m.grad.view(source, g, meta, i)
        elif r.kind == "alias":
            t = m.grad.alias(source, own_counter=True)
            t.geometry_ = g
        else:
            t = m.grad.tensor(g, source.dtype)
        m.grad.set_history(t, node, i)
        return t

    pieces = tuple(piece(i, g) for i, g in enumerate(geometries[:64]))
    if known and len(geometries) <= 64:
        return pieces
    many = ListV(pieces, "tuple")
    many.open = not isinstance(call.values.get("chunks"), int)
    many.more = piece
    return many


def numbers_in(m: Interpreter, tensors: Sequence[Tensor]) -> list[Arg]:
    """The integers that tensors were made of, if they haven't been changed since."""
    found = ((t.numbers, m.grad.version(t)) for t in tensors)
    return [numbers for numbers, at in found if numbers is not None and isinstance(at, Version) and at.write is None]


def one_of_several(m: Interpreter, source: Tensor, g: Geometry | None, node: Node | None) -> Tensor:
    """One of the views of a call that slices a tensor several times: each has a node of its own."""
    t = m.grad.view(source, g)
    own = m.grad.node(node.name, node.inputs, node.when) if node is not None else None
    if own is not None and node is not None:
        own.op, own.roles, own.called, own.holds = node.op, node.roles, node.called, node.holds
        own.several = node.several
    m.grad.set_history(t, own)
    return t


def one_for_each(m: Interpreter, call: Call, described: Mapping[str, Arg]) -> Types:
    """The types of an operator's results on a list, one for each tensor; known only if it takes nothing else."""
    first = next(iter(call.values), "")
    given = m.state.pick(call.values.get(first))
    closed = isinstance(given, tuple) or (isinstance(given, ListV) and not m.state.is_open(given))
    if not closed or not called(call.name).startswith("_foreach_"):
        return None
    plain, each = called(call.name).removeprefix("_foreach_"), described.get(first)
    if len(call.values) == 1 and isinstance(each, (tuple, list)):
        return [shapes.infer(f"torch.{plain}", {"input": one}) for one in each]
    return [None] * len(tensors_in(m, given))


def sequence_of_new(m: Interpreter, r: Result, node: Node | None, types: Types) -> Value:
    """All results of `where(condition)`, `unique` and the like; two if their number is unknown."""
    open_ = not isinstance(types, Sequence)
    known: Sequence[Types] = (None, None) if open_ else types  # type: ignore[assignment]
    described = [t if isinstance(t, TensorType) else None for t in known]
    base = m.grad.tensor(None, "int64") if r.multi else None  # `where(condition)` gives the columns of one tensor

    def one(nr: int, t: TensorType | None = None) -> Tensor:
        if base is None:
            return fresh(m, r, node, t, nr)
        return m.grad.view(base, geometry_of(t) if t else None, MULTI_OUTPUT, nr)

    made = tuple(one(nr, t) for nr, t in enumerate(described))
    if not open_:
        return made
    many = ListV(made, "tuple")
    many.open = True
    many.more = one
    return many


def expected(m: Interpreter, call: Call) -> int:
    """How many pieces to make if the sizes are unknown."""
    n = call.values.get("chunks", call.values.get("indices_or_sections"))
    if isinstance(n, int):
        return min(n, 16)
    cuts = m.state.pick(call.values.get("sections"))
    if isinstance(cuts, Tensor) and cuts.shape is not None and len(cuts.shape) == 1 and cuts.shape[0] is not None:
        return cuts.shape[0] + 1
    sizes = call.values.get("split_size", call.values.get("split_sizes"))
    if isinstance(sizes, tuple):
        return len(sizes)
    if isinstance(sizes, ListV):
        return len(m.state.tuple_of(sizes.items))
    return 2

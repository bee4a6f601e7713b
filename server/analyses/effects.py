"""Replaying one call of a PyTorch operator from its measured fact.

The order is autograd's own (the generated VariableType kernels): check the tensors that will be written,
make the node, save inputs, run (bump the versions), rebase or set the history, save results.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..facts import inference, table
from ..facts.model import REQUIRED, Case, Grads, Mutation, Op, Param, Result, Test
from . import autocast, conversions, inner_writes, layouts, operands, sequences, shapes
from .describe_types import described_all, dtype_of, geometry_of
from .geometry import Geometry, GeometryError, Shape, partly_overlaps
from .shapes import Arg, TensorType
from .shapes.dtypes import is_integral
from .tensors import DEFAULT, MULTI_OUTPUT, Grad, Node, Tensor, Version, conditions, either, ways
from .values import Args, Cond, DictV, ListV, SliceV, Unknown, Value

if TYPE_CHECKING:
    from .engine import Times
    from .machine import Machine

NAMED_RESULTS = {
    "max": ("values", "indices"),
    "min": ("values", "indices"),
    "sort": ("values", "indices"),
    "topk": ("values", "indices"),
    "median": ("values", "indices"),
    "nanmedian": ("values", "indices"),
    "mode": ("values", "indices"),
    "kthvalue": ("values", "indices"),
    "cummax": ("values", "indices"),
    "cummin": ("values", "indices"),
    "aminmax": ("min", "max"),
    "svd": ("U", "S", "V"),
    "qr": ("Q", "R"),
    "eigh": ("eigenvalues", "eigenvectors"),
    "eig": ("eigenvalues", "eigenvectors"),
    "slogdet": ("sign", "logabsdet"),
    "lstsq": ("solution", "residuals", "rank", "singular_values"),
}


Types = TensorType | Sequence["Types"] | None
"""What is known of the results: one description, or one for each (nested as they are)."""


@dataclass(slots=True)
class Call:
    """A call on its way: the arguments by parameter, and the tensors among them."""

    name: str
    values: dict[str, Value]
    tensors: dict[str, list[Tensor]]
    spoken: str | None = None
    """the name to tell it by, where that isn't the last part of `name`"""
    kept: Mapping[str, Grad] = field(default_factory=dict)
    """whether an argument's memory is used, of those that the operator makes a view or a copy of and saves that"""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """what a module's constructor was given"""
    apart: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    overlapping: bool = False
    """of what is written, as in `Op`"""

    def all(self) -> list[Tensor]:
        """All tensors among the arguments."""
        return [t for ts in self.tensors.values() for t in ts]

    def given(self) -> list[Tensor]:
        """Those that the program gave, in their order; not the parameters and buffers of a module."""
        return [t for p in self.values for t in self.tensors.get(p, ())]


# -- arguments --------------------------------------------------------------------------------------


def bind(params: Sequence[Param], args: Args) -> dict[str, Value]:
    """The arguments of a call by the names of the signature; those left out are not in it."""
    bound: dict[str, Value] = {}
    pos = list(args.pos)
    for p in params:
        if p.keyword_only:
            continue
        if p.variadic:
            if pos:
                bound[p.name] = pos[0] if len(pos) == 1 and isinstance(pos[0], (tuple, ListV)) else tuple(pos)
                pos = []
        elif pos:
            bound[p.name] = pos.pop(0)
    names = {p.name: p.name for p in params} | {a: p.name for p in params for a in p.aliases} if args.kw else {}
    for k, v in args.kw.items():
        bound.setdefault(names.get(k, k), v)
    return bound


def tensors_in(m: Machine, v: Value, depth: int = 0) -> list[Tensor]:
    """The tensors of an argument: itself, or those of a list, tuple or dict."""
    v = m.pick(v)
    if isinstance(v, Tensor):
        return [v]
    if depth > 3:
        return []
    if isinstance(v, tuple):
        return [t for i in v for t in tensors_in(m, i, depth + 1)]
    if isinstance(v, ListV):
        return [t for i in sequences.items_of(m, v) for t in tensors_in(m, i, depth + 1)]
    if isinstance(v, DictV):
        return [t for i in v.items.values() for t in tensors_in(m, i, depth + 1)]
    if isinstance(v, SliceV):
        return [t for i in (v.lower, v.upper, v.step) for t in tensors_in(m, i, depth + 1)]
    return []


def takes_tensor(op: Op, parameter: str) -> bool:
    """Whether the fact says something of a parameter: those are the ones that take tensors."""
    return any(
        parameter in case.flows
        or any(s.what == parameter for s in case.saves)
        or any(w.what == parameter for w in case.mutates)
        or any(r.of == parameter for r in case.results)
        for case in op.cases
    )


def prepare(m: Machine, op: Op, args: Args) -> Call:
    """Bind the arguments, and take an unknown one for a tensor where the operator needs one."""
    bound = bind(op.params, args)
    first = op.params[0].name if op.params else None
    for k, v in bound.items():
        v = m.state.resolve(v)
        if isinstance(v, Unknown) and (k == first or v.tensor is not None or v.parameter) and takes_tensor(op, k):
            v = m.as_tensor(v)
        bound[k] = v
    found = {k: tensors_in(m, v) for k, v in bound.items()}
    kept = operands.of_linear(m, found) if op.name in operands.LINEAR else {}
    if op.name == operands.MASKED:
        kept = operands.of_masked_product(bound, found)
    return Call(op.name, bound, found, kept=kept, apart=op.apart, loose=op.loose, overlapping=op.overlapping)


def choose(m: Machine, op: Op, call: Call, extra: Mapping[str, Value] | None = None) -> Case:
    """The case of the fact that applies; an unknown argument counts as its default."""
    if len(op.cases) == 1:
        return op.cases[0]
    defaults = {p.name: p.default for p in op.params}
    for case in op.cases:
        if all(passes(t, call, defaults, extra or {}) for t in case.tests):
            return case
    return op.cases[-1]


def passes(t: Test, call: Call, defaults: Mapping[str, object], extra: Mapping[str, Value]) -> bool:
    """Whether a condition on one argument holds."""
    v: Value = call.values.get(t.param, extra.get(t.param, REQUIRED))
    if v is REQUIRED or isinstance(v, Unknown):
        v = defaults.get(t.param)
        if v is REQUIRED:
            v = None
    if t.op == "tensor":
        return bool(call.tensors.get(t.param)) is t.value
    if t.op == "given":
        return (v is not None) is t.value
    if t.op == "advanced":
        return advanced(v) is t.value
    same = (dtype_of(v) or v) == t.value
    return same if t.op == "is" else not same


def advanced(index: Value) -> bool:
    """Whether an index takes elements one by one, into memory of its own (a tensor, list, mask or range)."""
    items = index if isinstance(index, tuple) else (index,)
    return any(isinstance(i, (Tensor, ListV, range, bool, tuple)) or type(i).__name__ == "NDArray" for i in items)


# -- the call -----------------------------------------------------------------------------------------


def apply(m: Machine, op: Op, args: Args) -> Value:
    """Replay a call of `op`; its result."""
    call = prepare(m, op, args)
    out = call.values.pop("out", None)
    call.tensors.pop("out", None)
    outs = tensors_in(m, out) if out is not None else []
    case = choose(m, op, call)
    if outs:
        return write_out(m, op, case, call, out, outs)
    if op.inplace_of is not None or case.mutates:
        return replay(m, case, call, m.via or called(op.name))
    return replay(m, case, call, "")


def called(name: str) -> str:
    """The name of an operator as a message says it."""
    return name.rsplit(".", 1)[-1]


def condition(when: Grads, grads: Mapping[str, Grad]) -> Grad:
    """Whether one of the sets of inputs requires grad as a whole."""
    found: Grad = False
    for inputs in when:
        one: Grad = True
        for p in inputs:
            g = grads.get(p, False)
            if g is False:
                one = False
                break
            if g is not True:
                one = g if one is True else one | g  # type: ignore[operator]
        found = either(found, one)
    return found


def gradients(
    m: Machine, call: Call, asked: Callable[[Tensor], Grad] | None = None, of: Container[str] | None = None
) -> dict[str, Grad]:
    """For each parameter (`of` these), whether one of its tensors requires grad; what isn't known may be such one."""
    asked = asked or m.grad.requires_grad
    found: dict[str, Grad] = {}
    for p, ts in call.tensors.items():
        if of is not None and p not in of:
            continue
        g: Grad = False
        for t in ts:
            g = either(g, asked(t))
        v = call.values.get(p)
        if isinstance(v, Unknown) and not (v.number or v.data):
            g = frozenset({m.requires_grad(v)})
        found[p] = g
    return found


def seen_by_autograd(m: Machine, call: Call) -> bool | None:
    """Whether autograd sees a call: outside of inference mode, one whose operands are all inference tensors it doesn't.

    It sees an operator that goes on with a tensor which it makes itself, as of a number; None where that isn't known.
    """
    given = call.all()
    if m.grad.mode["inference"] or not given or any(t.d["inference"] is not True for t in given):
        return True
    name = called(call.name)
    number = not all(call.tensors.get(p) for p in ("input", "other") if p in call.values)
    if name.endswith("_"):
        return number and name[:-1] in ARITHMETIC
    if number and name in ARITHMETIC | BY_NUMBER:
        return True
    fact = inference.find(call.name)
    if fact is None:
        return None
    if fact.refused and m.grad.grad_mode and any(m.grad.requires_grad(t) is True for t in given):
        m.grad.fail("out-grad", "direct", given[0], detail=name)
    return fact.seen


ARITHMETIC = frozenset({"add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide"})
"""operators that make a tensor of a number"""

BY_NUMBER = frozenset({"fmod", "remainder", "rsub"})
"""those that do so only where they do not write in place"""


def replay(m: Machine, case: Case, call: Call, via: str, inferred: Types = None) -> Value:
    """The effect of one case of a fact; its result. `inferred` are the results' types where they are known."""
    same = conversions.given_back(m, case, call)
    if same is not None:
        return same
    dtype = autocast.apply(m, call)
    seen = seen_by_autograd(m, call)
    grads: Mapping[str, Grad] = gradients(m, call) if seen else {}
    needs: Grad = False
    for p in case.flows:
        needs = either(needs, grads.get(p, False))
    written = list(writes(m, case, call))
    previous, m.via = m.via, via
    try:
        recorded = tracked(case)
        for w, t, _ in written:
            if given_back(case, w):
                m.grad.check_inplace(t, own_needs(m, case, call, w, t, needs) if recorded else False)
        node = None
        if recorded and (any(r.differentiable for r in case.results) or written):
            inputs = [(p, t) for p, t in operands.used(call) if p in case.flows]
            node = m.grad.node(case.node or called(call.name), [t for _, t in inputs], needs)
        if node is not None:
            node.op, node.roles = call.name, tuple(p for p, _ in inputs)
            node.called = call.spoken or called(call.name)
            grads = {**grads, **gradients(m, call, m.grad.leads_on, case.flows)}
            node.holds = narrowed(condition(case.frees, grads), needs)
            save_inputs(m, node, case, call, grads)
        for w, t, _ in written:
            if given_back(case, w):
                check_overlap(m, t, call)
        for _, t, times in written:
            m.grad.bump(t, via or called(call.name), times=times, same=is_copy_of_itself(m, call, t))
        result = results(m, case, call, node, inferred)
        if seen is None:
            leave_history_open(m, call, result)
        if call.values.get("requires_grad") is True and isinstance(result, Tensor):
            m.require_grad(result, True)
        if node is not None:
            save_results(m, node, case, call, result, grads)
        for w, t, _ in written:
            if given_back(case, w):
                m.grad.rebase(t, node if own_needs(m, case, call, w, t, needs) is not False else None)
                reshape_in_place(m, call, t)
        if dtype is not None:
            for t in tensors_in(m, result):
                t.d["dtype"] = dtype
        return result
    finally:
        m.via = previous


def leave_history_open(m: Machine, call: Call, result: Value) -> None:
    """Nobody knows whether autograd sees the call: whether new results require grad, if an argument does, is open."""
    needs: Grad = False
    for t in call.all():
        needs = either(needs, m.grad.requires_grad(t))
    text = f"autograd sees {called(call.name)}() of inference tensors"
    for t in tensors_in(m, result) if needs is not False and m.grad.grad_mode else ():
        if t.d["inference"] is not True and t.d["fn"] is None and not is_integral(t.dtype or ""):
            t.d["rg"] = frozenset({Cond((text, t.uid), "guess", text, m.site)})
            t.d["fn"] = Unknown(text)


def writes(m: Machine, case: Case, call: Call) -> Iterator[tuple[Mutation, Tensor, Times]]:
    """The arguments that a call changes, and how often; a change that the table is not certain of is none."""
    for w in case.mutates:
        if w.certain or inner_writes.decides(call):
            times = inner_writes.changes(m, call, w)
            if w.bumps == 0 or times != (0, 0):
                given = call.values.get(w.what)
                many = isinstance(given, ListV) and m.is_open(given)  # further ones may share their memory
                yield from ((w, t, (times[0], None) if many else times) for t in call.tensors.get(w.what, ()))


def is_copy_of_itself(m: Machine, call: Call, t: Tensor) -> bool:
    """Whether a call copies a tensor to where it is (`copy_impl` of `aten/src/ATen/native/Copy.cpp`)."""
    return called(call.name) == "copy_" and any(m.grad.are_one(t, source) for source in call.tensors.get("src", ()))


def given_back(case: Case, w: Mutation) -> bool:
    """Whether a call changes a tensor as its result does; others write under no_grad (`max_norm`, statistics)."""
    return w.bumps > 0 and any(r.kind in ("same", "depends") and r.of == w.what for r in case.results)


def own_needs(m: Machine, case: Case, call: Call, w: Mutation, t: Tensor, needs: Grad) -> Grad:
    """Whether what is written to one tensor requires grad: in an operator on lists each goes by its own operands."""
    own = call.tensors[w.what]
    taken = [call.tensors.get(p, []) for p in case.flows]
    if not case.sequence or any(len(ts) not in (0, 1, len(own)) for ts in taken):
        return needs
    at = next(i for i, one in enumerate(own) if one is t)
    found: Grad = False
    for ts in taken:
        if ts:
            found = either(found, m.grad.requires_grad(ts[at] if len(ts) == len(own) else ts[0]))
    return found


def tracked(case: Case) -> bool:
    """Whether autograd has a part in a call; in some writes it has none (`logical_not_`, all of `nn.init`)."""
    return case.node is not None or not case.flows or not case.mutates


def narrowed(g: Grad, needs: Grad) -> Grad:
    """A condition that holds whenever the node exists is no further condition."""
    return True if g == needs else g


def save_inputs(m: Machine, node: Node, case: Case, call: Call, grads: Mapping[str, Grad]) -> None:
    """Save the arguments that the fact names."""
    updated = {w.what for w in case.mutates if w.bumps == 0}
    for s in case.saves:
        if (s.what.startswith("out") and s.what not in call.tensors) or not (s.certain or s.what in call.kept):
            continue
        when, kept = condition(s.when, grads), call.kept.get(s.what, True)
        if when is False or kept is False:
            continue
        when = narrowed(when, node.when) if kept is True else kept
        for t in call.tensors.get(s.what, ()):
            form, read_for = operands.saved_as(call, s.what), frozenset[str]().union(*s.when)
            m.grad.save(node, t, s.what, when, s.what in updated, form, read_for)
    node.copied = copied(m, case, call, grads)


def copied(m: Machine, case: Case, call: Call, grads: Mapping[str, Grad]) -> tuple[Value, ...]:
    """What an operator in place writes and keeps a copy of, as it was: the one out of place saves that itself."""
    op = torch_fact(call.name)
    plain = torch_fact(op.inplace_of) if op is not None and op.inplace_of is not None else None
    if op is None or plain is None or not op.params or not plain.params:
        return ()
    name, other = op.params[0].name, plain.params[0].name
    kept = any(s.what == other and condition(s.when, grads) is True for s in choose(m, plain, call).saves)
    if not kept or any(s.what == name for s in case.saves):
        return ()
    return tuple(m.grad.grad_fn(t) or t for t in call.tensors.get(name, ()) if m.grad.requires_grad(t) is True)


def torch_fact(name: str) -> Op | None:
    """The fact of a function or method."""
    fact = table.find(name)
    return fact if isinstance(fact, Op) else None


def save_results(m: Machine, node: Node, case: Case, call: Call, result: Value, grads: Mapping[str, Grad]) -> None:
    """Save the results that the fact names."""
    items = tensors_in(m, result) if case.sequence else result if isinstance(result, tuple) else (result,)
    for s in case.saves:
        certain = s.certain or s.what in call.kept
        if not s.what.startswith("out") or not certain or not (s.what[3:].isdigit() or s.what == "out"):
            continue
        i = int(s.what[3:] or 0)
        for t in items if case.sequence else items[i : i + 1]:
            if isinstance(t, Tensor):
                when = condition(s.when, grads)
                m.grad.save(node, t, "result", narrowed(when, node.when))


def check_overlap(m: Machine, t: Tensor, call: Call) -> None:
    """`assert_no_internal_overlap`, `assert_no_partial_overlap`, `assert_no_overlap` (ATen/MemoryOverlap.h)."""
    g = t.geometry
    if called(call.name) == "copy_" and t in call.tensors.get("src", ()):  # nothing is done then
        return
    if g is not None and g.overlaps_itself() is True and not may_overlap(call):
        m.grad.fail("overlap-write", "direct", t, detail="itself", built=t.origin)
    storage = m.grad.storage(t)
    for p, others in call.tensors.items():
        for other in others:
            if m.grad.storage(other) is storage and is_too_near(call, p, t, other):
                m.grad.fail("overlap-write", "direct", t, detail="input")


def may_overlap(call: Call) -> bool:
    """Whether a call writes a tensor whose elements share a place; `inplace=True` calls what does it by name."""
    named = (f"{call.name}_", f"torch.nn.functional.{called(call.name).lower()}_")
    return call.overlapping or any(fact is not None and fact.overlapping for fact in map(torch_fact, named))


def is_too_near(call: Call, p: str, t: Tensor, other: Tensor) -> bool:
    """Whether an argument that is of the memory of the written tensor must not be so."""
    g, h = t.geometry, other.geometry
    if p in call.apart and (other is t or (g is not None and g == h and g.is_dense() is not False)):
        return True
    if other is t or g is None or h is None or p in call.loose or (call.overlapping and p not in call.apart):
        return False
    overlap = partly_overlaps(g, h)
    return overlap == "partial" or (overlap == "full" and p in call.apart)


def reshape_in_place(m: Machine, call: Call, t: Tensor) -> None:
    """In-place methods that change the shape (`unsqueeze_`, `t_`, …) give the tensor another geometry."""
    name = called(call.name)
    if name not in shapes.KEEP_IN_PLACE or t.geometry is None:
        return
    made = shapes.view_of(name[:-1], t.geometry, described_all(m, call.values))
    m.state.put(t, "geometry", made if isinstance(made, Geometry) else None)


# -- results ------------------------------------------------------------------------------------------


def results(m: Machine, case: Case, call: Call, node: Node | None, inferred: Types) -> Value:
    """The values that the call gives."""
    described = described_all(m, call.values)
    if case.sequence and case.results[0].of:
        return sequence_of_views(m, case.results[0], call, node, described)
    if not case.results:
        return None if case.mutates else Unknown(f"{called(call.name)}(…)")
    if inferred is None:
        inferred = shapes.infer(call.name, described)
    if case.sequence:
        return sequence_of_new(m, case.results[0], node, inferred or one_for_each(m, call))
    types = inferred if isinstance(inferred, Sequence) else [inferred]
    made = []
    for i, r in enumerate(case.results):
        t = types[i] if i < len(types) else None
        made.append(result(m, r, call, node, t if isinstance(t, TensorType) else None, described, i))
    if len(made) == 1:
        return made[0]
    names = NAMED_RESULTS.get(called(call.name))
    if names is not None and len(names) == len(made):
        from .classes import NamedTuple

        named = NamedTuple(made)
        named.named = names
        return named
    return tuple(made)


def result(
    m: Machine,
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
        if source.shape == () and called(call.name) in shapes.IDENTITY_ON_NUMBERS:
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
        made.d["geometry"] = layouts.of_result(made.geometry, call, nr)
    made.d["counter"].d["v"] = Version(*inner_writes.times(m, call, r.version, nr))
    if not m.grad.grad_mode and operands.is_view(call, made, nr):
        m.grad.as_view(made)
    return made


def fresh(m: Machine, r: Result, node: Node | None, type_: TensorType | None, nr: int = 0) -> Tensor:
    """A result with memory of its own."""
    dtype = type_.dtype if type_ is not None and type_.dtype is not None else None
    if dtype is None and r.dtype in ("bool", "int64"):
        dtype = r.dtype
    t = m.grad.tensor(geometry_of(type_) if type_ is not None else None, dtype)
    if r.differentiable and not (dtype is not None and dtype.startswith(("int", "bool", "uint"))):
        m.grad.set_history(t, node, nr)
    return t


def one_view(
    m: Machine,
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
        t.d["dtype"] = type_.dtype
    m.grad.set_history(t, node)
    return t


def view_geometry(
    source: Tensor, call: Call, described: Mapping[str, Arg], type_: TensorType | None
) -> Geometry | None:
    """The geometry of a view: told by its operator, else no more than the result's shape."""
    g = source.geometry
    made = shapes.view_of(call.name, g, described) if g is not None else None
    if isinstance(made, Geometry):
        return made
    if type_ is None or type_.shape is None:
        return None
    try:
        viewed = g.view(type_.shape) if g is not None else None
    except GeometryError:
        viewed = None
    return viewed if viewed is not None else Geometry.unknown(type_.shape)


def sequence_of_views(m: Machine, r: Result, call: Call, node: Node | None, described: Mapping[str, Arg]) -> Value:
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
            t.d["geometry"] = g
        else:
            t = m.grad.tensor(g, source.dtype)
        m.grad.set_history(t, node, i)
        return t

    pieces = tuple(piece(i, g) for i, g in enumerate(geometries[:64]))
    if known and len(geometries) <= 64:
        return pieces
    many = ListV(pieces, "tuple")
    many.d["open"] = not isinstance(call.values.get("chunks"), int)
    many.more = piece
    return many


def numbers_in(m: Machine, tensors: Sequence[Tensor]) -> list[Arg]:
    """The integers that tensors were made of and that have not been changed since."""
    found = ((t.d["numbers"], m.grad.version(t)) for t in tensors)
    return [numbers for numbers, at in found if numbers is not None and isinstance(at, Version) and at.write is None]


def one_of_several(m: Machine, source: Tensor, g: Geometry | None, node: Node | None) -> Tensor:
    """One of the views of a call that slices a tensor several times: each has a node of its own."""
    t = m.grad.view(source, g)
    own = m.grad.node(node.name, node.inputs, node.when) if node is not None else None
    if own is not None and node is not None:
        own.op, own.roles, own.called, own.holds = node.op, node.roles, node.called, node.holds
    m.grad.set_history(t, own)
    return t


def one_for_each(m: Machine, call: Call) -> Types:
    """An operator on a list gives as many results as that has tensors."""
    given = m.pick(next(iter(call.values.values()), None))
    closed = isinstance(given, tuple) or (isinstance(given, ListV) and not m.is_open(given))
    return [None] * len(tensors_in(m, given)) if closed and called(call.name).startswith("_foreach_") else None


def sequence_of_new(m: Machine, r: Result, node: Node | None, types: Types) -> Value:
    """All results of `where(condition)`, `unique` and the like; of an unknown number, two."""
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
    many.d["open"] = True
    many.more = one
    return many


def expected(m: Machine, call: Call) -> int:
    """How many pieces to make where the sizes aren't known."""
    n = call.values.get("chunks", call.values.get("indices_or_sections"))
    if isinstance(n, int):
        return min(n, 16)
    cuts = m.pick(call.values.get("sections"))
    if isinstance(cuts, Tensor) and cuts.shape is not None and len(cuts.shape) == 1 and cuts.shape[0] is not None:
        return cuts.shape[0] + 1
    sizes = call.values.get("split_size", call.values.get("split_sizes"))
    if isinstance(sizes, tuple):
        return len(sizes)
    if isinstance(sizes, ListV):
        return len(m.tuple_of(sizes.d["items"]))
    return 2


# -- out= ---------------------------------------------------------------------------------------------


def write_out(m: Machine, op: Op, case: Case, call: Call, out: Value, outs: list[Tensor]) -> Value:
    """A call with `out=`: a write of the given tensors; most operators refuse it where anything requires grad."""
    previous, m.via = m.via, "out="
    try:
        needs = asked_of_out(m, case, call, outs) if m.grad.grad_mode else False
        joins = op.out_graph in ("joins", "joins, no leaf", "depends")
        refuse_out(m, op, outs, needs)
        inputs = [(p, t) for p in call.tensors for t in call.tensors[p] if p in case.flows]
        for t, shape in zip(outs, out_shapes(m, op, call, len(outs)), strict=True):
            m.grad.check_inplace(t, needs if joins and op.out_graph != "depends" else False)
            times = out_times(op, t, shape)
            if not op.out_early:
                resize_out(m, call, t, shape)
            check_overlap(m, t, call)
            if op.out_early:
                resize_out(m, call, t, shape)
            node = m.grad.node(case.node or called(op.name), [t for _, t in inputs], needs if joins else False)
            m.grad.bump(t, f"{called(op.name)}(out=)", times=times)
            if node is not None:
                m.grad.rebase(t, node)
            if call.values.get("requires_grad") is True:
                m.require_grad(t, True)
    finally:
        m.via = previous
    return out


def asked_of_out(m: Machine, case: Case, call: Call, outs: Sequence[Tensor]) -> Grad:
    """Whether anything that a call with `out=` is given requires grad.

    What no gradient flows to, such as an index, cannot require grad, or is known to. Nor can what is written into
    integers, which PyTorch casts no floating result to.
    """
    whole = any(t.dtype is not None and is_integral(t.dtype) for t in outs)
    needs: Grad = False
    for p, g in gradients(m, call).items():
        if case.flows and (g is True or (p in case.flows and not whole)):
            needs = either(needs, g)
    for t in outs:
        needs = either(needs, m.grad.requires_grad(t))
    return needs


def refuse_out(m: Machine, op: Op, outs: Sequence[Tensor], needs: Grad) -> None:
    """`throw_error_out_requires_grad`, by what the operator refuses."""
    if op.out_graph == "joins, no leaf" and m.grad.grad_mode:
        leaves = [t for t in outs if m.grad.is_leaf(t)]
        needs = m.grad.requires_grad(leaves[0]) if leaves else False
    if needs is False or op.out_graph in ("joins", "unseen"):
        return
    guards = conditions(needs)
    if op.out_graph == "depends":
        text = f"{called(op.name)} hands this call on to an operator that refuses out="
        guards = (*guards, (Cond((text, outs[0].uid), "guess", text, m.site), True))
    m.grad.fail("out-grad", "direct", outs[0], guards=guards, detail=called(op.name), ways=ways(needs))


def out_shapes(m: Machine, op: Op, call: Call, count: int) -> Sequence[Shape | None]:
    """The shapes that the results of a call have, as far as that is known."""
    inferred = shapes.infer(op.name, described_all(m, call.values))
    types = inferred if isinstance(inferred, Sequence) else [inferred]
    known = [t.shape if isinstance(t, TensorType) else None for t in types]
    return known if len(known) == count else [None] * count


def resize_out(m: Machine, call: Call, t: Tensor, shape: Shape | None) -> None:
    """`resize_output`: a tensor given as `out=` that has another shape than the result is given that."""
    g = t.geometry
    if shape is None or g is None or None in shape or None in g.shape or shape == g.shape:
        return
    m.state.put(t, "geometry", layouts.of_result(Geometry.contiguous(shape, g.offset), call))


def out_times(op: Op, t: Tensor, shape: Shape | None) -> Times:
    """How often a tensor that is given as `out=` for a result of that shape is written."""
    if shape is None or t.shape is None or None in (*shape, *t.shape):
        return min(op.out_bumps[0], op.out_resized[0]), max(op.out_bumps[1], op.out_resized[1])
    return op.out_bumps if shape == t.shape else op.out_resized

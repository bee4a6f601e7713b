"""Replaying one call of a PyTorch operator from its measured fact.

The stages of `replay` are in autograd's own order (the generated VariableType kernels). `y += 1`, where `y` was saved:

    ask      does `y` or `1` require grad? which tensors will be written? (`y`, once)
    check    may they be written? (not a leaf that requires grad)
    record   make the node `AddBackward0` and save its inputs (`add` saves none)
    write    move the counter of `y` from 0 to 1: the node that saved it at 0 is stale from here on
    give     the results, here `y` itself
    link     `y` now leads to the new node; a new result would have got it in `give`; save results

Each stage asks the operator's family (`call.Family`) what is special there, and writes what it finds out to the `Call`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .. import shapes
from ..autograd.geometry import Geometry
from ..autograd.tensors import Grad, Tensor, either
from ..domain.values import ABSENT, Args, Cond, ListV, Unknown, Value
from ..shapes.dtypes import is_integral
from . import autocast, conversions, parts, rules, writes
from .call import Call
from .cases import bound, called, choose, gradients, tensors_in
from .outs import is_refused, write_out
from .overlap import check_overlap, is_read_while_written
from .results import Types, results
from .saves import save_inputs, save_results
from .seeing import is_seen
from .types import described_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...facts.model import Case, Mutation, Op
    from ..autograd.gradients import Times
    from ..autograd.tensors import Node
    from .interpreter import Interpreter


def apply(m: Interpreter, op: Op, args: Args) -> Value:
    """Replay a call of `op`; its result."""
    call = prepare(m, op, args)
    copied = call.family.instead_of(m, call) if call.family.instead_of is not None else None
    if copied is not None:
        clone = m.facts.table.operator("torch.clone")
        assert clone is not None
        op, call = clone, prepare(m, clone, Args([copied], site=args.site))
    out = call.values.pop("out", None)
    call.tensors.pop("out", None)
    if isinstance(out, (int, float)) and call.family.makes_tensor:
        out = m.grad.tensor(Geometry.contiguous(()), "float64" if isinstance(out, float) else "int64")
    outs = tensors_in(m, out) if out is not None else []
    case = choose(m, op, call)
    if outs:
        return write_out(m, op, case, call, out, outs)
    if op.inplace_of is not None or case.mutates:
        return replay(m, case, call, m.here.via or called(op.name))
    return replay(m, case, call, "")


def prepare(m: Interpreter, op: Op, args: Args) -> Call:
    """A call of `op` with its arguments by parameter."""
    call = bind(m, op, args)
    if call.family.keeps is not None:
        call.kept = call.family.keeps(m, call)
    return call


def bind(m: Interpreter, op: Op, args: Args) -> Call:
    """The same without `Call.kept`, for callers that have more to set first."""
    values, tensors = bound(m, op, args)
    family = rules.of(op.name)
    made = Call(op.name, values, tensors, family, apart=op.apart, loose=op.loose, overlapping=op.overlapping)
    made.as_out = op.as_out
    return made


def replay(m: Interpreter, case: Case, call: Call, via: str, inferred: Types = None) -> Value:
    """The effect of one case of a fact; its result. `inferred` are the results' types where they are known."""
    sides = call.family.sides(m, call) if call.family.sides is not None else None
    if sides is not None:
        cond, *calls = sides
        return m.state.fork(cond, *(partial(replay, m, case, one, via, inferred) for one in calls))
    m.operate()
    if m.grad.kept is not None:
        m.grad.read(read_values(case, call))
    same = conversions.given_back(m, case, call)
    if same is not None:
        return same
    call.cast = autocast.apply(m, call)
    ask(m, case, call)
    previous, m.here.via = m.here.via, via
    try:
        check(m, case, call)
        record(m, case, call)
        write(m, case, call)
        result = give(m, case, call, inferred)
        link(m, case, call, result)
        return result
    finally:
        m.here.via = previous


def read_values(case: Case, call: Call) -> list[Tensor]:
    """The operands whose values a call reads: not those that it writes, nor one that gives a shape (`zeros_like`)."""
    name = called(call.name)
    if name.endswith("_like") or name.startswith("new_"):
        return []
    aside = {w.what for w in case.mutates} | {"other" if name.endswith("_as") else call.family.reads_form_of}
    return [t for p, ts in call.tensors.items() if p not in aside for t in ts]


# -- ask ------------------------------------------------------------------------------------------------


def ask(m: Interpreter, case: Case, call: Call) -> None:
    """Find out whether autograd sees the call, what requires grad, and what will be written."""
    call.seen = is_seen(m, case, call)
    call.grads = gradients(m, call) if call.seen else {}
    for p, g in call.grads.items():
        if p in case.flows:
            call.needs = either(call.needs, g)
    call.written = list(to_write(m, case, call))


def to_write(m: Interpreter, case: Case, call: Call) -> Iterator[tuple[Mutation, Tensor, Times]]:
    """The arguments that a call changes, and how many times; changes of which the table isn't certain don't count."""
    for w in case.mutates:
        if w.certain or call.family.changes is not None:
            times = writes.changes(m, call, w)
            if w.bumps == 0 or times != (0, 0):
                given = call.values.get(w.what)
                many = isinstance(given, ListV) and m.state.is_open(given)  # further ones may share their memory
                yield from ((w, t, (times[0], None) if many else times) for t in call.tensors.get(w.what, ()))


# -- check ----------------------------------------------------------------------------------------------


def check(m: Interpreter, case: Case, call: Call) -> None:
    """Report what PyTorch refuses to write, and take it out."""
    viewed = case.node == "torch::autograd::CopySlices"
    for one in list(call.written):
        w, t, _ = one
        if is_result(case, w):
            needs = needs_of(m, case, call, w, t) if is_recorded(case) else False
            if (call.as_out and is_refused(m, t, call)) or not m.grad.check_inplace(t, needs, viewed):
                call.written.remove(one)


def is_result(case: Case, w: Mutation) -> bool:
    """Whether what a call changes is its result; other changes happen under no_grad (`max_norm`, statistics)."""
    return w.bumps > 0 and any(r.kind in ("same", "depends") and r.of == w.what for r in case.results)


def is_recorded(case: Case) -> bool:
    """Whether autograd takes part in a call; in some writes it doesn't (`logical_not_`, all of `nn.init`)."""
    return case.node is not None or not case.flows or not case.mutates


def needs_of(m: Interpreter, case: Case, call: Call, w: Mutation, t: Tensor) -> Grad:
    """Whether what is written to one tensor requires grad: in an operator on lists, each item has its own operands."""
    own = call.tensors[w.what]
    taken = [ts for p, ts in call.tensors.items() if p in case.flows]
    if not case.sequence or any(len(ts) not in (0, 1, len(own)) for ts in taken):
        return call.needs
    at = next(i for i, one in enumerate(own) if one is t)
    found: Grad = False
    for ts in taken:
        if ts:
            found = either(found, m.grad.requires_grad(ts[at] if len(ts) == len(own) else ts[0]))
    return found


# -- record ---------------------------------------------------------------------------------------------


def record(m: Interpreter, case: Case, call: Call) -> None:
    """Make the node of the call, and save its inputs."""
    if not is_recorded(case) or not (any(r.differentiable for r in case.results) or call.written):
        return
    used = call.family.used(call) if call.family.used is not None else by_parameter(call)
    inputs = [(p, t) for p, t in used if p in case.flows]
    node = call.node = m.grad.node(case.node or called(call.name), [t for _, t in inputs], call.needs)
    if node is not None:
        node.op, node.roles = call.name, tuple(p for p, _ in inputs)
        node.called = call.spoken or called(call.name)
        node.several = call.family.several
        save_inputs(m, node, case, call, call.grads)


def by_parameter(call: Call) -> list[tuple[str, Tensor]]:
    """The tensors of a call by parameter."""
    return [(p, t) for p, ts in call.tensors.items() for t in ts]


# -- write ----------------------------------------------------------------------------------------------


def write(m: Interpreter, case: Case, call: Call) -> None:
    """Move the counters of what is written, unless PyTorch refuses the write because memory is shared."""
    family, via = call.family, m.here.via or called(call.name)
    for one in list(call.written):
        w, t, _ = one
        idle = family.writes_nothing is not None and family.writes_nothing(m, call, t)
        if is_result(case, w) and not idle and not check_overlap(m, t, call):
            call.written.remove(one)
    for _, t, times in call.written:
        same = family.same_content is not None and family.same_content(m, call, t)
        back = family.content(m, call, t) if family.content is not None else ABSENT
        m.grad.bump(t, via, times=times, same=same, back=back, read=is_read_while_written(m, t, call))


# -- give -----------------------------------------------------------------------------------------------


def give(m: Interpreter, case: Case, call: Call, inferred: Types) -> Value:
    """The results; each new one gets the node as its history."""
    result = results(m, case, call, call.node, inferred)
    if call.family.noted is not None:
        call.family.noted(m, call, result)
    if call.seen is None:
        leave_history_open(m, call, result)
    if call.values.get("requires_grad") is True and isinstance(result, Tensor):
        m.require_grad(result, True)
    return result


def leave_history_open(m: Interpreter, call: Call, result: Value) -> None:
    """If it is unknown whether autograd records the call, it is unknown whether its new results require grad."""
    needs: Grad = False
    for t in call.all():
        needs = either(needs, m.grad.requires_grad(t))
    text = f"autograd sees {called(call.name)}() of inference tensors"
    for t in tensors_in(m, result) if needs is not False and m.grad.grad_mode else ():
        if t.is_inference is not True and t.grad_fn is None and not is_integral(t.dtype or ""):
            t.requires_grad_ = frozenset({Cond((text, t.uid), "guess", text, m.here.site)})
            t.grad_fn = Unknown(text)


# -- link -----------------------------------------------------------------------------------------------


def link(m: Interpreter, case: Case, call: Call, result: Value) -> None:
    """Save results, and make the node the history of what was changed in place."""
    node = call.node
    changed = [t for w, t, _ in call.written if is_result(case, w)]
    own: list[Node | None] = [None] * len(changed)
    if node is not None:
        save_results(m, node, case, call, result, call.grads)
        if changed:
            own = parts.parted(m, node, call, call.grads, changed)
        else:
            parts.of_results(m, node, call, call.grads, result)
    for t, made in zip(changed, own, strict=True):
        if call.family.reshapes:
            m.grad.lead_on(t, made)
            reshape_in_place(m, call, t)
        else:
            m.grad.rebase(t, made)
    if call.cast is not None:
        for t in tensors_in(m, result):
            t.dtype_ = call.cast


def reshape_in_place(m: Interpreter, call: Call, t: Tensor) -> None:
    """Give a tensor the geometry that an in-place method makes (`unsqueeze_`, `t_`, …)."""
    g = t.geometry
    made = None if g is None else shapes.view_of(called(call.name)[:-1], g, described_all(m, call.values))
    m.state.put(t, Tensor.geometry_, made if isinstance(made, Geometry) else None)

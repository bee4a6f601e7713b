"""Replaying one call of a PyTorch operator from its measured fact.

The order is autograd's own (the generated VariableType kernels): check the tensors that will be written,
make the node, save inputs, run (bump the versions), rebase or set the history, save results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import inference
from .. import shapes
from ..autograd.geometry import Geometry
from ..autograd.tensors import Copied, Grad, Storage, Tensor, Version, either, is_of, operator_of
from ..domain.values import ABSENT, Args, Cond, ListV, Unknown, Value
from ..shapes.dtypes import is_integral
from . import autocast, conversions, operands
from . import parts as branches
from . import writes as inner_writes
from .cases import advanced, called, choose, gradients, prepare, tensors_in, torch_fact
from .outs import write_out
from .overlap import check_overlap
from .results import Types, results
from .saves import save_inputs, save_results
from .types import described_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...facts.model import Case, Mutation, Op
    from ..autograd.gradients import Times
    from .call import Call
    from .interpreter import Interpreter


def apply(m: Interpreter, op: Op, args: Args) -> Value:
    """Replay a call of `op`; its result."""
    call = prepare(m, op, args)
    copied = inner_writes.copied(m, call)
    if copied is not None:
        clone = torch_fact("torch.clone")
        assert clone is not None
        op, call = clone, prepare(m, clone, Args([copied], site=args.site))
    out = call.values.pop("out", None)
    call.tensors.pop("out", None)
    if isinstance(out, (int, float)) and called(op.name) in ARITHMETIC:
        out = m.grad.tensor(Geometry.contiguous(()), "float64" if isinstance(out, float) else "int64")
    outs = tensors_in(m, out) if out is not None else []
    case = choose(m, op, call)
    if outs:
        return write_out(m, op, case, call, out, outs)
    if op.inplace_of is not None or case.mutates:
        return replay(m, case, call, m.here.via or called(op.name))
    return replay(m, case, call, "")


def seen_by_autograd(m: Interpreter, case: Case, call: Call) -> bool | None:
    """Whether autograd sees a call: outside of inference mode, one whose operands are all inference tensors it doesn't.

    It sees an operator that goes on with a tensor which it makes itself, as of a number, or of a list that is an index;
    None where that isn't known, as of what is made of several operators, which don't take all of the operands.
    """
    given = call.all()
    normal = [t for t in given if t.is_inference is not True]
    if m.grad.mode["inference"] or len(normal) == len(given):
        return True
    if normal:
        needs = any(m.grad.requires_grad(t) is not False for t in normal)
        return True if needs or is_one_operator(case, call) else None
    name = called(call.name)
    if name == "__getitem__" and made_of_lists(call.values.get("index")):
        return True
    number = not all(call.tensors.get(p) for p in ("input", "other") if p in call.values)
    if name.endswith("_"):
        return number and name[:-1] in ARITHMETIC
    if number and name in ARITHMETIC | BY_NUMBER:
        return True
    base, exponent = inner_writes.power(call) or (None, None)
    if isinstance(exponent, (int, float)):
        return False
    fact = inference.find(call.name)
    if fact is None:
        return None
    by_number = isinstance(base, (int, float))  # which goes on with a tensor of it, and `out=`
    refused = base != 1 if by_number else fact.refused
    if refused and m.grad.grad_mode and any(m.grad.requires_grad(t) is True for t in given):
        m.grad.fail("out-grad", "direct", given[0], detail=name)
    return False if by_number else fact.seen


def is_one_operator(case: Case, call: Call) -> bool:
    """Whether a call makes one node: that is named after it, or after an operator of which it is another name."""
    if case.node is None or is_of(case.node, called(call.name)):
        return True
    op, other = torch_fact(call.name), torch_fact(f"torch.{operator_of(case.node)}")
    return op is not None and other is not None and (op.params, op.cases) == (other.params, other.cases)


def made_of_lists(index: Value) -> bool:
    """Whether an index has lists that become tensors, and nothing of which a view is taken first."""
    parts = index if isinstance(index, tuple) else (index,)
    taken = [i for i in parts if i is not Ellipsis and not isinstance(i, Tensor)]
    return bool(taken) and all(advanced((i,)) and not isinstance(i, bool) for i in taken)


ARITHMETIC = frozenset({"add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide"})
"""operators that make a tensor of a number"""

BY_NUMBER = frozenset({"fmod", "remainder", "rsub"})
"""those that do so only where they do not write in place"""


def replay(m: Interpreter, case: Case, call: Call, via: str, inferred: Types = None) -> Value:
    """The effect of one case of a fact; its result. `inferred` are the results' types where they are known."""
    m.operate()
    if m.grad.kept is not None:
        m.grad.read(read_values(case, call))
    same = conversions.given_back(m, case, call)
    if same is not None:
        return same
    dtype = autocast.apply(m, call)
    seen = seen_by_autograd(m, case, call)
    grads: Mapping[str, Grad] = gradients(m, call) if seen else {}
    needs: Grad = False
    for p, g in grads.items():
        if p in case.flows:
            needs = either(needs, g)
    written = list(writes(m, case, call))
    previous, m.here.via = m.here.via, via
    try:
        recorded = tracked(case)
        viewed = case.node == "torch::autograd::CopySlices"
        for one in list(written):
            w, t, _ = one
            if given_back(case, w):
                gradient = own_needs(m, case, call, w, t, needs) if recorded else False
                if not m.grad.check_inplace(t, gradient, viewed):
                    written.remove(one)
        node = None
        if recorded and (any(r.differentiable for r in case.results) or written):
            inputs = [(p, t) for p, t in operands.used(call) if p in case.flows]
            node = m.grad.node(case.node or called(call.name), [t for _, t in inputs], needs)
        if node is not None:
            node.op, node.roles = call.name, tuple(p for p, _ in inputs)
            node.called = call.spoken or called(call.name)
            node.several = call.name in operands.ATTENTION
            save_inputs(m, node, case, call, grads)
        reshaped = bool(written) and inner_writes.is_only_reshaped(m, call)
        for one in list(written):
            w, t, _ = one
            if given_back(case, w) and not reshaped and not check_overlap(m, t, call):
                written.remove(one)
        for _, t, times in written:
            as_it_was = reshaped or is_copy_of_itself(m, call, t)
            m.grad.bump(t, via or called(call.name), times=times, same=as_it_was, back=put_back(m, call, t))
        result = results(m, case, call, node, inferred)
        note_copies(m, call, result)
        if seen is None:
            leave_history_open(m, call, result)
        if call.values.get("requires_grad") is True and isinstance(result, Tensor):
            m.require_grad(result, True)
        if node is not None:
            save_results(m, node, case, call, result, grads)
        changed = [t for w, t, _ in written if given_back(case, w)]
        if node is not None and not changed:
            branches.of_results(m, node, call, grads, result)
        own = branches.parted(m, node, call, grads, changed) if node is not None else [None] * len(changed)
        for t, made in zip(changed, own, strict=True):
            if called(call.name) in shapes.KEEP_IN_PLACE:
                m.grad.lead_on(t, made)
                reshape_in_place(m, call, t)
            else:
                m.grad.rebase(t, made)
        if dtype is not None:
            for t in tensors_in(m, result):
                t.dtype_ = dtype
        return result
    finally:
        m.here.via = previous


def read_values(case: Case, call: Call) -> list[Tensor]:
    """The operands whose values a call reads: not what it writes, nor a pattern for a shape (`zeros_like`)."""
    name = called(call.name)
    if name.endswith("_like") or name.startswith("new_"):
        return []
    aside = {w.what for w in case.mutates} | ({"other"} if name.endswith("_as") or name == "to" else set())
    return [t for p, ts in call.tensors.items() if p not in aside for t in ts]


def leave_history_open(m: Interpreter, call: Call, result: Value) -> None:
    """Nobody knows whether autograd sees the call: whether new results require grad, if an argument does, is open."""
    needs: Grad = False
    for t in call.all():
        needs = either(needs, m.grad.requires_grad(t))
    text = f"autograd sees {called(call.name)}() of inference tensors"
    for t in tensors_in(m, result) if needs is not False and m.grad.grad_mode else ():
        if t.is_inference is not True and t.grad_fn is None and not is_integral(t.dtype or ""):
            t.requires_grad_ = frozenset({Cond((text, t.uid), "guess", text, m.here.site)})
            t.grad_fn = Unknown(text)


def writes(m: Interpreter, case: Case, call: Call) -> Iterator[tuple[Mutation, Tensor, Times]]:
    """The arguments that a call changes, and how often; a change that the table is not certain of is none."""
    for w in case.mutates:
        if w.certain or inner_writes.decides(call):
            times = inner_writes.changes(m, call, w)
            if w.bumps == 0 or times != (0, 0):
                given = call.values.get(w.what)
                many = isinstance(given, ListV) and m.state.is_open(given)  # further ones may share their memory
                yield from ((w, t, (times[0], None) if many else times) for t in call.tensors.get(w.what, ()))


def is_copy_of_itself(m: Interpreter, call: Call, t: Tensor) -> bool:
    """Whether a call copies a tensor to where it is (`copy_impl` of `aten/src/ATen/native/Copy.cpp`)."""
    return called(call.name) == "copy_" and any(m.grad.are_one(t, source) for source in call.tensors.get("src", ()))


def note_copies(m: Interpreter, call: Call, result: Value) -> None:
    """Keep what a clone, or a buffer that is written, is a copy of: it may be copied back."""
    name = called(call.name)
    if name == "clone" and isinstance(result, Tensor):
        for t in call.tensors.get("input", call.tensors.get("self", ())):
            note_copy(m, t, result)
    elif name == "copy_":
        for t, source in zip(call.tensors.get("self", ()), call.tensors.get("src", ()), strict=False):
            note_copy(m, source, t)


def note_copy(m: Interpreter, source: Tensor, made: Tensor) -> None:
    """Keep that a tensor has the content of another now, if it is as wide and has as many bits."""
    storage, own = m.grad.storage(source), m.grad.storage(made)
    content, g, at = m.state.resolve(storage.content), source.geometry, made.geometry
    if not isinstance(content, Version) or g is None or at is None or g.shape != at.shape or source.dtype != made.dtype:
        return
    m.state.put(own, Storage.copied, Copied(storage, g, content.content, at, m.state.resolve(own.content)))


def put_back(m: Interpreter, call: Call, t: Tensor) -> Value:
    """The content of which a copy was made, where a call copies this copy to where it comes from."""
    for source in call.tensors.get("src", ()) if called(call.name) == "copy_" else ():
        storage = m.grad.storage(source)
        kept = m.state.resolve(storage.copied)
        if (
            not isinstance(kept, Copied)
            or kept.own is not m.state.resolve(storage.content)
            or source.geometry != kept.at
        ):
            continue
        if kept.storage is m.grad.storage(t) and kept.geometry == t.geometry:
            return kept.content
    return ABSENT


def given_back(case: Case, w: Mutation) -> bool:
    """Whether a call changes a tensor as its result does; others write under no_grad (`max_norm`, statistics)."""
    return w.bumps > 0 and any(r.kind in ("same", "depends") and r.of == w.what for r in case.results)


def own_needs(m: Interpreter, case: Case, call: Call, w: Mutation, t: Tensor, needs: Grad) -> Grad:
    """Whether what is written to one tensor requires grad: in an operator on lists each goes by its own operands."""
    own = call.tensors[w.what]
    taken = [ts for p, ts in call.tensors.items() if p in case.flows]
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


def reshape_in_place(m: Interpreter, call: Call, t: Tensor) -> None:
    """In-place methods that change the shape (`unsqueeze_`, `t_`, …) give the tensor another geometry."""
    g = t.geometry
    made = None if g is None else shapes.view_of(called(call.name)[:-1], g, described_all(m, call.values))
    m.state.put(t, Tensor.geometry_, made if isinstance(made, Geometry) else None)

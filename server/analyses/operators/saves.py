"""What a node saves of its operator's arguments and results, as the fact names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Grad, Node, Tensor, either
from .cases import choose, condition, gradients, tensors_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...facts.model import Case
    from ...facts.views import Form
    from ..domain.values import Value
    from .call import Call
    from .interpreter import Interpreter


def narrowed(g: Grad, needs: Grad) -> Grad:
    """A condition, or True if it holds whenever the node exists."""
    return True if g == needs else g


def has_several(m: Interpreter, call: Call, case: Case) -> bool:
    """Whether a call's node has formulas for several gradients, even if one of the tensors is a number in this call.

    Such an operator checks whether a gradient is needed before it saves something for that gradient alone: `guard_for`
    of `tools/autograd/gen_variable_type.py`. A result is saved unconditionally.
    """
    if len(case.flows) > 1:
        return True
    op = m.facts.table.operator(call.name) if case.flows else None
    return op is not None and any(len(other.flows) > 1 and other.node == case.node for other in op.cases)


def held(case: Case, grads: Mapping[str, Grad], leads: Mapping[str, Grad]) -> Grad:
    """Whether the node keeps anything at all, user's or temporary; some gradients need nothing but one saved tensor."""
    found: Grad = False
    for when in case.frees:
        saves = [s.when for s in case.saves if when in s.when] or [case.frees]
        found = either(found, condition((when,), leads if all(len(one) == 1 for one in saves) else grads))
    return found


def leading(m: Interpreter, case: Case, call: Call, grads: Mapping[str, Grad]) -> Mapping[str, Grad]:
    """Whether each differentiable parameter needs its gradient; without such a check, whether it requires grad."""
    return {**grads, **gradients(m, call, m.grad.leads_on, case.flows)} if has_several(m, call, case) else grads


def save_inputs(m: Interpreter, node: Node, case: Case, call: Call, grads: Mapping[str, Grad]) -> None:
    """Save the arguments that the fact names."""
    leads = leading(m, case, call, grads)
    node.holds = narrowed(held(case, grads, leads), node.when)
    updated = {w.what for w in case.mutates if w.bumps == 0}
    for s in case.saves:
        if (s.what.startswith("out") and s.what not in call.tensors) or not (s.certain or s.what in call.kept):
            continue
        when, kept = condition(s.when, leads if len(s.when) == 1 else grads), call.kept.get(s.what, True)
        if when is False or kept is False:
            continue
        when = narrowed(when, node.when) if kept is True else kept
        for t in call.tensors.get(s.what, ()):
            form, read_for = saved_as(m, call, s.what), frozenset[str]().union(*s.when)
            m.grad.save(node, t, s.what, when, s.what in updated, form, read_for)
    node.copied = copied(m, case, call, grads)


def saved_as(m: Interpreter, call: Call, parameter: str) -> Form:
    """The form in which a call saves an argument: itself, a view of it, or pieces."""
    form: Form = m.facts.views.saved_as(call.name, parameter)
    if call.family.form is not None:
        form = call.family.form(call, parameter, form)
    return "view" if form == "itself" and parameter in call.kept else form


def copied(m: Interpreter, case: Case, call: Call, grads: Mapping[str, Grad]) -> tuple[Value, ...]:
    """What an in-place operator overwrites but keeps a copy of, since its out-of-place version saves it."""
    op = m.facts.table.operator(call.name)
    plain = m.facts.table.operator(op.inplace_of) if op is not None and op.inplace_of is not None else None
    if op is None or plain is None or not op.params or not plain.params:
        return ()
    name, other = op.params[0].name, plain.params[0].name
    kept = any(s.what == other and condition(s.when, grads) is True for s in choose(m, plain, call).saves)
    if not kept or any(s.what == name for s in case.saves):
        return ()
    return tuple(m.grad.grad_fn(t) or t for t in call.tensors.get(name, ()) if m.grad.requires_grad(t) is True)


def save_results(m: Interpreter, node: Node, case: Case, call: Call, result: Value, grads: Mapping[str, Grad]) -> None:
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

"""Which case of a fact a call is: its arguments by parameter, the tensors among them, what requires grad.

`torch.max(x)` gives a tensor, `torch.max(x, 0)` two: the fact has a case for each, with conditions on the arguments.
The first whose conditions hold is the call's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts.model import REQUIRED, Case, Grads, Op, Param, Save, Test
from ..autograd.tensors import Grad, Tensor, either
from ..domain.containers import in_one_row
from ..domain.known import is_mask
from ..domain.values import Args, Cond, DictV, Iterator_, ListV, Phi, SliceV, Unknown, Value
from .types import dtype_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from .call import Call
    from .interpreter import Interpreter


def bind(params: Sequence[Param], args: Args) -> dict[str, Value]:
    """The arguments of a call by their names in the signature, without those that were left out."""
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


def items_of(m: Interpreter, v: ListV | Iterator_) -> tuple[Value, ...]:
    """The items of a list; after a branch, those of the longer side, each under the condition that the list has it."""
    items = m.state.resolve(v.items)
    if type(items) is Phi:
        return in_one_row(items)
    return items if isinstance(items, tuple) else ()


def one_or_more(m: Interpreter, v: Value) -> tuple[Value, ...]:
    """The items of a list or tuple, or the one value in place of them."""
    items = m.state.tuple_of(v.items) if isinstance(v, ListV) else v
    return items if isinstance(items, tuple) else (items,)


def tensors_in(m: Interpreter, v: Value, depth: int = 0) -> list[Tensor]:
    """The tensors of an argument: itself, or those of a list, tuple or dict."""
    v = m.state.pick(v)
    if isinstance(v, Tensor):
        return [v]
    if isinstance(v, Unknown) and v.history is not None and depth:
        return [m.as_tensor(v)]
    if depth > 3:
        return []
    if isinstance(v, tuple):
        return [t for i in v for t in tensors_in(m, i, depth + 1)]
    if isinstance(v, ListV):
        return [t for i in items_of(m, v) for t in tensors_in(m, i, depth + 1)]
    if isinstance(v, DictV):
        return [t for i in v.items.values() for t in tensors_in(m, i, depth + 1)]
    if isinstance(v, SliceV):
        return [t for i in (v.lower, v.upper, v.step) for t in tensors_in(m, i, depth + 1)]
    return []


def takes_tensor(op: Op, parameter: str) -> bool:
    """Whether the fact mentions a parameter: those are the ones that take tensors."""
    return any(
        parameter in case.flows
        or any(s.what == parameter for s in case.saves)
        or any(w.what == parameter for w in case.mutates)
        or any(r.of == parameter for r in case.results)
        for case in op.cases
    )


def must_be_tensor(v: Unknown) -> bool:
    """Whether an unknown operand must be a tensor: used as one, a parameter, or the result of a call on tensors."""
    return v.tensor is not None or v.parameter or v.moved or v.history is not None


SINGLE = frozenset({"input", "self", "query", "src", "tgt", "input1", "x1", "anchor", "log_probs", "logits"})
"""PyTorch's names for a first argument that is a single tensor, neither a number nor several"""


def is_single(op: Op) -> bool:
    """Whether the first argument of an operator can only be a single tensor."""
    return op.params[0].name in SINGLE and not called(op.name).startswith("_foreach")


def bound(m: Interpreter, op: Op, args: Args) -> tuple[dict[str, Value], dict[str, list[Tensor]]]:
    """The arguments of a call by parameter, and the tensors in each; what has to be a tensor becomes one."""
    values = bind(op.params, args)
    first = op.params[0].name if op.params else None
    for k, v in values.items():
        v = m.state.resolve(v)
        if isinstance(v, Unknown) and (k == first or must_be_tensor(v)) and takes_tensor(op, k):
            v = m.sure_tensor(v) if v.moved or (k == first and is_single(op)) else m.as_tensor(v)
        values[k] = v
    return values, {k: tensors_in(m, v) for k, v in values.items()}


def choose(m: Interpreter, op: Op, call: Call) -> Case:
    """The case of the fact that applies."""
    special = call.family.case(m, op, call) if call.family.case is not None else None
    return special or by_conditions(op, call)


def by_conditions(op: Op, call: Call) -> Case:
    """The first case whose conditions all hold; an unknown argument counts as its default."""
    if len(op.cases) == 1:
        return op.cases[-1]
    defaults = {p.name: p.default for p in op.params}
    for case in op.cases:
        if all(passes(t, call, defaults) for t in case.tests):
            return case
    return op.cases[-1]


def saves_of(op: Op, case: Case, parameter: str) -> tuple[Save, ...]:
    """What a case saves of an argument, or other cases do where it saves nothing of it."""
    saved = [s for s in case.saves if s.what == parameter]
    return tuple(saved or (s for one in op.cases for s in one.saves if s.what == parameter))


def passes(t: Test, call: Call, defaults: Mapping[str, object]) -> bool:
    """Whether a condition on one argument, or on a setting of the module, holds."""
    v: Value = call.values.get(t.param, call.settings.get(t.param, REQUIRED))
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


def called(name: str) -> str:
    """The name of an operator as messages have it."""
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
    m: Interpreter, call: Call, asked: Callable[[Tensor], Grad] | None = None, of: Container[str] | None = None
) -> dict[str, Grad]:
    """For each parameter (or those in `of`), whether one of its tensors requires grad; an unknown value may."""
    asked = asked or m.grad.requires_grad
    found: dict[str, Grad] = {}
    for p, ts in call.tensors.items():
        if of is not None and p not in of:
            continue
        g: Grad = False
        for t in ts:
            g = either(g, asked(t))
        v = call.values.get(p)
        if isinstance(v, Unknown) and not (v.number or v.data or is_mask(v.key)):
            g = frozenset({of_number(m.requires_grad(v))})
        found[p] = g
    return found


def of_number(asked: Cond) -> Cond:
    """Whether an operand requires grad that nothing shows to be a tensor: a discount, a size, an option."""
    return Cond(asked.key, "factor", asked.text, asked.site) if asked.kind == "may-require-grad" else asked

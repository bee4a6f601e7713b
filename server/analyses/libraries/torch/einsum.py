"""`torch.einsum` and `torch.tensordot`: chains of batched products of permuted operands.

`einsum` takes its operands in pairs, groups the dimensions of each (batch, own, summed) by `permute` and `reshape`, and
multiplies them by `bmm` (`sumproduct_pair` and `einsum` of `aten/src/ATen/native/Linear.cpp`). If `reshape` has to
copy, the graph saves the copy:

    y = torch.einsum("bij,bjk->bik", x, w)      # saves x and w themselves
    y = torch.einsum("bji,bjk->bik", x, w)      # the same: a transposed view needs no copy
    y = torch.einsum("ijb,jbk->ik", x, w)       # j and b are merged, which copies a permuted operand
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry, Shape
from ...autograd.tensors import Tensor
from ...domain.paths import Raised
from ...domain.registry import model
from ...domain.values import Args, Unknown
from ...operators import calls_by_name, cases, layouts, replay, rules
from ...operators.call import Call
from ...operators.rules.products import shared
from ...operators.types import described
from ...shapes import TensorType, infer

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ...autograd.tensors import Grad
    from ...domain.values import Value
    from ...python.machine import Machine

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """An operand with a label for each of its dimensions."""

    tensor: Tensor
    labels: Labels

    @property
    def geometry(self) -> Geometry:
        """How it lies in memory."""
        return self.tensor.geometry or layouts.assumed(self.tensor, (None,) * len(self.labels))

    def size(self, label: str) -> int | None:
        """The size under a label; 1 if the operand doesn't have it."""
        return self.geometry.shape[self.labels.index(label)] if label in self.labels else 1

    def has(self, label: str) -> bool:
        """Whether the operand varies along a label."""
        return self.size(label) != 1


@model("torch.einsum", "torch.functional.einsum")
def einsum(m: Machine, args: Args) -> Value:
    """`einsum(equation, *operands)`, from left to right."""
    plain = calls_by_name.resolved(m, args)
    if plain is None:
        return calls_by_name.split(m, args, lambda one: einsum(m, one))
    op = m.facts.table.operator("torch.einsum")
    assert op is not None
    if len(plain.pos) > 2:  # a single one may be a list of all
        given = [m.sure_tensor(v) if isinstance(v, Unknown) else v for v in plain.pos[1:]]
        plain = Args([plain[0], *given], plain.kw, plain.open, plain.site, plain.exprs)
    call = replay.prepare(m, op, plain)
    equation, factored = call.values.get("equation"), call.tensors.get("operands", [])
    read = labelled(equation, factored) if isinstance(equation, str) else None
    if read is None:
        return replay.apply(m, op, plain)
    factors, out = read
    if len(factors) == 1:
        return alone(m, factors[0], out)
    left = factors[0]
    for i, right in enumerate(factors[1:], 1):
        later = {*out, *(label for factor in factors[i + 1 :] for label in factor.labels)}
        left = pair(m, left, right, later, out)
    return left.tensor


def labelled(equation: str, tensors: Sequence[Tensor]) -> tuple[list[Factor], Labels] | None:
    """The operands with their labels, and the result's labels; None if the equation tells no rank, or is invalid."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        return None
    factors = []
    for term, t in zip(terms, tensors, strict=True):
        rank = len(t.shape) if t.shape is not None else len(term) if "." not in term else None
        labels = spelled(term, rank) if rank is not None else None
        if labels is None or (len(set(labels)) < len(labels) and len(terms) > 1):
            return None
        factors.append(Factor(t, labels))
    seen = [label for factor in factors for label in factor.labels]
    dots = tuple(sorted({label for label in seen if len(label) > 1}, reverse=True))
    if not arrow:
        return factors, (*dots, *sorted(label for label in seen if len(label) == 1 and seen.count(label) == 1))
    before, _, after = right.partition("...")
    return factors, (*before, *(dots if "..." in right else ()), *after)


def spelled(term: str, rank: int) -> Labels | None:
    """The labels of an operand's dimensions; those under `...` are numbered from the right."""
    before, dots, after = term.partition("...")
    rest = rank - len(before) - len(after)
    if rest < 0 or (rest and not dots):
        return None
    return (*before, *(f".{i:02}" for i in reversed(range(rest))), *after)


def alone(m: Machine, factor: Factor, out: Labels) -> Value:
    """A single operand: a permuted or diagonal view of it, summed over labels that the result lacks."""
    t, labels, g = factor.tensor, factor.labels, factor.geometry
    kept = list(labels)
    for label in labels:
        if kept.count(label) > 1:
            first, second = [i for i, k in enumerate(kept) if k == label][:2]
            g = g.diagonal(0, first, second)
            kept = [k for i, k in enumerate(kept) if i not in (first, second)] + [label]
    summed = [label for label in kept if label not in out]
    order = [kept.index(label) for label in (*out, *summed)]
    needs = m.grad.requires_grad(t)
    node = m.grad.node("PermuteBackward0" if not summed else "SumBackward1", [t], needs)
    g = g.permute(order)
    made = m.grad.tensor(Geometry.contiguous(g.shape[: len(out)]), t.dtype) if summed else m.grad.view(t, g)
    m.grad.set_history(made, node)
    return made


def pair(m: Machine, a: Factor, b: Factor, later: Collection[str], out: Labels) -> Factor:
    """The product of two operands, summed over labels that nothing later needs (`sumproduct_pair`)."""
    both = tuple(dict.fromkeys((*a.labels, *b.labels)))
    order = (*(label for label in out if label in both), *sorted(label for label in both if label not in out))
    summed = [label for label in order if label not in later and a.has(label) and b.has(label)]
    rest = [label for label in order if label in later]
    batch = [label for label in rest if a.has(label) and b.has(label)]
    own = [label for label in rest if a.has(label) and label not in batch]
    other = [label for label in rest if label not in batch and label not in own]
    sizes = {label: a.size(label) if a.has(label) else b.size(label) for label in order}
    kept = {
        "input": grouped(m, a, (batch, own, summed), later),
        "mat2": grouped(m, b, (batch, summed, other), later),
    }
    made = product(m, a.tensor, b.tensor, kept if summed else None, [sizes[k] for k in (*batch, *own, *other)])
    g, laid = made.geometry, (*batch, *own, *other)
    if g is not None:
        m.state.put(made, Tensor.geometry_, g.permute([laid.index(label) for label in rest]))
    return Factor(made, tuple(rest))


def grouped(m: Machine, factor: Factor, groups: Sequence[Sequence[str]], later: Collection[str]) -> Grad:
    """Whether an operand itself is multiplied: nothing is summed before, and its groups merge without a copy."""
    mentioned = {label for group in groups for label in group}
    if any(factor.has(label) and label not in mentioned and label not in later for label in factor.labels):
        return False
    g = factor.geometry
    at = [[factor.labels.index(label) for label in group if label in factor.labels] for group in groups]
    return shared(m, factor.tensor, g, at)


def product(m: Machine, a: Tensor, b: Tensor, kept: dict[str, Grad] | None, shape: Sequence[int | None]) -> Tensor:
    """`bmm` of two reshaped operands, or `mul` if nothing is summed (`kept` is None)."""
    op = m.facts.table.operator("torch.bmm" if kept is not None else "torch.mul")
    assert op is not None
    second = "mat2" if kept is not None else "other"
    tensors = {"input": [a], second: [b]}
    call = Call(op.name, {"input": a, second: b}, tensors, rules.of(op.name), "einsum", kept or {})
    made = replay.replay(m, cases.choose(m, op, call), call, "", TensorType(tuple(shape), a.dtype))
    assert isinstance(made, Tensor)
    return made


@model("torch.tensordot")
def tensordot(m: Machine, args: Args) -> Value:
    """`tensordot(a, b, dims)`: `mm` of two permuted and reshaped operands (`native/Linear.cpp`)."""
    plain = calls_by_name.resolved(m, args)
    if plain is None:
        return calls_by_name.split(m, args, lambda one: tensordot(m, one))
    op = m.facts.table.operator("torch.tensordot")
    assert op is not None
    if plain.kw.get("out") is not None:
        return replay.apply(m, op, plain)
    call = replay.prepare(m, op, plain)
    a, b = call.values.get("a"), call.values.get("b")
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        sums = contracted(m, call.values.get("dims", 2), a.shape, b.shape)
        if sums is not None:
            call.kept = {"a": flattened(m, a, sums[0], True), "b": flattened(m, b, sums[1], False)}
    types = infer(op.name, {k: described(m, v) for k, v in call.values.items()})
    return replay.replay(m, op.cases[0], call, "", types if isinstance(types, TensorType) else None)


def contracted(m: Machine, dims: Value, a: Shape | None, b: Shape | None) -> tuple[list[int], list[int]] | None:
    """The dimensions of each operand that are summed over. Raises Raised if it has no such dimension."""
    if a is None or b is None:
        return None
    if isinstance(dims, int):
        if not 0 <= dims <= min(len(a), len(b)):
            raise Raised(None, "RuntimeError")
        return list(range(len(a) - dims, len(a))), list(range(dims))
    described_dims = described(m, dims)
    if isinstance(described_dims, (list, tuple)) and len(described_dims) == 2:
        first, second = (
            [part] if isinstance(part, int) else list(part) if isinstance(part, (list, tuple)) else None
            for part in described_dims
        )
        if first is not None and second is not None and all(isinstance(d, int) for d in (*first, *second)):
            return [placed(d, len(a)) for d in first], [placed(d, len(b)) for d in second]
    return None


def placed(d: int, ndim: int) -> int:
    """A dimension, counted from the first. Raises Raised if there is none."""
    if not -ndim <= d < ndim:
        raise Raised(None, "IndexError")
    return d % ndim


def flattened(m: Machine, t: Tensor, sums: list[int], last: bool) -> Grad:
    """Whether an operand becomes a matrix without a copy, with the summed dimensions last (or first)."""
    g = t.geometry
    assert g is not None
    free = [d for d in range(g.ndim) if d not in sums]
    return shared(m, t, g, [free, sums] if last else [sums, free])

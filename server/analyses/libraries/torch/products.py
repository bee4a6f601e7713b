"""Matrix products that PyTorch composes of simpler ones, depending on the operands' ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....facts.model import Op
from ... import shapes
from ...autograd.tensors import Tensor
from ...domain.registry import method_of, model
from ...domain.values import Args, Lib, ListV, Unknown, Value
from ...operators import calls_by_name, replay, rules
from ...operators.call import Call
from ...operators.rules.products import of_matmul
from ...operators.types import described
from ...python import sequences
from ...shapes import TensorType
from .formulas import Term, torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...python.machine import Machine

BY_RANKS = {(1, 1): "torch.dot", (2, 1): "torch.mv", (2, 2): "torch.mm"}
"""The product that `matmul` is for operands of these ranks (ATen/native/LinearAlgebra.cpp)."""


@model("torch.matmul", "torch.linalg.matmul")
def matmul(m: Machine, args: Args) -> Value:
    """`torch.matmul(a, b)`: both operands may be saved, as a batched product saves them."""
    plain = calls_by_name.resolved(m, args)
    if plain is None:
        return calls_by_name.split(m, args, lambda one: matmul(m, one))
    out = plain.kw.get("out")
    a, b = plain.get(0, "input"), plain.get(1, "other")
    a = m.sure_tensor(a) if isinstance(a, Unknown) else a
    b = m.sure_tensor(b) if isinstance(b, Unknown) else b
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return Unknown("a product")
    if out is not None:
        op = m.facts.table.operator("torch.matmul")
        return replay.apply(m, op, plain) if op is not None else Unknown("a product")
    name = BY_RANKS.get((rank(a), rank(b)))
    if name is not None:
        op = m.facts.table.operator(name)
        assert op is not None
        return replay.apply(m, op, Args([a, b]))
    return batched(m, a, b)


def rank(t: Tensor) -> int:
    """A tensor's number of dimensions; an unknown one counts as a batch of matrices."""
    return len(t.shape) if t.shape is not None else 3


@model("torch.sparse.mm")
def sparse_mm(m: Machine, args: Args) -> Value:
    """`torch.sparse.mm(mat1, mat2)`: each operand is saved for the gradient of the other, as by `mm`."""
    return m.call(Lib("torch.mm"), args)


@method_of("torch.Tensor", "matmul", "__matmul__")
def method(m: Machine, args: Args) -> Value:
    """`a.matmul(b)`."""
    return matmul(m, args)


def batched(m: Machine, a: Tensor, b: Tensor) -> Value:
    """A product of stacks of matrices: `bmm` of the reshaped operands."""
    op = m.facts.table.operator("torch.bmm")
    assert isinstance(op, Op)
    values, tensors = {"input": a, "other": b}, {"input": [a], "mat2": [b]}
    call = Call("torch.matmul", values, tensors, rules.of("torch.matmul"), kept=of_matmul(m, a, b))
    inferred = shapes.infer("torch.matmul", {k: described(m, v) for k, v in values.items()})
    return replay.replay(m, op.cases[0], call, "", inferred if isinstance(inferred, TensorType) else None)


@model("torch.linalg.multi_dot")
def multi_dot(m: Machine, args: Args) -> Value:
    """`multi_dot(tensors)`: products of pairs in the cheapest order (`native/LinearAlgebra.cpp`)."""
    given = m.state.resolve(args.get(0, "tensors"))
    known = sequences.sequence(m, given).known() if isinstance(given, (tuple, ListV)) else ()
    tensors = [t for t in map(m.state.resolve, known) if isinstance(t, Tensor)]
    sizes = [n for t in tensors for n in t.shape or (None,)]
    whole = [n for n in sizes if n is not None]
    if not 2 <= len(tensors) <= 12 or len(tensors) != len(known) or len(whole) != len(sizes) or "out" in args.kw:
        return calls_by_name.call(m, "torch.linalg.multi_dot", args)
    before, terms = len(m.grad.nodes), [Term(m, t) for t in tensors]
    vectors = [len(t.shape or ()) == 1 for t in (tensors[0], tensors[-1])]
    if vectors[0]:
        terms[0], whole = terms[0].do("unsqueeze", 0), [1, *whole]
    if vectors[1]:
        terms[-1], whole = terms[-1].do("unsqueeze", 1), [*whole, 1]
    shape = [n for n, is_one in zip((whole[0], whole[-1]), vectors, strict=True) if not is_one]
    result = multiplied(m, terms, [*whole[::2], whole[-1]]).do("view", tuple(shape))
    for node in m.grad.nodes[before:]:
        node.called = "multi_dot"
    return result.value


@model("torch.cov")
@method_of("torch.Tensor", "cov")
def cov(m: Machine, args: Args) -> Value:
    """`torch.cov(x, …)`: a single weighted observation is centered in place (`native/Correlation.cpp`)."""
    t = m.state.resolve(args.get(0, "input"))
    weights = [m.state.resolve(args.kw.get(name)) for name in ("fweights", "aweights")]
    weighed = sum(isinstance(w, Tensor) for w in weights) == 1 and None in weights
    if weighed and isinstance(t, Tensor) and t.shape is not None and t.shape[-1:] in ((), (1,)):
        row = t if len(t.shape) > 1 else calls_by_name.call(m, "torch.Tensor.view", Args([t, (1, -1)], site=args.site))
        with m.here.writing(m.here.node, None, "cov()"):
            calls_by_name.call(m, "torch.Tensor.sub_", Args([row, 1], site=args.site))
    return calls_by_name.call(m, "torch.cov", args)


def multiplied(m: Machine, terms: Sequence[Term], sizes: Sequence[int]) -> Term:
    """The product of matrices, split where that is cheapest; matrix `i` has `sizes[i]` rows."""
    if len(terms) == 1:
        return terms[0]
    cuts = range(1, len(terms))
    if len(terms) == 3 and len(sizes) == 4:
        cuts = range(2, 0, -1)  # if both orders cost the same, three matrices are multiplied from the left
    cut = min(cuts, key=lambda k: cost(sizes[: k + 1]) + cost(sizes[k:]) + sizes[0] * sizes[k] * sizes[-1])
    left, right = multiplied(m, terms[:cut], sizes[: cut + 1]), multiplied(m, terms[cut:], sizes[cut:])
    return torch(m, "mm", left, right)


def cost(sizes: Sequence[int]) -> int:
    """The number of multiplications in the cheapest order."""
    cuts = range(1, len(sizes) - 1)
    return min((cost(sizes[: k + 1]) + cost(sizes[k:]) + sizes[0] * sizes[k] * sizes[-1] for k in cuts), default=0)

"""How results lie in memory, held against real tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from gradguard.analyses.autograd.geometry import Geometry
from gradguard.analyses.autograd.tensors import Tensor
from gradguard.analyses.operators.layouts import iterated
from gradguard.rules.rule import Severity
from hypothesis import given, settings
from hypothesis import strategies as st

from .refused import told_of_refused, told_of_working
from .replaying import replayed

if TYPE_CHECKING:
    from collections.abc import Sequence

OPERATORS: dict[int, Any] = {1: torch.neg, 2: torch.add, 3: torch.addcmul}


@st.composite
def operands(draw: st.DrawFn) -> list[torch.Tensor]:
    """Tensors that broadcast to one shape: permuted, with gaps, expanded."""
    shape = draw(st.lists(st.integers(1, 4), max_size=4))
    found = []
    for _ in range(draw(st.integers(1, 3))):
        own = [size if draw(st.booleans()) else 1 for size in shape] if draw(st.booleans()) else shape
        own = own[draw(st.integers(0, len(own))) :] if draw(st.booleans()) else own
        order = draw(st.permutations(range(len(own))))
        gap = draw(st.sampled_from([1, 1, 2]))
        made = torch.rand([own[dim] * gap for dim in order])[tuple(slice(None, None, gap) for _ in order)]
        made = made.permute([order.index(dim) for dim in range(len(own))])
        found.append(made.expand(shape) if draw(st.integers(0, 4)) == 0 else made)
    return found


@settings(max_examples=400, deadline=None)
@given(operands())
def test_results_lie_as_the_operands_have_it(tensors: Sequence[torch.Tensor]) -> None:
    real = OPERATORS[len(tensors)](*tensors)
    ours = iterated(tuple(real.shape), [Geometry(tuple(t.shape), t.stride()) for t in tensors])
    assert ours is not None
    assert [pair for pair in zip(ours.shape, ours.strides, strict=True) if pair[0] != 1] == [
        pair for pair in zip(real.shape, real.stride(), strict=True) if pair[0] != 1
    ]


CALLS = (
    "x.exp()", "x + y", "y * z + x", "torch.where(y > 0, x, y)", "x.clone()", "x.contiguous()", "x.double()",
    "torch.zeros_like(x)", "x.softmax(-1)", "x.flip(0)", "x.sort(0)", "torch.linalg.qr(x)", "torch.linalg.svd(x)",
    "torch.linalg.eigh(x)", "torch.linalg.inv(y)", "x.cholesky_solve(y)", "x @ y", "x.sum(0)", "x.mT.relu()",
    "x.ravel()", "torch.nn.ReLU()(x)", "torch.nn.Softmax(0)(x)", "torch.tensor([1.0, 2.0])[:, None] + x[0]",
    "x.addmm(y, x)", "x.addcmul(y, z)", "torch.stack([x, y])", "x.cumsum(0)", "x.masked_fill(y > 1, 0.0)",
)  # fmt: skip
MADE = {
    "in rows": "torch.rand(3, 3)",
    "in columns": "torch.rand(3, 3).t()",
    "with gaps": "torch.rand(3, 6)[:, ::2]",
    "expanded": "torch.rand(3, 1).expand(3, 3)",
}

IMAGES = {
    "in rows": "torch.rand(2, 3, 4, 5)",
    "by pixels": "torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)",
    "transposed": "torch.rand(2, 3, 5, 4).transpose(2, 3)",
}


@pytest.mark.parametrize("first", IMAGES)
@pytest.mark.parametrize("second", IMAGES)
def test_what_is_joined_is_in_rows_unless_all_are_by_pixels(first: str, second: str) -> None:
    """Elsewhere than among images it always is."""
    held_against_pytorch(f"x, y = {IMAGES[first]}, {IMAGES[second]}\nr = torch.cat([x, y], 1)\n")
    held_against_pytorch(f"x, y = {IMAGES[first]}[0], {IMAGES[second]}[0]\nr = torch.cat([x, y], 0)\n")


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("call", CALLS)
def test_layouts_are_those_of_pytorch(call: str, made: str) -> None:
    held_against_pytorch(f"x = {MADE[made]}\ny, z = torch.rand(3, 3), torch.rand(3)\nr = {call}\n")


def held_against_pytorch(text: str) -> None:
    """Compare how the result `r` of a program, or each of its results, lies in memory."""
    text = f"import torch\n{text}"
    names: dict[str, Any] = {}
    exec(text, names)
    run = replayed(text)
    ours = run.names["r"]
    real = names["r"] if isinstance(names["r"], tuple) else (names["r"],)
    for one, t in zip(run.machine.state.tuple_of(ours) or (ours,), real, strict=True):
        assert isinstance(one, Tensor)
        assert one.geometry is not None
        assert (one.shape, one.geometry.is_contiguous()) == (tuple(t.shape), t.is_contiguous())
        assert one.geometry.is_contiguous() or one.geometry.strides == t.stride()


NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def forward(self, x, n: int = 2):
        y = self.norm(x)
        {body}
        return y
"""
SHARING = {
    "x = x.reshape(-1, 2); x += 1": "reshape() gives a view",
    "x = x.reshape(x.shape[0], n, -1); x[0] = 0": "reshape() gives a view",
    "x = torch.flatten(x, 1); x *= 2": "flatten() gives a view",
    "x = x.contiguous(); x.mul_(2)": "contiguous() gives the tensor itself",
}


@pytest.mark.parametrize("body", SHARING)
def test_what_came_in_is_taken_to_lie_in_order(body: str) -> None:
    found = told_of_refused(NET.format(body=body.replace("; ", "\n        ")), "Net()(torch.rand(3, 4))")
    assert found.severity is Severity.WARNING
    assert SHARING[body] in str(found.words.when)


OTHERWISE = {"x = x.transpose(0, 1).contiguous(); x += 1": [], "x = x.t().reshape(-1); x += 1": [Severity.HINT]}


@pytest.mark.parametrize("body", OTHERWISE)
def test_what_is_transposed_is_not(body: str) -> None:
    found = told_of_working(NET.format(body=body.replace("; ", "\n        ")), "Net()(torch.rand(3, 4))")
    assert [one.severity for one in found] == OTHERWISE[body]

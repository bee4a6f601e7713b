"""How often operators write their results and arguments: the rules, held against real calls over many arguments."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from ..oracle.client import trace_versions
from .replaying import replayed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
SHAPES = ("4", "2, 3", "2, 3, 4", "2, 3, 4, 4", "2, 3, 2, 2, 2", "0, 3, 4")


def results() -> Iterator[tuple[str, str]]:
    """Programs whose `y` an operator gives, by the operator."""
    yield from (("diff", f"torch.rand({s}).diff({n})") for n in (0, 1, 2) for s in SHAPES[:3])
    for nan, rtol, dtype in itertools.product((True, False), ("0", "1e-3"), ("float32", "int64", "complex64")):
        x = f"torch.ones(3, dtype=torch.{dtype})"
        yield "isclose", f"torch.isclose({x}, {x}, rtol={rtol}, atol=0, equal_nan={nan})"
    for p, s in itertools.product((None, 2, -1, "'fro'", "'nuc'", "float('inf')"), ("3, 3", "2, 3, 3", "0, 3, 3")):
        yield "cond", f"torch.linalg.cond(torch.rand({s}), {p})"
    for s, center in itertools.product(("20", "2, 20"), (True, False)):
        yield "stft", f"torch.stft(torch.rand({s}), 4, center={center}, return_complex=True)"
    for name, p, s in itertools.product(("alpha_dropout", "feature_alpha_dropout"), (0.0, 0.3, 1.0), SHAPES[2:]):
        yield name, f"F.{name}(torch.rand({s}), {p}, True)"
    yield from (("AlphaDropout", f"nn.AlphaDropout({p})(torch.rand(2, 3))") for p in (0.0, 0.3, 1.0))
    for full, reduction in itertools.product((True, False), ("none", "mean")):
        x, given = "torch.rand(2, 3)", f"full={full}, reduction='{reduction}'"
        yield "gaussian_nll_loss", f"F.gaussian_nll_loss({x}, {x}, {x}, {given})"
        yield "poisson_nll_loss", f"nn.PoissonNLLLoss({given})({x}, {x})"
        yield "margin_ranking_loss", f"F.margin_ranking_loss({x}, {x}, {x}, reduction='{reduction}')"
    yield from (("pad", f"F.pad(torch.rand(2, 5), {pad}, 'circular')") for pad in ((1, 1), (0, 2), (0, 0), (-1, 1)))
    for how, q in itertools.product(("linear", "lower", "higher", "nearest", "midpoint"), ("0.5", "torch.rand(2)")):
        yield "quantile", f"torch.rand(3, 4).quantile({q}, interpolation='{how}')"
    yield from (("trapezoid", f"torch.trapezoid(torch.rand({s}), dim={d})") for s in ("3", "0, 2") for d in (0, -1))
    yield "pad", "F.pad(torch.rand(1, 2, 5, 5), (0, 2, 0, 1), 'circular')"
    for n, increasing in itertools.product((None, 0, 1, 2, 5), (True, False)):
        yield "vander", f"torch.vander(torch.rand(3), {n}, {increasing})"
    yield from (("linear", f"nn.Linear(4, 2)({x})") for x in ("torch.rand(3, 4)", "torch.rand(2, 5, 4).mT.mT"))
    yield "linear", "nn.Linear(4, 2)(torch.rand(2, 5, 4).transpose(0, 1))"
    for x, w, b in itertools.product(("3", "2, 3", "4, 2, 3", "3, 2, 4"), ("3", "4, 3"), (None, "()", "4")):
        if w == "4, 3" or b is None or (b == "()" and x != "2, 3"):
            bias = f", torch.rand({b})" if b else ""
            yield (
                "linear",
                f"F.linear(torch.rand({x}){'.permute(2, 1, 0)' if x == '3, 2, 4' else ''}, torch.rand({w}){bias})",
            )
    for s, grad, indices in itertools.product(("5, 6", "2, 5, 6"), (True, False), (True, False)):
        given = f"torch.rand({s}, requires_grad={grad})"
        yield "MaxPool1d", f"nn.MaxPool1d(2, return_indices={indices})({given}){'[0]' if indices else ''}"
        yield "max_pool1d", f"torch.max_pool1d({given}, 2)"
    yield "linear", "nn.Linear(4, 2)(torch.rand(2, 4, 4).cholesky_solve(torch.rand(2, 4, 4)))"
    calls = ("exp()", "double()", "clone()", "add(1)", "sum(0, True)", "flip(0)", "inverse()", "svd()[0]", "abs()")
    yield from (("inference", f"torch.inference_mode()(torch.rand)(3, 3).{call}") for call in calls)
    yield "RNN", "nn.Linear(4, 2)(nn.RNN(3, 4, batch_first=True)(torch.rand(2, 5, 3))[0])"
    yield "RNN", "nn.Linear(4, 2)(nn.RNN(3, 4)(torch.rand(2, 5, 3))[0])"


def changes() -> Iterator[tuple[str, str]]:
    """Programs that change `y` by an operator, with its shape."""
    for shape, groups in itertools.product(("4, 2, 4", "6, 2, 3, 3", "2, 5, 1, 1, 1"), (1, 2)):
        yield shape, f"nn.init.dirac_(y, {groups})"
    yield from ((shape, "nn.init.sparse_(y, 0.5)") for shape in ("4, 3", "2, 7"))
    yield "3, 5", "y = torch.lu(y, True, False)[0]\nnn.init.sparse_(y, 0.5)"
    yield from ((shape, "y.resize_as_(torch.rand(4))") for shape in SHAPES)
    for name, p, training in itertools.product(
        ("dropout", "dropout3d", "alpha_dropout"), (0.0, 0.3, 1.0), (True, False)
    ):
        yield from ((shape, f"F.{name}(y, {p}, {training}, inplace=True)") for shape in SHAPES)
    yield from ((shape, "F.dropout3d(y, 0.5, True)") for shape in SHAPES)
    yield from ((shape, "nn.Dropout1d(inplace=True)(y)") for shape in SHAPES[1:3])
    yield from ((shape, "torch.feature_alpha_dropout_(y, 0.5, True)") for shape in SHAPES[1:])


PROGRAMS = [
    *((f"{name}-{i}", f"y = {text}\n") for i, (name, text) in enumerate(results())),
    *((f"change-{i}", f"y = torch.rand({shape})\n{text}\n") for i, (shape, text) in enumerate(changes())),
]


def test_writes_are_counted_as_pytorch_does(tmp_path: Path) -> None:
    wrong = []
    for name, text in PROGRAMS:
        path = tmp_path / "main.py"
        path.write_text(HEAD + text)
        real = [row.version for row in trace_versions(path) if row.name == "y"][-1]
        ours = replayed(HEAD + text)
        version = ours.machine.grad.version(ours.names["y"])
        if version.number != real:
            wrong.append(f"{name}: {text.strip()}: {version.low} to {version.high}, in truth {real}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("bounds", ["", ", 0.0, 1.0, -0.1, 0.1", ", 10.0, 1.0, 0.0, 2.0"])
def test_what_the_content_decides_is_an_interval(bounds: str) -> None:
    ours = replayed(f"{HEAD}y = torch.rand(3)\nnn.init.trunc_normal_(y{bounds})\n")
    version = ours.machine.grad.version(ours.names["y"])
    assert (version.low, version.high) == (1, 2)


@pytest.mark.parametrize("call", ["nn.init.sparse_(y, 0.5)", "nn.init.dirac_(y)"])
def test_what_an_unknown_shape_decides_has_no_bound(call: str) -> None:
    ours = replayed(f"{HEAD}from data import y0\ny = torch.empty_like(y0)\n{call}\n")
    version = ours.machine.grad.version(ours.names["y"])
    assert (version.low, version.high) == (1, None)


@pytest.mark.parametrize("labels", ["0, 1", "0, 3", "3, 5"])
def test_each_cluster_that_has_labels_writes(labels: str, tmp_path: Path) -> None:
    text = (
        f"{HEAD}m = nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4])\ny, z = m(torch.rand(2, 4), torch.tensor([{labels}]))\n"
    )
    (tmp_path / "main.py").write_text(text)
    real = {row.name: row.version for row in trace_versions(tmp_path / "main.py")}
    ours = replayed(text)
    y, z = (ours.machine.grad.version(ours.names[name]) for name in "yz")
    assert (y.low, y.high) == (1, 3)
    assert y.low <= real["y"] <= y.high
    assert z.number == real["z"]

"""Programs and the line that mends each: every way of mending once, tried on PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.autograd.checks import KEPT

from ..oracle.client import run_program
from .folder import Folder, told
from .proof import mended, proven

if TYPE_CHECKING:
    from pathlib import Path

START = """\
import copy

import torch
from torch import nn

w = torch.rand(3, 3, requires_grad=True)
"""

FORMS = {
    "a gradient whose elements share their place, limited by a function from a table": (
        "from operator import methodcaller\n\nlimit = {'hard': methodcaller('clamp_', -1, 1)}\n"
        "(g,) = torch.autograd.grad(w.sum(), w)\nprint(limit['hard'](g))\n",
        "print(limit['hard'](g.clone()))",
    ),
    "a backward that keeps its graph at times": (
        "y = w.exp()\nparts = [y.sum(), y.mean()]\nfor i, part in enumerate(parts):\n"
        "    part.backward(retain_graph=i > 0)\n",
        "    part.backward(retain_graph=True)",
    ),
    "a module told by a variable to change what it is given": (
        "flag = True\nact = nn.Hardtanh(0.2, 0.8, inplace=flag)\nact(w.sigmoid()).sum().backward()\n",
        "act = nn.Hardtanh(0.2, 0.8)",
    ),
    "a module that changes what a hook gives it": (
        "f = nn.Linear(3, 3)\nf.register_full_backward_hook(lambda *a: None)\n"
        "nn.Sequential(f, nn.ReLU(inplace=True))(w).sum().backward()\n",
        "nn.Sequential(f, nn.ReLU())(w).sum().backward()",
    ),
    "a hook that changes its gradient": (
        "w.register_hook(lambda grad: grad.mul_(2))\nw.sum().backward()\n",
        "w.register_hook(lambda grad: grad.mul(2))",
    ),
    "a parameter of integers": (
        "p = nn.Parameter(torch.arange(3))\n",
        "p = nn.Parameter(torch.arange(3), requires_grad=False)",
    ),
    "a parameter of integers as floating point": (
        "p = nn.Parameter(torch.arange(3))\n",
        "p = nn.Parameter(torch.arange(3).float())",
    ),
    "integers that are told to require grad": (
        "i = torch.arange(3)\ni.requires_grad = True\n",
        "i = i.float()",
    ),
    "an array that shares memory": (
        "y = w.sigmoid()\na = y.detach().numpy()\na[0] = 3\nprint(a.sum())\ny.sum().backward()\n",
        "a = a.copy()",
    ),
    "the gradient of an item": (
        "r = torch.aminmax(w, dim=1)\nr[0].sum().backward()\nprint(r[0].grad)\n",
        "r[0].retain_grad()",
    ),
    "several results, one of them changed": (
        "r = torch.linalg.svd(w, False)\nr[1][:] = 0.5\n(r[0].sum() + r[1].sum()).backward()\n",
        "r = tuple(part.clone() for part in torch.linalg.svd(w, False))",
    ),
    "what is checked is used elsewhere": (
        "y = w * torch.rand(3)\ntorch.autograd.gradcheck(torch.exp, (w,))\n",
        "torch.autograd.gradcheck(torch.exp, (w.double(),))",
    ),
    "a module of modules that is checked": (
        "m = nn.Sequential(nn.Linear(3, 3), nn.Tanh())\ntorch.autograd.gradcheck(m, (w,))\n",
        "m = nn.Sequential(nn.Linear(3, 3), nn.Tanh()).double()",
    ),
    "a part of several that come of an expression": (
        "a, b, c = (w * 2).unbind()\na += 1\n(a + b).sum().backward()\n",
        "a, b, c = tuple(part.clone() for part in (w * 2).unbind())",
    ),
    "an index that is the tensor itself": (
        "i = torch.tensor([1, 0, 2])\ni[i] = i * 2\n",
        "i[i.clone()] = i * 2",
    ),
    "a view of a part": (
        "parts = torch.chunk(w, 2)\nparts[0][None, 0] = 1\nparts[1].sum().backward()\n",
        "parts = tuple(part.clone() for part in torch.chunk(w, 2))",
    ),
    "a part that is changed where it stands": (
        "parts = torch.chunk(w * 2, 2)\nparts[0] += 1\nparts[0].sum().backward()\n",
        "parts = [part.clone() for part in torch.chunk(w * 2, 2)]",
    ),
    "a graph that rounds use after another backward": (
        "x = w.exp()\nx.sum().backward()\nfor _ in range(2):\n    x.sum().backward()\n",
        "    x.sum().backward(retain_graph=True)",
    ),
    "two steps of a forward pass that rounds share": (
        "x = w.exp()\ny = x.reshape(9)\nfor _ in range(2):\n    (x.sum() + y.sum()).backward()\n",
        "    y = x.reshape(9)",
    ),
    "several results that are handed on": (
        "r = torch.linalg.eigh(w @ w.mT)\nr[0][:] = 0.5\nx, y = r\n(x.sum() + y.sum()).backward()\n",
        "r = tuple(part.clone() for part in torch.linalg.eigh(w @ w.mT))",
    ),
    "an output and a state, the output changed": (
        "r = nn.LSTM(3, 3)(w)\nr[0][:1] = 0.5\n(r[0].sum() + r[1][0].sum()).backward()\n",
        "r = (r[0].clone(), *r[1:])",
    ),
    "an item of a list": (
        "r = [w.exp(), w]\nr[0][:1] = 0.5\nr[0].sum().backward()\n",
        "r[0] = r[0].clone()",
    ),
    "what a function of the program's own has saved and returned": (
        """\
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        b = a.exp()
        ctx.save_for_backward(b)
        return b

    @staticmethod
    def backward(ctx, grad):
        (b,) = ctx.saved_tensors
        return grad * b


x = Exp.apply(w)
x[0, 0] = 1.0
x.sum().backward()
""",
        "x = Exp.apply(w).clone()",
    ),
    "parts that are unpacked": (
        "a, b, c = w * 2\na += 1\n(a + b).sum().backward()\n",
        "a, b, c = tuple(part.clone() for part in w * 2)",
    ),
    "a part of a leaf, made in a block": (
        "with torch.enable_grad():\n    parts = w.split(2)\nparts[0].mul_(2)\nparts[1].sum().backward()\n",
        "    parts = tuple(part.clone() for part in w.split(2))",
    ),
    "the gradients of several results": (
        "a = w * 2\nb = a.sin()\nnn.utils.clip_grad_norm_([a, b, w], 1.0)\n",
        "b.retain_grad()",
    ),
    "the gradient of what is changed in place": (
        "x = torch.zeros(3, 3)\nx[:2] = w[:2]\nprint(x.grad)\nx.sum().backward()\n",
        "x.retain_grad()",
    ),
    "the gradient of a part": (
        "a, b, c = w.unbind()\nprint(b.grad)\n(a * b).sum().backward()\n",
        "b.retain_grad()",
    ),
    "a gradient that shares its places": (
        "(g,) = [torch.autograd.grad(w.sum(), w)[0]]\ng.add_(1)\n",
        "(g,) = [torch.autograd.grad(w.sum(), w)[0].clone()]",
    ),
    "a target that shares its places, behind a leaf": (
        "x = w.mT\nx[[0, 0]] = x.detach()[:2]\nx.sum().backward()\n",
        "    x[[0, 0]] = x.detach()[:2]",
    ),
    "a graph that grows from round to round, and has to": (
        "x = w.clone()\nfor _ in range(3):\n    x = x.tanh()\n    x.sum().backward()\n",
        "    x.sum().backward(retain_graph=True)",
    ),
}
"""A program, and a line of one of its fixes."""


PREFERRED = {
    "weights that a loop goes through": (
        "m = nn.Linear(3, 3)\nfor p, q in zip(m.parameters(), m.parameters()):\n    p.mul_(0.9).add_(q)\n"
        "m(w).sum().backward()\n",
        "with torch.no_grad():",
    ),
    "parts of what nobody else knows": (
        "parts = (w * 2).unbind(0)\nfor one in parts:\n    one.mul_(2)\ntorch.stack(parts).sum().backward()\n",
        "parts = tuple(part.clone() for part in (w * 2).unbind(0))",
    ),
    "a mask of the last dimensions": (
        "a = torch.rand(2, 3, 3, requires_grad=True).softmax(-1)\nmask = torch.ones(3, 3).triu(1) > 0\n"
        "a[:, mask] = 0\na.sum().backward()\n",
        "a = a.masked_fill(mask, 0)",
    ),
    "a penalty on gradients": (
        "y = w.exp().sum()\ng, = torch.autograd.grad(y, w)\npenalty = (g.norm() - 1) ** 2\n(y + penalty).backward()\n",
        "g, = torch.autograd.grad(y, w, create_graph=True)",
    ),
    "a new leaf that an optimizer holds": (
        "v = torch.zeros(3, requires_grad=True)\nv[0] = 1\noptimizer = torch.optim.SGD([v], 0.1)\n",
        "with torch.no_grad():",
    ),
    "a new leaf of which a part is set": (
        "v = torch.zeros(3, requires_grad=True)\nv[0] = 1\nv.square().sum().backward()\nprint(v.grad)\n",
        "with torch.no_grad():",
    ),
    "a parameter, whose name takes no other tensor": (
        """\
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.mask = torch.tensor([True, False, True])

    def forward(self, x):
        self.weight[self.mask] = 0
        return x * self.weight


Masked()(w).sum().backward()
""",
        "        with torch.no_grad():",
    ),
    "a leaf of the file, changed in a function": (
        "def squared():\n    w.clamp_(0, 1)\n    return w.square().sum()\nsquared().backward()\nprint(w.grad)\n",
        "    with torch.no_grad():",
    ),
    "a module's state, by the module's name": (
        """\
class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 3)
        self.register_buffer("state", torch.zeros(3, 3))

    def forward(self, x):
        self.state = self.cell(x, self.state)
        return self.state


memory = Memory()
for _ in range(2):
    memory.state.zero_()
    loss = sum(memory(x).square().sum() for x in (w, w))
    loss.backward()
""",
        "    memory.state = memory.state.detach()",
    ),
    "a buffer that is changed in place by what requires grad": (
        """\
class Centred(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.ones(3))

    def forward(self, x):
        self.mean += 0.1 * x.mean(0)
        return (x - self.mean).square()


centred = Centred()
for _ in range(2):
    loss = centred(w.tanh()).sum()
    loss.backward()
""",
        "    centred.mean = centred.mean.detach()",
    ),
    "an update of weights that nothing counts": (
        "m = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))\ny = m(w).sum()\n"
        "for p in m.parameters():\n    p.data.mul_(0.9)\ny.backward()\n",
        "y.backward()",
    ),
}
"""A program, and the first line that its preferred fix writes."""


def written(text: str, folder: Path) -> Folder:
    (folder / "program").mkdir()
    (folder / "program" / "main.py").write_text(START + text, "utf-8")
    return Folder(folder / "program")


@pytest.mark.parametrize("case", FORMS)
def test_a_failure_has_its_fix(case: str, tmp_path: Path) -> None:
    text, line = FORMS[case]
    program = written(text, tmp_path)
    report = program.replay()
    fixes = program.offered(report)
    assert any(line in new.splitlines() for fix in fixes for new in program.mended(fix).values())
    assert not list(proven(program, tmp_path / "each"))
    last, _ = mended(program, tmp_path / "all")
    verdict = run_program(last)
    assert verdict.ok, verdict.message


@pytest.mark.parametrize("case", PREFERRED)
def test_a_failure_has_its_best_fix_first(case: str, tmp_path: Path) -> None:
    text, line = PREFERRED[case]
    program = written(text, tmp_path)
    report = program.replay()
    best = program.fixes(told(report)[0], report)[0]
    (new,) = program.mended(best).values()
    old, mine = program.main.text.splitlines(), new.splitlines()
    same = next((i for i, (before, after) in enumerate(zip(old, mine, strict=False)) if before != after), len(old))
    assert mine[same] == line
    last, _ = mended(program, tmp_path / "all")
    verdict = run_program(last)
    assert verdict.ok, verdict.message


@pytest.mark.parametrize(
    "text",
    [
        "x = w * 2\nfor row in x:\n    row /= row.norm()\nx.sum().backward()\n",
        "def scale(x):\n    x *= x.norm()\ny = w * 2\nscale(y)\ny.sum().backward()\n",
    ],
)
def test_no_fix_keeps_a_change_from_those_that_it_is_for(text: str, tmp_path: Path) -> None:
    """The changed tensor is read by its other names alone."""
    program = written(text, tmp_path)
    report = program.replay()
    failures = told(report)
    assert failures
    lines = [
        line
        for one in failures
        for fix in program.fixes(one, report)
        for new in program.mended(fix).values()
        for line in new.splitlines()
    ]
    assert not [line for line in lines if line.strip().startswith(("row = row", "x = x"))]


def test_results_that_are_read_by_name_stay_what_they_are(tmp_path: Path) -> None:
    program = written("r = torch.linalg.svd(w, False)\nr[1][:] = 0.5\n(r.U.sum() + r[1].sum()).backward()\n", tmp_path)
    report = program.replay()
    assert not program.offered(report)


@pytest.mark.parametrize(
    "chosen",
    ["x.mul_(2) if x.sum() > 9 else x", "x.sum() > 9 and x.mul_(2)", "x[0, 0] < x[0, 1] < x.mul_(2)[0, 1]"],
)
def test_what_may_be_left_out_stays_where_it_is(chosen: str, tmp_path: Path) -> None:
    text = f"x = w.tanh()\ny = {chosen}\nx.sum().backward()\n"
    program = written(text, tmp_path)
    report = program.replay()
    fixes = program.offered(report)
    assert fixes
    assert not [new for fix in fixes for new in program.mended(fix).values() if "x = x.mul(2)" in new]


def test_no_copy_is_saved_by_what_changes_it(tmp_path: Path) -> None:
    text = """\
class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(0.5)
        ctx.mark_dirty(a)
        ctx.save_for_backward(a)
        return a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return grad * a


x = w.sin()
y = Halved.apply(x)
x[0] = 1.0
(x.sum() + y.sum()).backward()
"""
    program = written(text, tmp_path)
    report = program.replay()
    assert told(report)
    assert not [fix for fix in program.offered(report) if "Halved" in fix.title]
    assert not list(proven(program, tmp_path / "each"))


def test_a_gradient_that_a_hint_tells_to_be_wrong_is_no_fault_of_a_fix(tmp_path: Path) -> None:
    text = """\
with torch.autograd.graph.save_on_cpu():
    y = w.exp()
y *= y
y.sum().backward()
"""
    program = written(text, tmp_path)
    report = program.replay()
    hints = [one for one in report.failures if one not in told(report)]
    assert [one.kind for one in hints] == ["silent-stale"]
    assert {assumption.subject for one in hints for assumption in one.assumptions} == {KEPT.text}
    assert not list(proven(program, tmp_path / "each"))


def test_a_copy_that_does_not_see_what_is_written_before_its_change_says_so(tmp_path: Path) -> None:
    text = "x = w.clone()\ny = x.reshape(-1)\nx.exp_()\ny.exp_()\ny.sum().backward()\n"
    program = written(text, tmp_path)
    report = program.replay()
    fixes = [fix for fix in program.offered(report) if "x.reshape(-1)" in fix.title]
    assert {fix.safety for fix in fixes} == {"unsafe"}
    assert not list(proven(program, tmp_path / "each"))


def test_no_out_that_is_read_is_written_without_grad_either(tmp_path: Path) -> None:
    program = written("x = torch.rand(3)\ntorch.dstack((w[0], x), out=x)\n", tmp_path)
    report = program.replay()
    fixes = program.offered(report)
    assert fixes
    assert not any("no_grad" in fix.title for fix in fixes)

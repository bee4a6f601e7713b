"""What an operator makes of one of several tensors is one tensor, and fails as each of them would."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.autograd.tensors import Counter, Grad, Storage, chosen, parts_of
from gradguard.analyses.domain.known import nests
from gradguard.analyses.domain.paths import widen
from gradguard.analyses.domain.values import Cond, Phi, Unknown
from gradguard.analyses.program.session import Session
from gradguard.syntax.chunks import parse

from .models.agreement import happens
from .replaying import Alone

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "import sys\nimport torch\n\nx = torch.ones(3, requires_grad=True)\n"
EITHER = "y = x.sin() if len(sys.argv) > {} else x * 2\n"


def replayed(text: str) -> Session:
    """A session that has replayed a program."""
    session = Session(Alone())
    session.replay([parse(HEAD + text, "main.py")])
    return session


def test_nodes_are_as_many_as_operators() -> None:
    """However many branches have led to an operand."""
    turn = "if len(sys.argv) > {0}:\n    x = x.exp()\nx = x.cos()\n"
    few, more, most = (len(replayed("".join(turn.format(n) for n in range(count))).m.grad.nodes) for count in (2, 4, 6))
    assert most - more == more - few


def test_choices_of_choices_are_told_apart_only_so_deep() -> None:
    """Else what identifies a number would double with each branch."""
    turn = "if len(sys.argv) > {0}:\n    n = n + {0}\nn = n * 2\n"
    session = replayed("n = int(sys.argv[1])\n" + "".join(turn.format(n) for n in range(100)))
    n = session.m.files.frames["main.py"].variables["n"]
    assert isinstance(n, Unknown) and not nests((n.key,), 16)


FAILING = {
    "the result is saved": ("z = y.sigmoid()\nz.mul_(2)\nz.sum().backward()\n", 1),
    "a result in the middle is saved": ("z = (y + 1).exp()\nw = z * 3\nz += 1\nw.sum().backward()\n", 1),
    "nothing that changes is saved": ("z = y + 1\ny.mul_(2)\nz.sum().backward()\n", 0),
    "the operands of both are saved": ("z = y.cos()\ny.mul_(2)\nz.sum().backward()\n", 1),
    "a sum saves nothing": ("z = y + 1\nz.mul_(2)\nz.sum().backward()\n", 0),
    "its graph is freed": ("z = y.cos()\nz.sum().backward()\nz.sum().backward()\n", 1),
}


@pytest.mark.parametrize("name", FAILING)
def test_both_pasts_are_followed(name: str, tmp_path: Path) -> None:
    rest, expected = FAILING[name]
    text = EITHER.format(5) + rest
    failures = replayed(text).report().failures
    assert len(happens(tmp_path, HEAD + text)) == len(failures) == expected


PIECES = """\
import sys
import torch

x = torch.ones(4 * len(sys.argv), requires_grad=True) * 1
y = torch.nn.SiLU()(x) if {chosen} else x.{other}()
{read}
z.sum().backward()
"""

READS = {
    "a sum of pieces": "z = sum(y.chunk(2))",
    "unpacked": "a, b = y.chunk(2)\nz = a + b",
    "unpacked into the rest": "a, *b = y.chunk(2)\nz = a + b[0]",
    "lists of each": "z = sum([y, y] if len(sys.argv) > 5 else [y, y, y])",
    "lists made anew": "z = torch.stack(list(y.chunk(2)))",
    "rows": "z = sum(row for row in y.reshape(2, 2))",
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize(("chosen", "other"), [*product(["len(sys.argv) > 4", "len(sys.argv) < 4"], ["relu_", "exp_"])])
def test_what_is_iterated_over_is_told_apart(name: str, chosen: str, other: str, tmp_path: Path) -> None:
    """What is saved where it is one of them is not changed by what is done where it is the other."""
    text = PIECES.format(chosen=chosen, other=other, read=READS[name])
    assert not happens(tmp_path, text)
    assert not replayed(text).report().failures


def test_one_of_several_lists_has_an_end() -> None:
    """What asks for its items one after the other comes to that."""
    text = (
        "from torch import nn\n"
        "def f(few):\n"
        "    nets = [nn.Linear(2, 2)] if few else [nn.Linear(2, 2), nn.Linear(2, 2)]\n"
        "    return torch.func.stack_module_state(nets)\n"
    )
    assert not replayed(text).report().problems


RNN = "y = torch._VF.rnn_tanh(x.view(1, 1, 3), h, [w, w], False, 1, 0.0, {0}, {0}, {0})\n"


def test_a_call_that_does_the_same_whatever_a_flag_is_is_replayed_once() -> None:
    head = "h, w = torch.zeros(1, 1, 3), torch.rand(3, 3, requires_grad=True)\n"
    known, unknown = (replayed(head + RNN.format(flag)) for flag in ("False", "len(sys.argv) > 5"))
    assert len(unknown.m.grad.nodes) == len(known.m.grad.nodes) > 0


TURNS = "turns = []\nfor i in range({}):\n    y = x.exp()\n    turns.append(y)\n"


def test_a_loop_over_one_of_several_ranges_goes_through_the_longest() -> None:
    """Its last turns are on one side of the branch."""
    one, several = TURNS.format("2"), TURNS.format("2 if len(sys.argv) > 5 else 1")
    assert replayed(several).m.work.steps <= replayed(one).m.work.steps + 2
    apart = TURNS.format("2 if len(sys.argv) > 5 else range(1, 9)[0]")
    assert [len(replayed(text + "n = len(turns)\n").m.grad.nodes) for text in (one, several, apart)] == [2, 2, 2]


@pytest.mark.parametrize(("turns", "fails"), [(2, True), (1, False)])
def test_what_only_a_later_turn_of_one_of_several_ranges_does(turns: int, fails: bool, tmp_path: Path) -> None:
    text = f"z = x.exp()\nfor i in range({turns} if len(sys.argv) < 5 else 1):\n    if i:\n        z.mul_(2)\n"
    text += "z.sum().backward()\n"
    assert bool(happens(tmp_path, HEAD + text)) is fails
    assert bool(replayed(text).report().failures) is fails


A, X, Y, Z = map(Cond, "axyz")


def holds(when: Grad, answers: dict[Cond, bool]) -> bool:
    """Whether a tensor requires grad, all questions answered."""
    if isinstance(when, bool):
        return when
    return any(all(answers[cond] is answer for cond, answer in parts_of(way)) for way in when)


@pytest.mark.parametrize(("a", "b"), [*product([True, False, *map(frozenset, ([X], [X, Y], [Y, Z]))], repeat=2)])
def test_what_requires_grad_on_either_side_does_not_rest_on_the_branch(a: Grad, b: Grad) -> None:
    found = chosen(A, a, b)
    for given in product([True, False], repeat=4):
        answers = dict(zip((A, X, Y, Z), given, strict=True))
        assert holds(found, answers) is holds(a if answers[A] else b, answers)
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        assert {way for way in found if len(parts_of(way)) == 1} == a & b  # type: ignore[union-attr]


def test_what_has_failed_on_both_sides_does_not_fail_again_behind_them() -> None:
    """Where it requires grad, nobody comes to the last line."""
    text = (
        "def f(image, wide):\n"
        "    if wide:\n        a, b = image.unbind(1)\n        a.sub_(b)\n"
        "    else:\n        a, b = image.unbind(0)\n        a.sub_(b)\n"
        "    c, d = torch.stack((a, b)).unbind(0)\n"
        "    c.add_(1)\n"
    )
    failures = replayed(text).report().failures
    assert len({failure.site for failure in failures}) == 2


def test_many_alternatives_of_different_types_become_one(tmp_path: Path) -> None:
    """Each conversion that may copy or not gives another dtype where it does."""
    shaped = "def shaped(v):\n    return v.view(2, 3, 3)\ndef pad_of(v):\n    return None\n"
    net = """
class Net(torch.nn.Module):
    def __init__(self, p=0.0, tanh=False):
        super().__init__()
        self.lin, self.p, self.tanh = torch.nn.Linear(3, 3), p, tanh

    def weights(self, x, pad):
        y = x.float()
        if pad is not None:
            y = y.view(2, -1, 3)
        y = torch.softmax(y, -1).type_as(x)
        return torch.nn.functional.dropout(y, p=float(self.p), training=self.training)

    def forward(self, q, k):
        p = self.lin(torch.bmm(self.weights(torch.bmm(shaped(q) * 2, shaped(k).transpose(1, 2)), pad_of(k)), shaped(k)))
        head, rest = p[:1], p[1:]
        rest = torch.tanh(rest) if self.tanh else torch.clamp(rest, min=-1, max=1)
        head[0] = 0
        return head, rest
"""
    call = "a, b = Net()(torch.rand(2, 9), torch.rand(2, 9))\n(a.sum() + b.sum()).backward()\n"
    assert happens(tmp_path, HEAD + shaped + net + call) == {"stale-saved"}
    (failure,) = replayed("from unseen import shaped, pad_of\n" + net).report().failures
    assert failure.kind == "stale-saved"


def test_a_dropout_of_zero_gives_back_one_of_several(tmp_path: Path) -> None:
    """What is known of a result's own operator is known of each of its pasts."""
    net = """
class Net(torch.nn.Module):
    def __init__(self, p=0.0):
        super().__init__()
        self.drop = torch.nn.Dropout(p)

    def forward(self, x, mask=None):
        x = x * 2 if mask is not None else x
        y = self.drop(x.exp())
        y *= 0.5
        return y
"""
    assert happens(tmp_path, HEAD + net + "Net()(x).sum().backward()\n") == {"stale-saved"}
    (failure,) = replayed(net).report().failures
    assert failure.kind == "stale-saved"


@pytest.mark.parametrize(("before", "fails"), [("nn.Linear(3, 3)", False), ("nn.Sigmoid()", True)])
def test_what_one_of_two_modules_hands_on_is_no_result_of_its_own(before: str, fails: bool, tmp_path: Path) -> None:
    net = f"""
from torch import nn
class Net(nn.Module):
    def __init__(self, normed: bool = False):
        super().__init__()
        norm = nn.BatchNorm1d(3) if normed else nn.Identity()
        self.all = nn.Sequential({before}, norm, nn.ReLU(inplace=True))

    def forward(self, x):
        return self.all(x)
"""
    calls = "".join(
        f"Net({normed})(torch.ones(2, 3, requires_grad=True)).sum().backward()\n" for normed in (True, False)
    )
    assert happens(tmp_path, HEAD + net + calls) == ({"stale-saved"} if fails else set())
    assert [one.kind for one in replayed(net).report().failures] == ["stale-saved"] * fails


DECIDED = """
def last(mode, x: torch.Tensor):
    rows = [x]
    if mode is not None:
        rows.append(x)
    if mode == "a":
        for row in rows:
            y = row.exp()
            y += 1
        return y
"""


def test_what_something_equals_decides_how_long_a_list_is() -> None:
    report = Session(Alone()).replay([parse(HEAD + DECIDED, "main.py")])
    assert (report.problems, {failure.kind for failure in report.failures}) == ([], {"stale-saved"})


def test_one_that_stands_for_many_is_of_their_kind() -> None:
    for kind in (Storage, Counter):
        every = kind(), kind()
        one = widen(Phi(Cond(1, "branch", ""), *every))
        assert type(one) is kind
        assert one not in every

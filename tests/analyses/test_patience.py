"""What takes long and computes nothing with tensors costs no answers: the replay leaves it and goes on behind it.

Every text is run: PyTorch raises where the replay says so, behind thousands of steps of other work.
"""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.domain import budget
from gradguard.analyses.domain.budget import LIMITS
from gradguard.analyses.program import session as programs
from gradguard.analyses.program.session import Session
from gradguard.syntax import ir
from gradguard.syntax.chunks import parse
from gradguard.workspace.project import Project

from .models.agreement import happens
from .replaying import Alone

if TYPE_CHECKING:
    from pathlib import Path

TURNS, LINES = 60, 400
WORK = "\n".join(
    [
        "def shortened(text):",
        *(f"    text = text.replace('{n}', '')" for n in range(LINES)),
        "    return text",
        "",
        "def long_work(text):",
        *["    text = shortened(text)"] * TURNS,
        "    return text",
        "",
    ]
)
NET = """
    def forward(self, x):
        y = torch.exp(x)
        y += 1
        return y.sum()
"""
PROGRAMS = {
    "a decorator that writes documentation": {
        "main.py": f"import torch\n\n{WORK}\n"
        "def documented(cls):\n    cls.__doc__ = long_work(cls.__name__)\n    return cls\n\n"
        f"@documented\nclass Net(torch.nn.Module):{NET}\n"
        "net = Net()\nnet(torch.rand(3, requires_grad=True)).backward()\n",
    },
    "a late turn of a long loop": {
        "main.py": f"import torch\n\nclass Net(torch.nn.Module):{NET}\n"
        "net = Net()\ntotal = torch.zeros(())\nfor step in range(30):\n"
        + "".join(f"    total = total + step * {n}\n" for n in range(30))
        + "    if step == 25:\n        net(torch.rand(3, requires_grad=True)).backward()\n",
    },
    "a module that looks around when it is imported": {
        "main.py": f"import torch\nfrom survey import FOUND, total\n\nclass Net(torch.nn.Module):{NET}\n"
        "net = Net()\ntotal(net(torch.rand(3, requires_grad=True))).backward()\n",
        "survey.py": f"{WORK}\nFOUND = long_work('a name')\n\ndef total(loss):\n    return loss.sum()\n",
    },
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_comes_behind_long_work_is_found(name: str, tmp_path: Path) -> None:
    assert LIMITS.entry_steps < TURNS * LINES
    for path, text in PROGRAMS[name].items():
        (tmp_path / path).write_text(text)
    run = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "modified by an inplace operation" in run.stderr
    lines = PROGRAMS[name]["main.py"].splitlines()
    findings = Project(tmp_path).check([str(tmp_path / "main.py")]).findings
    assert [(one.rule.name, lines[one.span.start_line].strip()) for one in findings] == [("inplace-on-saved", "y += 1")]


def test_a_statement_that_goes_on_and_on_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LIMITS", replace(LIMITS, own_patience=500))
    session = Session(Alone())
    session.replay([parse(f"{WORK}\nlong_work('a name')\n", "main.py")])
    assert session.m.work.steps < TURNS * LINES / 3


def test_a_decorator_that_always_takes_long_is_left_at_once() -> None:
    each = "\n".join(f"@documented\nclass C{n}:\n    pass\n" for n in range(2 * TURNS))
    text = f"{WORK}\ndef documented(cls):\n    cls.__doc__ = long_work(cls.__name__)\n    return cls\n\n{each}"
    session = Session(Alone())
    session.replay([parse(text, "main.py")])
    costs = [step.cost for step in session.own if isinstance(step.key, ir.ClassDef)]
    assert costs[0] > LIMITS.decorating_steps
    assert max(costs[LIMITS.left_in_a_row :]) < 5


LONG_BODY = "\n".join(["        x = x * 2", *(f"        n = n + {n}" for n in range(200))])


LOADER = """
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 6000

    def __getitem__(self, i):
        x = torch.ones(3)
        x = x * i
        x = x + 1
        return x


for epoch in range(3):
    for x in DataLoader(Rows(), batch_size=32):
        y = x * 2
"""


def test_a_loop_that_was_too_long_once_is_not_tried_as_far_again() -> None:
    """An epoch's loop, in each epoch: what its many turns have told in the first they would tell again."""
    run = f"def epoch(x, n=0):\n    for i in range(1000):\n{LONG_BODY}\n    return x\n"

    def steps(epochs: int) -> int:
        session = Session(Alone())
        calls = "epoch(x)\n" * epochs
        session.replay([parse(f"import torch\n\n{run}\nx = torch.rand(2)\n{calls}", "main.py")])
        return session.m.work.steps

    assert 3 * 200 < steps(1) < 4 * 200
    assert steps(2) - steps(1) < 3 * 210


def test_the_last_turn_of_a_loop_stands_for_no_other() -> None:
    """However long the loop is: what it does with the last item is known."""
    session = Session(Alone())
    text = f"import torch\nn, x, kept = 0, torch.rand(2), []\nfor i in range(3):\n{LONG_BODY}\n        kept.append(i)\n"
    session.replay([parse(text, "main.py")])
    assert session.m.files.frames["main.py"].variables["kept"].items == (0, 1, 2)


def test_loops_in_a_loop_share_what_that_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first turn alone would use it up."""
    monkeypatch.setattr(budget, "LIMITS", replace(LIMITS, loop_patience=LIMITS.entry_steps))
    inner = f"    for i in range(1000):\n{LONG_BODY}\n"

    def steps(inside: str) -> int:
        session = Session(Alone())
        session.replay([parse(f"import torch\nn, x = 0, torch.rand(2)\n{inside}", "main.py")])
        return session.m.work.steps

    apart = steps(f"if True:\n{inner}{inner}{inner}")
    assert steps(f"for epoch in range(1):\n{inner}{inner}{inner}") < 0.7 * apart


def test_a_loop_that_was_too_long_goes_to_its_end_where_it_is_short() -> None:
    body = "\n".join(LONG_BODY.splitlines()[:20])
    run = f"def run(turns, x, n=0):\n    for i in range(turns):\n{body}\n    return x\n"
    calls = "run(1000, x)\nrun(7, x)\n"
    session = Session(Alone())
    session.replay([parse(f"import torch\n\n{run}\nx = torch.rand(2)\n{calls}", "main.py")])
    assert session.own[-3].cost > 7 * 20


def test_a_loop_in_which_nothing_is_new_is_replayed_for_a_while() -> None:
    """What a late turn does that no other has done is a reason to go on for as long again."""

    def turns(body: str) -> int:
        seen = "for i in range(60):\n    turns = i\n" + body
        session = Session(Alone())
        session.replay([parse(f"import torch\nn = 0\n{seen}", "main.py")])
        return session.m.work.steps // 20

    plain = "".join(f"    n = n + {k}\n" for k in range(18))
    late = f"    if i == 8:\n{plain.replace('    ', '        ')}"
    assert turns(plain) in range(LIMITS.loop_patience // 20, LIMITS.loop_patience // 20 + 4)
    assert turns(plain + late) > turns(plain) + 6


def test_a_loop_makes_none_of_the_items_that_it_leaves_out() -> None:
    """The batches of a data loader are made when they are asked for."""
    session = Session(Alone())
    session.replay([parse(LOADER, "main.py")])
    assert session.m.work.steps < 60 * 20


SEVERAL = 60


def test_what_others_have_entered_costs_later_ones_little() -> None:
    """Each function brings one statement of its own to a code that all share."""
    shared = "\n".join(["def shared(x, n):", *(f"    x = x + n * {n}" for n in range(200)), "    return x"])
    each = "\n".join(f"def own_{n}(x):\n    return shared(x, {n})\n" for n in range(SEVERAL))
    session = Session(Alone())
    session.replay([parse(f"{shared}\n\n{each}", "main.py")])
    costs = [step.cost for step in session.entered.values()]
    assert len(costs) == SEVERAL + 1
    assert costs[-1] < costs[0] / 3


def test_what_comes_behind_familiar_code_is_found() -> None:
    """Each function changes what it has saved behind a call that has nothing new to tell."""
    shared = "\n".join(["def shared(x, n):", *(f"    x = x + n * {n}" for n in range(2 * LINES)), "    return x"])
    each = "\n".join(
        f"def own_{n}(x):\n    y = torch.exp(torch.rand(3, requires_grad=True))\n    z = shared(x, {n})\n"
        f"    y += 1\n    y.sum().backward()\n    return z\n"
        for n in range(5)
    )
    failures = Session(Alone()).replay([parse(f"import torch\n\n{shared}\n\n{each}", "main.py")]).failures
    assert len({failure.site.node for failure in failures}) == 5


def test_what_comes_behind_a_call_that_was_left_is_a_guess() -> None:
    """It might have frozen the weights that are changed then, as this one does at its end."""
    lines = "\n".join(f"    n = n + {n}" for n in range(2 * LINES))
    freeze = "    for p in model.parameters():\n        p.requires_grad_(False)\n"
    shared = f"def shared(model, n):\n{lines}\n{freeze}"
    each = "\n".join(
        f"def own_{n}():\n    model = torch.nn.Linear(2, 2)\n    shared(model, {n})\n    model.weight.zero_()\n"
        for n in range(5)
    )
    failures = Session(Alone()).replay([parse(f"import torch\n\n{shared}\n{each}", "main.py")]).failures
    assert all("guess" in {a.kind for a in failure.assumptions} for failure in failures)


def test_an_object_that_is_not_built_to_its_end_is_none() -> None:
    """Its library would miss what the constructor had come to: a loader its dataset."""
    lines = "\n".join(f"        size = size + {n}" for n in range(LINES))
    built = f"    def __init__(self, data, size):\n{lines}\n        super().__init__(data, size)\n"
    each = "\n".join(f"def own_{n}(data):\n    for x in Loader(data, {n}):\n        print(x)\n" for n in range(5))
    text = f"from torch.utils.data import DataLoader\n\nclass Loader(DataLoader):\n{built}\n{each}\n"
    assert not Session(Alone()).replay([parse(text, "main.py")]).problems


def test_an_option_is_found_that_only_another_constructor_knows_of() -> None:
    """What a constructor builds was built before, without the option, and is built to its end again."""
    lines = "\n".join(f"        n = n + {n}" for n in range(LINES))
    begun = "(torch.nn.Module):\n    def __init__(self, drawn):\n        super().__init__()\n"
    weight = "        n, self.weight = 1, torch.nn.Parameter(torch.zeros(2))\n"
    option = "        if drawn:\n            self.weight.uniform_()\n"
    bias, block = f"class Bias{begun}{weight}{lines}\n{option}", f"class Block{begun}        self.bias = Bias(drawn)\n"
    first = "class First(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        Block(False)\n"
    other = "class Other(Block):\n    def more(self):\n        return 1\n"
    text = f"import torch\n\n{first}\n{block}\n{bias}\n{other}"
    found = Session(Alone()).replay([parse(text, "main.py")]).failures
    assert [f.kind for f in found] == ["leaf-inplace"]


def test_what_the_files_own_code_has_not_asked_for_is_found() -> None:
    """It has built the object, but without the option behind which the failure is."""
    lines = "\n".join(f"        n = n + {n}" for n in range(LINES // 4))
    option = "        if drawn:\n            self.weight.uniform_()\n"
    weight = "        self.weight = torch.nn.Parameter(torch.zeros(2))\n"
    built = f"    def __init__(self, n=1, drawn=False):\n        super().__init__()\n{weight}{lines}\n{option}"
    other = "\n    def other(self):\n        return 1\n"
    text = f"import torch\n\nclass Net(torch.nn.Module):\n{built}{other}\nNet()\n"
    assert {f.kind for f in Session(Alone()).replay([parse(text, "main.py")]).failures} == {"leaf-inplace"}


def test_a_files_own_code_has_the_patience_after_an_edit_that_it_had_before() -> None:
    """What was entered meanwhile was entered from outside: it makes nothing of a file's own code familiar."""
    shared = "\n".join(["def shared(x, n):", *(f"    x = x + n * {n}" for n in range(LINES)), "    return x"])
    each = "\n".join(f"def own_{n}(x):\n    return shared(x, {n})\n" for n in range(SEVERAL))
    fails = "y = torch.exp(torch.rand(3, requires_grad=True))\ny += 1\ny.sum().backward()\n"

    def text(first: int) -> str:
        return f"import torch\n\n{shared}\n\n{each}\nprint(shared({first}, 2))\n{fails}"

    before = parse(text(1), "main.py")
    session = Session(Alone())
    assert len(session.replay([before]).failures) == 1
    assert len(session.replay([parse(text(3), "main.py", before)]).failures) == 1


TARGET = """
import itertools
import torch
from torch import nn

class Target:
    def __init__(self):
        self.body = nn.Sequential(*(nn.Linear(2, 2) for _ in range(30)))
        self.head = nn.Sequential(*(nn.Linear(2, 2) for _ in range(3)))
        for p in {frozen}:
            p.requires_grad_(False)

    def blend(self):
        for p in self.head.parameters():
            p.mul_(0.5)
"""
FROZEN = {
    "(*self.body.parameters(), *self.head.parameters())": set(),
    "itertools.chain(self.body.parameters(), self.head.parameters())": set(),
    "self.body.parameters()": {"leaf-inplace"},
}


@pytest.mark.parametrize("frozen", FROZEN)
def test_what_a_long_loop_freezes_is_frozen_to_the_last(frozen: str, tmp_path: Path) -> None:
    text = TARGET.format(frozen=frozen)
    report = programs.replay([parse(text, "main.py")], Alone())
    assert {failure.kind for failure in report.failures} == FROZEN[frozen]
    assert happens(tmp_path, f"{text}\nTarget().blend()\n") == FROZEN[frozen]


def test_what_is_very_long_is_not_held_item_by_item() -> None:
    text = f"numbers = range({10**7})\n" + "".join(
        f"{way}\n"
        for way in (
            "for n in numbers:\n    last = n",
            "kept = [n % 7 for n in numbers]",
            "pairs = {n: k for n, k in enumerate(numbers)}",
            "first, *others = numbers",
            "made = list(numbers), tuple(map(str, numbers)), set(numbers), sorted(numbers), [*numbers]",
            "ends = max(numbers), sum(numbers)",
            "rows = [row * 2 for row in torch.zeros(numbers[-1], 3)]",
        )
    )
    tracemalloc.start()
    session = Session(Alone())
    session.replay([parse(f"import torch\n{text}", "main.py")])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not session.report().problems
    assert most < 10_000_000


NETS = """
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, dim, i):
        super().__init__()
        if i < 3:
            self.kind = i + 1
        else:
            self.kind = i - 2 * (i - 3)
        self.inner = nn.Conv1d(dim, dim, 1)
        self.outer = nn.Conv1d(dim, dim, 1)
        self.act = nn.ReLU()

    def forward(self, h):
        return self.outer(self.act(self.inner(h)))


class Stack(nn.Module):
    def __init__(self, dim, depth=6):
        super().__init__()
        layers = []
        width = dim
        for i in range(depth):
            layers.append(Layer(dim, i))
            width += dim
        self.layers = nn.Sequential(*layers)
        self.out = nn.Conv1d(dim, dim, 1)

    def forward(self, h):
        return self.out(self.layers(h))


class Gate(nn.Module):
    def forward(self, h):
        h[:, :1] = h[:, :1].tanh()
        return h


class Net(nn.Module):
    def __init__(self, dim, depth=6):
        super().__init__()
        self.stack = Stack(dim, depth)
        self.gate = Gate()

    def forward(self, x):
        return self.stack(x) * self.gate(x)
"""


def test_a_module_that_was_built_before_is_built_to_its_end_inside_another(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    found = Project(tmp_path).check([str(tmp_path / "nets.py")]).findings
    assert [NETS.splitlines()[one.span.start_line].strip() for one in found] == ["h[:, :1] = h[:, :1].tanh()"]
    train = "Net(4)(torch.rand(2, 4, 3, requires_grad=True) * 1).sum().backward()\n"
    assert happens(tmp_path, f"{NETS}\n\n{train}") == {"stale-saved"}

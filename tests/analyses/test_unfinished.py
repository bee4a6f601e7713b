"""What takes more work than there is is left, and what comes behind it is told all the same.

A mistake that cannot be missed is put behind each statement of programs whose constructors, loops and imports take
long. PyTorch refuses each.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.domain.budget import LIMITS
from gradguard.analyses.program import session as programs
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse
from gradguard.workspace.project import Project

from .models.agreement import happens
from .replaying import Alone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gradguard.analyses.domain.report import Report

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
PROGRAM = """
class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.name = long_work("block")
        self.lin = nn.Linear(dim, dim)
        self.act = nn.ReLU()

    def forward(self, x):
        y = self.lin(x)
        title = long_work("forward")
        z = self.act(y)
        return z

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(4) for _ in range(3)])
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
            shape = x.shape
        out = self.head(x)
        return out.mean()

def main():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(3):
        loss = net(torch.randn(2, 4))
        optimizer.zero_grad()
        loss.backward()
        if step == 1:
            note = long_work("step")
            print(step)
        optimizer.step()
    with torch.no_grad():
        last = net(torch.randn(2, 4))
    return last

if __name__ == "__main__":
    title = long_work("main")
    net = Net()
    main()
    print("done")
"""
PROBE = ("probe = torch.ones(3, requires_grad=True)", "with torch.enable_grad(): probe += 1")


def places(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements behind which there is another place of the same block, those of inner blocks included."""
    for s in body:
        if not isinstance(s, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            yield s
        for name in ("body", "orelse", "finalbody"):
            yield from places(getattr(s, name, []))


def probed(text: str) -> tuple[str, list[int]]:
    """A program with a mistake behind each statement, and the lines that these are on."""
    lines: list[str] = []
    behind = {s.end_lineno: s.col_offset for s in reversed(list(places(ast.parse(text).body)))}
    expected = []
    for n, line in enumerate(text.splitlines(), 1):
        lines.append(line)
        if n in behind:
            lines += [" " * behind[n] + one for one in PROBE]
            expected.append(len(lines))
    return "\n".join(lines) + "\n", expected


def told(report: Report, severities: tuple[str, ...] = ("error", "warning")) -> set[int]:
    """The lines with alarms."""
    return {d.site.chunk.span(d.site.node).start_line + 1 for d in diagnose(report) if d.severity.label in severities}


def replayed(text: str) -> Report:
    return programs.replay([parse(text, "main.py")], Alone())


def test_a_mistake_behind_each_statement_is_told(tmp_path: Path) -> None:
    assert LIMITS.entry_steps < TURNS * LINES
    head = f"import torch\nfrom torch import nn\n\n{WORK}"
    text, lines = probed(PROGRAM)
    report = replayed(head + text)
    before = head.count("\n")
    assert {line - before for line in told(report)} == set(lines)
    assert {stop.why for stop in report.stops} == {"work"}
    assert len(report.stops) >= 5
    assert happens(tmp_path, "import torch\nprobe = torch.ones(3, requires_grad=True)\nprobe += 1\n") == {
        "leaf-inplace"
    }


def test_what_imports_cost_is_theirs(tmp_path: Path) -> None:
    """Many models register themselves when the package is imported; the program's own model is built all the same."""
    (tmp_path / "zoo").mkdir()
    count = 40
    models = "".join(f"from .m{n} import *\n" for n in range(count))
    (tmp_path / "zoo" / "__init__.py").write_text(f"{models}from .net import Net\n")
    for n in range(count):
        entries = "\n".join(f"NAMES['a{n}_{i}'] = register('a{n}_{i}')" for i in range(LINES // 2))
        text = f"NAMES = {{}}\ndef register(name):\n    short = name.upper()\n    return short\n{entries}\n"
        (tmp_path / "zoo" / f"m{n}.py").write_text(text)
    (tmp_path / "zoo" / "net.py").write_text(
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + "".join(f"        self.n{i} = torch.nn.Linear(2, 2)\n" for i in range(200))
        + "    def forward(self, x):\n        y = torch.exp(x)\n        y += 1\n        return self.n0(y)\n"
    )
    main = tmp_path / "main.py"
    text, lines = probed(
        "import torch\nfrom zoo.net import Net\nnet = Net()\nx = torch.rand(3, 2, requires_grad=True)\n"
        "net(x).sum().backward()\nprint('done')\n"
    )
    main.write_text(text)
    result = Project(tmp_path).check([str(main)])
    assert count * LINES // 2 * 3 > LIMITS.entry_steps
    found = {(finding.path, finding.span.start_line + 1) for finding in result.findings}
    assert found == {(str(main), line) for line in lines} | {(str(tmp_path / "zoo" / "net.py"), 207)}
    assert any(stop.why == "work" for stop in result.report.stops)


HALF = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(2))

def prepare(net):
    long_work("first")
    long_work("second")
    long_work("third")
    long_work("fourth")
    net.weight.requires_grad_(False)

net = Net()
prepare(net)
net.weight.add_(1)
"""


def test_what_was_half_done_gives_no_alarm(tmp_path: Path) -> None:
    """What came next would have frozen the weights."""
    text = f"import torch\n\n{WORK}\n{HALF}"
    report = replayed(text)
    assert report.stops
    assert not told(report)
    assert happens(tmp_path, text) == set()


def test_a_name_that_was_not_bound_is_unknown() -> None:
    text = f"import torch\n\n{WORK}\nw = torch.ones(3, requires_grad=True)\nw, v = long_work('a'), 1\nw += 1\n"
    report = replayed(text)
    texts = [stop.site.chunk.text[stop.site.node.start : stop.site.node.end] for stop in report.stops]
    assert any(text.startswith("w, v = ") for text in texts)
    assert not told(report, ("error", "warning", "hint"))


@pytest.mark.parametrize("frozen", [True, False])
def test_so_many_statements_are_replayed_to_their_end(frozen: bool) -> None:
    call = "raise ValueError\n" if frozen else ""
    report = replayed(f"import torch\ndef f(x):\n    y = x.exp()\n    return y\nf(1)\n{call}print(2)\nprint(3)\n")
    assert report.reach == ((5, 8) if frozen else (7, 7))
    assert [(stop.why, stop.detail) for stop in report.stops] == ([("raises", "ValueError")] if frozen else [])


KEPT = f"""\
import torch
from torch import nn

{WORK}

class Inspected(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = {{}}
        self.names = self.inspect("forward")
        self.lin = nn.Linear(3, 3)

    def inspect(self, name):
        self.known[name] = long_work(name)
        return self.known[name]

    def forward(self, x):
        y = self.lin(x).exp()
        y += 1
        return y
"""
TRAINED = "from kept import Inspected\n\nInspected()(torch.randn(2, 3)).sum().backward()\n"


@pytest.mark.parametrize("home", ["main", "kept"])
def test_an_item_that_was_not_stored_is_unknown(tmp_path: Path, home: str) -> None:
    """To read it raises no KeyError, in the file that is replayed or in one that it imports."""
    (tmp_path / "kept.py").write_text(KEPT)
    text = f"import torch\n{TRAINED}" if home == "kept" else KEPT + TRAINED.partition("\n")[2]
    main = tmp_path / "main.py"
    main.write_text(text)
    project = Project(tmp_path)
    report = project.replay([project.source(str(main))])
    assert "work" in {stop.why for stop in report.stops}
    assert "KeyError" not in {stop.detail for stop in report.stops}
    (found,) = diagnose(report)
    assert found.severity.label == "error"
    assert happens(tmp_path, KEPT + TRAINED.partition("\n")[2]) == {"stale-saved"}


TREE = """\
import importlib
import torch

def names(node):
    found = []
    for child in node.children:
        if child.kind != "leaf" and child.name:
            found.extend(names(child))
    found.append(node.name)
    for child in node.parts:
        if child.kind in ("a", "b") or child.name:
            found.extend(names(child))
    return found

w = torch.ones(3, requires_grad=True)
print(names(importlib.import_module("somewhere").root))
w += 1
"""


def test_what_calls_itself_with_nothing_known_takes_little_work() -> None:
    session = programs.Session(Alone())
    report = session.replay([parse(TREE, "main.py")])
    assert [failure.kind for failure in report.failures] == ["leaf-inplace"]
    assert "work" not in {stop.why for stop in report.stops}
    assert session.m.work.steps < 500


PARTLY = """
import torch
from torch import nn
from other import smooth

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        h = self.lin(x)
        out = smooth(h)
        {changed} += 1
        return out
"""
SMOOTH = {
    "what_it_returns": "    box = {long_work('a'): h}\n    return box[long_work('a')]\n",
    "what_a_call_returns": "    return passed(h)\n",
    "one_of_two": "    out = h * 2 if len(long_work('a')) > 9 else passed(h)\n    return out\n",
}


@pytest.mark.parametrize(("changed", "fails"), [("x", True), ("h", False)])
@pytest.mark.parametrize("kind", SMOOTH)
def test_what_a_call_returns_that_was_replayed_in_part_leads_to_its_arguments(
    tmp_path: Path, kind: str, changed: str, fails: bool
) -> None:
    passed = "def passed(h):\n    box = {long_work('b'): h}\n    return box[long_work('b')]\n"
    text = f"{WORK}\n{passed}\ndef smooth(h):\n{SMOOTH[kind]}"
    (tmp_path / "other.py").write_text(text)
    main = tmp_path / "main.py"
    main.write_text(PARTLY.format(changed=changed))
    found = Project(tmp_path).check([str(main)]).findings
    assert [(f.severity, f"`{changed}`" in f.message) for f in found] == [(Severity.WARNING, True)] * fails
    trained = main.read_text() + "Net()(torch.ones(2, 4)).sum().backward()\n"
    assert happens(tmp_path, trained) == ({"stale-saved"} if fails else set())

"""Statements of a program's own code come, go and move, and what rests on none of that is not run again.

The programs are drawn from statements that have to do with one another in every way that a step could miss: tensors
that are changed under two names, lists and dicts in which they are kept, closures, defaults, globals, classes with
subclasses, modes, and what a function tells of in several steps.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from gradguard.analyses.program.session import Session
from gradguard.workspace.files import Document
from gradguard.workspace.project import Project

from .editing import differences

NAMES = ("a", "b", "c")
STATEMENTS = (
    "{x} = torch.ones(3, requires_grad=True)",
    "{x} = torch.exp({y})",
    "{x} = {y}",
    "{x} = {y} * 2",
    "{x} = {y}.detach()",
    "{x} = {y}[0]",
    "{x} += 1",
    "{x}.mul_(2)",
    "{x}.sum().backward()",
    "del {x}",
    "{x} = None",
    "{x} = 3",
    "kept = [{x}, {y}]",
    "kept.append({x})",
    "{x} = kept[-1]",
    "kept[0].add_(1)",
    "table = {{'one': {x}}}",
    "table['one'] = {y}",
    "{x} = table['one']",
    "table['one'].zero_()",
    "def f(t):\n    u = torch.exp(t)\n    return u",
    "def f(t):\n    t += 1\n    return t",
    "def f(t, other={x}):\n    return t * other",
    "def f(t):\n    global {y}\n    {y} = torch.exp(t)\n    return {y}",
    "def f(t):\n    {x}.add_(1)\n    return t",
    "f.__doc__ = unknown.format({x})",
    "if f.__doc__:\n    f.__doc__ = f.__doc__ + unknown.text",
    "if f.__doc__:\n    {x} = torch.exp({y})",
    "{x} = f({y})",
    "f({x})",
    "def outer(t):\n    def inner():\n        t.mul_(2)\n        return t\n    return inner",
    "g = outer({x})",
    "{x} = g()",
    "class Base:\n    held = {x}\n    def run(self, t):\n        return torch.exp(t)",
    "class Net(Base):\n    def run(self, t):\n        return super().run(t) + self.held",
    "class Other(Base):\n    pass",
    "Base.held = {x}",
    "for one in Base.__subclasses__():\n    {x} = one().run({y})",
    "net = Net()",
    "net.own = {x}",
    "{x} = net.run({y})",
    "net.own.add_(1)",
    "torch.set_grad_enabled(False)",
    "torch.set_grad_enabled(True)",
    "if unknown:\n    {x} = torch.exp({y})\nelse:\n    {x} += 1",
    "for i in range(3):\n    {x} = torch.sin({y})\n    {y} = {x}",
    "with torch.no_grad():\n    {x} += 1",
    "def gen():\n    yield {x}\n    {y}.add_(1)\n    yield {y}",
    "it = gen()",
    "{x} = next(it)",
    "import math",
    "{x} = globals()['{y}']",
    "w = lambda: {x}",
    "{x} = w()",
    "def noted(f):\n    kept.append(f)\n    return f",
    "@noted\ndef f(t):\n    return t * {x}",
    "{x} = kept[-1]({y})",
    "pair = [Net(), {x}]\npair[0].own = pair[1]",
    "{x} = pair[0].own",
    "pair[1].mul_(2)",
    "def unused({x}):\n    v = {x}.exp()\n    {y}.mul_(2)\n    return v",
    "class Lone(torch.nn.Module):\n    def forward(self, t):\n        r = torch.sigmoid(t)\n"
    "        r += {x}\n        return r",
)


class Program:
    """A program of random statements, which is edited a statement at a time."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.path = str(folder / f"program_{seed}.py")
        self.lines = ["import torch", *("a = torch.ones(3, requires_grad=True)", "b = torch.exp(a)", "c = b")]
        self.lines += [self.statement() for _ in range(self.rng.randrange(5, 25))]
        self.project = Project(folder)
        self.session = Session(self.project)

    def statement(self) -> str:
        return self.rng.choice(STATEMENTS).format(x=self.rng.choice(NAMES), y=self.rng.choice(NAMES))

    def edit(self) -> None:
        rng, at = self.rng, self.rng.randrange(len(self.lines))
        match rng.randrange(4):
            case 0:
                self.lines.insert(at, self.statement())
            case 1 if len(self.lines) > 4:
                del self.lines[at]
            case 2:
                self.lines[at] = self.statement()
            case _:
                self.lines.insert(rng.randrange(len(self.lines)), self.lines.pop(at))

    def differences(self) -> list[str]:
        """Where the session that goes on says something else than one that begins."""
        text = "\n".join(self.lines) + "\n"
        self.project.overlay(Document(self.path, text))
        known = self.session.replay([self.project.source(self.path)])
        fresh = Session(self.project).replay([self.project.source(self.path)])
        return differences(known, fresh) + known.problems


def run(seed: int, edits: int, folder: Path) -> None:
    """Edit a program; raises AssertionError where an answer is wrong."""
    program = Program(seed, folder)
    for number in range(edits):
        wrong = program.differences()
        assert wrong == [], f"seed {seed}, edit {number}: {wrong}\n" + "\n".join(program.lines)
        program.edit()


@pytest.mark.parametrize("seed", range(40))
def test_after_statements_come_go_and_move_all_is_told_that_a_replay_from_the_start_tells(
    seed: int, tmp_path: Path
) -> None:
    run(seed, 12, tmp_path)


class Steps:
    """Tells how many steps of the replay each version of a program costs."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "program.py"
        self.project = Project(folder)
        self.session = Session(self.project)

    def __call__(self, text: str) -> int:
        self.project.overlay(Document(str(self.path), text))
        before = self.session.m.work.steps
        self.session.replay([self.project.source(str(self.path))])
        return self.session.m.work.steps - before


def test_a_statement_that_nothing_rests_on_has_nothing_else_run_again(tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    rest = "".join(f"def f{i}(x):\n    y = x.exp()\n    return y\n\nv{i} = f{i}(torch.ones(3))\n" for i in range(50))
    whole = steps(f"import torch\nscale = 1\n{rest}")
    assert whole > 200
    assert steps(f"import torch\nscale = 2\n{rest}") < 10
    assert steps(f"import torch\nother = torch.exp(torch.ones(3))\nscale = 2\n{rest}") < 10


SHAPES = '''
import torch
from torch import nn

class Base(nn.Module):
    """What a base is for."""

    names = ["a"]
    size = 3  # of each side

    def forward(self, x):
        """What it does."""
        for _ in range(2):
            x = x.exp()
        return x

class Left(Base):
    def forward(self, x):
        return super().forward(x).mul_(2)

class Right(Base):
    def forward(self, x):
        return super().forward(x) * 2
'''


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("What a base is for.", "What a base\n\n    is used for."),
        ("What it does.", "What it is said to do."),
        ("# of each side", "# in numbers\n    # of each side"),
        ("            x = x.exp()", "\n            # twice\n            x = x.exp()"),
        ("        return super", "        # as a base does, and more\n        return super"),
    ],
)
def test_texts_and_comments_have_nothing_run_again(before: str, after: str, tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    assert steps(SHAPES) > 20
    assert steps(SHAPES.replace(before, after)) == 0
    assert steps(SHAPES) == 0


def test_a_docstring_that_is_read_has_its_reader_run_again(tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    program = f"{SHAPES}\nkinds = [Base.__doc__, Right.forward.__doc__]\nnet = Left()\n"
    steps(program)
    assert steps(program.replace("What it does.", "What it is said to do.")) == 0
    assert steps(program.replace("What a base is for.", "What a base does.")) > 0


def test_a_class_of_its_own_is_all_that_an_edit_of_its_head_has_run_again(tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    whole = steps(SHAPES)
    right = steps(SHAPES.replace("class Right(Base):", "class Right(Base):\n    more = 1"))
    assert 0 < right < whole / 2


DOCUMENTED = """
from notes import reproducible
from helpers import {helpers}

def first(x):
    "{reproducible}"
    return x.exp()

if first.__doc__:
    first.__doc__ = first.__doc__.format(**reproducible)

class Own({base}):
    def forward(self, x):
        return x + 1

"""
OTHERS = "".join(f"def f{i}(x):\n    y = x.exp()\n    return y\n\n" for i in range(50))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.exp()\n\nif", "x.sin()\n\nif"),
        ("def first", "@helper\ndef first"),
        ("helpers import helper", "nowhere import helper"),
        ("from helpers", "fro helpers"),
        ("class Own(Base)", "class Own(Bas)"),
        ("class Own(Base)", "class Own"),
    ],
)
def test_what_is_documented_or_imported_has_no_other_function_run_again(
    before: str, after: str, tmp_path: Path
) -> None:
    (tmp_path / "helpers.py").write_text("def helper(f):\n    return f\n")
    steps = Steps(tmp_path)
    program = DOCUMENTED.replace("{helpers}", "helper").replace("{base}", "Base") + OTHERS
    assert steps(program) > 100
    for text in (program.replace(before, after), program):
        assert text == program or before in program
        assert steps(text) < 20


LOOPS = """
import unseen
import torch

scale = torch.ones(3, requires_grad=True)
for epoch in range(count):
    for x in batches:
        loss = (x * scale).sum()
        unseen.mixed(loss).backward()

"""


@pytest.mark.parametrize(("before", "after"), [("(x * scale)", "(x + scale)"), ("mixed(loss)", "mixed(loss, 1)")])
def test_a_long_loop_and_an_unseen_call_concern_those_that_run_them(before: str, after: str, tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    assert steps(LOOPS + OTHERS) > 150
    assert steps(LOOPS.replace(before, after) + OTHERS) < 100


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        run(number + 1000, int(sys.argv[2]), Path("/nowhere"))

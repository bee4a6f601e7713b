"""Cost grows with the program, not faster: whatever is doubled, a check costs about twice as much.

Each shape is a program made of `n` of something. The work is counted in steps, which are the same in every run,
and measured in CPU time, which is not: of several runs the shortest, over two doublings, and again if need be.
"""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.program import session as program
from gradguard.analyses.python.machine import Machine
from gradguard.rules.diagnostic import diagnose
from gradguard.syntax.chunks import parse
from gradguard.workspace.mending import mend_project
from gradguard.workspace.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradguard.analyses.domain.report import Report
    from gradguard.syntax.chunks import Source

FACTOR = 2.3
RUNS, TRIES = 2, 5

START = """\
import sys
import torch
import torch.nn.functional as F
from torch import nn

flags = sys.argv
x = torch.randn(3, requires_grad=True)
y = x * 2
total = 0.0
"""
END = """
last = x.exp()
last += 1
last.sum().backward()
"""
"""what every program ends with: where this is found, the replay has come to the end"""

Shape = str | dict[str, str]
SHAPES: dict[str, tuple[Callable[[int], Shape], int]] = {}


def shape(size: int) -> Callable[[Callable[[int], Shape]], Callable[[int], Shape]]:
    """Registers a function that makes a program of `n` of something; `size` is the smallest one to measure."""

    def register(make: Callable[[int], Shape]) -> Callable[[int], Shape]:
        SHAPES[make.__name__] = make, size
        return make

    return register


def repeated(n: int, text: str, indent: int = 0) -> str:
    """A block of text for each number below `n`, which it has as `{i}`; `{j}` is the one before."""
    lines = (line for i in range(n) for line in text.format(i=i, j=i - 1).splitlines())
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


# -- straight on ------------------------------------------------------------------------------------


@shape(80)
def statements(n: int) -> Shape:
    return repeated(n, "y{i} = torch.sin(y) * {i}\ny = y + y{i}")


@shape(100)
def reassignments_of_a_name(n: int) -> Shape:
    return repeated(n, "y = torch.sin(y)\nprint(y.shape)") + "y.sum().backward()\n"


@shape(60)
def changes_of_saved_tensors(n: int) -> Shape:
    return repeated(n, "total = total + y.sin()\ny += {i}") + "if flags[0]:\n    total.sum().backward()\n"


@shape(60)
def views_that_are_written(n: int) -> Shape:
    return repeated(n, "v{i} = y[1:]\nv{i}.mul_(2)") + "y.sum().backward()\n"


@shape(60)
def failures(n: int) -> Shape:
    return repeated(n, "z = x.exp()\nif flags[{i}]:\n    z += 1\nz.sum().backward()")


@shape(100)
def keys_of_a_dict(n: int) -> Shape:
    return "d = {}\n" + repeated(n, "d['k{i}'] = x * {i}") + "sum(d.values()).sum().backward()\n"


@shape(100)
def items_of_a_list(n: int) -> Shape:
    return "items = []\n" + repeated(n, "items.append(x * {i})") + "torch.stack(items).sum().backward()\n"


@shape(100)
def attributes(n: int) -> Shape:
    return "class C:\n    pass\n\nc = C()\n" + repeated(n, "c.a{i} = x * {i}")


@shape(400)
def changes_of_an_unknown_list(n: int) -> Shape:
    return "items = flags.found\n" + repeated(n, "items.append(items[{i}])")


@shape(400)
def rows_of_a_table(n: int) -> Shape:
    return "TABLE = [\n" + repeated(n, "[0, 1, 2, {i}],", 4) + "]\n"


# -- branches ---------------------------------------------------------------------------------------


@shape(60)
def branches(n: int) -> Shape:
    return repeated(n, "if flags[{i}]:\n    y = y * {i}\nelse:\n    y = y + {i}") + "y.sum().backward()\n"


@shape(60)
def conditional_writes(n: int) -> Shape:
    return "z = y.sin()\n" + repeated(n, "if flags[{i}]:\n    y.add_({i})") + "z.sum().backward()\n"


@shape(60)
def conditional_writes_between_saves(n: int) -> Shape:
    return repeated(n, "if flags[{i}]:\n    y.add_({i})\ntotal = total + y.sin()") + "total.sum().backward()\n"


@shape(60)
def other_cases(n: int) -> Shape:
    return "if flags[0]:\n    y = y + 1\n" + repeated(n, "elif flags[0] == 'k{i}':\n    y = y * {i}")


@shape(60)
def cases_of_a_match(n: int) -> Shape:
    return "match flags[0]:\n" + repeated(n, "case 'k{i}':\n    y = y * {i}", 4)


@shape(60)
def early_returns(n: int) -> Shape:
    body = repeated(n, "if a == {i}:\n    return x * {i}", 4)
    return f"def f(x, a):\n{body}    return x\n\nf(x, flags).sum().backward()\n"


@shape(60)
def early_errors(n: int) -> Shape:
    body = repeated(n, "if a[{i}] > 3:\n    raise ValueError({i})\nx = x * 2", 4)
    return f"def f(x, a):\n{body}    return x\n\nf(x, flags).sum().backward()\n"


@shape(4)
def nested_branches(n: int) -> Shape:
    """Sixteen at most: of what is nested deeper one side alone is replayed."""
    return "".join("    " * i + f"if flags[{i}]:\n" for i in range(n)) + "    " * n + "y = y * 2\n"


@shape(60)
def tries(n: int) -> Shape:
    return repeated(n, "try:\n    y = y * int(input())\nexcept ValueError:\n    y = y + 1") + "y.sum().backward()\n"


@shape(40)
def errors_in_a_try(n: int) -> Shape:
    start = "def known(v):\n    if v:\n        raise ValueError\n    return v\n\ntry:\n"
    return (
        start + repeated(n, "y = y * known(flags[{i}])", 4) + "except ValueError:\n    y = y + 1\ny.sum().backward()\n"
    )


# -- loops ------------------------------------------------------------------------------------------


@shape(30)
def statements_in_a_loop(n: int) -> Shape:
    body = repeated(n, "z = torch.sin(z) * {i}", 4)
    return f"for b in flags:\n    z = x.exp()\n{body}    z.sum().backward()\n"


@shape(20)
def branches_in_a_loop(n: int) -> Shape:
    body = repeated(n, "if flags[{i}]:\n    z = z * {i}", 4)
    return f"for b in flags:\n    z = x.exp()\n{body}    z.sum().backward()\n"


@shape(20)
def writes_in_a_loop(n: int) -> Shape:
    body = repeated(n, "if b[{i}]:\n    z.mul_({i})\nw = w + z.sin()", 4)
    return f"for b in flags:\n    z, w = x.exp(), 0.0\n{body}    w.sum().backward()\n"


@shape(5)
def epochs(n: int) -> Shape:
    start = "m = nn.Linear(3, 3)\nopt = torch.optim.Adam(m.parameters())\n"
    step = "    opt.zero_grad()\n    m(torch.randn(2, 3)).sum().backward()\n    opt.step()"
    return start + repeated(n, f"for e in range(10):\n{step}")


@shape(8)
def turns(n: int) -> Shape:
    return f"items = []\nfor i in range({n}):\n    items.append(x.exp() * i)\ntorch.stack(items).sum().backward()\n"


# -- calls ------------------------------------------------------------------------------------------


@shape(60)
def functions(n: int) -> Shape:
    return repeated(n, "def f{i}(x, w):\n    y = torch.exp(x @ w)\n    z = y * 2\n    y += 1\n    return z.sum()")


@shape(12)
def depth_of_calls(n: int) -> Shape:
    start = "def f0(x):\n    return x.exp()\n"
    rest = "".join(f"def f{i}(x):\n    y = f{i - 1}(x)\n    return y * 2\n" for i in range(1, n))
    return f"{start}{rest}f{n - 1}(x).sum().backward()\n"


@shape(40)
def calls_that_branch(n: int) -> Shape:
    start = "def f(x, a):\n    if a:\n        return x * 2\n    return x.exp()\n"
    return start + repeated(n, "y = f(y, flags[{i}])") + "y.sum().backward()\n"


@shape(30)
def classes(n: int) -> Shape:
    return repeated(
        n,
        """\
class M{i}(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 4)

    def forward(self, x):
        y = F.relu(self.linear(x))
        y += {i}
        return y""",
    )


@shape(50)
def methods_of_a_class(n: int) -> Shape:
    start = "class M:\n    def __init__(self):\n        self.x = torch.randn(3, requires_grad=True)\n\n"
    return start + repeated(n, "def m{i}(self, w):\n    y = self.x.exp()\n    self.a{i} = y * w\n    return y\n", 4)


@shape(10)
def modules_in_a_row(n: int) -> Shape:
    items = repeated(n, "nn.Linear(3, 3), nn.ReLU(inplace=True),", 4)
    return f"m = nn.Sequential(\n{items})\nopt = torch.optim.SGD(m.parameters(), lr=0.1)\n" + repeated(
        2, "m(torch.randn(2, 3)).sum().backward()\nopt.step()"
    )


@shape(5)
def submodules(n: int) -> Shape:
    built = repeated(n, "self.l{i} = nn.Linear(3, 3)", 8)
    used = repeated(n, "x = F.relu(self.l{i}(x))", 8)
    return (
        f"class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n{built}\n"
        f"    def forward(self, x):\n{used}        return x\n\nm = M()\n"
        "opt = torch.optim.SGD(m.parameters(), lr=0.1)\n"
        "for b in flags:\n    opt.zero_grad()\n    m(torch.randn(3)).sum().backward()\n    opt.step()\n"
    )


@shape(30)
def hooks(n: int) -> Shape:
    return repeated(n, "y = y * 2\ny.register_hook(lambda g: g * {i})") + "y.sum().backward()\n"


@shape(20)
def generators_that_go_through_their_namesakes(n: int) -> Shape:
    body = repeated(n, "found = (v for v in found if v is not flags[{i}])", 4)
    return f"def f(found):\n{body}    return next(found)\n\nf(iter([x])).exp().sum().backward()\n"


@shape(30)
def classes_of_a_shared_base(n: int) -> Shape:
    start = """\
class Base(nn.Module):
    def __init__(self, act=F.relu):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.act = act

    def mixed(self, x):
        y = self.act(self.linear(x))
        y += x
        return y

    def forward(self, x):
        return self.mixed(x) * 2
"""
    return start + repeated(
        n, "class M{i}(Base):\n    def forward(self, x):\n        return super().forward(self.mixed(x))\n"
    )


@shape(8)
def modules_in_modules(n: int) -> Shape:
    start = """\
class M0(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return F.relu(self.linear(x))
"""
    made = """\
class M{i}(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = M{j}()

    def forward(self, x):
        return x + self.inner(x)
"""
    rest = "".join(made.format(i=i, j=i - 1) for i in range(1, n))
    return f"{start}{rest}M{n - 1}()(x).sum().backward()\n"


@shape(12)
def files_that_import_each_other(n: int) -> Shape:
    """Each calls the one before, and the first one the last."""
    body = "{}import torch\nclass C{}:\n    pass\ndef f(x, back=False):\n    return {}\n"
    made = {f"m{i}": body.format(f"import m{i - 1}\nimport m{n - 1}\n", i, f"m{i - 1}.f(x * 2)") for i in range(1, n)}
    made["m0"] = body.format(f"import m{n - 1}\n", 0, "x.exp()")
    return {"main": "import m0\n" + START + f"m0.m{n - 1}.f(x).sum().backward()\n", **made}


@shape(12)
def files(n: int) -> Shape:
    """Each imports the one before and calls it."""
    body = "{}import torch\nx = torch.randn(3, requires_grad=True)\ndef f(x):\n    return {}\n"
    made = {f"m{i}": body.format(f"import m{i - 1}\n", f"m{i - 1}.f(x * 2)") for i in range(1, n)}
    main = "".join(f"import m{i}\n" for i in range(n)) + START + f"m{n - 1}.f(m0.x).sum().backward()\n"
    return {"main": main, "m0": body.format("", "x.exp()"), **made}


# -- measuring --------------------------------------------------------------------------------------


class Files:
    """The modules of a program, parsed."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.sources = {name: parse(text, f"{name}.py") for name, text in texts.items()}

    def load(self, name: str, level: int, importer: str) -> Source | None:
        return self.sources.get(name)


def texts(name: str, n: int) -> dict[str, str]:
    made = SHAPES[name][0](n)
    made = {"main": START + made} if isinstance(made, str) else made
    return {**made, "main": made["main"] + END}


def checked(files: dict[str, str]) -> Report:
    modules = Files(files)
    report = program.replay([modules.sources["main"]], modules)
    diagnose(report)
    return report


def cpu_seconds(files: dict[str, str]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        checked(files)
        return time.process_time() - start
    finally:
        gc.enable()


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> list[Machine]:
    """All machines that replay anything."""
    made: list[Machine] = []

    class Counted(Machine):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # type: ignore[arg-type]
            made.append(self)

    monkeypatch.setattr(program, "Machine", Counted)
    return made


@pytest.fixture
def steps(machines: list[Machine]) -> Callable[[dict[str, str]], int]:
    """What counts the steps of a replay, which must reach the program's end."""

    def count(files: dict[str, str]) -> int:
        report = checked(files)
        end = files["main"].count("\n") - 2
        assert not report.problems
        assert end in {f.site.chunk.span(f.site.node).start_line for f in report.failures}
        return machines[-1].work.steps

    return count


@pytest.mark.parametrize("name", SHAPES)
def test_twice_as_much_takes_two_times_the_steps(name: str, steps: Callable[[dict[str, str]], int]) -> None:
    size = SHAPES[name][1]
    once, twice, four_times = (steps(texts(name, n)) for n in (size, 2 * size, 4 * size))
    assert twice <= FACTOR * once
    assert four_times <= FACTOR * twice


@pytest.mark.parametrize("name", SHAPES)
def test_four_times_as_much_takes_four_times_the_time(name: str) -> None:
    size = SHAPES[name][1]
    small, large = texts(name, size), texts(name, 4 * size)
    checked(small)
    factors = []
    for _ in range(TRIES):
        before, after = (min(cpu_seconds(files) for _ in range(RUNS)) for files in (small, large))
        factors.append(after / before)
        if factors[-1] <= FACTOR**2:
            return
    pytest.fail(f"four times as much takes {min(factors):.1f} times as long")


def test_twice_as_many_files_take_two_times_the_steps_to_mend(tmp_path: Path, machines: list[Machine]) -> None:
    counted = []
    for number in (10, 20):
        machines.clear()
        folder = tmp_path / str(number)
        folder.mkdir()
        paths = [str(folder / f"m{i}.py") for i in range(number)]
        for path in paths:
            Path(path).write_text(f"{START}y = y.exp(){END}")
        mended = mend_project(Project(folder), paths, unsafe=False)
        assert mended.applied == number
        counted.append(sum(machine.work.steps for machine in machines))
    assert counted[1] <= FACTOR * counted[0]

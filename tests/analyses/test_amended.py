"""A class whose members are edited stays the class that it was: only what has looked these up is replayed again."""

from __future__ import annotations

import pytest
from gradguard.analyses import replay
from gradguard.analyses.program.session import Session
from gradguard.syntax import ir
from gradguard.syntax.chunks import parse

from ..workspace.editing import differences
from .replaying import Alone

PROGRAM = """\
import inspect
import torch
from torch import nn

class Base(nn.Module):
    \"\"\"What others derive from.\"\"\"
    factor = 2

    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)
        self.act = self.activated

    def activated(self, x):
        return x.exp()

    @property
    def size(self):
        return 3

    @staticmethod
    def doubled(x):
        return x * 2

    @staticmethod
    def tripled(x):
        return x * 3

    def forward(self, x):
        y = self.act(self.lin(x))
        if hasattr(self, "finish"):
            y = self.finish(y)
        return self.doubled(y) * self.factor + self.size

    def extra_repr(self):
        return "nothing"

class Net(Base):
    def __init__(self):
        super().__init__(3)

    def reset(self):
        self.lin.weight.data.zero_()

doubled = Base.doubled
net = Net()
out = net(torch.ones(2, 3))
out.sum().backward()
other = Base.tripled(torch.ones(3))
listed = inspect.getmembers(Base)
"""

FINISH = "    def finish(self, y):\n        z = y.exp()\n        z += 1\n        return z\n\n    def extra_repr"
ACTIVATED = "    def activated(self, x):\n        y = x.exp()\n        y += 1\n        return y\n\n    def reset"

EDITS: dict[str, tuple[str, str, set[str]]] = {
    "a parameter that nobody passes": ("def extra_repr(self)", "def extra_repr(self, a=0)", {"listed"}),
    "a method more": ("    def extra_repr", "    def other(self):\n        return 1\n\n    def extra_repr", {"listed"}),
    "a method less": ('    def extra_repr(self):\n        return "nothing"\n', "", {"listed"}),
    "a method under another name": ("def extra_repr", "def extra", {"listed"}),
    "a method more of the other class": (
        "    def reset",
        "    def other(self):\n        return 1\n\n    def reset",
        set(),
    ),
    "a number": ("factor = 2", "factor = 3", {"out", "sum", "listed"}),
    "a property": ("def size(self)", "def size(self, a=0)", {"out", "sum", "listed"}),
    "a static method": ("def doubled(x)", "def doubled(x, a=0)", {"doubled", "out", "sum", "listed"}),
    "a method that is no property any more": ("    @property\n", "", {"out", "sum", "listed"}),
    "what the object holds": ("def activated(self, x)", "def activated(self, x, a=0)", {"net", "out", "sum", "listed"}),
    "the constructor": ("def __init__(self, width)", "def __init__(self, width, a=0)", {"net", "out", "sum", "listed"}),
    "one that is asked for": ("    def extra_repr", FINISH, {"out", "sum", "other", "listed"}),
    "one that overrides": ("    def reset", ACTIVATED, {"net", "out", "sum", "other", "listed"}),
}
"""what is written instead of what, and the names and calls of the files' own code that see it

Where a backward begins to fail, all behind it does.
"""


def name_of(statement: ir.Stmt) -> str:
    """The name that a statement binds, or of the method that it calls."""
    match statement:
        case ir.Assign(targets=[ir.Name(id=name)]) | ir.ClassDef(name=name):
            return name
        case ir.ExprStmt(value=ir.Call(func=ir.Attribute(value=ir.Call(func=ir.Attribute(attr=name))))):
            return name
    return type(statement).__name__


def ran(texts: list[str]) -> list[set[str]]:
    """What of a program's own code is replayed again as it comes to be each of the texts; the answers must be right."""
    session = Session(Alone())
    source, names = None, []
    for text in texts:
        source = parse(text, "main.py", source)
        report = session.replay([source])
        assert differences(report, replay([source], Alone())) == []
        names.append({name_of(step.key) for step in session.ran if isinstance(step.key, ir.Stmt)})
    return names[1:]


@pytest.mark.parametrize("name", EDITS)
def test_only_who_looks_a_member_up_is_concerned(name: str) -> None:
    old, new, concerned = EDITS[name]
    assert PROGRAM.count(old) == 1
    for again in ran([PROGRAM, PROGRAM.replace(old, new), PROGRAM, PROGRAM.replace(old, new)]):
        assert {one for one in again if one not in ("Base", "Net")} == concerned
        assert again & {"Base", "Net"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    factor = 2", "    factor = 2\\n    __constants__ = ['factor']"),
        ("class Base(nn.Module):", "@str\nclass Base(nn.Module):"),
        ("class Base(nn.Module)", "class Base(nn.Module, object)"),
        ("What others derive from.", "Another text."),
        ("    factor = 2", "    factor: int = 2"),
        ("    factor = 2", "    factor = torch.ones(3)"),
        ("    factor = 2", "    factor = 2\n\n    class Inner:\n        pass"),
        ("    def extra_repr", "    def __init_subclass__(cls):\n        cls.factor = 5\n\n    def extra_repr"),
        ("    def reset", "    @classmethod\n    def __set_name__(cls, *a):\n        pass\n\n    def reset"),
    ],
)
def test_whatever_else_is_edited_the_answer_is_right(old: str, new: str) -> None:
    edited = PROGRAM.replace(old, new)
    assert edited != PROGRAM
    ran([PROGRAM, edited, PROGRAM, edited.replace("factor", "divisor"), edited])


CLOSURE = """\
import torch
from torch import nn

def changed(often):
    def change(self, y):
        return y.add_(1) if often else y
    return change

class Net(nn.Module):
    \"\"\"Changes what it has saved.\"\"\"
    finish = changed(True)

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        return self.finish(self.lin(x).exp())

net = Net()
net(torch.ones(2, 3)).sum().backward()
"""


def test_what_a_function_closes_over_counts() -> None:
    edited = CLOSURE.replace("changed(True)", "changed(False)")
    assert all("sum" in names for names in ran([CLOSURE, edited, CLOSURE, edited]))


def test_members_that_share_something_go_on_sharing_it() -> None:
    program = PROGRAM + "Base.shared[0].exp_()\nBase.kept()[0].backward()\n"
    shared = "    shared = [torch.ones(3, requires_grad=True).exp()]\n\n    @staticmethod\n    def kept(of=shared):\n"
    program = program.replace("    def extra_repr", f"{shared}        return of\n\n    def extra_repr")
    edited = program.replace("def kept(of=shared)", "def kept(of=shared, a=0)")
    assert edited != program
    ran([program, edited, program, edited])

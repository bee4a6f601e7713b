"""In which turn classes and functions are entered."""

from __future__ import annotations

import pytest
from gradguard.analyses.program.turns import Defined, Turns

from .replaying import replayed

PROGRAMS = {
    "what a class is made of comes before it": (
        "class Net:\n    def __init__(self):\n        self.a, self.b = Second(), First()\n"
        "class First: ...\nclass Second:\n    def made(self):\n        return Third()\nclass Third: ...\n",
        "First Third Second Net",
    ),
    "classes come before functions, public ones before private ones": (
        "def run():\n    return Net()\nclass _Block: ...\n"
        "class Net:\n    def __init__(self):\n        self.block = _Block()\n",
        "Net run _Block",
    ),
    "of two that make each other one is first": (
        "class A:\n    def f(self):\n        return B()\nclass B:\n    def f(self):\n        return A()\n",
        "B A",
    ),
    "a base stays before what derives from it": (
        "class Base:\n    def f(self):\n        return Derived()\nclass Derived(Base): ...\n",
        "Base Derived",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_has_its_turn(name: str) -> None:
    text, expected = PROGRAMS[name]
    defined = [Defined("main.py", key, key, v) for key, v in replayed(text).names.items() if not key.startswith("__")]
    turns = Turns()
    for _ in range(2):
        assert [one.name for one in turns.order(defined, ["main.py"])] == expected.split()

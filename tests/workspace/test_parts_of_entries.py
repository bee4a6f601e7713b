"""A class is entered part by part: an edit of one method has only that run again, and what rests on it.

The methods are drawn from such as have to do with one another through the object: what one sets another reads, changes
in place, replaces, keeps in a list, or computes with; names of the module and of the class among it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .test_steps import Program, Steps

FIELDS = ("p", "q", "r")
PIECES = (
    "self.{x} = torch.ones(3, requires_grad=True)",
    "self.{x} = torch.exp(self.{y})",
    "self.{x} = self.{y}",
    "self.{x} = self.{y} * t",
    "self.{x} += 1",
    "self.{x}.mul_(2)",
    "self.{x} = None",
    "self.kept.append(self.{x})",
    "self.{x} = self.kept[-1]",
    "self.kept[0].add_(1)",
    "self.{x}.sum().backward()",
    "with torch.no_grad():\n            self.{x}.zero_()",
    "if self.{x} is None:\n            self.{x} = t.clone()",
    "t += self.{x}",
    "t = torch.sigmoid(t + self.{x})",
    "seen.append(self.{x})",
    "self.{x} = seen[-1]",
    "seen[0].add_(1)",
    "type(self).held = self.{x}",
    "self.{x} = self.held",
    "t = self.layer(t)",
    "self.layer = torch.nn.Linear(3, 3)",
    "self.{x} = self.one(t)",
    "t = self._two(t)",
    "self.{x} = self.options.size",
    "t.size(0)",
    "torch.set_grad_enabled(False)",
    "raise ValueError",
)
METHODS = ("__init__", "forward", "one", "_two", "three", "four")


class Methods(Program):
    """A module whose methods are edited a piece at a time."""

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__(seed, folder)
        self.pieces = {name: [self.piece() for _ in range(self.rng.randrange(1, 4))] for name in METHODS}
        self.compose()

    def piece(self) -> str:
        return self.rng.choice(PIECES).format(x=self.rng.choice(FIELDS), y=self.rng.choice(FIELDS))

    def compose(self) -> None:
        given = ["super().__init__()", "self.options, self.kept = options, []", "t = torch.rand(3)"]
        given += [f"self.{field} = torch.rand(3, requires_grad=True)" for field in FIELDS]
        self.lines = ["import torch", "seen = []", "class Net(torch.nn.Module):", "    held = 1"]
        for name, pieces in self.pieces.items():
            first = name == "__init__"
            self.lines.append(f"    def {name}(self, {'options' if first else 't'}):")
            self.lines += [f"        {piece}" for piece in (*(given if first else ()), *pieces)]
            self.lines += [] if first else ["        return t"]
        self.lines += ["class Heir(Net):", "    def three(self, t):", "        return super().three(t) * self.p"]

    def edit(self) -> None:
        rng = self.rng
        pieces = self.pieces[rng.choice(METHODS)]
        match rng.randrange(3):
            case 0:
                pieces.insert(rng.randrange(len(pieces) + 1), self.piece())
            case 1 if len(pieces) > 1:
                del pieces[rng.randrange(len(pieces))]
            case _:
                pieces[rng.randrange(len(pieces))] = self.piece()
        self.compose()


def run(seed: int, edits: int, folder: Path) -> None:
    """Edit a program; raises AssertionError where an answer is wrong."""
    program = Methods(seed, folder)
    for number in range(edits):
        wrong = program.differences()
        assert wrong == [], f"seed {seed}, edit {number}: {wrong}\n" + "\n".join(program.lines)
        program.edit()


@pytest.mark.parametrize("seed", range(30))
def test_after_methods_are_edited_all_is_told_that_a_replay_from_the_start_tells(seed: int, tmp_path: Path) -> None:
    run(seed, 12, tmp_path)


MANY = 30
NET = "\n".join(
    (
        "import torch",
        "from torch import nn",
        "class Net(nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        *(f"        self.layer{i} = nn.Linear(3, 3)" for i in range(MANY)),
        "    def forward(self, x):",
        *(f"        x = self.layer{i}(x)" for i in range(MANY)),
        "        return x",
        "    def other(self, x):",
        *(f"        x = x * {i}" for i in range(MANY)),
        "        return x",
        "    def last(self, x):",
        "        return self.other(x) + 1",
        "",
    )
)


@pytest.mark.parametrize(
    ("before", "after", "runs"),
    [
        ("+ 1", "+ 2", ["last", "other"]),
        ("x = x * 3\n", "x = x * 4\n", ["other", "last", "other"]),
        ("x = self.layer3(x)", "x = self.layer4(x)", ["forward", "layers"]),
    ],
)
def test_a_method_that_is_edited_is_entered_again_with_what_calls_it(
    before: str, after: str, runs: list[str], tmp_path: Path
) -> None:
    steps = Steps(tmp_path)
    whole, each = steps(NET), MANY + 3
    assert whole > 6 * MANY
    assert 0 < steps(NET.replace(before, after)) <= len(runs) * each
    assert steps(NET) == 0, "it is taken back"


def test_what_rests_on_an_object_is_run_again_when_its_constructor_is_edited(tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    whole = steps(NET)
    assert steps(NET.replace("nn.Linear(3, 3)", "nn.Linear(3, 4)", 1)) > whole / 2


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        run(number + 1000, int(sys.argv[2]), Path("/nowhere"))

"""What an operator makes of one of several tensors is one tensor, and fails as each of them would."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.program import Session
from gradguard.analyses.values import Unknown, nests
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
    n = session.frames["main.py"].d["n"]
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

"""Programs that PyTorch refuses to run backward through, or runs, and what is told of them."""

from __future__ import annotations

from typing import Any

import pytest
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Diagnostic, diagnose
from gradguard.syntax.chunks import parse

from .replaying import Alone


def told_of_refused(text: str, output: str, why: str = "modified by an inplace operation") -> Diagnostic:
    """The one thing that is told of a program, where PyTorch refuses to run backward from an `output` of its module."""
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(RuntimeError, match=why):
        exec(f"{output}.sum().backward()", scope)
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    return found


def told_of_working(text: str, output: str) -> list[Diagnostic]:
    """What is told of a program where PyTorch runs backward from an `output` of its module."""
    scope: dict[str, Any] = {}
    exec(text, scope)
    exec(f"{output}.sum().backward()", scope)
    return diagnose(replay([parse(text, "main.py")], Alone()))

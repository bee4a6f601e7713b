"""A program as it grows: its statements, their text, and what a run of them shows."""

from __future__ import annotations

import contextlib
import io
import signal
import warnings
from dataclasses import dataclass
from typing import Any

import torch
from gradguard.runtime.kinds import kind_of

LONGEST_RUN = 1.0
"""seconds of CPU that a program may take"""

IMPORTS = "import copy\n\nimport numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"


@dataclass(slots=True)
class Block:
    """A compound statement: its first line and its body."""

    head: str
    body: list[Statement]
    grows: int = 0
    """how many statements its body is to have"""


@dataclass(frozen=True, slots=True)
class Look:
    """A place in the program whose names are wanted."""

    number: int


Statement = str | Block | Look
Drawn = str | list[Any] | None
"""what is drawn: statements, None if nothing fits"""


def render(body: list[Statement], indent: str = "") -> str:
    """The text of statements; a `Look` becomes a call of `__look__`."""
    lines = []
    for statement in body:
        if isinstance(statement, Block):
            *decorators, head = statement.head.splitlines()
            lines += [indent + line for line in (*decorators, f"{head}:")]
            lines.append(render(statement.body, indent + "    ") or f"{indent}    pass")
        elif isinstance(statement, Look):
            lines.append(f"{indent}__look__({statement.number}, locals())")
        else:
            lines += [f"{indent}{line}" for line in statement.splitlines()]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a run showed: the names at the last look, and the kind of failure (`other`: it makes no sense)."""

    names: dict[int, dict[str, Any]]
    failed: str | None
    message: str = ""


def attempt(body: list[Statement]) -> Tried:
    """Run a program and tell what was in scope at its looks."""
    return attempt_text(IMPORTS + render(body))


def attempt_text(text: str) -> Tried:
    """Run a program's text, which may call `__look__`."""
    seen: dict[int, dict[str, Any]] = {}

    def look(number: int, names: dict[str, Any]) -> None:
        seen[number] = dict(names)

    namespace: dict[str, Any] = {"__name__": "__main__", "__look__": look}
    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    failed, message = None, ""
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_RUN)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            exec(compile(text, "<drawn>", "exec"), namespace)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        failed = kind_of(message) or "other"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
    shared = {k: v for k, v in namespace.items() if not k.startswith("__")}
    return Tried({number: shared | names for number, names in seen.items()}, failed, message)


def _too_long(*_: object) -> None:
    raise TimeoutError

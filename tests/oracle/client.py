"""Asks what real PyTorch does with a program: the truth that a static verdict is held against.

`run_program` runs a program with anomaly mode on and tells whether PyTorch refused it or got its
gradients silently wrong, and which lines did what. `trace_versions` runs one file and tells the state
of its tensors after each line.

Each program runs in a process of its own, forked from a server that has imported torch already
(`python -m tests.oracle`), so that a run costs some milliseconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from gradguard.workspace.record import Sighting, sighting

from .answers import Reading, Row, Verdict
from .execute import SECONDS

ROOT = Path(__file__).resolve().parents[2]


def run_program(path: Path) -> Verdict:
    """Run a program, a file or a folder with a `main.py`, and tell what PyTorch did with it.

    Raises RuntimeError if it crashes its interpreter or takes more than `SECONDS`.
    """
    entry = path / "main.py" if path.is_dir() else path
    reply = _server().ask("judge", entry)
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in reply.items()}
    return Verdict(**fields)


def trace_versions(path: Path) -> list[Row]:
    """The state of the tensors that each statement of a file names, in the order of lines and names.

    A program that fails is traced up to its failure. Raises RuntimeError as `run_program` does.
    """
    return [Row(**row) for row in _server().ask("trace", path)]


def trace_readings(path: Path) -> tuple[list[Row], list[Reading]]:
    """What `trace_versions` tells of a file, and what each backward in it reads of the tensors that the rows tell of,
    as far as PyTorch shows it. Raises RuntimeError as `run_program` does.
    """
    told = _server().ask("readings", path)
    return [Row(**row) for row in told["rows"]], [Reading(**reading) for reading in told["readings"]]


def watched(path: Path) -> tuple[list[Sighting], str]:
    """What the run-time companion tells of a program, a file or a folder with a `main.py`, and what Python prints
    of the error in which it ends. Raises as `run_program` does.
    """
    entry = path / "main.py" if path.is_dir() else path
    seen, printed = _server().ask("companion", entry)
    return [sighting(one) for one in seen], printed


def printed_error(path: Path, anomaly: bool = True) -> str:
    """What Python prints when a program, a file or a folder with a `main.py`, fails: its traceback, and before it
    the trace of anomaly mode, if that is on. Empty if the program runs. Raises RuntimeError as `run_program` does.
    """
    entry = path / "main.py" if path.is_dir() else path
    text: str = _server().ask("print-anomaly" if anomaly else "print", entry)
    return text


class _Server:
    """A process with torch imported that forks a child for each program."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.oracle"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, what: str, path: Path) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([what, str(path.resolve())]) + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline().strip()
        if not reply:
            raise RuntimeError(f"{path} crashed its interpreter or ran for more than {SECONDS} s")
        return json.loads(reply)


@cache
def _server() -> _Server:
    return _Server()

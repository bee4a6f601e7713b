"""What could not be done, in a line that a user can act on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with a file or a path, as opposed to a finding in the program.

    `line` and `column` are 1-based; None where the whole file is meant. `internal` says that the fault is
    GradGuard's own.
    """

    path: str
    message: str
    line: int | None = None
    column: int | None = None
    internal: bool = False


class Unreadable(Exception):
    """A file that cannot be read as a program; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.path}: {problem.message}")
        self.problem = problem

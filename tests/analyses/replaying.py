"""Replays a text and keeps the machine, so that tests see what the names stand for in the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradguard.analyses.program.session import Session
from gradguard.syntax.chunks import parse

from ..installed import FACTS

if TYPE_CHECKING:
    from gradguard.analyses import Modules
    from gradguard.analyses.domain.values import Value
    from gradguard.analyses.python.machine import Machine
    from gradguard.syntax.chunks import Source


class Alone:
    """The modules of a program that has none but its own file."""

    facts = FACTS

    def load(self, name: str, level: int, importer: str) -> Source | None:
        return None


@dataclass(frozen=True, slots=True)
class Replayed:
    """A file after its own code was replayed: the machine, and the file's names with their values."""

    machine: Machine
    names: dict[str, Value]


def replayed(text: str) -> Replayed:
    """Replay a file's own code (not its entry points); an internal error is raised."""
    return replayed_file(parse(text, "main.py"), Alone())


def replayed_file(source: Source, modules: Modules) -> Replayed:
    """The same for a file that imports others."""
    session = Session(modules)
    session.m.debug = True
    session.run_file(source, 0, is_fresh=lambda _: True)
    return Replayed(session.m, session.m.files.frames[source.path].variables)

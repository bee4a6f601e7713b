"""A run: many programs compared in parallel, each difference made small and held against the known limits.

Programs are drawn and compared in forked processes, a batch each, so that one that crashes its interpreter costs
no other.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import connection
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ..oracle.answers import Row, Verdict
from ..oracle.judge import judge
from ..oracle.trace import trace
from . import recipes
from .compare import STATES, Comparison, Disagreement, compare
from .generate import draw
from .known import LIMITS, Limit
from .mending import Figures, mend
from .program import attempt_text
from .shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from .generate import Program
    from .mending import Mending

BATCH = 25
"""programs a process"""
VERDICTS, VERSIONS = 0.995, 0.999
"""the share of verdicts, and of versions, that has to be right"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A program on which the two differ, as small as it was found to be, and the limit that explains it."""

    seed: str
    text: str
    disagreement: Disagreement
    limit: Limit | None

    def __str__(self) -> str:
        return f"-- {self.seed}: {self.disagreement}\n{self.text}"


@dataclass(slots=True)
class Result:
    """The figures of a run."""

    seed: str
    count: int
    kinds: Counter[str] = field(default_factory=Counter)
    """programs by kind of failure, `runs` and `not comparable` among them"""
    agreed: Counter[str] = field(default_factory=Counter)
    """of these, those whose verdict GradGuard foretold"""
    points: int = 0
    exact: int = 0
    open: int = 0
    flags: int = 0
    used: set[str] = field(default_factory=set)
    differences: list[Difference] = field(default_factory=list)
    fixes: Figures = field(default_factory=Figures)
    seconds: float = 0.0

    @property
    def compared(self) -> int:
        """How many programs were compared."""
        return sum(self.kinds.values()) - self.kinds["not comparable"]

    @property
    def unexplained(self) -> list[Difference]:
        """What differs and is not known to."""
        return [difference for difference in self.differences if difference.limit is None]

    @property
    def good_enough(self) -> bool:
        """Whether enough was foretold, and no fix does what it should not."""
        if self.fixes.problems:
            return False
        return sum(self.agreed.values()) >= VERDICTS * self.compared and self.exact >= VERSIONS * self.points

    def add(self, program: Program, comparison: Comparison | None) -> None:
        """Count a program."""
        self.used |= program.used
        kind = "not comparable" if comparison is None else comparison.kind or "runs"
        self.kinds[kind] += 1
        if comparison:
            self.agreed[kind] += comparison.verdict_agrees
            self.points += comparison.points
            self.exact += comparison.exact
            self.open += len(comparison.open)
            self.flags += comparison.flags


def run(
    count: int,
    seed: str,
    jobs: int,
    progress: TextIO,
    told: Callable[[str], object] = str,
    first: int = 0,
    mended: int = 0,
) -> Result:
    """Compare `count` programs, from the one numbered `first`; of the first `mended`, mend those that fail.

    `told` hears of each difference that nothing explains, and of each wrong fix, as soon as it is found.
    """
    recipes.calls(), recipes.modules()
    result, began = Result(seed, count), time.monotonic()
    seeds = [f"{seed}/{i}" for i in range(first, first + count)]
    batches = [seeds[i : i + BATCH] for i in range(0, count, BATCH)]
    with tempfile.TemporaryDirectory() as folder:
        done = 0
        work = partial(_batch, mended=frozenset(seeds[:mended]))
        for batch, answer in forked(batches, work, jobs, Path(folder)):
            done += len(batch)
            for seed, program, comparison, differences, mending in answer or ():
                result.add(program, comparison)
                result.differences += differences
                for difference in differences:
                    if difference.limit is None:
                        told(str(difference))
                if mending is not None:
                    for problem in result.fixes.add(seed, mending):
                        told(problem)
            if answer is None:
                result.kinds["not comparable"] += len(batch)
            wrong = len(result.unexplained)
            pace = (time.monotonic() - began) / done
            progress.write(f"\r{done} of {count} programs, {wrong} unexplained, {1000 * pace:.0f} ms each  ")
            progress.flush()
    progress.write("\n")
    result.seconds = time.monotonic() - began
    return result


Answer = list[tuple[str, "Program", "Comparison | None", list[Difference], "Mending | None"]]


def _batch(seeds: Sequence[str], folder: Path, mended: Collection[str] = ()) -> Answer:
    programs = [draw(seed) for seed in seeds]
    answer: Answer = []
    for seed, program in zip(seeds, programs, strict=True):
        comparison = judged(program.text, folder)
        differences = list(_differences(seed, program.text, comparison, folder)) if comparison else []
        fails = comparison is not None and comparison.kind is not None
        mending = mend(program.text, folder / "mended") if fails and seed in mended else None
        answer.append((seed, program, comparison, differences, mending))
    return answer


def judged(text: str, folder: Path, about: str | None = None) -> Comparison | None:
    """Compare a program, or only what tells whether the two differ about something.

    None for a program that PyTorch doesn't run for a reason of its own.
    """
    path = folder / "main.py"
    path.write_text(text)
    state = about in STATES and attempt_text(text).failed is None
    verdict = Verdict(**{key: _frozen(value) for key, value in judge(path).items()}) if not state else None
    if verdict and verdict.kind == "other":
        return None
    rows = [Row(**row) for row in trace(path)] if state or about is None else []
    return compare(text, verdict, rows)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _differences(seed: str, text: str, comparison: Comparison, folder: Path) -> Iterator[Difference]:
    """What differs on a program, each thing on the smallest program that shows it."""
    for about in sorted({d.about for d in comparison.disagreements}):
        small = smallest(text, about, folder)
        last = judged(small, folder, about) or comparison
        told = next((d for d in last.disagreements if d.about == about), comparison.disagreements[0])
        abouts = partial(differing, folder=folder)
        limit = next((limit for limit in LIMITS if limit.explains(told, small, abouts)), None)
        yield Difference(seed, small, told, limit)


def differing(text: str, folder: Path) -> set[str] | None:
    """On what the two differ on a program; None for one that PyTorch doesn't run for a reason of its own."""
    comparison = judged(text, folder)
    return comparison and {d.about for d in comparison.disagreements}


def smallest(text: str, about: str, folder: Path) -> str:
    """The smallest program found on which the two differ about the same thing."""

    def interesting(candidate: str) -> bool:
        if attempt_text(candidate).failed == "other":
            return False
        comparison = judged(candidate, folder, about)
        return comparison is not None and about in {d.about for d in comparison.disagreements}

    return shrink(text, interesting)


# -- processes ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Place:
    """One of the processes that work at a time."""

    folder: Path
    child: int = 0
    batch: list[str] = field(default_factory=list)


def forked(
    batches: list[list[str]], work: Callable[[list[str], Path], Answer], jobs: int, folder: Path
) -> Iterator[tuple[list[str], Answer | None]]:
    """Yield each batch with what `work` returned for it, None where its process died."""
    waiting = batches[::-1]  # taken from the end
    running: dict[Any, Place] = {}
    idle = [Place(folder / str(i)) for i in range(min(jobs, len(batches)))]
    for place in idle:
        place.folder.mkdir()
    while waiting or running:
        while waiting and idle:
            place = idle.pop()
            place.batch = waiting.pop()
            reader, writer = Pipe(duplex=False)
            place.child = os.fork()
            if place.child == 0:
                for stream in (1, 2):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
                try:
                    writer.send_bytes(pickle.dumps(work(place.batch, place.folder)))
                finally:
                    os._exit(0)
            writer.close()
            running[reader] = place
        for reader in connection.wait(list(running)):
            place = running.pop(reader)
            try:
                answer = pickle.loads(reader.recv_bytes())
            except EOFError:
                answer = None
            os.waitpid(place.child, 0)
            idle.append(place)
            if answer is None and len(place.batch) > 1:  # one of them ended the process
                waiting += [[seed] for seed in place.batch]
            else:
                yield place.batch, answer

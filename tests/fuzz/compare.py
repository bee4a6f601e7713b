"""Holds what GradGuard says of a program against what PyTorch does with it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gradguard.analyses.program.session import replay
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse

from ..analyses.replaying import Alone
from ..analyses.states import states_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradguard.analyses.domain.report import Failure, Report, Site, VersionRow

    from ..oracle.answers import Row, Verdict

TWO_PLACES = {"stale-saved", "silent-stale"}
"""the kinds that are told by two lines: where the tensor was saved and where it was changed"""


DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Lambda)
"""what holds code that runs later than its place"""


STATES = {"version", "requires_grad", "is_leaf", "sharing"}
"""what is compared line by line"""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing on which the two differ. `about` is what kind of thing, the same for all that have one cause."""

    about: str
    line: int
    ours: str
    torch: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.about}: GradGuard says {self.ours}, PyTorch {self.torch}"


@dataclass(slots=True)
class Comparison:
    """How far the two agree on one program."""

    kind: str | None
    verdict_agrees: bool = True
    disagreements: list[Disagreement] = field(default_factory=list)
    points: int = 0
    """versions compared"""
    exact: int = 0
    """of these, those of which GradGuard knows the number, and it is so"""
    open: list[tuple[int, str]] = field(default_factory=list)
    """lines and names of versions that GradGuard leaves open"""
    flags: int = 0
    """`requires_grad`, `is_leaf` and sharing compared"""


def compare(text: str, verdict: Verdict | None, rows: list[Row]) -> Comparison:
    """Compare the two answers on a program of one file; without a verdict (it ran), the states alone."""
    report = replay([parse(text, "main.py")], Alone())
    found = Comparison(verdict and verdict.kind)
    found.disagreements += [Disagreement("internal error", 0, problem, "-") for problem in report.problems]
    places = Places(text)
    if verdict:
        _compare_verdicts(report, verdict, places, found)
    _compare_states(report, verdict, rows, places, found)
    return found


class Places:
    """The lines of a program and the statements of its top level that they belong to."""

    def __init__(self, text: str) -> None:
        body = ast.parse(text).body
        self.top = {
            line: (number, any(isinstance(node, DEFINITIONS) for node in ast.walk(statement)))
            for number, statement in enumerate(body)
            for line in range(statement.lineno, (statement.end_lineno or 0) + 1)
        }

    def ran_before(self, line: int, failing: int) -> bool:
        """Whether a line's statement was done when `failing` failed; False where that isn't plain."""
        number, defines = self.top.get(line, (0, True))
        return not defines and number < self.top[failing][0]


def line_of(site: Site) -> int:
    return site.chunk.span(site.node).start_line + 1


def lines_of(site: Site | None) -> range:
    if site is None:
        return range(0)
    span = site.chunk.span(site.node)
    return range(span.start_line + 1, span.end_line + 2)


def numbers(places: tuple[str, ...]) -> set[int]:
    return {int(place.rpartition(":")[2]) for place in places}


# -- verdicts -------------------------------------------------------------------------------------


def _compare_verdicts(report: Report, verdict: Verdict, places: Places, found: Comparison) -> None:
    told = [
        d.failure for d in diagnose(report) if d.severity <= Severity.WARNING and d.failure and _is_of_run(d.failure)
    ]
    raised = numbers(verdict.stack[:1])
    early = [f for f in told if verdict.ok or (raised and places.ran_before(line_of(_end(f)), *raised))]
    if verdict.kind in ("silent-stale", "nonleaf-grad"):
        early = told
    for failure in [f for f in early if not is_so(f, verdict)]:
        found.verdict_agrees = False
        about = f"false {failure.kind}"
        found.disagreements.append(Disagreement(about, line_of(failure.site), _described(failure), _truth(verdict)))
    if not verdict.ok:
        _compare_failure(told, verdict, found)


def _is_of_run(failure: Failure) -> bool:
    """Whether a failure is told of this very run, not of a training of a module that the program only calls."""
    return all(assumption.kind != "trained" for assumption in failure.assumptions)


def is_so(failure: Failure, verdict: Verdict) -> bool:
    """Whether a failure that is told to come is the one that came, or a warning that did."""
    if failure.kind == "nonleaf-grad":
        return bool(numbers(verdict.lost) & {*lines_of(failure.site)})
    if failure.kind == "silent-stale" and failure.saved:
        return bool(numbers(verdict.silent) & {*lines_of(failure.saved.site)})
    return failure.kind == verdict.kind and not _lacking(failure, verdict)


def _compare_failure(told: list[Failure], verdict: Verdict, found: Comparison) -> None:
    alike = [f for f in told if f.kind == verdict.kind]
    lacking = min((_lacking(f, verdict) for f in alike), key=len, default=["missed"])
    if lacking:
        found.verdict_agrees = found.verdict_agrees and "missed" not in lacking
        line = max(numbers(verdict.mutation[-1:] or verdict.stack[-1:]), default=0)
        ours = "; ".join(map(_described, told)) or "nothing"
        about = f"{' and '.join(lacking)} {verdict.kind}"
        found.disagreements.append(Disagreement(about, line, ours, _truth(verdict)))


def _lacking(failure: Failure, verdict: Verdict) -> list[str]:
    """Which lines of a failure are not those of the truth."""
    lacking = []
    if verdict.kind in TWO_PLACES:
        if verdict.saved and not (failure.saved and numbers(verdict.saved) & {*lines_of(failure.saved.site)}):
            lacking.append("saved line of")
        if verdict.mutation and not numbers(verdict.mutation) & _writes(failure):
            lacking.append("changed line of")
        end = failure.backward or failure.raised
        if verdict.stack and end and not numbers(verdict.stack) & {*lines_of(end)}:
            lacking.append("raised line of")
    elif not _raising(verdict) & {*lines_of(failure.site), *lines_of(failure.raised)}:
        lacking.append("line of")
    return lacking


def _raising(verdict: Verdict) -> set[int]:
    """The line that raised; what is found when saved tensors are unpacked is told at its backward, also where the body
    of a custom one reads them."""
    unpacked = verdict.kind == "freed-graph" or "its base or another view" in (verdict.message or "")
    return numbers(verdict.stack if unpacked else verdict.mutation)


def _writes(failure: Failure) -> set[int]:
    hops = [hop.site for hop in failure.hops if hop.kind == "changed"]
    sites = [failure.site, *([failure.write.site] if failure.write else []), *hops]
    return {line for site in sites for line in lines_of(site)}


def _end(failure: Failure) -> Site:
    """Where the failure comes to light."""
    return failure.raised or failure.backward or failure.site


def _described(failure: Failure) -> str:
    saved = f" saved at {line_of(failure.saved.site)} by {failure.saved.op}" if failure.saved else ""
    return f"{failure.kind} of {failure.name} at {line_of(failure.site)}{saved}, raised at {line_of(_end(failure))}"


def _truth(verdict: Verdict) -> str:
    if verdict.ok:
        return "runs"
    saved, changed = sorted(numbers(verdict.saved)), sorted(numbers(verdict.mutation))
    message = (verdict.message or "").splitlines()[0][:160] if verdict.message else ""
    return f"{verdict.kind}, saved {saved}, changed {changed}, raised {verdict.raised}: {message}"


# -- states ---------------------------------------------------------------------------------------


def _compare_states(
    report: Report, verdict: Verdict | None, rows: list[Row], places: Places, found: Comparison
) -> None:
    states = states_of(report.rows)
    stop = min(numbers(verdict.stack[:1]), default=0) if verdict else 0
    known: list[tuple[Row, VersionRow]] = []
    for real in rows:
        if stop and not places.ran_before(real.line, stop):
            continue  # the failure came when its statement was on its way
        found.points += 1
        ours = states.get((real.line, real.name))
        if ours is None or ours.version is None:
            found.open.append((real.line, real.name))
        if ours is not None:
            known.append((real, ours))
            before = len(found.disagreements)
            found.disagreements += _wrong(real, ours)
            found.flags += 2
            found.exact += ours.version is not None and len(found.disagreements) == before
    found.disagreements += _sharing(known, found)


def _wrong(real: Row, ours: VersionRow) -> Iterator[Disagreement]:
    if ours.low > real.version or (ours.high is not None and real.version > ours.high):
        range_ = f"{ours.low}" if ours.low == ours.high else f"{ours.low} to {ours.high}"
        yield Disagreement("version", real.line, f"{real.name} {range_}", str(real.version))
    for name, told, fact in (
        ("requires_grad", ours.requires_grad, real.requires_grad),
        ("is_leaf", ours.is_leaf, real.is_leaf),
    ):
        if told is not None and told is not fact:
            yield Disagreement(name, real.line, f"{real.name} {told}", str(fact))


def _sharing(known: list[tuple[Row, VersionRow]], found: Comparison) -> Iterator[Disagreement]:
    for i, (real, ours) in enumerate(known):
        for other, theirs in known[:i]:
            found.flags += 1
            if (real.storage == other.storage) is not (ours.storage == theirs.storage):
                names = f"{other.name} (line {other.line}) and {real.name}"
                said = ("have memory of their own", "share memory")
                yield Disagreement(
                    "sharing",
                    real.line,
                    f"{names} {said[ours.storage == theirs.storage]}",
                    said[real.storage == other.storage],
                )

"""From what the replay found to what a user reads: `diagnose(report)`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ..analyses.domain.report import Assumption, Failure, Hop, Report, Saved, Site, Write, fault
from ..analyses.domain.usual import are_far_fetched
from ..analyses.stories.explain import UNFINISHED
from ..facts.history import not_saving, ranges
from . import RULES, phrases
from .messages import Locale, say
from .nearest import nearest
from .rule import Rule, Severity
from .wording import remark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .wording import Wording

T = TypeVar("T")

MOST_RELATED = 6
"""how many related places a diagnostic has at most"""


@dataclass(frozen=True, slots=True)
class Related:
    """A further place that explains a diagnostic."""

    site: Site
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What is wrong at a site. `failure` is what the replay found; an unused suppression has none."""

    rule: Rule
    severity: Severity
    words: Wording
    site: Site
    related: tuple[Related, ...] = ()
    failure: Failure | None = None

    @property
    def message(self) -> str:
        """What is wrong, in one or two sentences."""
        return self.words.message


def diagnose(report: Report, locale: Locale = "en") -> list[Diagnostic]:
    """The diagnostics of a replay, by file and position; those of one rule at one site become one.

    A failure that no rule is about (kind `other` outside a custom Function) is left out. An internal error costs the
    diagnostic in which it happened, and is reported in `report.problems`.
    """
    groups: dict[tuple[str, Position], list[Failure]] = {}
    for failure in report.failures:
        rule = _guarded(report, failure, partial(rule_of, failure))
        if rule is not None and is_worth_reading(rule, failure.assumptions):
            groups.setdefault((rule.code, position(failure.site)), []).append(failure)
    ordered = sorted(groups.items(), key=lambda item: (item[0][1], item[0][0]))
    found = [_guarded(report, some[0], partial(_diagnostic, RULES[code], some, locale)) for (code, _), some in ordered]
    return [diagnostic for diagnostic in found if diagnostic is not None]


def _guarded(report: Report, failure: Failure, run: Callable[[], T]) -> T | None:
    """Run something about a failure; an internal error is reported, with what it takes to reproduce it."""
    try:
        return run()
    except Exception as error:
        report.problems.append(fault(f"telling of {failure.kind}", failure.site, error))
        return None


def unused_suppression(site: Site, codes: Sequence[str], locale: Locale = "en") -> Diagnostic:
    """GG900 for a comment that suppresses nothing; `codes` are the idle ones, none if it names none."""
    rule = RULES["GG900"]
    return Diagnostic(rule, rule.severity, _idle(codes, locale), site)


def _idle(codes: Sequence[str], locale: Locale) -> Wording:
    """The words about idle codes; for an unknown code, which one may have been meant."""
    label = "unused-suppression-label"
    if not codes:
        return remark("unused-suppression-all", locale, label)
    known = [word for rule in RULES.values() for word in (rule.code, rule.name)]
    unknown = next((code for code in codes if code.lower() not in map(str.lower, known)), None)
    if unknown is None:
        return remark("unused-suppression", locale, label, codes=(", ".join(codes), f"{codes[0]}, …"))
    if (meant := nearest(unknown, known)) is None:
        return remark("unknown-suppressed", locale, label, code=unknown)
    return remark("unknown-suppressed-meant", locale, label, code=unknown, meant=meant)


def rule_of(failure: Failure) -> Rule | None:
    """The one rule that is about a failure."""
    return next((rule for rule in RULES.values() if rule.matches(failure)), None)


def severity(rule: Rule, assumptions: Sequence[Assumption]) -> Severity:
    """How sure a failure is: as the rule says, a warning if it rests on assumptions, a hint on far-fetched ones."""
    if are_far_fetched(assumptions, 0 if rule.unrecorded else 1):
        return Severity.HINT
    return max(rule.severity, Severity.WARNING) if assumptions else rule.severity


def is_worth_reading(rule: Rule, assumptions: Sequence[Assumption]) -> bool:
    """Whether what rests on these assumptions is told at all.

    It isn't where the author's own code says that nothing is recorded, and they are far-fetched; nor where one of them
    is that what was left unfinished changes nothing, and there are others but that a module is trained.
    """
    if UNFINISHED in assumptions and any(a.kind not in ("guess", "trained") for a in assumptions):
        return False
    return not (rule.unrecorded and are_far_fetched(assumptions, 0))


Position = tuple[str, int, int, int, int]


def position(site: Site) -> Position:
    """A site as its file and its range there, by which sites are compared and put in order."""
    span = site.chunk.span(site.node)
    return site.chunk.path, span.start_line, span.start_col, span.end_line, span.end_col


def _diagnostic(rule: Rule, failures: list[Failure], locale: Locale) -> Diagnostic:
    lead = min(failures, key=lambda failure: severity(rule, failure.assumptions))
    others = [failure for failure in failures if failure is not lead]
    return Diagnostic(
        rule,
        severity(rule, lead.assumptions),
        rule.message(lead, locale),
        lead.site,
        _related([lead, *others], locale),
        lead,
    )


# -- related places ---------------------------------------------------------------------------

SAVED, ON_THE_WAY, CHANGED, BACKWARD = range(4)
"""the order of related places"""

Station = tuple[int, Site, str]


def _related(failures: list[Failure], locale: Locale) -> tuple[Related, ...]:
    """The places of all failures in the order of the story; if there are too many, the stations between are dropped."""
    stations = [s for failure in failures for s in _ends(failure, locale)]
    stations += [s for failure in failures for s in _hops(failure, locale)]
    seen = {position(failures[0].site)}
    chosen: list[Station] = []
    for station in stations:
        if position(station[1]) not in seen and len(chosen) < MOST_RELATED:
            seen.add(position(station[1]))
            chosen.append(station)
    return tuple(Related(site, message) for _, site, message in sorted(chosen, key=lambda station: station[0]))


def _ends(failure: Failure, locale: Locale) -> Iterator[Station]:
    """Where the tensor was saved, where it was changed, and where that surfaces."""
    if failure.saved:
        yield SAVED, failure.saved.site, _saved(failure.saved, locale)
    if failure.write:
        write = failure.write
        yield CHANGED, write.site, _changed(phrases.what_changes(write), write.name, write, locale)
    if failure.backward:
        yield BACKWARD, failure.backward, _backward(failure, failure.backward, locale)
    if failure.raised:
        yield BACKWARD, failure.raised, say("related-raised", locale)


def _saved(saved: Saved, locale: Locale) -> str:
    told = say(
        "related-saved",
        locale,
        op=say("quote", locale, text=saved.op),
        tensor=phrases.tensor(saved.name, locale),
        version=phrases.at_version(saved, locale),
        role=phrases.role(saved, locale),
    )
    elsewhere = not_saving(saved.fact, result=saved.role == "result") if saved.fact is not None else []
    return told + say("not-in-releases", locale, releases=ranges(elsewhere)) if elsewhere else told


def _changed(via: str, name: str | None, write: Write | None, locale: Locale) -> str:
    words = {"via": phrases.how(via, locale), "tensor": phrases.tensor(name, locale)}
    return say("related-changed", locale, versions=phrases.versions(write, locale), **words)


def _backward(failure: Failure, site: Site, locale: Locale) -> str:
    """What a failing backward does. That of a caller is in no line of the program."""
    if phrases.is_callers(site):
        return say("related-caller", locale)
    if failure.saved is None:
        return say("related-wrong" if failure.kind == "silent-stale" else "related-raised", locale)
    needed = phrases.tensor(phrases.needed_name(failure), locale)
    if failure.kind == "silent-stale":
        return say("related-reads", locale, tensor=needed)
    return say("related-backward", locale, tensor=needed, version=phrases.at_version(failure.saved, locale))


def _hops(failure: Failure, locale: Locale) -> Iterator[Station]:
    ranks = {"saved": SAVED, "changed": CHANGED, "backward": BACKWARD}
    for hop in failure.hops:
        yield ranks.get(hop.kind, ON_THE_WAY), hop.site, _hop(failure, hop, locale)


def _hop(failure: Failure, hop: Hop, locale: Locale) -> str:
    match hop.kind:
        case "saved":
            op = say("quote", locale, text=hop.detail) if hop.detail else say("an-operation", locale)
            return say("related-saved-here", locale, op=op)
        case "changed":
            return _changed(hop.detail, hop.name, None, locale)
        case "backward":
            return _backward(failure, hop.site, locale)
    how = say("related-how", locale, via=hop.detail) if hop.detail else ""
    return say(f"related-{hop.kind}", locale, tensor=phrases.tensor(hop.name, locale, "tensor-this"), how=how)

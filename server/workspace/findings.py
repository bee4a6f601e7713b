"""What was found, as plain data: it can go to another process, and into the cache and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from ..rules import RULES, rule
from .config import selected
from .suppressions import UNUSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..fixes.edit import Fix
    from ..rules.rule import Rule, Severity
    from ..rules.wording import Wording
    from ..syntax.chunks import Span
    from .config import Config
    from .suppressions import Suppression


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of a file, and a message about it."""

    path: str
    span: Span
    message: str


class Judged(Protocol):
    """What is wrong at a place: a dataclass that has `suppressed`, too."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def path(self) -> str:
        """The file."""

    @property
    def rule(self) -> Rule:
        """The rule that found it."""

    @property
    def lines(self) -> range:
        """Those of its statement: a comment on any of them can silence it."""

    @property
    def position(self) -> tuple[str, int, int]:
        """By which findings are put in order."""


F = TypeVar("F", bound=Judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One thing that was found, where the file had it when it was checked.

    `start` and `end` are the first line of its statement, and the one after its last. `fixes` is None where nobody has
    looked for any.
    """

    path: str
    span: Span
    code: str
    severity: Severity
    words: Wording
    kind: str | None
    related: tuple[Place, ...] = ()
    start: int
    end: int
    suppressed: bool = False
    fixes: tuple[Fix, ...] | None = None

    @property
    def rule(self) -> Rule:
        """The rule that found it."""
        return RULES[self.code]

    @property
    def message(self) -> str:
        """What is wrong, in one or two sentences."""
        return self.words.message

    @property
    def lines(self) -> range:
        """Those of its statement."""
        return range(self.start, self.end)

    @property
    def position(self) -> tuple[str, int, int]:
        """By which findings are put in order."""
        return self.path, self.span.start_line, self.span.start_col


def judged(
    found: Iterable[F],
    config: Config,
    comments: Callable[[str], Sequence[Suppression]],
    whole: Iterable[str],
    idle: Callable[[str, Suppression, tuple[str, ...]], F],
) -> list[F]:
    """What is selected, with that marked which comments silence, and idle comments; in order.

    `comments` gives those of a file. Whether one is idle is known only of files that were checked as a `whole`;
    `idle` makes a finding of it.
    """
    read: dict[str, Sequence[Suppression]] = {}
    kept = []
    for one in found:
        if one.path not in read:
            read[one.path] = comments(one.path)
        if selected(config, one.rule.code, Path(one.path)):
            kept.append(silenced(one, read[one.path]))
    for path in whole:
        here = read[path] if path in read else comments(path)
        if not here or not selected(config, UNUSED, Path(path)):
            continue
        for comment in here:
            codes = comment.leftover(lambda code, path=path: is_on(config, code, path))  # type: ignore[misc]
            if codes is not None:
                kept.append(silenced(idle(path, comment, codes), here))
    return sorted(kept, key=lambda one: one.position)


def silenced(found: F, comments: Sequence[Suppression]) -> F:
    """The finding, marked where a comment silences it; all that do count as used."""
    rule = found.rule
    silencers = [comment for comment in comments if comment.silences(rule.code, rule.name, found.lines)]
    return replace(found, suppressed=True) if silencers else found


def is_on(config: Config, code: str, path: str) -> bool | None:
    """Whether a rule, by code or name, is checked for in a file; None if there is no such rule."""
    try:
        return selected(config, rule(code).code, Path(path))
    except KeyError:
        return None


def merged(parts: Iterable[Iterable[Found]]) -> list[Found]:
    """What several parts of a project found, each place of a rule once: as the part has it that is surest."""
    best: dict[tuple[str, str, Span], Found] = {}
    for part in parts:
        for one in part:
            key = (one.path, one.code, one.span)
            if key not in best or one.severity < best[key].severity:
                best[key] = one
    return list(best.values())

"""What was found in a part of a project, as JSON and back. Whoever wrote the JSON, what is read is a valid outcome."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from ..rules import RULES
from ..rules.rule import Severity
from ..rules.wording import Wording
from ..syntax.chunks import Span
from .findings import Found, Place
from .parts import GivenUp, Outcome, Reached
from .problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ..fixes.edit import Fix

    Check = Callable[[Any], bool]


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as data that JSON can represent."""
    return {
        "found": [_found_as_json(found) for found in outcome.found],
        "problems": [[p.path, p.message, p.line, p.column, p.internal] for p in outcome.problems],
        "whole": outcome.whole,
        "checked": outcome.checked,
        "reads": outcome.reads,
        "imports": [[*one, path] for one, path in outcome.imports.items()],
        "packages": outcome.packages,
        "reach": [outcome.reach.ended, outcome.reach.statements, [[*astuple(one)] for one in outcome.reach.given_up]],
    }


def of_json(data: Any) -> Outcome:
    """The outcome that was written so. Raises ValueError if it is anything else."""
    if not _OUTCOME(data):
        raise ValueError("not an outcome")
    ended, statements, given_up = data["reach"]
    return Outcome(
        found=[_found_of_json(one) for one in data["found"]],
        problems=[Problem(*one) for one in data["problems"]],
        whole=data["whole"],
        checked=data["checked"],
        reads=data["reads"],
        imports={(name, level, importer): path for name, level, importer, path in data["imports"]},
        packages=data["packages"],
        reach=Reached(ended, statements, [GivenUp(*one) for one in given_up]),
    )


def paths_in(outcome: Outcome) -> Iterator[str]:
    """The files that an outcome says something about."""
    yield from outcome.whole
    yield from (problem.path for problem in outcome.problems)
    yield from (one.path for one in outcome.reach.given_up)
    for found in outcome.found:
        yield found.path
        yield from (place.path for place in found.related)
        yield from (edit.path for fix in found.fixes or () for edit in fix.edits)


def _found_as_json(found: Found) -> dict[str, Any]:
    fixes = None if found.fixes is None else [_fix_as_json(fix) for fix in found.fixes]
    return {
        "place": [found.path, *_ends(found.span)],
        "told": [found.code, int(found.severity), found.kind],
        "words": list(astuple(found.words)),
        "lines": [found.start, found.end],
        "related": [[place.path, *_ends(place.span), place.message] for place in found.related],
        "fixes": fixes,
    }


def _found_of_json(data: dict[str, Any]) -> Found:
    path, *span = data["place"]
    code, severity, kind = data["told"]
    start, end = data["lines"]
    fixes = data["fixes"]
    return Found(
        path=path,
        span=Span(*span),
        code=code,
        severity=Severity(severity),
        words=Wording(*data["words"]),
        kind=kind,
        related=tuple(Place(place, Span(*ends), words) for place, *ends, words in data["related"]),
        start=start,
        end=end,
        fixes=None if fixes is None else tuple(_fix_of_json(*fix) for fix in fixes),
    )


def _ends(span: Span) -> tuple[int, int, int, int]:
    return span.start_line, span.start_col, span.end_line, span.end_col


def _fix_as_json(fix: Fix) -> list[Any]:
    edits = [[edit.path, edit.start, edit.end, edit.text] for edit in fix.edits]
    return [fix.title, fix.safety, fix.preferred, edits]


def _fix_of_json(title: str, safety: Any, preferred: bool, edits: list[list[Any]]) -> Fix:
    from ..fixes.edit import Edit, Fix  # all of `fixes` comes with it, and few findings bring one

    return Fix(title, safety, tuple(Edit(*edit) for edit in edits), preferred)


# -- the schema -------------------------------------------------------------------------------


def _each(item: Check) -> Check:
    return lambda data: isinstance(data, list) and all(map(item, data))


def _row(*items: Check) -> Check:
    return lambda data: (
        isinstance(data, list)
        and len(data) == len(items)
        and all(item(one) for item, one in zip(items, data, strict=True))
    )


def _record(**items: Check) -> Check:
    return lambda data: (
        isinstance(data, dict) and data.keys() == items.keys() and all(item(data[key]) for key, item in items.items())
    )


def _maybe(item: Check) -> Check:
    return lambda data: data is None or item(data)


def _one_of(values: Collection[object]) -> Check:
    return lambda data: isinstance(data, (str, int)) and data in values


def _text(data: Any) -> bool:
    return isinstance(data, str)


def _words(data: Any) -> bool:
    """What is said to people, on a line."""
    return isinstance(data, str) and data.isprintable()


def _number(data: Any) -> bool:
    return type(data) is int and data >= 0


def _flag(data: Any) -> bool:
    return isinstance(data, bool)


def _texts(data: Any) -> bool:
    return isinstance(data, dict) and all(isinstance(value, str) for value in data.values())


_SPAN = (_number, _number, _number, _number)
_EDIT = _row(_text, _number, _number, _text)
_FIX = _row(_words, _one_of(("safe", "unsafe")), _flag, _each(_EDIT))
_FOUND = _record(
    place=_row(_text, *_SPAN),
    told=_row(_one_of(RULES), _one_of([*Severity]), _maybe(_words)),
    words=_row(_words, _words, _words, _words),
    lines=_row(_number, _number),
    related=_each(_row(_text, *_SPAN, _words)),
    fixes=_maybe(_each(_FIX)),
)
_OUTCOME = _record(
    found=_each(_FOUND),
    problems=_each(_row(_text, _words, _maybe(_number), _maybe(_number), _flag)),
    whole=_each(_text),
    checked=_number,
    reads=_texts,
    imports=_each(_row(_text, _number, _text, _maybe(_text))),
    packages=_texts,
    reach=_row(_number, _number, _each(_row(_text, _number, _words, _words))),
)

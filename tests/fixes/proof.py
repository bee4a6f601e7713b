"""What has to hold of every fix of a program, held against real PyTorch."""

from __future__ import annotations

import ast
import io
import re
import shutil
import tokenize
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gradguard.fixes.edit import origin
from gradguard.fixes.titles import ENGLISH
from gradguard.runtime.kinds import kind_of

from ..fuzz.compare import is_so
from ..oracle.client import run_program
from .folder import Folder, told
from .real import Run, near_losses, run, same_gradients, same_leaves, same_losses, same_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gradguard.analyses.domain.report import Failure, Report, Site
    from gradguard.fixes import Fix

ROUNDS = 6
REPEATED = 3
MOST_LINES = 12
"""no fix touches more lines than this"""

GRADIENTS = "the gradients differ"
LOSSES = "the losses differ"
BEFORE = "the losses before the failure differ"

ROUNDED = {GRADIENTS, LOSSES, BEFORE}
"""what may differ by rounding alone: a copy of a view lies otherwise in memory, and is summed in another order"""

NAME_ERROR = re.compile(r"(?:NameError|UnboundLocalError): [^']*'(\w+)'|AttributeError: .* has no attribute '(\w+)'")
"""the error of a name that has no value"""


def proven(program: Folder, folder: Path) -> Iterator[str]:
    """Try every fix of every failure that is told of a program; gives what is wrong with any of them."""
    return (problem for tried in each(program, folder) for problem in tried.problems)


@dataclass
class Tried:
    """A failure that is told of a program, its fixes, and what is wrong with them."""

    failure: Failure
    fixes: list[Fix]
    problems: list[str]


def each(program: Folder, folder: Path) -> list[Tried]:
    """Try every fix of every failure that is told of a program, each by itself."""
    report = program.replay()
    found = [Tried(failure, program.fixes(failure, report), []) for failure in told(report)]
    if not any(tried.fixes for tried in found):
        return found
    meant = run(program.root, meant=True)
    runs = []
    for tried in found:
        failure, fixes = tried.failure, tried.fixes
        preferred = [fix for fix in fixes if fix.preferred]
        if fixes and preferred != fixes[:1]:
            tried.problems.append(f"{failure.kind}: {len(preferred)} fixes are preferred, or not the first")
        for fix in fixes:
            edited = written(folder / str(len(runs)), program, fix)
            runs.append((tried, fix, edited, run(edited)))
            problems = [*_misshapen(program, fix), *_mistold(program, failure, fix, report, folder / "told")]
            tried.problems += (f"{fix.title}: {problem}" for problem in problems)
    trained = [_trained(after) for *_, after in runs]
    for tried, fix, edited, after in runs:
        others = {one for other, one in zip(runs, trained, strict=True) if other[0].failure.site is tried.failure.site}
        problems = list(_untrue(program, report, tried.failure, fix, edited, meant, after, max(others, default=0)))
        unclear = meant.resized and problems == [GRADIENTS]  # PyTorch is going to refuse such an `out=`
        rounded = ROUNDED.issuperset(problems) and problems and _is_rounding(program.root, edited)
        if problems and not unclear and not rounded and _is_reproducible(program.root, meant):
            tried.problems += (f"{fix.title}: {problem}" for problem in problems)
    return found


def _untrue(
    program: Folder, report: Report, failure: Failure, fix: Fix, edited: Path, meant: Run, after: Run, trained: int
) -> Iterator[str]:
    """What a run after a fix does that it should not, by what the fix says that it changes.

    `trained` is how many parameters of optimizers another fix of the same failure gives a gradient.
    """
    changes = changed_by(fix.title)
    if after.error is not None and MISSING.match(after.error):
        return
    if after.error is not None:
        if not _is_own(program, failure, fix, after.error) and not _is_another(program, report, failure, fix, edited):
            yield f"it fails: {after.error[:200]}"
        elif changes in KEEPING:
            yield from different(meant, after, alone=False)
        return
    if after.lost > run(program.root).lost:
        yield "`.grad` of what is no leaf is read"
    apart = [one for one in report.failures if one.site is not failure.site or one not in told(report)]
    if _any_silent(apart):
        return  # gradients that are told to be wrong for another reason, if only by a hint, are so still
    found = list(_miscomputed(changes, meant, after, trained))
    if found and failure.kind != "silent-stale" and _any_silent(program.with_fix(fix).replay().failures):
        return  # what is mended may have been silent, too, and be told of now
    yield from found


def _any_silent(failures: Iterable[Failure]) -> bool:
    """Whether one of some failures makes gradients wrong in silence."""
    return any(one.kind == "silent-stale" for one in failures)


def _miscomputed(changes: str | None, meant: Run, after: Run, trained: int) -> Iterator[str]:
    """What a run after a fix computes otherwise than was meant, though the fix doesn't say so."""
    if changes is None:
        yield from different(meant, after)
    elif changes in KEEPING and meant.error is None:
        if not same_losses(meant, after):
            yield LOSSES
        elif not same_gradients(meant, after):
            yield GRADIENTS
        if not same_leaves(meant, after):
            yield "the leaves end otherwise"
    if meant.error is None and changes in KEEPING and not same_steps(meant, after):
        yield "the optimizers' steps use other gradients"
    if _trained(after) < (trained if meant.error else _trained(meant)) and changes not in STOPPING:
        yield "parameters lose their gradients"


KEEPING = {None, "memory", "later", "earlier-backward", "old-weights"}
"""what a fix may change and still has to leave every loss, gradient and step as it was meant"""

MISSING = re.compile("ModuleNotFoundError")
"""the error of a program that needs what isn't installed"""

STOPPING = {"no-gradient"}


def changed_by(title: str) -> str | None:
    """What a fix changes by its title: the word that the catalogue has for it."""
    for key, text in ENGLISH.items():
        if key.startswith("changes-") and re.search(re.sub(r"\\{\w+\\}", ".*", re.escape(text)) + "$", title):
            return key.removeprefix("changes-")
    return None


def _trained(after: Run) -> int:
    """How many parameters of optimizers have got a gradient at some step."""
    widest: dict[int, set[int]] = {}
    for step in after.steps:
        widest.setdefault(len(step), set()).update(i for i, one in enumerate(step) if one is not None)
    return sum(map(len, widest.values()))


def _is_own(program: Folder, failure: Failure, fix: Fix, error: str) -> bool:
    """Whether a program fails so without the fix, too, and not by what it mends."""
    if run(program.root, grad=False).error == error or _lacks_name(program, fix, error):
        return True
    return kind_of(error) not in (None, failure.kind) and run(program.root).error == error


def _is_another(program: Folder, report: Report, failure: Failure, fix: Fix, edited: Path) -> bool:
    """Whether a program still fails after a fix by what was told of it besides, at the lines that were told of."""
    verdict = run_program(edited)
    places = (*verdict.mutation, *verdict.saved, *verdict.stack, verdict.raised)
    lines = {_before(program, fix, line) for line in places if line}
    return any(
        (site.chunk.path, site.chunk.line_of(site.node)) in lines
        for one in told(report)
        if one.kind == verdict.kind and (one.kind, one.site.node) != (failure.kind, failure.site.node)
        for site in (one.site, one.raised)
        if site is not None
    )


def _lacks_name(program: Folder, fix: Fix, error: str) -> bool:
    """Whether a program fails by a name of its own that has no value: no line that the fix touches has it."""
    match = NAME_ERROR.match(error)
    if match is None:
        return False
    changes = (_changed_lines(program.sources[path].text, new) for path, new in program.mended(fix).items())
    touched = {word for gone, come in changes for line in gone + come for word in re.findall(r"\w+", line)}
    return (match[1] or match[2]) not in touched


def _changed_lines(old: str, new: str) -> tuple[Counter[str], Counter[str]]:
    """The lines that a text no longer has, and those that it has got."""
    before, after = Counter(old.splitlines()), Counter(new.splitlines())
    return before - after, after - before


def _before(program: Folder, fix: Fix, line: str) -> tuple[str, int]:
    """The path and the line (from 0) at which stood before a fix what the oracle tells of after it."""
    file, _, number = line.rpartition(":")
    path = str(program.root / file)
    old = program.sources[path].text
    after = program.mended(fix).get(path, old).splitlines(keepends=True)
    start = sum(map(len, after[: int(number) - 1]))
    indent = len(after[int(number) - 1]) - len(after[int(number) - 1].lstrip())
    return path, old.count("\n", 0, origin(fix.edits, path, start + indent))


def _is_reproducible(root: Path, meant: Run) -> bool:
    """Tell whether a program computes the same each time: LAPACK's least squares differ in their last bits."""
    return not any(list(different(meant, run(root, meant=True), alone=False)) for _ in range(REPEATED))


def _is_rounding(before: Path, after: Path) -> bool:
    """Tell whether all is nearly the same in double precision: parts that nearly cancel leave what was rounded."""
    meant, doubled = run(before, meant=True, double=True), run(after, double=True)
    if meant.error is not None or doubled.error is not None:
        meant, doubled = meant.upto(doubled), doubled.upto(meant)
    alike = near_losses(meant, doubled) and same_gradients(meant, doubled)
    return alike and meant.printed == doubled.printed


def _misshapen(program: Folder, fix: Fix) -> Iterator[str]:
    """What the edits do to the text that they should not."""
    if fix.safety == "unsafe" and "(changes " not in fix.title:
        yield "it does not say what it changes"
    for path, new in program.mended(fix).items():
        old = program.sources[path].text
        try:
            ast.parse(new)
        except SyntaxError as error:
            yield f"the text does not parse: {error}"
            return
        if Counter(comments(old)) - Counter(comments(new)):
            yield "a comment is lost"
        if ("\r\n" in old) != ("\r\n" in new):
            yield "the line ends have changed"
        gone, come = _changed_lines(old, new)
        if gone.total() > MOST_LINES or come.total() > MOST_LINES:
            yield "too much of the text has changed"
        if any(line != line.rstrip() for line in come if line.strip()):
            yield "a line ends in blanks"


def _mistold(program: Folder, failure: Failure, fix: Fix, report: Report, folder: Path) -> Iterator[str]:
    """Whether GradGuard still tells of what is mended, or of more than before which PyTorch doesn't find either."""
    mended = program.with_fix(fix)
    before, after = told(report), told(mended.replay())
    places = Counter((one.kind, id(one.site.node)) for one in before)
    if len({(one.kind, id(one.site.node)) for one in after}) > len(places):
        verdict = run_program(written(folder, program, fix))
        shutil.rmtree(folder)
        if not all(is_so(one, verdict) for one in after):
            yield f"more is told than before, and {'it runs' if verdict.ok else f'it fails: {verdict.message}'}"
    same = [one for one in after if (one.kind, one.cause) == (failure.kind, failure.cause)]
    if len(places) == 1 and any(_which(mended, one.site) == _which(program, failure.site) for one in same):
        yield "what it mends is still told"


def _which(program: Folder, site: Site | None) -> tuple[str, int]:
    """The text of a place, and how often the same stands before it in its file."""
    if site is None:
        return "", 0
    text = site.chunk.text[site.node.start : site.node.end]
    return text, program.sources[site.chunk.path].text.count(text, 0, site.chunk.offset + site.node.start)


def different(meant: Run, after: Run, alone: bool = True) -> Iterator[str]:
    """What a run after a fix that keeps every value does otherwise than was meant.

    Where PyTorch refuses the program at once, nothing is meant from there on. Where a program fails in several
    ways, one fix (not `alone`) need not make it run.
    """
    if after.error is not None and alone:
        yield f"it fails: {after.error[:200]}"
    if after.error is None and meant.error is None:
        if alone and not same_losses(meant, after):
            yield LOSSES
        elif alone and not same_gradients(meant, after):
            yield GRADIENTS
        elif alone and meant.printed != after.printed:
            yield "what is printed differs"
    elif not same_losses(meant.upto(after), after.upto(meant)):
        yield BEFORE


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def written(folder: Path, program: Folder, fix: Fix) -> Path:
    """Copy a program to `folder`, with a fix applied."""
    shutil.copytree(program.root, folder)
    for file, text in program.mended(fix).items():
        (folder / Path(file).relative_to(program.root)).write_text(text, "utf-8", newline="")
    return folder


def mended(program: Folder, folder: Path, unsafe: bool = True) -> tuple[Path, int]:
    """Apply the best fixes of a program one after the other; gives its last folder, and how many there were."""
    for number in range(ROUNDS):
        report = program.replay()
        fixes = [fix for failure in told(report) for fix in program.fixes(failure, report)[:1]]
        fixes = [fix for fix in fixes if unsafe or fix.safety == "safe"]
        if not fixes:
            return program.root, number
        program = Folder(written(folder / f"round{number}", program, fixes[0]))
    raise AssertionError("mending does not come to an end")

"""Check Python files and notebooks for in-place changes that break backward().

exit status:
  0  nothing at or above the threshold
  1  something found; with --diff: something to mend
  2  wrong usage or configuration, an internal error, or a file named on the command line
     that could not be read or wholly parsed (those found in folders are only reported)
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..workspace.problems import Problem, Unreadable
from . import formats
from .places import Results, complain
from .progress import progress
from .status import FAILED, FOUND, OK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..rules.rule import Severity
    from ..workspace.files import Settings
    from ..workspace.mending import Mended
    from ..workspace.project import CheckResult, Finding, Project

STDIN = "-"
SEVERITIES = ("error", "warning", "information", "hint")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard check` takes."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        default=["."],
        help="files and folders; `-` is standard input (default: the working directory)",
    )
    parser.add_argument("--output-format", choices=formats.NAMES, default="full", help="(default: full)")
    parser.add_argument("--fix", action="store_true", help="apply fixes that keep every value")
    parser.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: also others")
    parser.add_argument("--diff", action="store_true", help="write nothing, show what --fix would change")
    parser.add_argument("--select", type=_selectors, metavar="RULES", help="only these: codes, `GG1`, names, `ALL`")
    parser.add_argument("--ignore", type=_selectors, metavar="RULES", help="not these")
    parser.add_argument("--min-severity", choices=SEVERITIES, help="the threshold (default: warning)")
    parser.add_argument("--config", metavar="FILE", help="use this configuration for all files")
    parser.add_argument("--stdin-filename", metavar="PATH", help="the file that standard input stands for")
    parser.add_argument("--statistics", action="store_true", help="show only how often each rule was broken")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    parser.add_argument("--no-cache", action="store_true", help="for scripts: this version keeps no cache")


def run(args: argparse.Namespace) -> int:
    """Check, mend or compare, as the arguments say. Raises ConfigError."""
    runs, problems = _runs(args)
    outcome = _mend(runs, args) if args.fix or args.diff else _check(runs, args)
    problems = outcome.results.problems = problems + outcome.results.problems
    for problem in problems:
        print(complain(problem), file=sys.stderr)
    status = _show_diff(outcome) if args.diff else _write(outcome, args)
    if any(problem.internal or problem.path in _named(args) for problem in problems):
        return FAILED
    return OK if args.exit_zero else status


def _selectors(text: str) -> tuple[str, ...]:
    """Argparse type: rules, separated by commas."""
    from ..workspace.config import check_selectors

    selectors = tuple(part.strip() for part in text.split(",") if part.strip())
    try:
        check_selectors(selectors)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return selectors


# -- what to check ----------------------------------------------------------------------------


@dataclass(slots=True)
class _Run:
    """Files that are checked together."""

    project: Project
    paths: list[str]


def _runs(args: argparse.Namespace) -> tuple[list[_Run], list[Problem]]:
    """The files to check by project, and what is wrong with the paths. Raises ConfigError."""
    from ..workspace.files import find_files
    from ..workspace.project import Project

    settings = _settings(args)
    files = find_files([path for path in args.paths if path != STDIN], settings)
    for folder in files.empty:
        print(f"{folder}: no Python files in this folder", file=sys.stderr)
    runs = [_Run(Project(config.root, config), paths) for config, paths in files.groups]
    problems = files.problems
    if STDIN in args.paths:
        try:
            runs.append(_stdin(_stdin_path(args), settings))
        except Unreadable as error:
            problems.append(error.problem)
    return runs, problems


def _stdin(path: str, settings: Settings) -> _Run:
    """Standard input, in the place of the file `path`. Raises ConfigError, and Unreadable if it is no text."""
    from ..workspace.files import decode_document
    from ..workspace.project import Project

    config = settings.at(Path(path).parent, Path.cwd())
    project = Project(config.root, config)
    project.overlay(decode_document(sys.stdin.buffer.read(), path))
    return _Run(project, [path])


def _stdin_path(args: argparse.Namespace) -> str:
    return os.path.abspath(args.stdin_filename or STDIN)


def _named(args: argparse.Namespace) -> set[str]:
    """The paths that the command line names, as problems may have them."""
    absolute = {_stdin_path(args) if path == STDIN else os.path.abspath(path) for path in args.paths}
    return absolute | set(args.paths)


def _settings(args: argparse.Namespace) -> Settings:
    from ..workspace.config import load_config
    from ..workspace.files import Settings

    explicit = None if args.config is None else load_config(Path(os.path.abspath(args.config)))
    return Settings(explicit, args.select, args.ignore, args.min_severity)


# -- checking and mending ---------------------------------------------------------------------


@dataclass(slots=True)
class _Outcome:
    """What all runs came to."""

    results: Results
    checked: int = 0
    mended: list[Mended] = field(default_factory=list)


def _check(runs: Sequence[_Run], args: argparse.Namespace) -> _Outcome:
    with progress(sum(len(run.paths) for run in runs)) as on_file:
        return _outcome(runs, [run.project.check(run.paths, _least(run), on_file) for run in runs])


def _mend(runs: Sequence[_Run], args: argparse.Namespace) -> _Outcome:
    """Apply fixes to the projects' texts, and write them unless only the difference is asked for."""
    from ..workspace.mending import mend_project, written

    mended = [mend_project(run.project, run.paths, args.unsafe_fixes, _least(run)) for run in runs]
    outcome = _outcome(runs, [one.result for one in mended])
    outcome.mended = mended
    if args.diff:
        return outcome
    stdin = _stdin_path(args) if STDIN in args.paths else None
    for one in mended:
        for path, document in one.after.items():
            if path != stdin:
                Path(path).write_bytes(written(document))
    if stdin is not None and runs[-1].paths == [stdin]:
        sys.stdout.buffer.write(written(runs[-1].project.document(stdin)))
    return outcome


def _outcome(runs: Sequence[_Run], checks: Sequence[CheckResult]) -> _Outcome:
    """One result for all runs, in the order of the paths."""
    projects = {id(found): run.project for run, check in zip(runs, checks, strict=True) for found in check.findings}
    findings = [finding for check in checks for finding in check.findings]
    results = Results(
        findings=sorted(findings, key=lambda found: (found.path, found.span.start_line, found.span.start_col)),
        documents={path: document for check in checks for path, document in check.documents.items()},
        fixes=lambda finding: projects[id(finding)].fixes(finding),
        problems=[problem for check in checks for problem in check.problems],
    )
    return _Outcome(results, sum(check.checked for check in checks))


def _least(run: _Run) -> Severity:
    from ..rules.rule import Severity

    return Severity[(run.project.config.min_severity or "warning").upper()]


# -- showing ----------------------------------------------------------------------------------


def _write(outcome: _Outcome, args: argparse.Namespace) -> int:
    """Write what was found, in the form that was asked for."""
    out = sys.stderr if args.fix and STDIN in args.paths else sys.stdout
    found = outcome.results.active
    if args.statistics:
        _write_statistics(found, out)
    else:
        formats.write(args.output_format, outcome.results, out)
        if args.output_format in ("full", "concise"):
            print(_summary(outcome), file=out)
    return FOUND if found else OK


def _write_statistics(found: Sequence[Finding], out: TextIO) -> None:
    from collections import Counter

    counts = Counter((finding.rule.code, finding.rule.name) for finding in found)
    for (code, name), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:>5}  {code}  {name}", file=out)


def _summary(outcome: _Outcome) -> str:
    found = outcome.results.active
    counts = [(label, sum(f.severity.label == label for f in found)) for label in SEVERITIES]
    told = ", ".join(_counted(count, label) for label, count in counts if count)
    applied = sum(one.applied for one in outcome.mended)
    mended = f"{_counted(applied, 'fix', 'fixes')} applied; " if applied else ""
    return f"{mended}{told or 'nothing found'} in {_counted(outcome.checked, 'file')}".capitalize() + "."


def _counted(count: int, word: str, plural: str | None = None) -> str:
    return f"{count} {word if count == 1 else plural or word + 's'}"


def _show_diff(outcome: _Outcome) -> int:
    """Print what the fixes change, as `diff -u` does."""
    from .diff import unified

    for one in outcome.mended:
        for path, after in one.after.items():
            sys.stdout.write(unified(one.before[path], after))
    applied = sum(one.applied for one in outcome.mended)
    print(f"{_counted(applied, 'fix', 'fixes')} would be applied.", file=sys.stderr)
    return FOUND if applied else OK

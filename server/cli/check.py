"""Check Python files and notebooks for in-place changes that break backward().

exit status:
  0    nothing at or above the threshold
  1    something found; with --diff: something to mend
  2    wrong usage or configuration, an internal error, or a file named on the command line
       that could not be read or wholly parsed (those found in folders are only reported)
  130  interrupted; what was known by then is told
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from ..workspace.problems import Problem, Unreadable
from . import baseline, formats, reach
from .places import Results, choose_colours, complain, shown, visible
from .progress import progress
from .status import FAILED, FOUND, INTERRUPTED, OK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

    from ..fixes.edit import Fix
    from ..rules.rule import Severity
    from ..workspace.cache import Cache
    from ..workspace.config import Config
    from ..workspace.files import Document, Settings
    from ..workspace.findings import Found
    from ..workspace.mending import Mended
    from ..workspace.parts import Reached
    from ..workspace.project import Finding, Project

STDIN = "-"
EVERY = "all"
"""for --torch: every measured release"""
SEVERITIES = ("error", "warning", "information", "hint")
COLOURS = ("auto", "always", "never")


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
    parser.add_argument("-o", "--output-file", metavar="FILE", help="write what is found there, not to standard output")
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="tell what is found and what goes wrong, no more")
    loudness.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="tell which settings hold, how long it took, and what the replay did not reach",
    )
    parser.add_argument("--color", choices=COLOURS, default="auto", help="(default: auto, in colour on a terminal)")
    parser.add_argument("--fix", action="store_true", help="apply fixes that keep every value")
    parser.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: also others")
    parser.add_argument("--diff", action="store_true", help="write nothing, show what --fix would change")
    parser.add_argument("--select", type=_selectors, metavar="RULES", help="only these: codes, `GG1`, names, `ALL`")
    parser.add_argument("--ignore", type=_selectors, metavar="RULES", help="not these")
    parser.add_argument("--min-severity", choices=SEVERITIES, help="the threshold (default: warning)")
    parser.add_argument(
        "--torch",
        type=_release,
        metavar="VERSION|all",
        help="what would happen in this release of PyTorch; or what differs among the releases",
    )
    parser.add_argument("--config", metavar="FILE", help="use this configuration for all files")
    parser.add_argument("--force-exclude", action="store_true", help="hold to `exclude` for the named paths, too")
    parser.add_argument("--show-files", action="store_true", help="check nothing, list the files")
    parser.add_argument("--show-settings", action="store_true", help="check nothing, show the settings that hold")
    parser.add_argument("--stdin-filename", metavar="PATH", help="the file that standard input stands for")
    parser.add_argument(
        "--statistics",
        action="store_true",
        help="show only how often each rule was broken, and how far the replay came",
    )
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    parser.add_argument("--baseline", metavar="FILE", help="leave out what this file has, of --write-baseline")
    parser.add_argument("--write-baseline", metavar="FILE", help="write what is found to a file, and exit with 0")
    parser.add_argument("--add-ignore", action="store_true", help="write a comment to each finding that silences it")
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes")
    parser.add_argument("--jobs", type=_number, metavar="N", help="processes (default: as many as there are cores)")
    parser.add_argument("--dask", metavar="ADDRESS", help="have the workers of a Dask cluster check")
    parser.add_argument("--shard", type=_shard, metavar="I/N", help="check share I of N; `gradguard merge` joins them")
    parser.add_argument("--cache-dir", metavar="FOLDER", help="(default: .gradguard_cache beside the configuration)")
    parser.add_argument("--no-cache", action="store_true", help="check all anew, and keep nothing")


def run(args: argparse.Namespace) -> int:
    """Check, mend or compare, as the arguments say. Raises ConfigError."""
    choose_colours(args.color)
    if args.show_files or args.show_settings:
        return _show(args)
    if not args.watch:
        return _once(args)
    from .watching import changes

    status = _once(args)
    for _ in changes([path for path in args.paths if path != STDIN]):
        print(file=sys.stderr)
        status = _once(args)
    return status


def _show(args: argparse.Namespace) -> int:
    """Show what a check would look at."""
    from .listing import show_files, show_settings

    runs, problems = _runs(args)
    for problem in problems:
        print(complain(problem), file=sys.stderr)
    groups = [(run.config, run.paths) for run in runs]
    with _output(args) as out:
        (show_files if args.show_files else show_settings)(groups, out)
    return FAILED if problems else OK


def _every(args: argparse.Namespace) -> int:
    """Check by the facts of each release, and show what differs. Raises ConfigError."""
    from ..facts import releases
    from . import across

    if args.output_format not in across.FORMATS or args.fix or args.diff or args.add_ignore or STDIN in args.paths:
        print(f"gradguard: --torch all checks files, and writes {', '.join(across.FORMATS)}", file=sys.stderr)
        return FAILED
    found = {}
    for release in releases.names():
        of_release = argparse.Namespace(**{**vars(args), "torch": release})
        runs, problems = _runs(of_release)
        outcome = _check(runs, of_release)
        found[release] = outcome.results
    for problem in (*problems, *outcome.results.problems):
        print(complain(problem), file=sys.stderr)
    with _output(args) as out:
        differs = across.write(args.output_format, found, out)
    return FOUND if differs and not args.exit_zero else OK


def _once(args: argparse.Namespace) -> int:
    if args.torch == EVERY:
        return _every(args)
    began = monotonic()
    runs, problems = _runs(args)
    for run in runs if args.verbose else ():
        source = "no configuration file" if run.config.path is None else shown(str(run.config.path))
        print(f"{_counted(len(run.paths), 'file')} by {source}, with {run.config.release}", file=sys.stderr)
    with_edits = args.fix or args.diff or args.add_ignore
    outcome = _mend(runs, args) if with_edits else _check(runs, args)
    problems = outcome.results.problems = problems + outcome.results.problems
    for problem in problems:
        print(complain(problem), file=sys.stderr)
    status = _show_diff(outcome, args) if args.diff else _write(outcome, args)
    if args.verbose and outcome.reach is not None:
        print(*reach.places(outcome.reach), reach.summary(outcome.reach), sep="\n", file=sys.stderr)
    if args.verbose:
        print(f"{_counted(outcome.checked, 'file')} in {monotonic() - began:.2f} s", file=sys.stderr)
    if outcome.interrupted:
        print("interrupted: not all files were checked", file=sys.stderr)
        return INTERRUPTED
    if outcome.unwritten or any(problem.internal or problem.path in _named(args) for problem in problems):
        return FAILED
    return OK if args.exit_zero else status


def _number(text: str) -> int:
    """Argparse type: a number of processes."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"not a number of processes: {text}")
    return int(text)


def _shard(text: str) -> tuple[int, int]:
    """Argparse type: which share of how many."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"not a share, such as 1/4: {text}")
    return int(number), int(of)


def _release(text: str) -> str:
    """Argparse type: a release of PyTorch, or all of them."""
    from ..workspace.pytorch import is_release

    if text != EVERY and not is_release(text):
        raise argparse.ArgumentTypeError(f"not a release of PyTorch, such as 2.8: {text}")
    return text


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
    """Files with one configuration; `documents` replace the files at their paths."""

    config: Config
    paths: list[str]
    documents: tuple[Document, ...] = ()


def _runs(args: argparse.Namespace) -> tuple[list[_Run], list[Problem]]:
    """The files to check, by project, and what is wrong with the paths. Raises ConfigError."""
    from ..workspace.files import find_files

    settings = _settings(args)
    files = find_files([path for path in args.paths if path != STDIN], settings)
    for folder in () if args.quiet else files.empty:
        print(f"{shown(folder)}: no Python files in this folder", file=sys.stderr)
    runs = [_Run(config, paths) for config, paths in files.groups]
    problems = files.problems
    if STDIN in args.paths:
        if settings.leaves_out(Path(_stdin_path(args)), Path.cwd()):
            _hand_on(args)
            return runs, problems
        try:
            runs.append(_stdin(_stdin_path(args), settings))
        except Unreadable as error:
            problems.append(error.problem)
    return runs, problems


def _hand_on(args: argparse.Namespace) -> None:
    """Write standard input to standard output unchanged, where the mended text would be written."""
    if (args.fix or args.add_ignore) and not args.diff:
        sys.stdout.buffer.write(sys.stdin.buffer.read())


def _stdin(path: str, settings: Settings) -> _Run:
    """Standard input, in place of the file `path`. Raises ConfigError, and Unreadable if it isn't text."""
    from ..workspace.files import decode_document

    if sys.stdin is None:
        raise Unreadable(Problem(path, "standard input is closed"))
    config = settings.at(Path(path).parent, Path.cwd())
    return _Run(config, [path], (decode_document(sys.stdin.buffer.read(), path),))


def _stdin_path(args: argparse.Namespace) -> str:
    return os.path.abspath(args.stdin_filename or STDIN)


def _named(args: argparse.Namespace) -> set[str]:
    """The paths that the command line names, in all forms that problems may have them."""
    absolute = {_stdin_path(args) if path == STDIN else os.path.abspath(path) for path in args.paths}
    return absolute | set(args.paths)


def _settings(args: argparse.Namespace) -> Settings:
    from ..workspace.config import load_config
    from ..workspace.files import Settings

    explicit = None if args.config is None else load_config(Path(os.path.abspath(args.config)))
    return Settings(explicit, args.select, args.ignore, args.min_severity, args.force_exclude, args.torch)


# -- checking and mending ---------------------------------------------------------------------


@dataclass(slots=True)
class _Outcome:
    """The outcome of all runs. `known` is the number of findings that the baseline has left out."""

    results: Results
    checked: int = 0
    mended: list[Mended] = field(default_factory=list)
    unwritten: list[Problem] = field(default_factory=list)
    known: int = 0
    interrupted: bool = False
    reach: Reached | None = None


def _check(runs: Sequence[_Run], args: argparse.Namespace) -> _Outcome:
    """Check in parts, with the caches and the available processes."""
    from ..workspace.batch import Group, Means, check_all

    groups = [Group(run.config, run.paths, _least(run), run.documents) for run in runs]
    with progress(0 if args.quiet else sum(len(run.paths) for run in runs)) as on_part, _executor(args) as executor:
        means = Means(
            jobs=args.jobs or _cores(),
            executor=executor,
            cache=None if args.no_cache else _caches(args),
            shard=args.shard or (1, 1),
            mend=args.output_format in (*formats.WITH_FIXES, *formats.WITH_THE_BEST) and not args.statistics,
            most=1 if args.output_format in formats.WITH_THE_BEST else None,
            on_part=on_part,
        )
        checked = check_all(groups, means)
    results = Results(checked.found, checked.documents, problems=checked.problems)
    results.counted = all(found.fixes is not None for found in results.active)
    return _Outcome(results, checked.checked, interrupted=checked.interrupted, reach=checked.reach)


def _cores() -> int:
    """How many processes can run at once."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _caches(args: argparse.Namespace) -> Callable[[Config], Cache]:
    """The caches of findings: beside the configuration, unless the user names a folder."""
    from functools import cache

    from ..workspace.cache import FOLDER, Cache

    @cache
    def cache_in(folder: Path) -> Cache:
        return Cache(folder)

    chosen = None if args.cache_dir is None else Path(os.path.abspath(args.cache_dir))
    return lambda config: cache_in(chosen or config.root / FOLDER)


@contextmanager
def _executor(args: argparse.Namespace) -> Iterator[Executor | None]:
    """The executor that the user has named, if any. Raises ConfigError if it doesn't answer."""
    if args.dask is None:
        yield None
        return
    from .cluster import executor

    with executor(args.dask) as found:
        yield found


def _mend(runs: Sequence[_Run], args: argparse.Namespace) -> _Outcome:
    """Mend the projects' files, and write those of each part once it is done, unless only the difference is wanted."""
    from ..workspace.findings import merged
    from ..workspace.mending import mend_project, silence_project, written
    from ..workspace.parts import plain, split
    from ..workspace.project import Project
    from ..workspace.saving import save

    mended: list[Mended] = []
    unwritten: list[Problem] = []
    stdin = _stdin_path(args) if STDIN in args.paths else None
    projects = [Project(run.config.root, run.config) for run in runs]
    found: list[Found] = []
    told = not args.diff and not args.statistics
    most = 1 if args.output_format in formats.WITH_THE_BEST else None
    known = told and args.output_format in (*formats.WITH_FIXES, *formats.WITH_THE_BEST)

    def looked_for(project: Project, finding: Finding) -> tuple[Fix, ...] | None:
        return tuple(project.fixes(finding, most=most)) if known and not finding.suppressed else None

    with progress(0 if args.quiet else sum(len(run.paths) for run in runs)) as on_part:
        for run, project in zip(runs, projects, strict=True):
            for document in run.documents:
                project.overlay(document)
            for part in split(run.paths, str(run.config.root)):
                one = (
                    silence_project(project, part, _least(run))
                    if args.add_ignore
                    else mend_project(project, part, args.unsafe_fixes, _least(run))
                )
                if not args.diff:
                    unwritten += save(one, [path for path in part if path != stdin], args.paths)
                    if one.left:
                        one.take_back(project, part, _least(run))
                mended.append(one)
                found += [plain(finding, looked_for(project, finding)) for finding in one.result.findings]
                on_part(len(part))
    documents = {path: document for one in mended for path, document in one.result.documents.items()}
    problems = [problem for one in mended for problem in one.result.problems] + unwritten
    results = Results(sorted(merged([found]), key=lambda one: one.position), documents, problems=problems)
    outcome = _Outcome(results, sum(one.result.checked for one in mended), mended, unwritten)
    if not args.diff and stdin is not None and runs and runs[-1].paths == [stdin]:
        sys.stdout.buffer.write(written(projects[-1].document(stdin)))
    return outcome


def _least(run: _Run) -> Severity:
    from ..rules.rule import Severity

    return Severity[(run.config.min_severity or "warning").upper()]


# -- showing ----------------------------------------------------------------------------------


def _write(outcome: _Outcome, args: argparse.Namespace) -> int:
    """Write the findings in the chosen format."""
    if args.write_baseline is not None:
        baseline.write(args.write_baseline, outcome.results)
        if not args.quiet:
            number = _counted(len(outcome.results.active), "finding")
            print(f"{number} written to {visible(args.write_baseline)}.", file=sys.stderr)
        return OK
    if args.baseline is not None:
        outcome.known = baseline.leave_out(args.baseline, outcome.results)
    found = outcome.results.active
    with _output(args) as out:
        if args.statistics:
            _write_statistics(found, out)
            if outcome.reach is not None:
                print(reach.summary(outcome.reach), file=out)
        else:
            formats.write(args.output_format, outcome.results, out)
            if args.output_format in ("full", "concise") and not args.quiet:
                for line in (
                    *(_fixed(outcome.mended) if args.fix else ()),
                    _summary(outcome),
                    *_mendable(outcome.results),
                ):
                    print(line, file=out)
    return FOUND if found else OK


@contextmanager
def _output(args: argparse.Namespace) -> Iterator[TextIO]:
    """The stream for the findings. Raises ConfigError if the file can't be written."""
    from ..workspace.config import ConfigError

    if args.output_file is None:
        mended_to_stdout = (args.fix or args.add_ignore) and not args.diff and STDIN in args.paths
        yield sys.stderr if mended_to_stdout else sys.stdout
        return
    try:
        out = open(args.output_file, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror or error}", Path(args.output_file)) from None
    with out:
        yield out


def _write_statistics(found: Sequence[Found], out: TextIO) -> None:
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
    known = f", beside {outcome.known} in the baseline" if outcome.known else ""
    return f"{mended}{told or 'nothing found'} in {_counted(outcome.checked, 'file')}{known}".capitalize() + "."


def _fixed(mended: Sequence[Mended]) -> Iterator[str]:
    """A line for each file: how much was mended in it."""
    from collections import Counter

    from ..rules import RULES

    counts = Counter((change.path, change.code) for one in mended for change in one.changed)
    if counts:
        yield "Mended:"
    for path in sorted({path for path, _ in counts}):
        yield f"- {shown(path)}:"
        codes = sorted(code for one, code in counts if one == path)
        yield from (f"    {counts[path, code]} × {code} ({RULES[code].name})" for code in codes)


def _mendable(results: Results) -> Iterator[str]:
    """How many findings can be mended, and by which option; nothing if none can."""
    best = [results.fixes(found)[:1] for found in results.active]
    safe = sum(fix.safety == "safe" for fixes in best for fix in fixes)
    unsafe = sum(fix.safety == "unsafe" for fixes in best for fix in fixes)
    if not safe and not unsafe:
        return
    at_least = "at least " if not results.counted else ""
    with_fix = [f"{safe} by `--fix`"] if safe else []
    more = [f"{unsafe}{' more' if safe else ''} by `--fix --unsafe-fixes`"] if unsafe else []
    yield f"[*] can be mended: {at_least}{', '.join(with_fix + more)}."


def _counted(count: int, word: str, plural: str | None = None) -> str:
    return f"{count} {word if count == 1 else plural or word + 's'}"


def _show_diff(outcome: _Outcome, args: argparse.Namespace) -> int:
    """Print what the fixes change, as `diff -u` does."""
    from .diff import readable, unified

    with _output(args) as out:
        for one in outcome.mended:
            for path, after in one.after.items():
                text = unified(one.before[path], after)
                out.write(readable(text) if out.isatty() else text)
    applied = sum(one.applied for one in outcome.mended)
    if not args.quiet:
        print(f"{_counted(applied, 'fix', 'fixes')} would be applied.", file=sys.stderr)
    return FOUND if applied else OK

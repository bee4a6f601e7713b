"""Run a program, and where a backward fails or is silently wrong, name the lines that saved and that changed.

What the program prints, its traceback and its exit status stay as they are; the report comes after them, on standard
error. `gradguard run train.py --lr 0.1`, `gradguard run -m package.train`: options of `run` come before the program.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from . import formats
from .places import Results, choose_colours, shown, visible
from .status import FAILED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TextIO

    from ..workspace.project import Project
    from ..workspace.record import Sighting, Spot
    from ..workspace.seen import Seen

COLOURS = ("auto", "always", "never")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard run` takes."""
    parser.add_argument("--output-format", choices=formats.NAMES, default="full", help="(default: full)")
    parser.add_argument("-o", "--output-file", metavar="FILE", help="write the report there, not to standard error")
    parser.add_argument("--record", metavar="FILE", help="write what was seen as JSON, which editors show")
    parser.add_argument("--no-silent", action="store_true", help="do not look for changes that no counter sees")
    parser.add_argument("--color", choices=COLOURS, default="auto", help="(default: auto, in colour on a terminal)")
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="a module, and arguments")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="SCRIPT", help="a file, and its arguments")


def run(args: argparse.Namespace) -> int:
    """Run the program, write the report, and give the program's exit status."""
    choose_colours(args.color)
    program = args.module or args.program
    if not program:
        print("gradguard: no program to run: name a script, or a module after -m", file=sys.stderr)
        return FAILED
    if not args.module and (missing := _missing(program[0])):
        print(f"gradguard: {shown(program[0])}: {missing}", file=sys.stderr)
        return FAILED
    with tempfile.TemporaryDirectory(prefix="gradguard-") as folder, _handed_on() as started:
        status = _observed(Path(folder), args, program, started)
        sightings = _told(Path(folder))
        if status < 0:
            _say_killed(-status, sightings)
        report(sightings, args)
        if args.record is not None:
            _record(args.record, program, sightings)
    if status < 0:
        _die(-status)
    return status


def _missing(path: str) -> str | None:
    """Why a script cannot be run."""
    try:
        with open(Path(path, "__main__.py") if os.path.isdir(path) else path, "rb"):
            return None
    except OSError as error:
        return error.strerror or str(error)


# -- the program ------------------------------------------------------------------------------


def _observed(
    folder: Path, args: argparse.Namespace, program: Sequence[str], started: list[subprocess.Popen[bytes]]
) -> int:
    """Run the program in a process of its own; its exit status, negative where a signal ended it."""
    silent, how = "seen" if args.no_silent else "silent", "module" if args.module else "script"
    command = [sys.executable, *_flags(), "-m", "gradguard.runtime", str(folder), silent, how, *program]
    process = subprocess.Popen(command)
    started.append(process)
    status = process.wait()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return status


def _flags() -> list[str]:
    """The flags that this Python was started with."""
    flags: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [flag for flag in flags if flag not in ("-I", "-P")]  # with them, what is beside the program is not found


@contextmanager
def _handed_on() -> Iterator[list[subprocess.Popen[bytes]]]:
    """A context in which signals go on to the processes that are put in; Ctrl-C reaches them by itself.

    Once these have ended a signal does nothing, so that the report is written though `torchrun` ends all ranks.
    """
    started: list[subprocess.Popen[bytes]] = []

    def hand_on(number: int, _: object) -> None:
        for process in started:
            process.send_signal(number)

    wanted: list[tuple[int, Any]] = [(signal.SIGINT, signal.SIG_IGN), (signal.SIGTERM, hand_on)]
    if hasattr(signal, "SIGHUP"):
        wanted += [(one, hand_on) for one in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)]
    before = [(number, signal.signal(number, handler)) for number, handler in wanted]
    try:
        yield started
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _die(number: int) -> None:
    """End by the signal that ended the program, so that whoever started this sees the same."""
    sys.stdout.flush()
    sys.stderr.flush()
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _say_killed(number: int, sightings: Sequence[Sighting]) -> None:
    if number != signal.SIGINT:
        seen = "what it had seen until then follows" if sightings else "until then nothing wrong was seen"
        print(f"gradguard: the program was killed by {signal.Signals(number).name}; {seen}", file=sys.stderr)


# -- the report -------------------------------------------------------------------------------


def _told(folder: Path) -> list[Sighting]:
    """What the processes of the run have seen, but what another rank tells of already."""
    from ..workspace.record import collect, once

    sightings = once(collect(folder))
    job = os.environ.get("TORCHELASTIC_RUN_ID")
    if not job or job == "none":
        job = os.environ.get("MASTER_PORT", "") and f"{os.environ['MASTER_PORT']}-{os.getppid()}"
    return [one for one in sightings if not job or not one.who or _claims(job, one)]


def _claims(job: str, sighting: Sighting) -> bool:
    """Whether this rank is the first of its job to tell of a failure; another says in a line that it had the same."""
    from hashlib import sha256

    places = repr((job, sighting.kind, sighting.spot and (sighting.spot.path, sighting.spot.line)))
    name = f"gradguard-{sha256(places.encode()).hexdigest()[:24]}"
    try:
        os.close(os.open(Path(tempfile.gettempdir(), name), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        print(f"gradguard: {sighting.who}: the same failure as another rank tells of", file=sys.stderr)
        return False
    except OSError:
        return True
    return True


def report(sightings: Sequence[Sighting], args: argparse.Namespace) -> None:
    """Write what was seen in the form that was asked for, to standard error or a file. Raises ConfigError."""
    if not sightings and args.output_file is None:
        return
    with _output(args.output_file) as out:
        write(sightings, args.output_format, out)


def write(sightings: Sequence[Sighting], form: str, out: TextIO) -> None:
    """Write what was seen in one of the forms of `check`. Raises ConfigError."""
    from ..rules.messages import locale_of
    from ..workspace.config import find_config
    from ..workspace.project import Project
    from ..workspace.seen import confirm, seen

    config = find_config(Path.cwd())
    project = Project(config.root if config else Path.cwd(), config)
    _show_cells(project, sightings)
    locale = locale_of(None)
    told = list(confirm(project, seen(project, sightings, locale), locale))
    by_finding = {id(one.found): one for one in told}
    findings = [one.found for one in told]
    documents = {
        path: project.document(path) for one in findings for path in (one.path, *(p.path for p in one.related))
    }
    results = Results(findings, documents, notes=lambda found: _notes(by_finding[id(found)]))
    formats.write(form, results, out)
    if form in ("full", "concise"):
        known = {id(one.sighting) for one in told}
        for sighting in sightings:
            if id(sighting) not in known:
                print(_in_a_line(sighting), file=out)


def _show_cells(project: Project, sightings: Sequence[Sighting]) -> None:
    """Let the code of a notebook's cells, which is in no file, stand for its file."""
    import linecache

    from ..workspace.files import Document

    for one in sightings:
        saved = one.saved.stack if one.saved is not None else ()
        for spot in (*one.stack, *saved, *one.made, *(spot for write in one.writes for spot in write.stack)):
            if not os.path.exists(spot.path) and (text := "".join(linecache.getlines(spot.path))):
                project.overlay(Document(spot.path, text))


@contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    from ..workspace.config import ConfigError

    if path is None:
        yield sys.stderr
        return
    try:
        out = open(path, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror or error}", Path(path)) from None
    with out:
        yield out


def _notes(one: Seen) -> list[str]:
    """What the report adds to what a check would say."""
    sighting = one.sighting
    notes = [f"seen when it ran{f', by {sighting.who}' if sighting.who else ''}"]
    if sighting.test:
        notes[0] += f", in {sighting.test}"
    if one.confirmed:
        notes[0] += "; `gradguard check` finds it, too"
    if sighting.more:
        notes.append(f"and {sighting.more} more {'change' if sighting.more == 1 else 'changes'} of the same memory")
    saved = sighting.saved
    if saved is not None and saved.shape is not None:
        notes.append(f"the tensor: {saved.dtype}{list(saved.shape)}")
    stacks = {
        "it was saved by": saved.stack if saved is not None else (),
        "it was changed by": sighting.writes[-1].stack if sighting.writes else (),
        "it failed by": sighting.stack,
    }
    return notes + [f"{what} {_calls(stack)}" for what, stack in stacks.items() if len(stack) > 1]


MOST_CALLS = 8
"""so many calls are told of a stack, the innermost"""


def _calls(stack: Sequence[Spot]) -> str:
    calls = [visible(f"{shown(one.path)}:{one.line + 1} ({one.function})") for one in stack[-MOST_CALLS:]]
    return " → ".join(["…"] * (len(stack) > MOST_CALLS) + calls)


def _in_a_line(sighting: Sighting) -> str:
    """A sighting whose file cannot be shown."""
    places = [
        ("failed at", sighting.spot),
        ("saved at", sighting.saved.spot if sighting.saved else None),
        ("changed at", sighting.writes[-1].spot if sighting.writes else None),
    ]
    told = ", ".join(f"{what} {shown(spot.path)}:{spot.line + 1}" for what, spot in places if spot is not None)
    return f"gradguard: {sighting.kind}: {told}"


def _record(path: str, program: Sequence[str], sightings: Sequence[Sighting]) -> None:
    """Write what was seen to a file. Raises ConfigError."""
    from ..workspace.record import Record, dump

    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with _output(path) as out:
        out.write(dump(Record(list(program), list(sightings))))

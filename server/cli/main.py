"""The command `gradguard`: which command is meant, and its exit status.

Every command is a module with `add_arguments(parser)` and `run(args) -> int`. They import what they need when
they run, because most of the time of a short run goes into imports.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

from . import check, clean, completion, explain, facts, merge, rules, run, schema, server, versions
from .places import visible
from .status import FAILED, INTERRUPTED, OK

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE = 500_000
"""The number of new objects after which Python collects garbage: trees and replays make many, and nearly all stay."""

COMMANDS = (check, run, merge, clean, versions, explain, rules, facts, server, schema, completion)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; `arguments` default to those of `sys.argv`.

    Raises SystemExit where argparse does: with 0 for `--help` and `--version`, with 2 for wrong usage.
    """
    gc.set_threshold(PATIENCE)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Not every terminal and pipe can print every character of a program.
            stream.reconfigure(errors="backslashreplace")
    if missing := _missing():
        print(f"gradguard: {missing}", file=sys.stderr)
        return FAILED
    args = parser().parse_args(arguments)
    try:
        return _run(args)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _let_go()
        return OK


def _missing() -> str | None:
    """What every command needs and is missing."""
    if sys.stderr is None:  # writes to a closed stream go nowhere, and not into a file that gets its number
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        return "standard output is closed"
    try:
        os.getcwd()
    except OSError as error:
        return f"the working directory cannot be read: {error.strerror}"
    return None


def _let_go() -> None:
    """Replace standard output by something harmless to close: Python would complain again when it closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(args: argparse.Namespace) -> int:
    from ..workspace.config import ConfigError

    try:
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except ConfigError as error:
        print(f"gradguard: {visible(str(error))}", file=sys.stderr)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except OSError as error:
        if os.environ.get("GRADGUARD_TRACEBACK"):
            raise
        place = "" if error.filename is None else f"{visible(str(error.filename))}: "
        print(f"gradguard: {place}{error.strerror or error}", file=sys.stderr)
        _let_go()
    except Exception as error:
        if os.environ.get("GRADGUARD_TRACEBACK"):
            raise
        told = visible(f"{type(error).__name__}: {error}")
        print(f"gradguard: internal error: {told} ({_HINT})", file=sys.stderr)
    return FAILED


_HINT = "please report it; GRADGUARD_TRACEBACK=1 shows where"


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    whole = argparse.ArgumentParser(
        prog="gradguard",
        description="Finds the in-place tensor operations that break PyTorch's backward pass.",
    )
    whole.add_argument("--version", action=_Version)
    # With `prog`, argparse needs no help formatter here, and so doesn't import `shutil` and its compressors.
    commands = whole.add_subparsers(prog=whole.prog, metavar="COMMAND", required=True)
    for command in COMMANDS:
        name = command.__name__.rpartition(".")[2]
        summary = (command.__doc__ or "").partition("\n")[0].rstrip(".")
        subparser = commands.add_parser(name, help=summary, description=command.__doc__)
        subparser.formatter_class = argparse.RawDescriptionHelpFormatter
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run, whole=whole)
    return whole


class _Version(argparse.Action):
    """`--version`; the distribution's metadata is read only then."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print("gradguard", version("gradguard"))
        parser.exit()

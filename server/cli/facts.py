"""Tell what is known of PyTorch's callables: what they save, change and return."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from .status import FAILED, OK

if TYPE_CHECKING:
    import argparse

    from ..facts.releases import Facts
    from ..workspace.pytorch import Release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard facts` takes."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="as programs write it: torch.exp, torch.Tensor.add_, torch.nn.Linear"
    )
    parser.add_argument("--torch", metavar="VERSION", help="of this release (default: that of the working directory)")
    parser.add_argument(
        "--output-format", choices=("text", "json"), default="text", help="(default: text); without a name, all as json"
    )


def run(args: argparse.Namespace) -> int:
    """Print the facts. Raises ConfigError."""
    from ..workspace.pytorch import is_release

    if args.torch is not None and not is_release(args.torch):
        print(f"gradguard: not a release of PyTorch, such as 2.8: {args.torch}", file=sys.stderr)
        return FAILED
    if args.name is None and args.output_format == "text":
        print("gradguard: which callable? `--output-format json` writes all", file=sys.stderr)
        return FAILED
    release = _release(args.torch)
    table = release.facts.table
    if args.name is not None and table.find(args.name) is None and (args.output_format == "json" or not _told(args)):
        print(f"gradguard: nothing is known of `{args.name}`{_suggestion(args.name, release.facts)}", file=sys.stderr)
        return FAILED
    if args.output_format == "json":
        names = list(table.names()) if args.name is None else [args.name]
        print(json.dumps(as_object(release, names), indent=1))
    else:
        _print(args.name, release)
    return OK


def as_object(release: Release, names: list[str]) -> dict[str, Any]:
    """Return the facts of callables as plain data, of the form that `facts/schema.py` describes."""
    from ..facts.releases import OF_CALLABLES
    from ..facts.schema import FORMAT

    def told(facts: Facts, name: str) -> dict[str, Any]:
        others = {kind: row for kind in OF_CALLABLES[1:] if (row := facts.rows(kind).get(name)) is not None}
        return {**facts.rows("table").get(name), **others}

    facts = {name: told(release.facts, name) for name in names}
    return {"format": FORMAT, "torch": release.number, "measured": release.judged_by, "facts": facts}


def _release(torch: str | None) -> Release:
    """The chosen release, or that of the project in the working directory. Raises ConfigError."""
    from pathlib import Path

    from ..workspace.config import find_config
    from ..workspace.pytorch import Release, release_of

    if torch is not None:
        return Release(torch, "as asked for")
    config = find_config(Path.cwd())
    return release_of(Path.cwd()) if config is None else release_of(config.root, config.torch)


def _told(args: argparse.Namespace) -> bool:
    """Whether any release has the callable."""
    from ..facts import releases

    return any(releases.of(name).table.find(args.name) is not None for name in releases.names())


def _print(name: str, release: Release) -> None:
    """Print the entry of a callable, and how other releases differ."""
    from ..facts.describe import describe
    from ..facts.history import differences

    fact = release.facts.table.find(name)
    print(describe(fact).rstrip("\n") if fact is not None else name)
    for line in release.facts.published.told(name):
        print(line)
    print(f"in {release}")
    if told := list(differences(name, release.judged_by)):
        print("in other releases:", *told, sep="\n")


def _suggestion(name: str, facts: Facts) -> str:
    """What the user may have meant: callables with the same last name, else names that look similar."""
    from difflib import get_close_matches

    known = sorted(facts.table.names())
    last = name.rpartition(".")[2]
    alike = [one for one in known if one.rpartition(".")[2] == last] or get_close_matches(name, known)
    return f"; did you mean {' or '.join(alike[:4])}?" if alike else ""

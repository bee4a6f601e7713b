"""Tell what is known of a PyTorch callable: what it saves, changes and returns."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .status import FAILED, OK

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard facts` takes."""
    parser.add_argument(
        "name", metavar="NAME", help="as programs write it: torch.exp, torch.Tensor.add_, torch.nn.Linear"
    )


def run(args: argparse.Namespace) -> int:
    """Print the facts in words."""
    from ..facts.describe import describe
    from ..facts.releases import BASE

    fact = BASE.table.find(args.name)
    if fact is None:
        print(f"gradguard: nothing is known of `{args.name}`{_suggestion(args.name)}", file=sys.stderr)
        return FAILED
    print(describe(fact).rstrip("\n"))
    return OK


def _suggestion(name: str) -> str:
    """What the user may have meant: callables with the same last name, else names that look alike."""
    from difflib import get_close_matches

    from ..facts.releases import BASE

    known = sorted(BASE.table.names())
    last = name.rpartition(".")[2]
    alike = [one for one in known if one.rpartition(".")[2] == last] or get_close_matches(name, known)
    return f"; did you mean {' or '.join(alike[:4])}?" if alike else ""

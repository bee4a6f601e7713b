"""Explain a rule, or one of PyTorch's error messages."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .places import colours
from .status import FAILED, OK

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..rules import Rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard explain` takes."""
    parser.add_argument(
        "what",
        metavar="CODE|ERROR",
        help="a rule's code or name, such as GG101 or inplace-on-saved; or a text with PyTorch's message in it;"
        " `-` reads that from standard input",
    )


def run(args: argparse.Namespace) -> int:
    """Print the rule's page; for a message, that of the one rule that explains it, or which rules may."""
    from ..rules.page import page

    what = sys.stdin.read() if args.what == "-" else args.what
    found = _rules(what)
    if not found:
        print(f"gradguard: no rule explains {_shortened(what)} (`gradguard rules` lists them)", file=sys.stderr)
        return FAILED
    show_markdown(page(found[0]) if len(found) == 1 else _choice(found))
    return OK


def _rules(what: str) -> Sequence[Rule]:
    from ..rules import explaining, rule

    try:
        return [rule(what.strip())]
    except KeyError:
        return explaining(what)


def _choice(rules: Sequence[Rule]) -> str:
    lines = [f"- `gradguard explain {rule.code}` ({rule.name}): {rule.summary}" for rule in rules]
    return "\n".join(["PyTorch says this in several cases:", "", *lines])


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return f"`{line if len(line) <= 60 else line[:59] + '…'}`"


def show_markdown(text: str) -> None:
    """Print Markdown: rendered on a terminal, else as it is."""
    if not colours(sys.stdout):
        print(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))

"""Explain a rule: what it finds, why PyTorch fails there, and what to do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .places import colours
from .status import FAILED, OK

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard explain` takes."""
    parser.add_argument("rule", metavar="CODE", help="a rule's code or name, such as GG101 or inplace-on-saved")


def run(args: argparse.Namespace) -> int:
    """Print the rule's page."""
    from ..rules import rule
    from ..rules.page import page

    try:
        text = page(rule(args.rule))
    except KeyError:
        print(f"gradguard: unknown rule `{args.rule}` (`gradguard rules` lists them)", file=sys.stderr)
        return FAILED
    show_markdown(text)
    return OK


def show_markdown(text: str) -> None:
    """Print Markdown: rendered on a terminal, else as it is."""
    if not colours(sys.stdout):
        print(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))

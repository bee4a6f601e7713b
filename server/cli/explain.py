"""Explain a rule, or one of PyTorch's error messages."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .places import Results, colours, complain, shown, visible
from .status import FAILED, OK

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from ..rules import Rule
    from ..rules.messages import Locale
    from ..rules.pytorch_error import PytorchError
    from ..workspace.files import Document
    from ..workspace.suspects import Suspect


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard explain` takes."""
    parser.add_argument(
        "what",
        metavar="CODE|ERROR",
        help="a rule's code or name, such as GG101 or inplace-on-saved; or a text with PyTorch's message in it, best"
        " with its traceback; `-` reads that from standard input",
    )
    parser.add_argument(
        "--project", metavar="PATH", help="a file or folder: name the suspects there, the likeliest first"
    )
    parser.add_argument("--config", metavar="FILE", help="with --project: use this configuration")
    parser.add_argument("--language", metavar="TAG", help="such as zh-CN (default: English)")


def run(args: argparse.Namespace) -> int:
    """Print the rule's page; for a message, what it says, the suspects, and the rules that say more.

    Raises ConfigError.
    """
    from ..rules.error_words import account, further
    from ..rules.messages import locale_of
    from ..rules.page import page
    from ..rules.pytorch_error import read

    locale = locale_of(args.language)
    what = sys.stdin.read() if args.what == "-" else args.what
    if rule := _rule(what):
        show_markdown(page(rule, locale))
        return OK
    error = read(what)
    if error is None:
        print(f"gradguard: no rule explains {_shortened(what)} ({_hint(what)})", file=sys.stderr)
        return FAILED
    parts = [account(error, locale)]
    if args.project is not None and error.rules:
        parts.append(_suspects(error, args.project, args.config, locale))
    if error.rules:
        parts.append(page(error.rules[0], locale) if len(error.rules) == 1 else further(error.rules, locale))
    show_markdown("\n".join(parts))
    return OK


def _rule(what: str) -> Rule | None:
    from ..rules import rule

    try:
        return rule(what.strip())
    except KeyError:
        return None


MOST_SUSPECTS = 5
LONGEST_NAME = 60
"""characters that a mistyped name may have; a longer text was piped in"""


def _suspects(error: PytorchError, project: str, config: str | None, locale: Locale) -> str:
    """The likeliest findings of a file or folder, as Markdown. Raises ConfigError."""
    from ..rules.error_words import lineup
    from ..rules.rule import Severity
    from ..workspace.config import load_config
    from ..workspace.files import Settings, find_files
    from ..workspace.project import Project
    from ..workspace.suspects import suspects

    explicit = None if config is None else load_config(Path(os.path.abspath(config)))
    files = find_files([project], Settings(explicit))
    results = [
        Project(config.root, config).check(paths, Severity.HINT, locale=locale) for config, paths in files.groups
    ]
    for problem in (*files.problems, *(problem for result in results for problem in result.problems)):
        print(complain(problem), file=sys.stderr)
    documents = {path: document for result in results for path, document in result.documents.items()}
    found = suspects(error, [finding for result in results for finding in result.findings], documents)
    told = [_told(suspect, documents, locale) for suspect in found[:MOST_SUSPECTS]]
    return lineup(told, len(found) - len(told), shown(os.path.abspath(project)), locale)


def _told(suspect: Suspect, documents: Mapping[str, Document], locale: Locale) -> str:
    """A suspect in one line: where it is, what it does, and what speaks for it."""
    from ..rules.error_words import clues

    finding = suspect.finding
    region = Results([], documents, lambda _: []).region(finding)
    told = visible(f"`{region}` {finding.rule.code} {finding.severity.label}: {finding.message}")
    return told + clues(suspect.clues, locale)


def _hint(what: str) -> str:
    """A hint at the rule that may have been meant."""
    from ..rules.nearest import nearest
    from ..workspace.config import known_selectors

    word = what.strip()
    meant = nearest(word, known_selectors()) if len(word) <= LONGEST_NAME else None
    return "`gradguard rules` lists them" if meant is None else f"did you mean `{meant}`?"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return f"`{line if len(line) <= 60 else line[:59] + '…'}`"


def show_markdown(text: str) -> None:
    """Print Markdown: rendered on a terminal, otherwise as it is."""
    if not colours(sys.stdout):
        print(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))

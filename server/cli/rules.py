"""List the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .explain import show_markdown
from .status import OK

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`gradguard rules` takes nothing."""


def run(args: argparse.Namespace) -> int:
    """Print the catalogue."""
    from ..rules.page import catalogue

    show_markdown(catalogue())
    return OK

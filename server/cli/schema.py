"""Print a JSON schema: of the settings, for editors of TOML, or of the facts, for programs that read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .status import OK

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard schema` takes."""
    parser.add_argument(
        "of",
        nargs="?",
        choices=("settings", "facts"),
        default="settings",
        help="the settings (default), or what `gradguard facts --output-format json` writes",
    )


def run(args: argparse.Namespace) -> int:
    """Print the schema."""
    if args.of == "facts":
        from ..facts.schema import schema
    else:
        from ..workspace.schema import schema
    print(json.dumps(schema(), indent=2))
    return OK

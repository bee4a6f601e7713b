"""Print the JSON schema of the settings, for editors of TOML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .status import OK

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`gradguard schema` takes nothing."""


def run(args: argparse.Namespace) -> int:
    """Print the schema."""
    from ..workspace.schema import schema

    print(json.dumps(schema(), indent=2))
    return OK

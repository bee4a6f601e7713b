"""Print what makes a shell complete gradguard's commands and options.

For bash, write it to the file ~/.local/share/bash-completion/completions/gradguard; for zsh, to a file `_gradguard` in
a folder of $fpath.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .status import OK

if TYPE_CHECKING:
    import argparse

SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard completion` takes."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to complete")


def run(args: argparse.Namespace) -> int:
    """Print the script. Raises ConfigError without the library."""
    from ..workspace.config import ConfigError

    try:
        import shtab
    except ImportError:
        raise ConfigError("completion needs the package shtab: pip install 'gradguard[completion]'") from None

    print(shtab.complete(args.whole, args.shell))
    return OK

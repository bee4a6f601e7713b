"""Draws what the command line prints on a terminal, from a real run: `python -m website.terminal`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from . import ROOT
from .blocks import blocks

PAGE = ROOT / "docs" / "start" / "command-line.md"
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
COMMAND = "gradguard check train.py"

FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""what Rich would load from elsewhere"""


def printed(colours: bool) -> str:
    """What the command prints about the first program of the page."""
    program = next(block.text for block in blocks(PAGE.read_text(encoding="utf-8")) if block.language == "python")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(program, encoding="utf-8")
        wanted = ["--color", "always" if colours else "never", "--no-cache", "--exit-zero"]
        command = [sys.executable, "-m", *COMMAND.split(), *wanted]
        env = os.environ | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


def draw() -> str:
    """The picture, as SVG."""
    text = Text.from_ansi(printed(colours=True))
    console = Console(record=True, width=max(map(len, text.plain.split("\n"))), file=StringIO(), highlight=False)
    console.print(text)
    return FONTS.sub("", console.export_svg(title=COMMAND, unique_id="terminal"))


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")

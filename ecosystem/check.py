"""One package checked: the command line as users run it, what it says, and what that takes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from tempfile import TemporaryFile
from threading import Timer
from typing import TYPE_CHECKING

from .packages import SUFFIX

if TYPE_CHECKING:
    from pathlib import Path

    from .packages import Package

PATIENCE = 3600.0
"""seconds that a package may take, on a busy machine too"""

HINT = "hint"
SEVERITIES = {"critical": "error", "major": "warning", "info": HINT}
"""what GitLab's format calls them"""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An error, warning or hint. `text` is the line that it is on: that stays when lines move."""

    file: str
    line: int
    text: str
    rule: str
    severity: str
    message: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is known by from one version to the next."""
        return self.file, self.rule, self.text


@dataclass(frozen=True, slots=True)
class Figures:
    """What a check came to. `seconds` are those of the processor, `memory` the MB of its largest process."""

    version: str
    files: int
    lines: int
    seconds: float
    memory: int
    internal: tuple[str, ...]
    timed_out: bool
    alarms: tuple[Alarm, ...]
    hints: tuple[Alarm, ...] = ()


def check(package: Package, root: Path, patience: float = PATIENCE) -> Figures:
    """Check a package in the folder `root`."""
    texts = {path: path.read_text(encoding="utf-8", errors="replace").splitlines() for path in _files(root)}
    command = [sys.executable, "-m", "gradguard", "check", ".", "--no-cache", "--output-format", "gitlab"]
    command += ["--min-severity", HINT]
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        process = subprocess.Popen([*command, "--exit-zero"], cwd=root, stdout=out, stderr=err, start_new_session=True)
        timer = Timer(patience, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said, complaints = out.read(), err.read().splitlines()
    timed_out = process.returncode == -signal.SIGKILL
    internal = [line for line in complaints if "internal error: " in line]
    if process.returncode not in (0, 2) and not timed_out:
        internal.append(complaints[-1] if complaints else f"exit status {process.returncode}")
    found = [_alarm(issue, root, texts) for issue in json.loads(said or "[]")]
    return Figures(
        version=package.version,
        files=len(texts),
        lines=sum(map(len, texts.values())),
        seconds=round(usage.ru_utime + usage.ru_stime, 1),
        memory=usage.ru_maxrss // 1024,
        internal=tuple(internal),
        timed_out=timed_out,
        alarms=tuple(one for one in found if one.severity != HINT),
        hints=tuple(one for one in found if one.severity == HINT),
    )


def _files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob(f"*{SUFFIX}") if path.is_file())


def _alarm(issue: dict, root: Path, texts: dict[Path, list[str]]) -> Alarm:
    """An issue of GitLab's format."""
    file, line = issue["location"]["path"], issue["location"]["positions"]["begin"]["line"]
    text = texts[root / file][line - 1].strip()
    return Alarm(file, line, text, issue["check_name"], SEVERITIES[issue["severity"]], issue["description"])

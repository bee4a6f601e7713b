"""Random edits of real files, as people make them, and what a replay that goes on after each has to agree with.

As a script, a long run:  python tests/workspace/editing.py [EDITS [SEED]]
"""

from __future__ import annotations

import gc
import random
import resource
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gradguard.analyses import Report, replay
from gradguard.analyses.program import Session
from gradguard.analyses.report import Site
from gradguard.analyses.state import Unwanted
from gradguard.workspace.files import Document
from gradguard.workspace.project import Project

if TYPE_CHECKING:
    from gradguard.syntax.chunks import Source

ROOT = Path(__file__).parents[2]
TORCH = Path(find_spec("torch").origin).parent
FILES = (
    *(TORCH / "nn" / name for name in ("functional.py", "modules/conv.py", "modules/linear.py", "modules/rnn.py")),
    *(TORCH / "optim" / name for name in ("sgd.py", "lr_scheduler.py")),
    *sorted((ROOT / "examples").glob("0*.py"))[:2],
    *sorted((ROOT / "tests/programs").glob("modules/*/buggy/main.py"))[:2],
)
TYPED = "abx1 ()[]=.,:'\"#\n\t+"
PASTED = (
    "x = x * 2\n",
    "y = torch.exp(x)\ny += 1\ny.sum().backward()\n",
    "if x is None:\n    pass\n",
    "for i in range(3):\n    x = x + i\n",
    "def helper(a):\n    return a.exp().add_(1)\n",
    "class Extra(Module):\n    def forward(self, x):\n        y = x.exp()\n        y.mul_(2)\n        return y\n",
    '"""\n',
    "z = [\n",
)


class Editing:
    """One file that is being edited: its text now, and what was before."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = str(path)
        self.seed, self.number = seed, 0
        self.rng = random.Random(seed)
        self.project = Project(path.parent)
        self.session = Session(self.project)
        self.texts = [path.read_text("utf-8")]
        self.show()

    @property
    def text(self) -> str:
        return self.texts[-1]

    def show(self) -> Report:
        """What the replay that goes on says of the text as it is now."""
        self.project.overlay(Document(self.path, self.text))
        return self.session.replay([self.project.source(self.path)])

    def start(self) -> bool:
        """Begin to replay the text as it is now, and stop somewhere; whether there was so much to do."""
        left = self.rng.randrange(8)

        def wanted() -> bool:
            nonlocal left
            left -= 1
            return left >= 0

        self.project.overlay(Document(self.path, self.text))
        try:
            self.session.replay([self.project.source(self.path)], wanted)
        except Unwanted:
            return True
        return False

    def step(self, compare: bool) -> None:
        """Edit, perhaps twice before there is an answer. Raises AssertionError where the answer is wrong."""
        self.number += 1
        self.edit()
        if self.rng.random() < 0.3 and self.start():
            self.edit()
        known = self.show()
        wrong = known.problems, misplaced(known, self.project), differences(known, self.batch()) if compare else []
        assert wrong == ([], [], []), f"{self.path}, seed {self.seed}, edit {self.number}: {wrong}"

    def size(self) -> tuple[int, float]:
        """How many blocks of memory there are for the file as it was in the beginning, and how many MiB in all."""
        del self.texts[1:]
        self.show()
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return sys.getallocatedblocks(), round(pages * resource.getpagesize() / 2**20, 1)

    def batch(self) -> Report:
        """What a replay from the start says."""
        return replay([self.project.source(self.path)], self.project)

    def edit(self) -> None:
        """Type, delete, paste, move, indent, or undo."""
        rng, lines = self.rng, self.text.splitlines(keepends=True) or ["\n"]
        at, count = rng.randrange(len(lines)), rng.randrange(1, 12)
        line = lines[at]
        column = rng.randrange(len(line))
        match rng.choices(
            ("type", "delete", "paste", "cut", "move", "indent", "undo", "start"), (8, 4, 5, 1, 2, 2, 8, 1)
        )[0]:
            case "type":
                lines[at] = line[:column] + rng.choice(TYPED) + line[column:]
            case "delete":
                lines[at] = line[:column] + line[column + 1 :]
            case "paste":
                indent = line[: len(line) - len(line.lstrip())].strip("\r\n")
                lines[at:at] = [indent + pasted for pasted in rng.choice(PASTED).splitlines(keepends=True)]
            case "cut":
                del lines[at : at + count]
            case "move":
                moved = lines[at : at + count]
                del lines[at : at + count]
                to = rng.randrange(len(lines) + 1)
                lines[to:to] = moved
            case "indent":
                lines[at : at + count] = [f"    {one}" for one in lines[at : at + count]]
            case "undo" if len(self.texts) > 1:
                self.texts.pop()
                return
            case "start":
                del self.texts[1:]
                return
        self.texts = [*self.texts[-30:], "".join(lines)] if len(self.texts) < 30 else [self.texts[0], "".join(lines)]


def differences(known: Report, fresh: Report) -> list[str]:
    """Which parts of two reports on the same sources are not the same."""
    found = []
    if known.failures != fresh.failures:
        found.append("failures")
    if rows(known) != rows(fresh):
        found.append("rows")
    if stories(known) != stories(fresh):
        found.append("stories")
    if (known.problems, known.errors) != (fresh.problems, fresh.errors):
        found.append("problems")
    return found


def rows(report: Report) -> list[object]:
    """The rows, with their storages numbered in the order in which they come."""
    numbers: dict[int, int] = {}
    return [
        (
            r.site,
            r.name,
            r.version,
            r.low,
            r.high,
            r.requires_grad,
            r.is_leaf,
            numbers.setdefault(r.storage, len(numbers)),
        )
        for r in report.rows
    ]


def stories(report: Report) -> dict[object, object]:
    """The stories, without the numbers of their storages."""
    return {
        key: (s.site, s.version, s.requires_grad, s.is_leaf, s.writes, s.saves, s.aliases, s.shape, s.dtype)
        for key, s in report.stories.items()
    }


def misplaced(report: Report, project: Project) -> list[object]:
    """The places of failures that are not, or no longer, in the text of their file."""
    places = [one for failure in report.failures for one in (failure.site, failure.write, failure.saved) if one]
    sites = [one if isinstance(one, Site) else one.site for one in places]
    return [site for site in sites if not is_inside(site, project.source(site.chunk.path))]


def is_inside(site: Site, source: Source) -> bool:
    """Whether a place is in a chunk of the text as it is now, and within its lines."""
    span = site.chunk.span(site.node)
    start, end = (span.start_line, span.start_col), (span.end_line, span.end_col)
    lines = len(source.line_starts)
    return (
        site.chunk in source.chunks
        and (0, 0) <= start <= end < (lines, 0)
        and all(column <= len(source.line(line)) for line, column in (start, end))
    )


def run(path: Path, seed: int, edits: int, every: int = 1) -> None:
    """Edit a file; after every so many edits the reports must agree. Raises AssertionError where they don't."""
    editing = Editing(path, seed)
    for number in range(edits):
        editing.step(number % every == 0 or number == edits - 1)


def main(edits: int, seed: int) -> None:
    """Edit each file, and see that memory does not grow in the second half."""
    share = edits // len(FILES)
    for path in FILES:
        editing = Editing(path, seed)
        began, sizes = time.monotonic(), []
        for number in range(share):
            editing.step(number % 20 == 0 or number == share - 1)
            if number in (0, share // 2, share - 1):
                sizes.append(editing.size())
            if number % 200 == 199:
                took = time.monotonic() - began
                print(f"{path.name}: {number + 1} of {share} edits, {took:.0f} s", file=sys.stderr, flush=True)
        print(f"{path}: objects and MiB at the start, in the middle, at the end: {sizes}", flush=True)
        for middle, end in zip(*sizes[1:], strict=True):
            assert end < middle * 1.05, f"memory grows in the second half: {sizes}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1)

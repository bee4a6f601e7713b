"""Random edits of real files, as people make them, and what a replay that goes on after each has to agree with.

As a script, a long run:  python tests/workspace/editing.py [EDITS]
"""

from __future__ import annotations

import gc
import random
import sys
from importlib.util import find_spec
from pathlib import Path

from gradguard.analyses import Report, replay
from gradguard.analyses.program import Session
from gradguard.analyses.state import Unwanted
from gradguard.syntax.chunks import line_starts
from gradguard.workspace.files import Document
from gradguard.workspace.project import Project

ROOT = Path(__file__).parents[2]
TORCH = Path(find_spec("torch").origin).parent
FILES = (
    *(TORCH / name for name in ("nn/modules/linear.py", "nn/functional.py", "nn/modules/conv.py", "optim/sgd.py")),
    *sorted((ROOT / "examples").glob("0*.py"))[:3],
    *sorted((ROOT / "tests/programs").glob("modules/*/buggy/main.py"))[:3],
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

    def __init__(self, path: Path, rng: random.Random) -> None:
        self.path = str(path)
        self.rng = rng
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


def misplaced(report: Report, path: str, text: str) -> list[object]:
    """The failures in the edited file that lie outside of its text."""
    lines = len(line_starts(text))
    sites = [failure.site for failure in report.failures if failure.site.chunk.path == path]
    spans = [site.chunk.span(site.node) for site in sites]
    return [span for span in spans if not 0 <= span.start_line <= span.end_line < lines]


def run(path: Path, seed: int, edits: int, every: int = 1) -> None:
    """Edit a file; after every so many edits the reports must agree. Raises AssertionError where they don't."""
    editing = Editing(path, random.Random(seed))
    for number in range(edits):
        editing.edit()
        if number % 3 == 0 and editing.start():
            editing.edit()
        known = editing.show()
        if number % every == 0 or number == edits - 1:
            told = differences(known, editing.batch()), known.problems, misplaced(known, editing.path, editing.text)
            assert told == ([], [], []), f"{path}, seed {seed}, edit {number}: {told}"


def main(edits: int) -> None:
    """Edit each file, and tell how memory grows in the second half."""
    for path in FILES:
        editing = Editing(path, random.Random(1))
        sizes = []
        for number in range(edits // len(FILES)):
            editing.edit()
            known = editing.show()
            if number % 20 == 0:
                assert not differences(known, editing.batch()) and not known.problems, (path, number)
            if number % (edits // len(FILES) // 2 - 1) == 0:
                del editing.texts[1:]
                editing.show()
                gc.collect()
                sizes.append(len(gc.get_objects()))
        print(path.name, "objects alive at the start, in the middle, at the end:", *sizes, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)

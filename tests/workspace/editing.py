"""Random edits of real files, as people make them, and what a replay that goes on after each has to agree with.

As a script, a long run:  python tests/workspace/editing.py [EDITS [SEED]]
"""

from __future__ import annotations

import gc
import random
import resource
import sys
import time
import traceback
from dataclasses import astuple, fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gradguard.analyses import Report, replay
from gradguard.analyses.domain.paths import Unwanted
from gradguard.analyses.domain.report import Site
from gradguard.analyses.program.past import MOST
from gradguard.analyses.program.session import Session
from gradguard.workspace.files import Document
from gradguard.workspace.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradguard.analyses.domain.report import Story
    from gradguard.syntax.chunks import Source

ROOT = Path(__file__).parents[2]
TORCH = Path(find_spec("torch").origin).parent
FILES = (
    *(TORCH / "nn" / name for name in ("functional.py", "modules/conv.py", "modules/linear.py", "modules/rnn.py")),
    *(TORCH / "nn" / name for name in ("modules/transformer.py", "utils/parametrizations.py")),
    *(TORCH / name for name in ("optim/lbfgs.py", "optim/lr_scheduler.py", "distributions/transforms.py")),
    ROOT / "tests/programs/modules/adapter_merged_for_validation/buggy/main.py",
)
OUTSIDE = 0.3
"""how often an edit is at the top level of the file"""

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


class Typist:
    """Somebody who edits a text: what it is now, and what it was before."""

    def __init__(self, text: str, seed: int) -> None:
        self.rng = random.Random(seed)
        self.texts = [text]

    @property
    def text(self) -> str:
        return self.texts[-1]

    def edit(self) -> None:
        """Type, delete, paste, move, indent, or undo."""
        rng, lines = self.rng, self.text.splitlines(keepends=True) or ["\n"]
        at, count = rng.randrange(len(lines)), rng.randrange(1, 12)
        if rng.random() < OUTSIDE:  # of functions: a module's own statements, the heads of classes and functions
            at = rng.choice([i for i, one in enumerate(lines) if one.strip() and one[0] not in " \t"] or [at])
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


class Editing(Typist):
    """One file that is being edited, and what is known of it."""

    def __init__(self, path: Path, seed: int) -> None:
        super().__init__(path.read_text("utf-8"), seed)
        self.path = str(path)
        self.seed, self.number = seed, 0
        self.compared = self.parsed = 0
        self.project = Project(path.parent)
        self.session = Session(self.project)
        self.show()

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
        self.hold(self.show(), compare)

    def end(self) -> None:
        """Mend what is broken, and go back to how the file was. Raises AssertionError where the answer is wrong."""
        while self.project.source(self.path).problems:
            self.texts.pop()
            self.show()
        self.hold(self.show(), compare=True)
        del self.texts[1:]
        self.hold(self.show(), compare=True)

    def hold(self, known: Report, compare: bool) -> None:
        """Raise AssertionError where what is known of the text as it is now is wrong."""
        source = self.project.source(self.path)
        wrong = [*known.problems, *misplaced(known, self.project)]
        if compare:
            self.compared += 1
            wrong += differences(known, replay([source], self.project))
        if compare and not source.problems:  # of broken text there is what was good last, which a fresh parse lacks
            self.parsed += 1
            wrong += [f"{what}, parsed anew" for what in differences(known, self.batch())]
        assert wrong == [], f"{self.path}, seed {self.seed}, edit {self.number}: {wrong}"

    def size(self) -> tuple[int, float]:
        """How many blocks of memory there are for the file as it was in the beginning, and how many MiB in all.

        What is kept for edits that may be taken back is more or less, by what these were; it is not counted.
        """
        self.end()
        kept = self.session.past.formers.values()
        assert sum(one.entered.cost for formers in kept for one in formers) <= MOST
        self.session.past.formers.clear()
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return sys.getallocatedblocks(), round(pages * resource.getpagesize() / 2**20, 1)

    def read_all(self) -> None:
        """Parse the files beside this one: that one of them is imported for a while is no growth then."""
        for path in Path(self.path).parent.glob("*.py"):
            self.project.source(str(path))

    def batch(self) -> Report:
        """What a replay from the start says of the text, parsed from the start."""
        project = Project(Path(self.path).parent)
        project.overlay(Document(self.path, self.text))
        return replay([project.source(self.path)], project)


def differences(known: Report, fresh: Report) -> list[str]:
    """Which parts of two reports on one text are not the same, wherever their places are kept."""
    pairs = {
        "failures": (known.failures, fresh.failures),
        "rows": (known.rows, fresh.rows),
        "stories": (by_place(known.stories.values()), by_place(fresh.stories.values())),
        "problems": (known.problems, fresh.problems),
        "errors": (known.errors, fresh.errors),
    }
    return [what for what, (one, other) in pairs.items() if plain(one) != plain(other)]


def by_place(stories: Iterable[Story]) -> list[Story]:
    """Stories in the order of the text."""
    return sorted(stories, key=lambda story: (story.site.chunk.path, place(story.site), story.name))


def place(site: Site) -> tuple[int, ...]:
    """The lines and columns of a site in its file."""
    return astuple(site.chunk.span(site.node))


def plain(told: Iterable[object]) -> list[object]:
    """What is told, with lines and columns for its sites, and its storages numbered in the order in which they come."""
    numbers: dict[int, int] = {}

    def of(value: object) -> object:
        if isinstance(value, Site):
            return value.chunk.path, place(value)
        if isinstance(value, tuple):
            return tuple(map(of, value))
        if not is_dataclass(value):
            return value
        shown = {one.name: of(getattr(value, one.name)) for one in fields(value) if one.compare}
        if "storage" in shown:
            shown["storage"] = numbers.setdefault(shown["storage"], len(numbers))
        return shown

    return list(map(of, told))


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
    """Edit a file; after every so many edits, and in the end, the reports must agree; raises AssertionError if not."""
    editing = Editing(path, seed)
    for number in range(edits):
        editing.step(number % every == 0)
    editing.end()


def long_run(path: Path, seed: int, edits: int) -> None:
    """Edit a file, as `run` does, and see that memory does not grow in the second half; prints what was seen."""
    editing = Editing(path, seed)
    editing.read_all()
    began, sizes = time.monotonic(), []
    for number in range(edits):
        editing.step(number % 20 == 0)
        if number in (0, edits // 2, edits - 1):
            sizes.append(editing.size())
        if number % 200 == 199:
            took = time.monotonic() - began
            print(f"{path.name}: {number + 1} of {edits} edits, {took:.0f} s", file=sys.stderr, flush=True)
    (start, _), (middle, middle_size), (end, end_size) = sizes
    compared, parsed = editing.compared, editing.parsed
    print(
        f"{path.name}: {edits} edits, {compared} compared with a replay from the start, {parsed} with a parse too; "
        f"blocks {start:,}, {middle:,} half-way, {end:,}; MiB {middle_size} half-way, {end_size}",
        flush=True,
    )
    assert end < middle * 1.05, f"{path}, seed {seed}: memory grows in the second half: {sizes}"
    assert end_size < middle_size * 1.05, f"{path}, seed {seed}: memory grows in the second half: {sizes}"


def went_wrong(path: Path, seed: int, edits: int) -> bool:
    """Edit a file for long; print what went wrong, if anything did."""
    try:
        long_run(path, seed, edits)
    except Exception:
        print(f"{path.name}, seed {seed}: WRONG\n{traceback.format_exc()}", flush=True)
        return True
    return False


def main(edits: int, seed: int) -> int:
    """Edit each file, whatever was wrong with the one before; the exit status."""
    wrong = sum(went_wrong(path, seed, edits // len(FILES)) for path in FILES)
    print(f"{edits} edits of {len(FILES)} files, seed {seed}: something was wrong with {wrong} files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1))

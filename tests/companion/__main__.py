"""Holds the run-time companion against the oracle: `python -m tests.companion [FOLDER…] [--drawn N]`.

Every program of the project's tests, every folder below those named that has a `main.py`, and N programs that
`tests/fuzz` draws are run three times: by the oracle, which compares all that is written, under observation as users
have it, and alone. What is counted: failures whose kind is right, of which a line that wrote, and one that saved, is
named; harmless programs of which nothing is told; and programs that end alone as they do when they are watched.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING

from ..fuzz.generate import draw
from ..oracle.answers import Verdict
from ..oracle.client import printed_error, run_program, watched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gradguard.workspace.record import Sighting, Spot

PROGRAMS = Path(__file__).parents[1] / "programs"
FORMS = ("buggy", "fixed", "benign")

TWO_PLACES = {"stale-saved", "silent-stale"}
"""the kinds that are told by where the tensor was saved and where it was changed"""

WITHOUT = {None, "other", "timeout", "crash"}
"""what no rule is about"""


@dataclass
class Score:
    """How many answers were right, of how many; `wrong` tells of the others."""

    right: int = 0
    of: int = 0
    wrong: list[str] = field(default_factory=list)

    def count(self, right: bool, told: str) -> None:
        self.of += 1
        self.right += right
        if not right:
            self.wrong.append(told)

    def __str__(self) -> str:
        return f"{self.right} of {self.of}" + (f" ({100 * self.right / self.of:.1f} %)" if self.of else "")


def programs(folders: Iterable[Path]) -> Iterator[Path]:
    """The folders below some that hold a program."""
    for folder in folders:
        yield from sorted(path.parent for path in folder.rglob("main.py"))


def told(spot: Spot | None, root: Path) -> str:
    """A place as the oracle tells it."""
    return "" if spot is None else f"{os.path.relpath(spot.path, root)}:{spot.line + 1}"


def right_kind(verdict: Verdict, seen: list[Sighting]) -> Sighting | None:
    """The sighting that is of the oracle's kind; a program may first be silently wrong, and then fail."""
    return next((one for one in seen if one.kind == verdict.kind), None)


def compare(root: Path, verdict: Verdict, seen: list[Sighting], scores: dict[str, Score]) -> None:
    """Count what is right about one program."""
    if verdict.kind in WITHOUT:
        clean = [one for one in seen if verdict.ok]
        scores["quiet"].count(not clean, f"{root}: {[one.kind for one in clean]}")
        return
    one = right_kind(verdict, seen)
    scores["kind"].count(one is not None, f"{root}: {verdict.kind}, told {[one.kind for one in seen]}")
    if one is None:
        return
    if one.kind in TWO_PLACES:
        written = [told(write.spot, root) for write in one.writes]
        saved = told(one.saved.spot, root) if one.saved else None
        scores["saved"].count(saved in verdict.saved, f"{root}: saved {verdict.saved}, told {saved}")
        if verdict.mutation:
            named = not set(written).isdisjoint(verdict.mutation)
            scores["written"].count(named, f"{root}: wrote {verdict.mutation}, told {written}")
    elif verdict.raised:
        place = told(one.spot, root)
        scores["raised"].count(place == verdict.raised, f"{root}: raised {verdict.raised}, told {place}")


def fresh() -> dict[str, Score]:
    """No answer yet."""
    return {name: Score() for name in ("kind", "written", "saved", "raised", "quiet", "alone")}


def run(root: Path, scores: dict[str, Score]) -> None:
    """Ask about a program."""
    try:
        verdict, (seen, printed), alone = verdict_of(root), watched(root), printed_error(root, anomaly=False)
    except RuntimeError as error:
        print(f"left out: {error}")
        return
    compare(root, verdict, seen, scores)
    watching, error = error_in(printed), error_in(alone)
    same = watching == error and bool(error) == (verdict.message is not None)
    scores["alone"].count(same, f"{root}: {verdict.message}, watched {watching[-200:]!r}, alone {error[-200:]!r}")


def error_in(printed: str) -> str:
    """The error below the last traceback that was printed, if any."""
    lines = printed.rpartition("Traceback (most recent call last):\n")[2].splitlines(keepends=True)
    return "".join(dropwhile(lambda line: line.startswith(" "), lines)) if "Traceback (most" in printed else ""


def verdict_of(root: Path) -> Verdict:
    """What PyTorch does with a program: as it was noted beside it, else asked."""
    noted = root.parent / f"{root.name}.truth.json"
    if not noted.exists():
        return run_program(root)
    data = json.loads(noted.read_text())
    lines = {key: tuple(data.get(key) or ()) for key in ("saved", "mutation", "stack")}
    return Verdict(data["ok"], data.get("kind"), data.get("message"), raised=data.get("raised"), **lines)


def run_drawn(number: int, seed: int, scores: dict[str, Score]) -> None:
    """Ask about programs that are drawn."""
    for index in range(number):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, f"drawn-{seed}-{index}")
            root.mkdir()
            (root / "main.py").write_text(draw(f"companion {seed} {index}").text)
            run(root, scores)


def main() -> int:
    """Run all and print the figures; the exit status is 1 where an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--drawn", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="store_true", help="not the programs of the project's tests")
    args = parser.parse_args()
    scores = fresh()
    for root in programs([*([] if args.only else [PROGRAMS]), *args.folders]):
        run(root, scores)
    run_drawn(args.drawn, args.seed, scores)
    for name, score in scores.items():
        print(f"{name:8} {score}")
        for line in score.wrong:
            print("   ", line)
    return int(any(score.wrong for score in scores.values()))


if __name__ == "__main__":
    sys.exit(main())

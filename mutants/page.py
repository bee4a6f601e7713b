"""The figures of a run in words, and as the page `docs/real-code.md`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .edits import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .record import Outcome

HEAD = (
    "failing",
    "told with the script",
    "told, file alone",
    "hint, file alone",
    "harmless",
    "alarms on those",
    "right elsewhere",
)


def summary(outcomes: Sequence[Outcome]) -> str:
    """The figures in a few lines."""
    halves = ((half, [one for one in outcomes if one.unseen is unseen]) for half, unseen in HALVES)
    return "\n".join(
        f"{half}: " + "; ".join(f"{name} {cell}" for name, cell in zip(HEAD, _cells(some), strict=True))
        for half, some in halves
        if some
    )


HALVES = (("not looked at", True), ("looked at", False))


def _cells(some: Iterable[Outcome]) -> list[str]:
    some = list(some)
    failing, harmless = [one for one in some if one.fails], [one for one in some if not one.fails]
    alarms = [one for one in harmless if "alarm" in (one.alone, one.scripted)]
    return [
        str(len(failing)),
        _share(sum(one.scripted == "alarm" for one in failing), len(failing)),
        _share(sum(one.alone == "alarm" for one in failing), len(failing)),
        str(sum(one.alone == "hint" for one in failing)),
        str(len(harmless)),
        str(len(alarms)),
        str(sum(one.elsewhere for one in alarms)),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / max(whole, 1):.0f} %)"


def _table(first: str, groups: Iterable[tuple[str, list[Outcome]]]) -> Iterator[str]:
    yield "| " + " | ".join((first, *HEAD)) + " |"
    yield "|---|" + "---:|" * len(HEAD)
    for name, some in groups:
        yield "| " + " | ".join((name, *_cells(some))) + " |"


def _grouped(outcomes: Sequence[Outcome], by: Callable[[Outcome], str]) -> list[tuple[str, list[Outcome]]]:
    return [(name, [one for one in outcomes if by(one) == name]) for name in Counter(map(by, outcomes))]


def written(outcomes: Sequence[Outcome]) -> str:
    """The page."""
    files = len({one.file for one in outcomes})
    halves = [(half, [one for one in outcomes if one.unseen is unseen]) for half, unseen in HALVES]
    return "\n".join(
        [
            "# Edits in real code",
            "",
            f"Written by `make mutants`: single edits, of the kinds that people make, in {files} files of packages",
            "from PyPI. A script trains a small model for two steps, on PyTorch, with each edit; the edited line runs.",
            "What then fails should be told, what works should not. GradGuard reads the edited file alone, with the",
            "package around it, and the same file with the script. A hint is not counted as told. An alarm on a",
            "harmless edit is right elsewhere if training raises with other arguments (see `mutants/models.toml`).",
            "Each file counts by its last run.",
            "",
            "Some of the packages were looked at while GradGuard was made better; of the others nothing but the",
            "figures, and the alarms on harmless edits, to judge them.",
            "",
            *_table("packages", [*halves, ("all", list(outcomes))]),
            "",
            "## By package",
            "",
            *_table("package", _grouped(outcomes, lambda one: one.package)),
            "",
            "## By kind of edit",
            "",
            *_table("edit", _grouped(outcomes, lambda one: KINDS[one.kind])),
            "",
        ]
    )

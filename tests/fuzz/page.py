"""The figures of a run in words, and as the page `docs/accuracy.md`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import torch

from .known import LIMITS

if TYPE_CHECKING:
    from .run import Result


def summary(result: Result) -> str:
    """The figures in a few lines."""
    agreed = sum(result.agreed.values())
    return (
        f"{result.compared} programs compared, {agreed} verdicts agree ({_share(agreed, result.compared)}), "
        f"{len(result.unexplained)} differences unexplained\n"
        f"{result.points} versions compared, {result.exact} exact ({_share(result.exact, result.points)}), "
        f"{result.open} left open\n"
        f"{result.flags} flags and pairs compared; {len(result.used)} callables used; "
        f"{result.seconds:.0f} s, seed {result.seed}\n"
        f"{_fixes(result)}\n"
    ) + "\n".join(result.fixes.problems)


def _fixes(result: Result) -> str:
    fixes, (mended, failing) = result.fixes, result.fixes.share
    return (
        f"{mended} of {failing} failing programs mended ({_share(mended, failing)}) by the first fix of each failure, "
        f"{fixes.ends['no fix']} have none; {fixes.safe} fixes that keep every value, {fixes.unsafe} others, "
        f"{len(fixes.problems)} wrong"
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.2f} %"


def written(result: Result) -> str:
    """The page."""
    rows = [
        f"| {kind} | {count} | {result.agreed[kind]} | {_share(result.agreed[kind], count)} |"
        for kind, count in sorted(result.kinds.items(), key=lambda item: -item[1])
        if kind != "not comparable"
    ]
    fixed = result.fixes.ends.total()
    limits = Counter(difference.limit.name for difference in result.differences if difference.limit)
    return "\n".join(
        [
            "# How accurate GradGuard is",
            "",
            f"Measured by `make fuzz N={result.count}` on PyTorch {torch.__version__}, seed {result.seed}: programs",
            "are drawn from the whole vocabulary of the measured facts, run on PyTorch, and held against what",
            "GradGuard says of them. This page is written by that run.",
            "",
            "| what PyTorch does | programs | foretold | share |",
            "|---|---:|---:|---:|",
            *rows,
            f"| all | {result.compared} | {sum(result.agreed.values())} "
            f"| {_share(sum(result.agreed.values()), result.compared)} |",
            "",
            f"- {result.points} versions compared with `_version`, line by line: {result.exact} exact "
            f"({_share(result.exact, result.points)}), {result.open} left open.",
            f"- {result.flags} times `requires_grad`, `is_leaf` and whether two names share memory compared.",
            f"- {len(result.used)} callables of PyTorch used.",
            f"- {result.kinds['not comparable']} programs not compared: PyTorch raises something that is not about",
            "  autograd, or crashes.",
            "",
            "## Fixes",
            "",
            f"Every fix of {fixed} programs that fail was tried alone: the program is replayed, and run on PyTorch.",
            "One that says it keeps every value has to leave each loss and each gradient as it was meant.",
            "",
            f"- {_fixes(result)}.",
            f"- {result.fixes.ends['fails of its own']} more end in an error that has nothing to do with autograd, in",
            "  what stands behind the failure.",
            "",
            "## Known limits",
            "",
            *(_limit(limit.name, limit.reason, limit.program, limits[limit.name]) for limit in LIMITS),
            *([] if LIMITS else ["None.", ""]),
        ]
    )


def _limit(name: str, reason: str, program: str, met: int) -> str:
    return f"### {name}\n\n{reason} Met {met} times in this run.\n\n```python\n{program.strip()}\n```\n"

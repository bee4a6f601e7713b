"""One table from two: the facts of another device beside those of the CPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..model import Case, Fact, ModuleFact, Op, OptimizerFact, Test

if TYPE_CHECKING:
    from collections.abc import Iterable


def merge(facts: Iterable[Fact], others: Iterable[Fact], device: str) -> list[Fact]:
    """Return the facts, with the cases of `others` before them where they differ, under a test of the device.

    `facts` are the CPU's, `others` those of `device` (`cuda`).
    """
    found = {f.name: f for f in facts}
    for other in others:
        known = found.setdefault(other.name, other)
        if known is not other:
            found[other.name] = _merged(known, other, device)
    return list(found.values())


def _merged(known: Fact, other: Fact, device: str) -> Fact:
    if isinstance(known, OptimizerFact):
        return known
    if not isinstance(other, (Op, ModuleFact)) or known.cases == other.cases:
        return known
    if isinstance(other, Op) and not other.measured:
        return known
    return replace(known, cases=(*(_on(case, device) for case in other.cases), *known.cases))


def _on(case: Case, device: str) -> Case:
    return replace(case, tests=(Test("device", "is", device), *case.tests))

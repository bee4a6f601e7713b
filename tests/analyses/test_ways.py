"""The ways by which a backward comes to a node: together they say on which conditions it comes there."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from gradguard.analyses.autograd.ways import FREE, Numbering, Ways
from gradguard.analyses.domain.budget import LIMITS
from gradguard.analyses.domain.values import Cond
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradguard.analyses.domain.paths import Guards

QUESTIONS = "abc"
answers = st.dictionaries(st.sampled_from(QUESTIONS), st.booleans(), max_size=len(QUESTIONS))
guards = answers.map(lambda told: tuple((Cond(name), holds) for name, holds in told.items()))


@given(st.lists(guards))
def test_ways_that_are_left_say_the_same_and_none_is_needless(every: list[Guards]) -> None:
    numbering, known = Numbering(), Ways()
    for way in every:
        numbering.add(known, numbering.number(way), way)
    for told in product([False, True], repeat=len(QUESTIONS)):
        world = dict(zip(QUESTIONS, told, strict=True))
        assert holds(known.values(), world) is holds(every, world)
    sets = [set(way) for way in known.values()]
    assert not any(a <= b for i, a in enumerate(sets) for j, b in enumerate(sets) if i != j)
    assert all(numbering.number(way) == number for number, way in known.items())


def holds(ways: Iterable[Guards], world: dict[str, bool]) -> bool:
    """Whether backward comes there in a world where each question has its answer."""
    return any(all(world[str(cond.key)] is so for cond, so in way) for way in ways)


def test_both_sides_of_a_branch_are_one_way() -> None:
    a, b = Cond("a"), Cond("b")
    numbering, known = Numbering(), Ways()
    for way in ((a, True), (b, True)), ((b, True), (a, False)), ((b, False),):
        numbering.add(known, numbering.number(way), way)
    assert known == FREE


def test_of_too_many_ways_those_with_the_fewest_conditions_are_kept() -> None:
    numbering, known = Numbering(), Ways()
    for i in range(LIMITS.ways + 1):
        way = tuple((Cond((i, j)), True) for j in range(1 + (i == 2)))
        numbering.add(known, numbering.number(way), way)
    assert len(known) == LIMITS.ways
    assert {len(way) for way in known.values()} == {1}

"""What is behind values, and whether two of them can be told apart."""

from __future__ import annotations

import pytest
from gradguard.analyses.program.effects import Kinds, is_same

from .replaying import replayed

CYCLE = """
def outer():
    kept = []
    def f():
        return g, kept
    def g():
        return f
    return f, g
f, g = outer()
"""


def doubled(innermost: object) -> object:
    v = innermost
    for _ in range(200):
        v = (v, v)
    return v


def test_what_tuples_share_is_looked_at_once() -> None:
    assert Kinds().is_fixed(doubled(1))
    assert not Kinds().is_fixed(doubled(replayed("x = []\n").names["x"]))
    assert is_same(doubled(1), doubled(1))
    assert not is_same(doubled(1), doubled(2))


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (1, 1.0), (True, 1), ("a", b"a"), (1, 2)])
def test_constants_are_told_apart(one: object, other: object) -> None:
    assert is_same(one, one)
    assert not is_same(one, other)


def test_numbers_of_any_length_are_compared() -> None:
    assert is_same(10**5000, 10**5000)
    assert is_same(float("nan"), float("nan"))


def test_functions_that_lead_to_each_other_lead_to_the_same_list() -> None:
    names = replayed(CYCLE).names
    for order in ("fg", "gf"):
        kinds = Kinds()
        assert not any(kinds.is_fixed(names[name]) for name in order)

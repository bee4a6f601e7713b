"""Facts of another device beside those of the CPU."""

import pytest

pytest.importorskip("torch")

from gradguard.facts.measure.merge import merge
from gradguard.facts.model import Case, Op, Result, Save
from gradguard.facts.model import Test as Condition

WHEN = (frozenset({"input"}),)


def op(name: str, what: str, **more: bool) -> Op:
    return Op(name, (), (Case((), frozenset({"input"}), (Save(what, WHEN),), WHEN, (), (Result("new"),)),), **more)


def test_facts_that_agree_stay_as_they_are() -> None:
    assert merge([op("f", "input")], [op("f", "input")], "cuda") == [op("f", "input")]


def test_facts_that_differ_stand_under_the_device() -> None:
    (fact,) = merge([op("f", "input")], [op("f", "out")], "cuda")
    assert isinstance(fact, Op)
    on_cuda, elsewhere = fact.cases
    assert on_cuda.tests == (Condition("device", "is", "cuda"),)
    assert [s.what for s in on_cuda.saves] == ["out"]
    assert not elsewhere.tests
    assert [s.what for s in elsewhere.saves] == ["input"]


def test_a_callable_of_one_device_alone_is_kept() -> None:
    assert [f.name for f in merge([op("f", "input")], [op("g", "out")], "cuda")] == ["f", "g"]


def test_what_was_only_declared_there_does_not_count() -> None:
    assert merge([op("f", "input")], [op("f", "out", measured=False)], "cuda") == [op("f", "input")]

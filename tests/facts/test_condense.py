"""How observations become cases."""

import pytest

pytest.importorskip("torch")

from gradguard.facts.measure.condense import Sample, condense, minimal
from gradguard.facts.model import Param
from gradguard.facts.model import Test as Condition

INPUT = frozenset({"input"})
BOTH = frozenset({"input", "other"})
PARAMS = (Param("input", None), Param("inplace", False), Param("mode", "a"))


def sample(*, saved: bool, kind: str = "new", changed: int | None = None, **arguments: object) -> Sample:
    return Sample(
        arguments,
        {
            ("count",): 1,
            ("result", 0): (kind, None if kind == "new" else "input"),
            ("mutate", "input"): changed,
            ("flow", "input"): True,
            ("differentiable", 0): True,
            ("frees", INPUT): saved,
            ("save", "input", INPUT): saved,
        },
    )


def test_only_minimal_sets_are_kept() -> None:
    assert minimal([BOTH, INPUT, frozenset({"third"})]) == (INPUT, frozenset({"third"}))


def test_samples_that_agree_are_one_case() -> None:
    (case,) = condense(PARAMS, [sample(saved=True), sample(saved=True, mode="b")])
    assert [(s.what, s.when, s.certain) for s in case.saves] == [("input", (INPUT,), True)]
    assert case.frees == (INPUT,)
    assert case.results[0].kind == "new"


def test_the_argument_that_parts_them_is_found() -> None:
    samples = [
        sample(saved=True, inplace=False, mode="a"),
        sample(saved=True, inplace=False, mode="b"),
        sample(saved=False, inplace=True, mode="a", kind="same", changed=1),
        sample(saved=False, inplace=True, mode="b", kind="same", changed=1),
    ]
    first, second = condense(PARAMS, samples)
    assert first.tests == (Condition("inplace", "is", False),)
    assert [s.what for s in first.saves] == ["input"]
    assert not first.mutates
    assert not second.tests
    assert [(m.what, m.bumps) for m in second.mutates] == [("input", 1)]
    assert second.results[0].of == "input"


@pytest.mark.parametrize(("yes", "no", "certain"), [(2, 1, True), (1, 1, False), (1, 2, False)])
def test_what_nothing_parts_is_certain_only_by_a_majority(yes: int, no: int, certain: bool) -> None:
    samples = [sample(saved=True)] * yes + [sample(saved=False)] * no
    (case,) = condense(PARAMS, samples)
    assert [s.certain for s in case.saves] == [certain]


def test_results_that_vary_without_a_reason_depend() -> None:
    (case,) = condense(PARAMS, [sample(saved=False, kind="same"), sample(saved=False, kind="new")])
    assert (case.results[0].kind, case.results[0].of) == ("depends", "input")

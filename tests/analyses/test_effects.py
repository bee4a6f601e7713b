"""What is behind values, and whether two of them can be told apart."""

from __future__ import annotations

import pytest
from gradguard.analyses.domain.steps import moments
from gradguard.analyses.domain.values import ABSENT, SUBCLASSES
from gradguard.analyses.program.alike import shape
from gradguard.analyses.program.effects import Difference
from gradguard.analyses.program.sameness import Kinds, is_same
from gradguard.analyses.program.session import Session
from gradguard.syntax import ir
from gradguard.syntax.chunks import parse
from gradguard.syntax.walk import nodes

from .replaying import Alone, replayed

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


def test_what_a_key_names_in_many_places_is_looked_at_once() -> None:
    assert list(moments(doubled(("op", 7)))) == [7]
    assert list(moments(("item", ("op", 7), 8))) == [7]
    assert list(moments(("turn", 7))) == []
    assert sorted(moments((frozenset({(("op", 7), True), (("op", 9), False)}), 8))) == [7, 8, 9]
    assert shape(doubled(("op", 7))) == (shape(doubled(("op", 8)))[0], [7])


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (1, 1.0), (True, 1), ("a", b"a"), (1, 2)])
def test_constants_are_told_apart(one: object, other: object) -> None:
    assert is_same(one, one)
    assert not is_same(one, other)


def test_what_is_not_there_is_the_same() -> None:
    assert is_same(ABSENT, ABSENT)
    assert not is_same(ABSENT, None)


def test_numbers_of_any_length_are_compared() -> None:
    assert is_same(10**5000, 10**5000)
    assert is_same(float("nan"), float("nan"))


def test_functions_that_lead_to_each_other_lead_to_the_same_list() -> None:
    names = replayed(CYCLE).names
    for order in ("fg", "gf"):
        kinds = Kinds()
        assert not any(kinds.is_fixed(names[name]) for name in order)


LOOPS = """\
def total(items):
    return sum(one for one in items)
total(range(3))
late = (one for one in range(3))
len("abc")
list(late)
"""


def test_a_loop_that_ends_otherwise_concerns_those_that_run_it() -> None:
    session, source = Session(Alone()), parse(LOOPS, "main.py")
    session.replay([source])
    statements = list(source.body)
    for written, running in ((0, 1), (2, 4)):
        (loop,) = (one for one in nodes(statements[written]) if isinstance(one, ir.Comprehension))
        difference = Difference(session.m)
        difference.differ(session.m.work.long_loops, loop)
        concerned = [step.key for step in session.own if difference.concerns(step)]
        assert concerned == [statements[running]], "that one was made is nothing to others"


def test_each_subclass_that_a_step_has_made_comes_back() -> None:
    session = Session(Alone())
    text = (
        "class Base: pass\nif Base:\n    class A(Base): pass\n    class B(Base): pass\nmade = Base.__subclasses__()\n"
    )
    session.replay([parse(text, "main.py")])
    _, _, step, *_ = session.own
    base = session.m.files.frames["main.py"].variables["Base"]
    before = base.attributes[SUBCLASSES]
    session.m.do_again(session.m.take_back(step.mark))
    assert base.attributes[SUBCLASSES] == before
    assert [one.name for one in before] == ["A", "B"]

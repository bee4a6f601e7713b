"""The trail and the branches: what is undone, what is joined, and what a later question finds again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.analyses.autograd.tensors import Node, Version
from gradguard.analyses.domain.budget import LIMITS
from gradguard.analyses.domain.paths import (
    Dead,
    Exhausted,
    Outcome,
    Raised,
    State,
    leaves,
    prune,
    widen,
)
from gradguard.analyses.domain.values import ABSENT, Cond, Phi, Unknown
from hypothesis import assume, given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

A, B, C = Cond("a"), Cond("b"), Cond("c")


def writing(state: State, store: dict[Any, Any], **values: Any) -> Callable[[], None]:
    """A side of a branch that writes `values`."""

    def side() -> None:
        for key, value in values.items():
            state.set(store, key, value)

    return side


def failing(name: str = "ValueError") -> Callable[[], None]:
    def side() -> None:
        raise Raised(None, name)

    return side


def shown(value: Any) -> Any:
    """A value with its Phis as tuples of the condition and both sides."""
    if type(value) is tuple:
        return tuple(map(shown, value))
    if type(value) is Phi:
        return (value.cond.key, shown(value.then), shown(value.orelse))
    return "unknown" if isinstance(value, Unknown) else value


# -- the trail --------------------------------------------------------------------------------------


def test_rewind_undoes_and_tells_what_was_left() -> None:
    state, store = State(), {"kept": 1, "gone": 2}
    mark = len(state.trail)
    state.set(store, "kept", 10)
    state.set(store, "kept", 11)
    state.set(store, "new", 3)
    state.delete(store, "gone")
    changes = state.rewind(mark)
    assert store == {"kept": 1, "gone": 2}
    assert {key: value for _, key, value in changes.values()} == {"kept": 11, "new": 3, "gone": ABSENT}
    assert not state.trail


def test_rewind_stops_at_the_mark() -> None:
    state, store = State(), dict[str, int]()
    state.set(store, "a", 1)
    mark = len(state.trail)
    state.set(store, "a", 2)
    state.rewind(mark)
    assert store == {"a": 1}


def test_what_changed_since_has_the_old_values() -> None:
    state, store, other = State(), {"a": 1}, dict[str, int]()
    mark = len(state.trail)
    state.set(store, "a", 2)
    state.set(store, "a", 3)
    state.set(other, "a", 4)
    old = {(place, key): was for (place, key), (_, _, was) in state.changed_since(mark).items()}
    assert old == {(id(store), "a"): 1, (id(other), "a"): ABSENT}


def test_an_assumption_is_undone_like_a_write() -> None:
    state = State()
    mark = len(state.trail)
    state.assume(A, True)
    assert state.resolve(Phi(A, 1, 2)) == 1
    state.rewind(mark)
    assert type(state.resolve(Phi(A, 1, 2))) is Phi


# -- two sides --------------------------------------------------------------------------------------


def test_both_sides_are_joined() -> None:
    state, store = State(), {"same": 0, "one": 0, "both": 0}
    state.fork(
        A,
        writing(state, store, same=5, one=1, both=1, bound=1),
        writing(state, store, same=5, both=2),
    )
    assert {key: shown(value) for key, value in store.items()} == {
        "same": 5,
        "one": ("a", 1, 0),
        "both": ("a", 1, 2),
        "bound": 1,
    }
    assert not state.held


def test_each_side_sees_its_own_writes_alone() -> None:
    state, store, seen = State(), {"x": 0}, []
    for value in (1, 2):
        state.fork(
            Cond(value),
            lambda value=value: (seen.append(store["x"]), state.set(store, "x", value)),
            lambda: seen.append(store["x"]),
        )
        store["x"] = 0
    assert seen == [0, 0, 0, 0]


def test_a_question_asked_again_has_its_answer() -> None:
    state, store = State(), {"x": 0, "y": 0}
    state.fork(A, writing(state, store, x=1), writing(state, store, x=2))
    state.fork(
        A,
        lambda: state.set(store, "y", state.resolve(store["x"]) * 10),
        lambda: state.set(store, "y", state.resolve(store["x"]) * 100),
    )
    assert shown(store["y"]) == ("a", 10, 200)


def test_an_answered_question_runs_one_side() -> None:
    state = State()
    state.assume(A, False)
    assert state.fork(A, lambda: pytest.fail("the other side"), lambda: "else") == "else"


@pytest.mark.parametrize(
    ("ended", "given", "expected"),
    [
        ([], {"a": True}, False),
        ([{}], {}, True),
        ([{"a": True}], {"a": True, "b": False}, True),
        ([{"a": True, "b": True}], {"a": True}, False),
        ([{"a": True, "b": True}, {"a": True, "b": False}], {"a": True}, True),
        ([{"a": True, "b": True}, {"b": False, "c": True}], {"a": True}, False),
        ([{"a": True, "b": True}, {"b": False, "c": True}], {"a": True, "c": True}, True),
        ([{"b": True}, {"b": False, "c": True}, {"b": False, "c": False}], {}, True),
    ],
)
def test_where_each_answer_has_ended_the_program_it_has_ended(
    ended: list[dict[str, bool]], given: dict[str, bool], expected: bool
) -> None:
    state = State()
    for answers in ended:
        state.set(state.ended, frozenset(answers.items()), True)
    assert state.has_ended(frozenset(given.items())) is expected


def test_each_alternative_is_asked_about_where_it_is_the_one() -> None:
    state = State()
    inner = Phi(A, "both", "never")
    assert state.asked(Phi(A, inner, inner), state.resolve) == ("both", "never")
    assert not state.assumed


def test_of_too_many_open_branches_one_side_runs() -> None:
    state, ran = State(), []

    def nested(depth: int) -> None:
        if depth > LIMITS.forks:
            ran.append(dict(state.assumed))
            return
        state.fork(Cond(depth), lambda: nested(depth + 1), lambda: nested(depth + 1))

    nested(0)
    assert len(ran) == 2**LIMITS.forks
    assert all(assumed[LIMITS.forks] is False for assumed in ran)


def test_joined_values() -> None:
    state = State()
    unknown, again = Unknown("x", key="k"), Unknown("x", key="k")
    assert state.merge(A, 1, 1) == 1
    assert state.merge(A, unknown, again) is unknown
    assert shown(state.merge(A, 1, 1.0)) == ("a", 1, 1.0)
    assert shown(state.merge(A, (1, 2), (1, 3))) == (1, ("a", 2, 3))
    assert shown(state.merge(A, (1, 2), (1,))) == ("a", (1, 2), (1,))
    assert state.merge(A, 1, ABSENT) == state.merge(A, ABSENT, 1) == 1
    assert shown(state.merge(A, Phi(A, 1, 2), Phi(A, 3, 4))) == ("a", 1, 4)


def test_alternatives_agree_with_what_they_rest_on() -> None:
    state = State()
    value = Phi(A, Phi(B, 1, 2), Phi(A, 3, 4))
    assert state.alternatives(value) == [
        (((A, True), (B, True)), 1),
        (((A, True), (B, False)), 2),
        (((A, False),), 4),
    ]
    assert state.alternatives(value, ((B, False),)) == [(((B, False), (A, True)), 2), (((B, False), (A, False)), 4)]
    state.assume(A, False)
    assert state.alternatives(value) == [((), 4)]


def test_each_alternative_is_followed_by_itself() -> None:
    state, followed = State(), []

    def run(value: int) -> int:
        followed.append((value, tuple(state.splits)))
        return value * 10

    assert shown(state.each(Phi(A, 1, Phi(B, 2, 3)), run)) == ("a", 10, ("b", 20, 30))
    assert followed == [(1, ((A, True),)), (2, ((A, False), (B, True))), (3, ((A, False), (B, False)))]
    assert not state.splits


def test_a_side_that_others_went_on_from_is_the_only_one() -> None:
    state, store = State(), {"x": 0}

    def side() -> str:
        state.set(store, "x", 1)
        state.hold()
        return "then"

    def outer() -> Any:
        return state.fork(B, side, lambda: pytest.fail("the other side of the inner branch"))

    assert state.fork(A, outer, lambda: pytest.fail("the other side of the outer branch")) == "then"
    assert store == {"x": 1}
    assert state.assumed == {"a": True, "b": True}


# -- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("holds", [True, False])
def test_where_one_side_raises_the_other_goes_on(holds: bool) -> None:
    state, store = State(), {"x": 0}
    lost: list[Raised] = []
    state.on_lost = lost.append
    good = writing(state, store, x=1)

    def bad() -> None:
        state.set(store, "x", 2)
        raise Raised(None, "ValueError")

    state.fork(A, bad if holds else good, good if holds else bad)
    assert store == {"x": 1}
    assert state.assumed == {"a": not holds}
    assert [error.name for error in lost] == ["ValueError"]


def test_an_end_that_nobody_sees_is_not_told() -> None:
    state = State()
    state.on_lost = lambda error: pytest.fail("told")

    def dead() -> None:
        raise Dead

    assert state.fork(A, dead, lambda: "else") == "else"


def test_where_both_sides_raise_the_branch_does() -> None:
    state, store = State(), {"x": 0}
    state.on_lost = lambda error: pytest.fail("told")
    state.on_both = lambda first, second: Raised(None, f"{first.name}{second.name}")  # type: ignore[attr-defined]
    with pytest.raises(Raised) as raised:
        state.fork(A, failing("One"), failing("Two"))
    assert raised.value.name == "OneTwo"
    assert not state.held
    assert store == {"x": 0}


def handled(state: State, store: dict[Any, Any]) -> Callable[[Raised], str]:
    """A handler that notes what `x` was when it began."""

    def handle(error: Raised) -> str:
        state.set(store, "seen", store["x"])
        return f"handled {error.name}"

    return handle


def test_an_error_of_one_side_is_handled_there_alone() -> None:
    state, store = State(), {"x": 0, "y": 0}
    state.on_lost = lambda error: pytest.fail("told")

    def body() -> str:
        state.set(store, "x", 1)
        state.fork(A, failing(), writing(state, store, y=1))
        state.set(store, "x", 2)
        return "went on"

    outcome = state.attempt(body, handled(state, store), lambda outcome: outcome)
    assert shown(outcome) == ("a", "handled ValueError", "went on")
    assert shown(store["x"]) == ("a", 1, 2)
    assert shown(store["y"]) == ("a", 0, 1)
    assert store["seen"] == 1
    assert not state.assumed
    assert not state.tries


def test_an_error_under_two_branches_is_handled_under_both() -> None:
    state, store = State(), {"x": 0}

    def body() -> str:
        state.fork(A, lambda: state.fork(B, failing(), writing(state, store, x=1)), writing(state, store, x=2))
        return "went on"

    outcome = state.attempt(body, handled(state, store), lambda outcome: outcome)
    assert shown(outcome) == ("a", ("b", "handled ValueError", "went on"), "went on")
    for a, b, x in ((True, True, 0), (True, False, 1), (False, True, 2), (False, False, 2)):
        assert [value for _, value in state.alternatives(store["x"], ((A, a), (B, b)))] == [x]


def test_errors_of_several_branches_are_handled_apart() -> None:
    state, store = State(), {"x": 0}

    def body() -> str:
        for n, cond in enumerate((A, B), 1):
            state.set(store, "x", n)
            state.fork(cond, failing(f"Error{n}"), lambda: None)
        return "went on"

    outcome = state.attempt(body, handled(state, store), lambda outcome: outcome)
    assert shown(outcome) == ("a", "handled Error1", ("b", "handled Error2", "went on"))
    assert shown(store["x"]) == ("a", 1, 2)


def test_an_error_that_is_raised_again_is_told() -> None:
    state = State()
    lost: list[Raised] = []
    state.on_lost = lost.append

    def again(error: Raised) -> None:
        raise error

    outcome = state.attempt(lambda: state.fork(A, failing(), lambda: "went on"), again, lambda outcome: outcome)
    assert outcome == "went on"
    assert [error.name for error in lost] == ["ValueError"]
    assert state.assumed == {"a": False}


def test_where_more_is_to_be_left_an_error_of_one_side_is_lost() -> None:
    state, store = State(), {"x": 0}
    lost: list[Raised] = []
    state.on_lost = lost.append

    def body() -> str:
        with state.unwinding():
            state.fork(A, failing(), lambda: None)
        return "went on"

    assert state.attempt(body, handled(state, store), lambda outcome: outcome) == "went on"
    assert [error.name for error in lost] == ["ValueError"]


# -- too many alternatives --------------------------------------------------------------------------


def test_of_many_branches_the_latest_are_told_apart() -> None:
    state, store = State(), {"x": -1}
    many = LIMITS.alternatives + 3
    for n in range(many):
        state.fork(Cond(n), writing(state, store, x=n), lambda: None)
        assert getattr(store["x"], "size", 1) <= LIMITS.alternatives
    for n in range(many - LIMITS.kept_branches, many):
        answers = tuple((Cond(k), k == n) for k in range(many))
        assert [value for _, value in state.alternatives(store["x"], answers)] == [n]
    answers = tuple((Cond(k), False) for k in range(many))
    assert [shown(value) for _, value in state.alternatives(store["x"], answers)] in ([-1], ["unknown"])


def test_pruned_to_a_depth() -> None:
    value = Phi(A, 1, Phi(B, 2, Phi(C, 3, 4)))
    assert shown(prune(value, 2)) == ("a", 1, ("b", 2, "unknown"))
    assert shown(prune(value, 3)) == shown(value)


def test_widened_versions_are_bounds() -> None:
    both = widen(Phi(A, Version(1, 1), Phi(B, Version(3, 4), Version(2, 2))))
    assert (both.low, both.high, both.write) == (1, 4, None)
    assert widen(Phi(A, Version(1, 1), Version(2, None))).high is None


def test_widened_nodes_still_require_grad() -> None:
    def node(order: int, when: Any = True) -> Node:
        return Node("MulBackward0", None, order, (), when)

    both = widen(Phi(A, node(3), node(7)))
    assert isinstance(both, Node)
    assert (both.when, both.order, both.edges) == (True, 7, ())
    assert isinstance(widen(Phi(A, node(3), node(7, frozenset({C})))), Unknown)
    assert isinstance(widen(Phi(A, node(3), None)), Unknown)


def test_widened_outcomes_go_on_if_one_does() -> None:
    jump = Outcome()
    assert widen(Phi(A, jump, None)) is None
    assert widen(Phi(A, jump, Outcome())) is jump
    assert widen(Phi(A, 1, 1)) == 1


# -- any program ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Set:
    key: str
    value: int


@dataclass(frozen=True)
class Copy:
    key: str
    source: str


@dataclass(frozen=True)
class Fail:
    number: int


@dataclass(frozen=True)
class Attempt:
    """A `try`; its handler writes the number of the error to `key`."""

    key: str
    body: list[Any]


@dataclass(frozen=True)
class Branch:
    """A branch whose value, the number of its side, is written to `key`."""

    cond: Cond
    key: str
    then: list[Any]
    orelse: list[Any]


KEYS, CONDITIONS = "xyz", (A, B, C)
plain_statements = (
    st.builds(Set, st.sampled_from(KEYS), st.integers(0, 9))
    | st.builds(Copy, st.sampled_from(KEYS), st.sampled_from(KEYS))
    | st.builds(Fail, st.integers(0, 3))
)
statements = st.recursive(
    plain_statements,
    lambda inner: (
        st.builds(
            Branch,
            st.sampled_from(CONDITIONS),
            st.sampled_from(KEYS),
            st.lists(inner, max_size=3),
            st.lists(inner, max_size=3),
        )
        | st.builds(Attempt, st.sampled_from(KEYS), st.lists(inner, max_size=3))
    ),
    max_leaves=12,
)
programs = st.lists(statements, max_size=6)


def run_one_path(program: list[Any], answers: Mapping[Cond, bool], store: dict[str, int]) -> int | None:
    """Run a program as a computer does, once all questions are answered; the number of the Fail that ended it."""
    for statement in program:
        match statement:
            case Set(key, value):
                store[key] = value
            case Copy(key, source):
                store[key] = store[source]
            case Fail(number):
                return number
            case Attempt(key, body):
                failed = run_one_path(body, answers, store)
                if failed is not None:
                    store[key] = failed
            case Branch(cond, key, then, orelse):
                failed = run_one_path(then if answers[cond] else orelse, answers, store)
                if failed is not None:
                    return failed
                store[key] = int(answers[cond])
    return None


@dataclass
class Replay:
    """A program replayed with all its branches."""

    state: State = field(default_factory=State)
    store: dict[str, Any] = field(default_factory=lambda: dict.fromkeys(KEYS, -1))
    told: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.state.on_lost = lambda error: self.told.update(error.value)
        self.state.on_both = lambda first, second: Raised(first.value | second.value)  # type: ignore[attr-defined]

    def run(self, program: list[Any]) -> None:
        state, store = self.state, self.store
        for statement in program:
            match statement:
                case Set(key, value):
                    state.set(store, key, value)
                case Copy(key, source):
                    state.set(store, key, state.resolve(store[source]))
                case Fail(number):
                    raise Raised({number})
                case Attempt(key, body):
                    state.attempt(partial(self.run, body), partial(self.handle, key), lambda outcome: outcome)
                case Branch(cond, key, then, orelse):
                    which = state.fork(cond, lambda b=then: self.side(b, 1), lambda b=orelse: self.side(b, 0))
                    state.set(store, key, which)

    def handle(self, key: str, error: Raised) -> None:
        (number, *_) = error.value
        self.state.set(self.store, key, number)

    def side(self, program: list[Any], number: int) -> int:
        self.run(program)
        return number


def branches(program: list[Any]) -> int:
    return sum(
        1 + branches(s.then) + branches(s.orelse) if isinstance(s, Branch) else branches(s.body)
        for s in program
        if isinstance(s, (Branch, Attempt))
    )


def fails(program: list[Any]) -> int:
    inner = [getattr(s, part) for s in program for part in ("then", "orelse", "body") if hasattr(s, part)]
    return sum(isinstance(s, Fail) for s in program) + sum(map(fails, inner))


@given(programs)
def test_a_replay_is_all_its_paths(program: list[Any]) -> None:
    assume(fails(program) <= LIMITS.thrown)
    replay = Replay()
    ended = False
    try:
        replay.run(program)
    except Raised as error:
        ended = True
        replay.told |= error.value
    for holds in product((True, False), repeat=len(CONDITIONS)):
        answers = dict(zip(CONDITIONS, holds, strict=True))
        store = dict.fromkeys(KEYS, -1)
        failed = run_one_path(program, answers, store)
        if failed is not None:
            assert failed in replay.told
            continue
        assert not ended
        for key, value in store.items():
            (found,) = (one for _, one in replay.state.alternatives(replay.store[key], tuple(answers.items())))
            assert found == value or (isinstance(found, Unknown) and branches(program) > LIMITS.kept_branches)


@given(programs)
def test_a_replay_can_be_undone(program: list[Any]) -> None:
    replay = Replay()
    before = dict(replay.store)
    with suppress(Raised):
        replay.run(program)
    assert all(len(leaves(value)) <= LIMITS.alternatives for value in replay.store.values())
    replay.state.rewind(0)
    assert replay.store == before
    assert not replay.state.assumed


def test_new_keys_keep_their_order_through_a_join() -> None:
    """A module's members are called in the order in which they were put into it."""
    state, store = State(), dict[Any, Any]({"before": 0})

    def one() -> None:
        for key in ("first", "second", "third", "first"):
            state.set(store, key, 1)

    def other() -> None:
        state.set(store, "fourth", 1)

    state.fork(A, one, other)
    assert list(store) == ["before", "first", "second", "third", "fourth"]


def exhausted(state: State, store: dict[Any, Any], **values: Any) -> Callable[[], None]:
    """A side on which the work is over, after it has written `values`."""

    def side() -> None:
        writing(state, store, **values)()
        raise Exhausted

    return side


def test_where_the_work_is_over_what_was_done_holds_on_its_side() -> None:
    """Nothing is assumed of what comes then."""
    state, store = State(), {"x": 0}
    with suppress(Exhausted):
        state.fork(A, exhausted(state, store, x=1), writing(state, store, x=2))
    assert (shown(store["x"]), state.assumed, state.held) == (("a", 1, 0), {}, [])
    with suppress(Exhausted):
        state.fork(B, writing(state, store, y=1), exhausted(state, store, y=2))
    assert (shown(store["y"]), state.assumed, state.held) == (("b", 1, 2), {}, [])


def test_where_the_work_is_over_behind_an_error_the_answer_stays() -> None:
    state, store = State(), {"x": 0}
    with suppress(Exhausted):
        state.fork(A, failing(), exhausted(state, store, x=2))
    assert (store["x"], state.assumed) == (2, {"a": False})

"""What the turns of a loop have in common, by what is assumed of them."""

from __future__ import annotations

from gradguard.analyses.domain.known import key_of
from gradguard.analyses.python import counting
from gradguard.analyses.python.machine import Machine

from .replaying import Alone


def test_that_a_turn_is_true_tells_that_it_is_not_the_first() -> None:
    m, turn = Machine(Alone()), ("turn", 1, 1)
    m.turns[turn] = 10
    m.state.assumed[turn] = True
    assert counting.answers(m, ("==", turn, key_of(0)), turn) == {False}

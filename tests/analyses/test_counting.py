"""What the turns of a loop have in common, by what is assumed of them."""

from __future__ import annotations

import pytest
from gradguard.analyses.domain.known import key_of
from gradguard.analyses.python import counting
from gradguard.analyses.python.machine import Machine

from .refused import told_of_refused, told_of_working
from .replaying import Alone

STACK = """\
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.lin = nn.Linear(size, size)

    def forward(self, x, state):
        h, c = state
        gate = torch.sigmoid(self.lin(x) + h)
        c = gate * c + x
        return gate * c.tanh(), c


class Stack(nn.Module):
    def __init__(self, size, layers):
        super().__init__()
        self.layers = layers
        self.cells = nn.ModuleList([Cell(size) for _ in range(layers)])

    def forward(self, x):
        states = []
        first = x.new_zeros(2, 3)
        for _ in range(self.layers):
            states.append((x.new_zeros(2, 3), {state}))
        for layer in range(self.layers):
            h, c = states[layer]
            c[0] = 0
            for _ in range(2):
                h, c = self.cells[layer](x, (h, c))
            x = h
        return x
"""
"""each turn of the last loop writes to a state of its own layer, or to one that all layers share"""


def test_that_a_turn_is_true_tells_that_it_is_not_the_first() -> None:
    m, turn = Machine(Alone()), ("turn", 1, 1)
    m.turns[turn] = 10
    m.state.assumed[turn] = True
    assert counting.answers(m, ("==", turn, key_of(0)), turn) == {False}


def test_what_a_loop_counts_with_has_left_the_first_items_behind() -> None:
    assert told_of_working(STACK.format(state="x.new_zeros(2, 3)"), "Stack(3, 3)(torch.rand(2, 3))") == []


def test_an_item_that_is_everywhere_is_behind_every_index() -> None:
    found = told_of_refused(STACK.format(state="first"), "Stack(3, 3)(torch.rand(2, 3))")
    assert "`Stack` is trained" in found.words.when


@pytest.mark.parametrize(("other", "possible"), [(2, False), (3, True), (4, False), (5, True)])
def test_a_number_that_a_loop_counts_with_can_only_be_what_it_comes_to(other: int, possible: bool) -> None:
    m = Machine(Alone())
    index = counting.counter(3, 2, counting.turn(m, 1, 1, None))
    assert counting.can_be(m, index, other) is possible

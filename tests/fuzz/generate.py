"""Draws closed programs: `draw(seed).text` is a program's text, the same for the same seed; `.failed` is the kind of
the failure that PyTorch announced when it was tried, None if it ran (what changes silently is not seen here: ask
`tests.oracle.client.run_program`).

A program grows statement by statement, and each statement is tried: the program so far is run on torch with a look
at the names that are in scope where the next statement goes. So shapes and dtypes need no model of their own, a
statement that makes no sense is thrown away at once, and one that autograd refuses ends the program. About half of
the programs fail, most of them in `backward()`.

The operators are those of the measured table (`recipes.py`); the statements around them are the methods of `Grower`
that `DRAWS` lists with their weights. Hypothesis is not used: its choices are not tied to a run of what was chosen
so far, and what it shrinks is the sequence of choices, while a program is best made smaller as a program
(`shrink.py`).
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

import torch

from . import vocabulary
from .chooser import Chooser
from .program import IMPORTS, Block, Look, Statement, attempt, render
from .scope import scope_of

LONGEST = 14
"""statements that a program's own level has, at most"""
TRIES = 4
"""how often another statement is drawn where one makes no sense"""
TRAINED = 0.2
"""how many of the programs are whole trainings"""
CHANGED = 0.6
"""how often a change comes just before the closing"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program, what PyTorch announced when it was tried, and the names of the vocabulary that it was drawn from."""

    text: str
    failed: str | None
    used: frozenset[str]


def draw(seed: object) -> Program:
    """The program that belongs to a seed."""
    torch.set_num_threads(1)
    grower = Grower(random.Random(str(seed)))
    return grower.training() if random.Random(f"kind of {seed}").random() < TRAINED else grower.program()


class Grower:
    """Grows one program."""

    def __init__(self, chance: random.Random) -> None:
        self.choose = Chooser(chance)
        self.chance = chance
        self.body: list[Statement] = []
        self.looks = 0
        self.failed: str | None = None
        self.ends = vocabulary.ENDS
        self.names: dict[int, dict[str, Any]] = {}

    def program(self) -> Program:
        """Grow a program to its end."""
        self.grow(self.body, self.chance.randint(5, LONGEST), [vocabulary.start])
        self.ends = {"other": 0.0}
        if self.choose.likely(CHANGED):
            self.grow(self.body, 1, [self.drawn(vocabulary.CHANGES)])
        last = self.drawn(vocabulary.CLOSINGS)
        for closing in (last,) if last is vocabulary.closing else (last, vocabulary.closing):
            self.grow(self.body, 1, [closing])
        return self.told()

    def training(self) -> Program:
        """Draw a whole training."""
        self.ends = {"other": 0.0}
        self.grow(self.body, 1, [self.drawn(vocabulary.TRAININGS)])
        return self.told()

    def told(self) -> Program:
        """The program as it is."""
        return Program(f"{IMPORTS}{render(self.body)}\n", self.failed, frozenset(self.choose.used))

    def drawn(self, draws: dict[vocabulary.Draw, float]) -> vocabulary.Draw:
        return self.chance.choices(list(draws), list(draws.values()))[0]

    def grow(self, body: list[Statement], count: int, draws: list[vocabulary.Draw] | None = None) -> None:
        """Add statements to a body that is part of the program, before its `return`."""
        if self.failed:
            return
        self.looks += 1
        look = Look(self.looks)
        tail = next((i for i, s in enumerate(body) if isinstance(s, str) and s.startswith("return")), len(body))
        body.insert(tail, look)
        self.names = attempt(self.body).names
        for i in range(count):
            for _ in range(TRIES):
                if look.number not in self.names or self.failed:
                    break
                draw = draws[i] if draws and i < len(draws) else self.drawn(vocabulary.DRAWS)
                if self.extend(body, look, draw):
                    break
        body.remove(look)

    def extend(self, body: list[Statement], look: Look, draw: vocabulary.Draw) -> bool:
        """Try what is drawn at the place of the look, and fill its blocks. False if it makes no sense."""
        self.choose.scope = scope_of(self.names[look.number])
        counts = dict(self.choose.counts)
        drawn = draw(self.choose)
        new = [drawn] if isinstance(drawn, (str, Block)) else drawn
        if not new or not self.insert(body, body.index(look), new):
            self.choose.counts = counts
            return False
        self.fill(new)
        return True

    def fill(self, new: list[Statement]) -> None:
        """Let the blocks grow that are to have more than they were made with."""
        for statement in new:
            if isinstance(statement, Block) and not self.failed:
                self.choose.around.append(statement.head)
                self.fill(statement.body)
                if statement.grows:
                    self.grow(statement.body, statement.grows)
                    self.give_back(statement.body)
                if len(statement.body) > 1 and statement.body[0] == "pass":
                    del statement.body[0]
                self.choose.around.pop()

    def insert(self, body: list[Statement], at: int, new: list[Statement]) -> bool:
        """Put statements at a place, unless that makes no sense."""
        before = list(body)
        body[at:at] = new
        tried = attempt(self.body)
        if tried.failed is not None and self.chance.random() >= self.ends.get(tried.failed, 1.0):
            body[:] = before
            return False
        self.names, self.failed = tried.names, tried.failed
        return True

    def give_back(self, body: list[Statement]) -> None:
        """Let a function return what its body made."""
        if self.failed or not body or not isinstance(body[-1], str) or not body[-1].startswith("return "):
            return
        made = [n for s in body[:-1] if isinstance(s, str) for n in re.findall(r"^([a-z]+\d+) =", s)]
        if made:
            before = body[-1]
            body[-1] = f"return {self.chance.choice(made)}"
            tried = attempt(self.body)
            if tried.failed is not None:
                body[-1] = before
            else:
                self.names = tried.names

"""In which turn what files define is entered: public things before private ones, of each file classes first.

A class that others are made of comes before them:

    class Net(nn.Module):               # is entered second, and spends less on what is known by then
        def __init__(self):
            self.block = Block(3)

    class Block(nn.Module):             # is entered first, with anything that it may be given
        ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...syntax import ir
from ...syntax.walk import names
from ..domain.values import ClassV, Value
from .definitions import is_private, plain_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Defined(NamedTuple):
    """Something that a file defines: the file, its own name, and the one that it, or what it is in, is bound to."""

    path: str
    name: str
    bound: str
    value: Value


Named = dict[ir.FunctionDef, tuple[list[ir.Stmt], frozenset[str]]]
"""The names in functions, and the bodies that have them."""


class Turns:
    """Puts what files define in its turn; remembers the names in functions until their text changes."""

    def __init__(self) -> None:
        self.named: Named = {}

    def order(self, defined: Iterable[Defined], paths: Sequence[str]) -> list[Defined]:
        """What is defined, each in its turn; `paths` are the files in theirs."""
        place = {path: i for i, path in enumerate(paths)}

        def rank(one: Defined) -> tuple[bool, int, bool]:
            return is_private(one.name), place[one.path], not isinstance(one.value, ClassV)

        rows = sorted(defined, key=rank)
        classes = {(rank(one), one.name): i for i, one in enumerate(rows) if isinstance(one.value, ClassV)}
        known, self.named = self.named, {}
        begun, turns = set[int](), list[Defined]()

        def add(i: int) -> None:
            if i in begun:
                return
            begun.add(i)
            one = rows[i]
            if isinstance(one.value, ClassV):
                named = (classes.get((rank(one), name)) for name in self.names_in(one.value, known))
                for other in sorted(i for i in named if i is not None):
                    if one.value not in rows[other].value.mro:
                        add(other)
            turns.append(one)

        for i in range(len(rows)):
            add(i)
        return turns

    def names_in(self, cls: ClassV, known: Named) -> set[str]:
        """The names in the methods of a class."""
        every = set[str]()
        for v in cls.attributes.values():
            f = plain_function(v)
            if f is None or not isinstance(f.node, ir.FunctionDef):
                continue
            body, found = known.get(f.node, (None, frozenset[str]()))
            if body is not f.node.body:
                found = frozenset(names(f.node.body))
            self.named[f.node] = f.node.body, found
            every |= found
        return every

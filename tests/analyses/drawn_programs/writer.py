"""Draws programs without tensors: small ones that do much of what Python can do, and end.

A program is a list of statements at its top level, each a text of its own, so that a failing one can be made
smaller by leaving statements out.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from .expressions import EXPRESSIONS, KINDS
from .statements import SIMPLE, STATEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable


class Writer:
    """Writes one program; `names` are the names that exist, by the kind of their values."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.functions: list[tuple[str, list[str], str]] = []
        self.classes: list[tuple[str, list[str]]] = []
        self.count = 0
        self.changes = True

    def program(self, statements: int) -> list[str]:
        made = [
            "import copy, collections, contextlib, dataclasses, enum, functools, itertools, operator, types, typing"
        ]
        made += [f"{self.new(kind)} = {self.literal(kind)}" for kind in KINDS]
        for _ in range(statements):
            made.append("\n".join(self.statement(2)))
        return made

    # -- names -----------------------------------------------------------------------------------

    def new(self, kind: str, prefix: str = "") -> str:
        self.count += 1
        name = f"{prefix or kind[0]}{self.count}"
        self.names[kind].append(name)
        return name

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, *choices: str) -> str:
        return self.dice.choice(choices)

    def inside(self, write: Callable[[], list[str]], **names: list[str]) -> list[str]:
        """What `write` writes with further names, which do not exist behind it."""
        before = {kind: list(held) for kind, held in self.names.items()}
        for kind, more in names.items():
            self.names[kind] = [*self.names[kind], *more]
        try:
            return write()
        finally:
            self.names = before

    # -- expressions -----------------------------------------------------------------------------

    def literal(self, kind: str) -> str:
        dice = self.dice
        if kind == "int":
            return str(dice.randint(-3, 9))
        if kind == "float":
            return str(dice.randint(-4, 9) / 2)
        if kind == "bool":
            return self.pick("True", "False")
        if kind == "str":
            return repr("".join(dice.choice("abcxyz ") for _ in range(dice.randint(0, 5))))
        items = [str(dice.randint(0, 6)) for _ in range(dice.randint(0, 4))]
        if kind == "list":
            return f"[{', '.join(items)}]"
        if kind == "tuple":
            return f"({''.join(i + ', ' for i in items)})"
        if kind == "set":
            return f"{{{', '.join(items)}}}" if items else "set()"
        return "{" + ", ".join(f"{dice.choice('abcd')!r}: {i}" for i in items) + "}"

    def name(self, kind: str) -> str:
        return self.dice.choice(self.names[kind]) if self.names[kind] else self.literal(kind).replace("'", '"')

    def expr(self, kind: str, depth: int = 2) -> str:
        if depth <= 0 or self.dice.random() < 0.25:
            return self.name(kind) if self.dice.random() < 0.7 else self.literal(kind)
        return self.dice.choice(EXPRESSIONS[kind])(self, depth - 1)

    def integers(self, depth: int) -> str:
        """Something to iterate over that gives integers."""
        e, n = self.expr, self.fresh("q")
        choices = [
            lambda: e("list", depth),
            lambda: e("tuple", depth),
            lambda: f"range({self.dice.randint(0, 5)})",
            lambda: f"range({e('int', 0)}, {self.dice.randint(0, 6)}, {self.pick('1', '2', '-1')})",
            lambda: f"{e('dict', depth)}.values()",
            lambda: f"map(lambda {n}: {n} * 2, {e('list', depth)})",
            lambda: f"filter(lambda {n}: {n} > 1, {e('list', depth)})",
            lambda: f"reversed({e('list', depth)})",
            lambda: f"sorted({e('list', depth)}, reverse={e('bool', 0)})",
            lambda: f"sorted({e('list', depth)}, key=lambda {n}: (-{n}) % 3)",
            lambda: f"({n} + 1 for {n} in {e('list', depth)} if {n} % 2)",
            lambda: f"itertools.chain({e('list', depth)}, {e('tuple', depth)})",
            lambda: f"itertools.chain.from_iterable([{e('list', depth)}, {e('tuple', depth)}])",
            lambda: f"itertools.islice({e('list', depth)}, {self.pick('1', '2', '3', '1, 3', '0, 4, 2')})",
            lambda: f"itertools.accumulate({e('list', depth)})",
            lambda: f"itertools.takewhile(lambda {n}: {n} < 4, {e('list', depth)})",
            lambda: f"itertools.dropwhile(lambda {n}: {n} < 3, {e('list', depth)})",
            lambda: f"itertools.filterfalse(lambda {n}: {n} % 2, {e('list', depth)})",
            lambda: f"itertools.compress({e('list', depth)}, [1, 0, 1])",
            lambda: f"itertools.starmap(lambda a, b: a - b, zip({e('list', depth)}, {e('tuple', depth)}))",
            lambda: f"itertools.repeat({e('int', depth)}, 2)",
            lambda: f"itertools.islice(itertools.count({e('int', 0)}), 3)",
            lambda: "itertools.islice(itertools.cycle([1, 2]), 3)",
            lambda: f"(b - a for a, b in itertools.pairwise({e('list', depth)}))",
            lambda: f"collections.deque({e('list', depth)}, maxlen=3)",
            lambda: f"[sum(g) for _, g in itertools.groupby({e('list', depth)}, key=lambda v: v % 2)]",
            lambda: f"[a * b for a, b in itertools.product({e('list', 0)}, repeat=2)]",
            lambda: f"[a - b for a, b in itertools.combinations({e('list', 0)}, 2)]",
            lambda: f"[a - b for a, b in itertools.permutations({e('list', 0)}, 2)]",
            lambda: f"[(a or 0) + b for a, b in itertools.zip_longest({e('list', 0)}, [1, 2, 3], fillvalue=0)]",
            lambda: f"iter({e('list', depth)})",
            lambda: f"list(enumerate({e('list', depth)}))[0]",
        ]
        return self.dice.choice(choices)()

    # -- statements ------------------------------------------------------------------------------

    def statement(self, depth: int) -> list[str]:
        return self.dice.choice(STATEMENTS if depth > 0 else SIMPLE)(self, depth - 1)

    def block(self, depth: int, n: int | None = None) -> list[str]:
        lines: list[str] = []
        for _ in range(n or self.dice.randint(1, 2)):
            lines += self.statement(depth)
        return [f"    {line}" for line in lines]

    def kind(self) -> str:
        return self.dice.choice(KINDS)

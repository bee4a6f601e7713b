"""What each statement left behind: the rows and stories that editors show beside names.

    y = w.exp()     # row of `y`: version 0, requires grad, no leaf
    y += 1          # row of `y`: from version 0 to 1; its story: `exp` has saved it, this line has written it

A statement that runs several times has the state of its last run; its row begins with the version of the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax import ir
from ...syntax.walk import field_names
from ..autograd.tensors import Node, Tensor, Version
from ..autograd.versions import bounds
from ..domain.report import Saved, Site, Story, Told, VersionRow, Write
from ..domain.values import ABSENT, Frame, Instance, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from .witness import Witness

Named = tuple[ir.Expr, str]
Seen = tuple[ir.Expr, str, Tensor, dict[str, Value]]
"""A name, the tensor behind it, and the state of that tensor."""

MOST_WRITES = 50
"""How many changes in a row a story has at most."""


class Trace:
    """Remembers, for each statement, the tensors behind its names when it last ran.

    If the replay goes on behind a failure, which no run does, statements keep the state that they had before.
    Statements in `settled` are complete already; nodes of the graph before number `since` don't count.
    """

    def __init__(self, m: Witness, settled: Container[ir.Stmt] = (), since: int = 0) -> None:
        self.m = m
        self.settled = settled
        self.since = since
        self.last: dict[ir.Stmt, tuple[list[Seen], bool]] = {}

    def after(self, s: ir.Stmt, failed: bool = False) -> None:
        """A statement has run: note the state of the tensors that it names."""
        if s in self.settled or (s in self.last and self.m.is_over):
            return
        names = s.chunk.names.get(s)
        if names is None:
            names = s.chunk.names[s] = list(named(s))
        if not names:
            return
        seen = []
        earlier = {text: state["first"] for _, text, _, state in self.last[s][0]} if s in self.last else {}
        for e, text in names:
            v = self.value(e)
            if isinstance(v, Tensor):
                state = self.snapshot(v)
                state["first"] = earlier.get(text, state["versions"])
                seen.append((e, text, v, state))
        if seen or s in self.last:
            if self.m.state.held and s in self.last:
                self.join(self.last[s][0], seen)
            self.m.state.note_item(self.last, s, (seen, failed))

    @staticmethod
    def join(before: Iterable[Seen], seen: list[Seen]) -> None:
        """A run on one side of a branch need not be the last: the state after an earlier one may be the final one."""
        earlier = {text: state for _, text, _, state in before}
        for _, text, _, state in seen:
            if text in earlier:
                state["versions"] = state["versions"] + earlier[text]["versions"]
                if state["rg"] != earlier[text]["rg"]:
                    state["rg"] = None
                if isinstance(state["fn"], Node) is not isinstance(earlier[text]["fn"], Node):
                    state["fn"] = Unknown("whether it is a leaf")

    def failed(self, s: ir.Stmt) -> None:
        """A statement has raised: its names have the state at the error, unless the statement has succeeded before."""
        if s not in self.last:
            self.after(s, failed=True)

    def value(self, e: ir.Expr) -> Value:
        """The value of a name or a plain attribute, without evaluating anything."""
        m = self.m
        if isinstance(e, ir.Name):
            frame: Frame | None = m.frame
            while frame is not None:
                v = frame.variables.get(e.id, ABSENT)
                if v is not ABSENT:
                    return m.state.resolve(v)
                frame = frame.parent
            return None
        assert isinstance(e, ir.Attribute)
        owner = self.value(e.value)
        return m.state.resolve(owner.attributes.get(e.attr)) if isinstance(owner, Instance) else None

    def snapshot(self, t: Tensor) -> dict[str, Value]:
        """The state of a tensor now."""
        grad = self.m.grad
        storage = grad.storage(t)
        return {
            "versions": [v for _, v in self.m.state.alternatives(grad.version(t))],
            "fn": self.m.state.resolve(t.grad_fn),
            "rg": grad.requires_grad(t),
            "storage": storage,
            "geometry": t.geometry,
            "dtype": t.dtype,
        }

    # -- what it all means ------------------------------------------------------------------------

    def told(self) -> dict[ir.Stmt, Told]:
        """What each statement left behind; asked before the tensors change again."""
        saves = self.saves()
        together: dict[int, list[str]] = {}
        versions: dict[int, list[Value]] = {}
        for seen, _ in self.last.values():
            for _, text, t, state in seen:
                versions.setdefault(self.m.grad.counter(t).uid, []).extend(state["versions"])
                names = together.setdefault(state["storage"].uid, [])
                if text not in names:
                    names.append(text)
        writes = {uid: tuple(self.writes(every)) for uid, every in versions.items()}
        found = {}
        for s, (seen, failed) in self.last.items():
            rows = [self.row(s, *one) for one in seen]
            found[s] = Told(rows, [self.story(s, *one, saves, writes, together) for one in seen], failed)
        return found

    def row(self, s: ir.Stmt, e: ir.Expr, text: str, t: Tensor, state: dict[str, Value]) -> VersionRow:
        """The state of a name after the statement that named it, when it last ran."""
        low, high = bounds(state["versions"])
        exact = low if low == high else None
        rg = state["rg"] if isinstance(state["rg"], bool) else None
        first, most = bounds(state["first"])
        leaf = self.leaf(t, state, rg)
        return VersionRow(
            Site(s.chunk, e), text, exact, low, high, rg, leaf, state["storage"].uid, first if first == most else None
        )

    @staticmethod
    def leaf(t: Tensor, state: dict[str, Value], rg: bool | None) -> bool | None:
        """Whether a tensor was a leaf then."""
        if isinstance(state["fn"], Node):
            return False if state["fn"].when is True else None
        if state["fn"] is None and (t.base is None or rg is False):
            return True
        return None

    def story(
        self, s: ir.Stmt, e: ir.Expr, text: str, t: Tensor, state: dict[str, Value],
        saves: dict[int, list[Saved]], writes: dict[int, tuple[Write, ...]], together: dict[int, list[str]],
    ) -> Story:  # fmt: skip
        """One name's story."""
        low, high = bounds(state["versions"])
        counter = self.m.grad.counter(t)
        rg = state["rg"] if isinstance(state["rg"], bool) else None
        aliases = tuple(n for n in together.get(state["storage"].uid, ()) if n != text)
        g = state["geometry"]
        return Story(
            Site(s.chunk, e), text, low if low == high else None, rg, self.leaf(t, state, rg),
            writes[counter.uid], tuple(saves.get(counter.uid, ())), aliases,
            g.shape if g is not None else None, state["dtype"], state["storage"].uid,
        )  # fmt: skip

    def writes(self, versions: list[Value]) -> list[Write]:
        """All writes that led to one of some versions, in the order of the versions."""
        found: dict[Write, None] = {}
        seen: set[Version] = set()
        for version in versions:
            way: list[Write] = []
            v = self.m.state.pick(version)
            while isinstance(v, Version) and v.write is not None and v not in seen and len(way) < MOST_WRITES:
                seen.add(v)
                way.append(v.write)
                v = self.m.state.pick(v.prev)
            found.update(dict.fromkeys(reversed(way)))
        return sorted(found, key=lambda write: write.before or 0)

    def saves(self) -> dict[int, list[Saved]]:
        """What nodes have saved, by counter."""
        found: dict[int, list[Saved]] = {}
        for node in self.m.grad.nodes[self.since :]:
            for saved in node.saved:
                told = self.m.explain.saved(node, saved)
                if told is not None:
                    entries = found.setdefault(saved.counter.uid, [])
                    if len(entries) < 8 and all(e.site.node is not told.site.node for e in entries):
                        entries.append(told)
        return found


class NoTrace(Trace):
    """Remembers nothing: a check of many files only wants failures."""

    def after(self, s: ir.Stmt, failed: bool = False) -> None:
        """A statement has run."""

    def failed(self, s: ir.Stmt) -> None:
        """A statement has raised."""

    def told(self) -> dict[ir.Stmt, Told]:
        """Nothing, for any statement."""
        return {}


def named(s: ir.Stmt) -> Iterator[Named]:
    """The names and plain attributes that a statement's own expressions mention (not those of its body)."""
    for part in own_parts(s):
        yield from mentioned(part, s)


_INSIDE = frozenset(
    ["body", "orelse", "finalbody", "handlers", "cases", "decorators", "params", "returns", "scope", "doc", "later"]
)
"""what is inside a statement, or belongs to the definition that it is"""


def own_parts(s: ir.Stmt) -> list[ir.Node]:
    """The expressions that belong to a statement itself."""
    found: list[ir.Node] = []
    for name in field_names(s):
        if name in _INSIDE:
            continue
        v = getattr(s, name)
        found += [i for i in (v if isinstance(v, list) else [v]) if isinstance(i, ir.Node)]
    return found


def mentioned(node: ir.Node, s: ir.Stmt, inner: frozenset[str] = frozenset()) -> Iterator[Named]:
    """Names and plain attributes below a node, without the `inner` ones, which only a part of the statement has."""
    if isinstance(node, ir.Name):
        if node.id not in inner:
            yield node, node.id
        return
    if isinstance(node, ir.Attribute) and plain(node) and root(node) not in inner:
        yield node, s.chunk.text[node.start : node.end]
    if isinstance(node, ir.Stmt):
        return
    if isinstance(node, (ir.Comp, ir.Lambda)):
        inner |= frozenset(own_names(node))
    for name in field_names(node):
        v = getattr(node, name)
        for i in v if isinstance(v, list) else [v]:
            if isinstance(i, ir.Node):
                yield from mentioned(i, s, inner)


def own_names(scope: ir.Comp | ir.Lambda) -> Iterator[str]:
    """The names that a comprehension or a lambda binds for itself."""
    if isinstance(scope, ir.Comp):
        for g in scope.generators:
            yield from bound(g.target)
        return
    p = scope.params
    yield from (one.name for one in (*p.posonly, *p.args, p.vararg, *p.kwonly, p.kwarg) if one is not None)


def bound(target: ir.Expr) -> Iterator[str]:
    """The names in a target."""
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, (ir.Tuple, ir.List)):
        for part in target.elts:
            yield from bound(part)
    elif isinstance(target, ir.Starred):
        yield from bound(target.value)


def root(e: ir.Expr) -> str:
    """The first name of `a.b.c`."""
    while isinstance(e, ir.Attribute):
        e = e.value
    return e.id if isinstance(e, ir.Name) else ""


def plain(e: ir.Expr) -> bool:
    """Whether an expression is `a.b.c`."""
    return isinstance(e, ir.Name) or (isinstance(e, ir.Attribute) and plain(e.value))

"""Where a node of the program stands: what surrounds it, and where it is in its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ..facts.model import Op
from ..facts.releases import BASE
from ..syntax.ir import (
    Assign,
    Attribute,
    Call,
    ClassDef,
    ExprStmt,
    For,
    FunctionDef,
    List,
    Name,
    Node,
    Params,
    Return,
    Stmt,
    Tuple,
    While,
)
from ..syntax.walk import field_names
from .edit import Edit
from .text import words
from .titles import title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..analyses.domain.report import Failure, Report, Site, Story
    from ..rules.messages import Locale
    from ..syntax.chunks import Source
    from ..syntax.imports import ImportTable
    from ..syntax.ir import Expr
    from ..syntax.text import Excerpt

N = TypeVar("N", bound=Node)

ITERATORS = words("enumerate filter iter map reversed zip")


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A node and all nodes that enclose it: `chain` leads from a statement of the module down to the node."""

    path: str
    source: Source
    chain: tuple[Node, ...]

    @property
    def node(self) -> Node:
        """The node itself."""
        return self.chain[-1]

    @property
    def parent(self) -> Node | None:
        """The node above, None for a statement of the module."""
        return self.chain[-2] if len(self.chain) > 1 else None

    @property
    def chunk(self) -> Excerpt:
        """The chunk that the node's offsets count from: that of the innermost statement."""
        return next(node for node in reversed(self.chain) if isinstance(node, Stmt)).chunk

    @property
    def start(self) -> int:
        """Where the node begins in its file."""
        return self.chunk.offset + self.node.start

    @property
    def end(self) -> int:
        """Where the node ends in its file, exclusive."""
        return self.chunk.offset + self.node.end

    @property
    def text(self) -> str:
        """The node's text."""
        return self.source.text[self.start : self.end]

    def edit(self, text: str) -> Edit:
        """Replace the node's text."""
        return Edit(self.path, self.start, self.end, text)

    def of(self, node: Node) -> Place:
        """Return the place of `node`, which is this node or one below it; raises LookupError if it isn't."""
        if node is self.node:
            return self
        below = descend(list(children(self.node)), node, node_chunk=self.chunk)
        if below is None:
            raise LookupError(f"{type(node).__name__} isn't part of this node")
        return Place(self.path, self.source, self.chain + below)

    def text_of(self, node: Node) -> str:
        """Return the text of a node of the same chunk."""
        offset = self.chunk.offset
        return self.source.text[offset + node.start : offset + node.end]

    def up(self, *kinds: type[Node]) -> Place | None:
        """Return the innermost node of these kinds, this one included."""
        for i in range(len(self.chain), 0, -1):
            if isinstance(self.chain[i - 1], kinds):
                return Place(self.path, self.source, self.chain[:i])
        return None

    @property
    def outer(self) -> Place | None:
        """The enclosing node."""
        return Place(self.path, self.source, self.chain[:-1]) if len(self.chain) > 1 else None

    @property
    def statement(self) -> Place:
        """The innermost statement; every chain begins with one."""
        found = self.up(Stmt)
        assert found is not None
        return found

    @property
    def function(self) -> Place | None:
        """The innermost function, None at the top level."""
        return self.up(FunctionDef)

    @property
    def loops(self) -> list[Place]:
        """The loops around the node, in its own function, innermost first."""
        found: list[Place] = []
        place = self.outer
        while place is not None and not isinstance(place.node, FunctionDef):
            if isinstance(place.node, (For, While)):
                found.append(place)
            place = place.outer
        return found

    @property
    def block(self) -> Sequence[Stmt]:
        """The list of statements in which the innermost statement stands."""
        chain = self.statement.chain
        if len(chain) == 1:
            return module_body(self.source)
        return next(body for body in bodies(chain[-2]) if any(stmt is chain[-1] for stmt in body))

    def sibling(self, stmt: Stmt) -> Place:
        """Return the place of another statement of the same block."""
        return Place(self.path, self.source, (*self.statement.chain[:-1], stmt))


@dataclass(frozen=True, slots=True)
class Context:
    """The program that is being mended, and the report of its replay, if there is one."""

    sources: Mapping[str, Source]
    report: Report | None = None
    locale: Locale = "en"

    def say(self, key: str, changes: str | None = None, **words: str) -> str:
        """Return a fix's title in the reader's language."""
        return title(self.locale, key, changes, **words)

    def is_tensor(self, place: Place) -> bool:
        """Return whether an expression may stand for a tensor there; for names, the replay knows."""
        if self.report is None or not isinstance(place.node, Name):
            return True
        return self.story(place.node, place.text) is not None

    def story(self, node: Expr, text: str) -> Story | None:
        """Return what the replay knows of the tensor behind a name or an attribute, by its text."""
        return self.report.stories.get((id(node), text)) if self.report else None

    def is_untold(self, node: Expr, text: str) -> bool:
        """Return whether the replay knows of no tensor behind a name or an attribute."""
        return self.report is not None and isinstance(node, Name | Attribute) and self.story(node, text) is None

    def group(self, failure: Failure) -> list[Failure]:
        """Return all failures that are reported at the place of this one, which comes first."""
        others = self.report.failures if self.report else ()
        same = [one for one in others if one.kind == failure.kind and one.site.node is failure.site.node]
        return [failure, *(one for one in same if one is not failure)]

    def place(self, site: Site | object) -> Place | None:
        """Return the place of `site`; None if it isn't in these sources, or its text is half-typed."""
        node, chunk = getattr(site, "node", None), getattr(site, "chunk", None)
        if node is None or chunk is None or chunk.edit is not None:
            return None
        for path, source in self.sources.items():
            if any(chunk is one for one in source.chunks):
                chain = descend(module_body(source), node, node_chunk=chunk)
                return Place(path, source, chain) if chain else None
        return None


def module_body(source: Source) -> list[Stmt]:
    """Return the statements of a file's top level."""
    return list(source.body)


def surroundings(place: Place) -> Sequence[Node]:
    """Return the function that a place is in, as one node; outside functions, the file's top-level statements."""
    return [place.function.node] if place.function else module_body(place.source)


def own_statements(place: Place) -> Iterator[Place]:
    """Return the statements without a body in the function of a place, or its file, but not in inner functions."""
    function = place.function
    top = Place(place.path, place.source, function.chain if function else ())
    body = function.node.body if function and isinstance(function.node, FunctionDef) else module_body(place.source)
    for chain in _simple(body):
        yield Place(top.path, top.source, (*top.chain, *chain))


def _simple(nodes: Iterable[Node], above: tuple[Node, ...] = ()) -> Iterator[tuple[Node, ...]]:
    """Return the statements without a body at and below these, each as a chain of nodes; not those in definitions."""
    for node in nodes:
        if isinstance(node, Stmt) and not any(_inner_bodies(node)):
            yield (*above, node)
        elif not isinstance(node, FunctionDef | ClassDef):
            inner = [one for body in bodies(node) for one in body]
            parts = [part for name in ("handlers", "cases") for part in getattr(node, name, ())]
            yield from _simple([*inner, *parts], (*above, node))


def children(node: Node | Params) -> Iterator[Node]:
    """Return the nodes directly below `node`, in the order of its fields."""
    for name in field_names(node):
        yield from _nodes(getattr(node, name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _nodes(item)
    elif isinstance(value, Params):
        yield from children(value)


def walk(node: Node) -> Iterator[Node]:
    """Return `node` and all nodes below it, outermost first."""
    yield node
    for child in children(node):
        yield from walk(child)


def dotted(node: Node) -> str:
    """Return the text of a name or a chain of attributes, such as `torch.nn.init`; empty for anything else."""
    if isinstance(node, Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return node.id if isinstance(node, Name) else ""


def fact_of(func: Expr, imports: ImportTable) -> Op | None:
    """Return the fact of a function of PyTorch, by its imported name, or else of a tensor's method."""
    method = f"torch.Tensor.{func.attr}" if isinstance(func, Attribute) else ""
    found = BASE.table.find(imports.resolve(dotted(func)) or method)
    return found if isinstance(found, Op) else None


def below(node: Node, kind: type[N]) -> Iterator[N]:
    """Return the nodes of one kind at and below `node`."""
    return (found for found in walk(node) if isinstance(found, kind))


def statements(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """Return all statements of a body and of the bodies in it, outermost first."""
    for stmt in body:
        yield stmt
        for inner in _inner_bodies(stmt):
            yield from statements(inner)


def _inner_bodies(stmt: Stmt) -> Iterator[list[Stmt]]:
    yield from bodies(stmt)
    for name in ("handlers", "cases"):
        for part in getattr(stmt, name, ()):
            yield from bodies(part)


def binding(place: Place, name: str) -> Place | None:
    """Return the assignment that last bound a plain name before the statement at `place`, in its function.

    If a loop has none before the place, one after it in the loop counts.
    """
    stmt: Place | None = place.statement
    while stmt is not None and not isinstance(stmt.node, FunctionDef):
        if isinstance(stmt.node, Stmt):
            block = stmt.block
            index = next(i for i, one in enumerate(block) if one is stmt.node)
            for one in [*reversed(block[:index]), *(reversed(block[index:]) if stmt.loops else ())]:
                bound = [inner for inner in assignments(one) if any(binds(target, name) for target in inner.targets)]
                if bound:
                    return stmt.sibling(one).of(bound[-1])
        stmt = stmt.outer
    return None


def assignments(stmt: Stmt) -> list[Assign]:
    """Return the assignments at and in a statement that bind names of its own scope."""
    if isinstance(stmt, FunctionDef | ClassDef):
        return []
    inner = [one for body in _inner_bodies(stmt) for one in body]
    return [stmt] if isinstance(stmt, Assign) else [found for one in inner for found in assignments(one)]


def binds(target: Expr, name: str) -> bool:
    """Return whether an assignment to a target binds a plain name."""
    if isinstance(target, Tuple | List):
        return any(binds(one, name) for one in target.elts)
    return isinstance(target, Name) and target.id == name


def descend(nodes: Sequence[Node], target: Node, node_chunk: Excerpt) -> tuple[Node, ...] | None:
    """Return the chain from one of `nodes` down to `target`, a node of `node_chunk`; None if there is none."""
    for node in nodes:
        if node is target:
            return (node,)
        same = getattr(node, "chunk", node_chunk) is node_chunk
        if same and not (node.start <= target.start and target.end <= node.end):
            continue
        found = descend(list(children(node)), target, node_chunk)
        if found is not None:
            return (node, *found)
    return None


def is_iterator(node: Node) -> bool:
    """Return whether an expression is one of Python's iterators, which have no methods of tensors."""
    named = isinstance(node, Call) and isinstance(node.func, Name)
    return named and node.func.id in ITERATORS  # type: ignore[attr-defined]


def bodies(node: Node) -> Iterator[list[Stmt]]:
    """Return the lists of statements directly in a compound statement (or in a handler or case of one)."""
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if isinstance(body, list):
            yield body


def call_of(place: Place | None) -> Place | None:
    """Return the call that the node at `place` is, consists of (a statement), or is the innermost part of."""
    if place is None:
        return None
    node = place.node
    if isinstance(node, ExprStmt | Assign | Return) and isinstance(node.value, Call):
        return place.of(node.value)
    return place.up(Call)

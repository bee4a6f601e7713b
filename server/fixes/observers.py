"""Whether a change in place is seen by another way than the changed name: if not, a rebinding keeps every value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import (
    Arg,
    Assign,
    Attribute,
    Call,
    Dict,
    For,
    FunctionDef,
    ImportFrom,
    List,
    Name,
    Return,
    Set,
    Starred,
    Subscript,
    Tuple,
    Yield,
)
from .liveness import reads_later
from .place import below, children, statements, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..analyses.report import Failure, VersionRow
    from ..syntax.ir import Expr, Node
    from .place import Context, Place

KEEPERS = frozenset({"append", "appendleft", "add", "extend", "insert", "put", "setdefault", "update"})
"""Methods of containers that keep what they are given."""


def observed(failure: Failure, context: Context) -> bool:
    """Tell whether something may read the changed memory later, and not by the name that the change is made by.

    `failure.facts` may tell it: `aliases` are the other names of the function that hold the memory, `shared`
    says that something outside of the function does. Else the replay's rows tell which names share it, and
    the text whether a container got hold of it. What isn't known counts as observed.
    """
    write = failure.write
    place = context.place(write.site if write else failure.site)
    if place is None:
        return True
    if "aliases" in failure.facts:
        aliases = failure.facts["aliases"]
        assert isinstance(aliases, tuple)
        return bool(failure.facts.get("shared", False)) or any(_is_read(place, name) for name in aliases)
    name = (write.name if write else None) or failure.name
    if name is None or context.report is None:
        return True
    name = name.partition("[")[0]  # an item of a tensor is its memory; an item of a container is in no row
    rows = _sharing(context.report.rows, place, name)
    return not rows or _kept(place, name) or _seen_by_name(context, rows, place, name)


def _is_read(place: Place, name: str) -> bool:
    return "." in name or "[" in name or reads_later(place, name)


def _sharing(rows: Iterable[VersionRow], place: Place, name: str) -> list[VersionRow]:
    """Give the rows of all names that share the storage that `name` has at the statement of `place`."""
    rows = list(rows)
    here = {id(node) for node in walk(place.statement.node)}
    storages = {row.storage for row in rows if row.name == name and id(row.site.node) in here}
    return [row for row in rows if row.storage in storages]


def _seen_by_name(context: Context, rows: list[VersionRow], place: Place, name: str) -> bool:
    """Tell whether one of the names that share the storage is read after the change."""
    function = place.function.node if place.function else None
    parameters = _parameters(function)
    siblings = _unpacked_with(place, name)
    attr = name.rpartition(".")[2] if "." in name else None
    if name in parameters:
        return True
    for row in rows:
        if row.name == name or row.name in siblings:
            continue
        if "." in row.name:
            if row.name.rpartition(".")[2] != attr:
                return True
            continue
        there = context.place(row.site)
        same = there is not None and (there.function.node if there.function else None) is function
        if there is None or (attr and not same) or (same and row.name in parameters):
            return True
        if same and (there.start < place.start or place.loops) and reads_later(place, row.name):
            return True
    return False


def _parameters(function: Node | None) -> set[str]:
    if not isinstance(function, FunctionDef):
        return set()
    p = function.params
    every = [*p.posonly, *p.args, *p.kwonly, *(one for one in (p.vararg, p.kwarg) if one)]
    return {one.name for one in every}


def _unpacked_with(place: Place, name: str) -> set[str]:
    """Give the names that one statement unpacks along with `name`: pieces of one tensor, with nothing in common."""
    scope = place.function.node if place.function else None
    roots = [scope] if scope else list(place.source.body)
    found: set[str] = set()
    for root in roots:
        for assign in below(root, Assign):
            for target in assign.targets:
                together = {one.id for one in below(target, Name)} if isinstance(target, Tuple | List) else set()
                if name in together:
                    found |= together
    return found


def _kept(place: Place, name: str) -> bool:
    """Tell whether a container may hold what the plain `name` stands for: it was put into one, or came out of one."""
    if "." in name:
        return False
    scope = place.function.node if place.function else None
    roots: list[Node] = [scope] if scope else list(place.source.body)
    own = {stmt.name for stmt in statements(place.source.body) if isinstance(stmt, FunctionDef)} - {"forward"}
    own |= _imported_functions(place)
    return any(_keeps(node, name, own) for root in roots for node in _parts(root, name))


def _imported_functions(place: Place) -> set[str]:
    """Give the names imported from elsewhere than torch that look like functions: what they return may be kept."""
    found: set[str] = set()
    for stmt in statements(place.source.body):
        if isinstance(stmt, ImportFrom) and not (stmt.module or "").startswith("torch"):
            found |= {alias.asname or alias.name for alias in stmt.names}
    return {name for name in found if name.islower()}


def _parts(node: Node, name: str) -> Iterator[Node]:
    """Give the nodes below, but for displays that hold nothing on: targets, indices, what is returned.

    A function inside for which `name` is a variable of its own has nothing to do with it.
    """
    yield node
    for child in children(node):
        if isinstance(child, FunctionDef) and name in child.scope.locals:
            continue
        passing = isinstance(node, Assign) and any(child is one for one in node.targets)
        passing |= isinstance(node, Return) or (isinstance(node, Subscript) and child is node.slice)
        if not (passing and isinstance(child, Tuple | List)):
            yield from _parts(child, name)


def _keeps(node: Node, name: str, own: set[str]) -> bool:
    if isinstance(node, For):
        return any(one.id == name for one in below(node.target, Name))
    if isinstance(node, Assign):
        put = any(isinstance(target, Subscript | Attribute) for target in node.targets) and _is(node.value, name)
        unpacked = not isinstance(node.value, Call) and any(
            _is(one, name) for target in node.targets if isinstance(target, Tuple | List) for one in target.elts
        )
        got = unpacked or (_hands_out(node.value, own) and any(_is(target, name) for target in node.targets))
        return put or got
    if isinstance(node, Call):
        keeps = isinstance(node.func, Attribute) and node.func.attr in KEEPERS
        return keeps and any(_is(arg.value, name) for arg in node.args)
    if isinstance(node, List | Set | Dict | Yield | Starred | Tuple):
        return any(_is(child.value if isinstance(child, Arg) else child, name) for child in children(node))
    return False


def _hands_out(value: Expr, own: set[str]) -> bool:
    """Tell whether an expression may give what is held elsewhere: an item, what the program's code returns."""
    if isinstance(value, Call):
        func = value.func
        return (func.attr if isinstance(func, Attribute) else getattr(func, "id", "")) in own | {
            "get",
            "pop",
            "setdefault",
        }
    return isinstance(value, Subscript)


def _is(node: Node, name: str) -> bool:
    return isinstance(node, Name) and node.id == name

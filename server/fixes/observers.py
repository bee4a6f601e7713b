"""Whether a change in place is seen through anything but the changed name; if not, rebinding keeps every value.

y = w.exp()
z = y.view(-1)
y += 1              # `y = y + 1` would bind `y` to a new tensor,
print(z)            # but here the change is seen through `z`, whose value would be another
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.imports import import_table
from ..syntax.ir import (
    Assign,
    Attribute,
    Call,
    FunctionDef,
    List,
    Name,
    Tuple,
)
from .change import changed, root
from .keepers import PLAIN, kept
from .liveness import captured, local, owner, reads_later
from .place import Place, below, children, fact_of, own_statements, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..analyses.domain.report import Failure, VersionRow
    from ..syntax.ir import Node
    from .change import Change
    from .place import Context


def observed(failure: Failure, context: Context) -> bool:
    """Return whether something may read the changed memory later through anything but the changed name.

    `failure.facts` may say so: `aliases` are the function's other names for the memory, `shared` says that something
    outside the function holds it. Otherwise the replay's rows show which names share it, and the text whether a
    container holds it. What isn't known counts as observed.
    """
    place, name = _written(failure, context)
    if place is None:
        return True
    if "aliases" in failure.facts:
        aliases = failure.facts["aliases"]
        assert isinstance(aliases, tuple)
        return bool(failure.facts.get("shared", False)) or any(_is_read(place, name) for name in aliases)
    if name is None or context.report is None:
        return True
    rows = _sharing(context.report.rows, place, name)
    return not rows or _kept(context, rows, place, name) or _seen_by_name(context, rows, place, name)


def shared_names(failure: Failure, context: Context) -> set[str]:
    """Return the names, in any function, through which the changed memory may be read; none if that isn't known."""
    place, name = _written(failure, context)
    if place is None or name is None or context.report is None:
        return set()
    rows = _sharing(context.report.rows, place, name)
    return set() if _kept(context, rows, place, name) else {row.name for row in rows}


def changed_between(failure: Failure, made: Place, context: Context) -> bool:
    """Return whether the memory is changed by another of its names between the statement of `made` and the change."""
    place, name = _written(failure, context)
    if place is None or name is None or context.report is None:
        return False
    for row in _sharing(context.report.rows, place, name):
        there = context.place(row.site)
        if row.name != name and there is not None and there.path == made.path:
            stmt = there.statement
            target = changed(stmt) if made.statement.end <= stmt.start < place.statement.start else None
            if target is not None and stmt.text_of(root(target)) == row.name:
                return True
    return False


def was_there(failure: Failure, made: Place, context: Context) -> bool:
    """Return whether the changed memory is older than the result of the call at `made`, which changes it, too."""
    if failure.saved is None or failure.saved.role != "result" or context.report is None:
        return False
    place, name = _written(failure, context)
    rows = _sharing(context.report.rows, place, name) if place and name else []
    before = (context.place(row.site) for row in rows)
    return any(one is not None and one.path == made.path and one.end <= made.statement.start for one in before)


def _written(failure: Failure, context: Context) -> tuple[Place | None, str | None]:
    """Return the place of the failure's change, and the name of what is changed there."""
    write = failure.write
    name = (write.name if write else None) or failure.name
    # An item of a tensor shares its memory; an item of a container has no row.
    return context.place(write.site if write else failure.site), name.partition("[")[0] if name else None


def rebinding(failure: Failure, context: Context, change: Change) -> str | None:
    """Return what changes if the name is bound to a new tensor instead; None if nothing does."""
    if failure.kind in {"leaf-inplace", "view-of-leaf-inplace"}:
        return "leaf"
    return "others" if observed(failure, context) else left_graph(failure, context, change)


def is_itself_needed(failure: Failure, context: Context, change: Change) -> bool:
    """Return whether the program needs the changed tensor itself, by the name that it is changed by.

    It does if it reads the tensor's `.grad` (unless `retain_grad()` is called afterwards) or an attribute that it has
    set, or if it passes a leaf to something other than an operation of PyTorch, such as an optimizer.
    """
    name = change.place.text_of(root(change.target))
    is_leaf = failure.kind in {"leaf-inplace", "view-of-leaf-inplace"}
    imports = import_table(change.place.source)
    asked = False
    for stmt in own_statements(change.place):
        own = [node for node in below(stmt.node, Attribute) if stmt.text_of(node.value) == name]
        if any(node.attr == "retain_grad" for node in own) and stmt.start > change.place.end:
            return False
        asked |= any(node.attr == "grad" for node in own)
        if isinstance(stmt.node, Assign):
            given = [
                target
                for target in stmt.node.targets
                if isinstance(target, Attribute) and any(target is one for one in own)
            ]
            asked |= any(target.attr != "data" for target in given)
        if is_leaf:
            calls = [call for call in below(stmt.node, Call) if fact_of(call.func, imports) is None]
            asked |= any(_is_handed(stmt, call, name) for call in calls)
    return asked


def _is_handed(stmt: Place, call: Call, name: str) -> bool:
    """Return whether a name's value is passed, by itself or in a list, to a call that does more than ask about it."""
    if isinstance(call.func, Name) and call.func.id in PLAIN:
        return False
    given = [one for arg in call.args for one in ([arg.value, *children(arg.value)])]
    return any(isinstance(one, Name | Attribute) and stmt.text_of(one) == name for one in given)


def left_graph(failure: Failure, context: Context, change: Change) -> str | None:
    """Return what is lost where nothing is recorded: a changed tensor stays in the graph, a new one has none.

    None if nothing is lost: the tensor requires no grad, or its name isn't read later.
    """
    owner = root(change.target)
    if failure.write is None or failure.write.recorded:
        return None
    story = context.story(owner, change.place.text_of(owner))
    if story is not None and story.requires_grad is False:
        return None
    if isinstance(owner, Name) and not reads_later(change.statement, owner.id):
        return None
    return "leaf" if story is None or story.is_leaf else "no-grad"


def _is_read(place: Place, name: str) -> bool:
    return "." in name or "[" in name or reads_later(place, name)


def _sharing(rows: Iterable[VersionRow], place: Place, name: str) -> list[VersionRow]:
    """Return the rows of all names that share the storage of `name` at the statement of `place`."""
    rows = list(rows)
    here = {id(node) for node in walk(place.statement.node)}
    storages = {row.storage for row in rows if row.name == name and id(row.site.node) in here}
    return [row for row in rows if row.storage in storages]


def _kept(context: Context, rows: list[VersionRow], place: Place, name: str) -> bool:
    """Return whether something else holds the memory, through the name or one that shares it."""
    if kept(place, name, context, None if place.loops else place.statement.end):
        return True
    seen = {(id(_function(place)), name)}
    for row in rows:
        there = context.place(row.site)
        if there is None:
            return True
        key = (id(_function(there)), row.name)
        if key not in seen:
            same = row.name == name and _is_variable_of(place, there, name)
            if kept(there, row.name, context) or (not same and captured(there, row.name)):
                return True
        seen.add(key)
    return False


def _function(place: Place) -> Node | None:
    return place.function.node if place.function else None


def _seen_by_name(context: Context, rows: list[VersionRow], place: Place, name: str) -> bool:
    """Return whether one of the names that share the storage is read after the change."""
    function = _function(place)
    parameters = _parameters(function)
    siblings = _unpacked_with(place, name)
    attr = name.rpartition(".")[2] if "." in name else None
    outer = not attr and not local(place, name)
    if name in parameters:
        return True
    for row in rows:
        there = context.place(row.site)
        if there is None:
            return True
        same = _function(there) is function
        if row.name == name and (same or _is_variable_of(place, there, name)):
            continue
        if outer:
            return True  # a variable of the function itself is hidden from its callers
        if "." in row.name:
            if row.name != name and (same or row.name.rpartition(".")[2] != attr):
                return True
        elif same:
            if row.name in parameters:
                return True
            seen = there.start < place.start or place.loops
            if row.name not in siblings and seen and reads_later(place, row.name):
                return True
        elif attr or not local(there, row.name):
            return True
    return False


def _is_variable_of(place: Place, there: Place, name: str) -> bool:
    """Return whether a plain name is the same variable at two places of a file."""
    return there.path == place.path and owner(there, name) is owner(place, name)


def _parameters(function: Node | None) -> set[str]:
    if not isinstance(function, FunctionDef):
        return set()
    p = function.params
    every = [*p.posonly, *p.args, *p.kwonly, *(one for one in (p.vararg, p.kwarg) if one)]
    return {one.name for one in every}


def _unpacked_with(place: Place, name: str) -> set[str]:
    """Return the names that one statement unpacks along with `name`: pieces of one tensor, which don't overlap."""
    scope = place.function.node if place.function else None
    found: set[str] = set()
    for around in [scope] if scope else list(place.source.body):
        for assign in below(around, Assign):
            for target in assign.targets:
                together = {one.id for one in below(target, Name)} if isinstance(target, Tuple | List) else set()
                if name in together:
                    found |= together
    return found

"""Copy a tensor, so that the saved one and the changed one don't share memory.

`save` copies what the operation saves, which keeps every value and gradient. `change` copies before the change, `alias`
where the tensor gets a second name, `view` at the call that made overlapping memory or several views. `source` copies
the value that is written if it overlaps the target.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..syntax.imports import import_table
from ..syntax.ir import (
    Arg,
    Assign,
    Attribute,
    AugAssign,
    BinOp,
    Call,
    Constant,
    Expr,
    ExprStmt,
    For,
    List,
    Name,
    Return,
    Slice,
    Starred,
    Subscript,
    Tuple,
    UnaryOp,
)
from .change import called_change, declared, find_change, is_inplace_name, is_module, root
from .edit import Edit, Fix, safety
from .layout import can_precede, fresh_name, insert_before, is_pure, suffix
from .liveness import reads_later
from .observers import changed_between, is_itself_needed, left_graph, observed, rebinding, was_there
from .place import binding, call_of, fact_of, is_iterator, surroundings, walk
from .text import quote, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..analyses.domain.report import Failure, Saved
    from .change import Change
    from .place import Context, Place

CLONE, COPY = ".clone()", ".copy()"
"""how a tensor is copied, and an array of NumPy"""

SEVERAL = words("chunk dsplit hsplit split split_with_sizes tensor_split unbind vsplit")
"""Methods that return several views."""


def save(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to save a copy: `exp(x.clone())`, or `x.exp().clone()` where the result is saved.

    If several operations saved the tensor that is changed, all of them get copies.
    """
    group = [one for one in context.group(failure) if one.saved]
    saves = [one.saved for one in group]
    choices = [list(_copies(one, context)) for one in group]
    if not choices or not all(choices):
        return
    for number in range(max(map(len, choices))):
        places = [place for one in choices for place in one[min(number, len(one) - 1)]]
        edits = dict.fromkeys(edit for place in places for edit in suffix(place, CLONE))
        results = [one for one in places if any(saved and one.node is saved.site.node for saved in saves)]
        parted = any(was_there(one, place, context) and observed(one, context) for one in group for place in results)
        changes = "others" if parted else None
        title = _title(group, places[0].text, bool(results), context, changes)
        yield Fix(title, safety(changes), tuple(edits))


def _title(group: Sequence[Failure], shown: str, result: bool, context: Context, changes: str | None) -> str:
    saves = {id(one.saved.site.node): one.saved for one in group if one.saved}
    ops = [quote(op) for op in dict.fromkeys(saved.op for saved in saves.values())]
    if len(saves) > 1:
        return context.say("save-several", changes, ops=context.say("and").join(ops))
    return context.say("save-result" if result else "save", changes, op=ops[0], value=quote(shown))


def _copies(failure: Failure, context: Context) -> Iterator[list[Place]]:
    """Return the expressions that may be copied for the operation that saved the tensor, the likeliest first.

    An operation that changes its operand before it saves it (`facts["saver_changes"]`) would change the copy instead,
    and one that reads what it has changed would read the copy.
    """
    saved = failure.saved
    place = context.place(saved.site) if saved else None
    if saved is None or place is None or (saved.role != "result" and failure.facts.get("saver_changes")):
        return
    write = failure.write
    if write is not None and write.overlapping and write.site == saved.site and saved.role != "result":
        return
    options = [[place]] if saved.role == "result" else _operands(place, saved, failure, context)
    if saved.role == "saved":  # by a function of the program, which may save what it returns
        options.append([place])
    for option in options:
        plain = all(isinstance(one.node, Expr) and not _makes_in_place(one) and not _is_unpacked(one) for one in option)
        if option and plain:
            yield option


def _makes_in_place(place: Place) -> bool:
    node = place.node
    return isinstance(node, Call) and isinstance(node.func, Attribute) and is_inplace_name(node.func.attr)


def _is_unpacked(place: Place) -> bool:
    """Return whether the expression gives several values: `out, state = lstm(x)`, `lstm(x)[0]`."""
    above = place.parent
    if isinstance(above, Subscript):
        return above.value is place.node and isinstance(place.node, Call) and not isinstance(place.node.func, Name)
    return isinstance(above, Assign) and above.value is place.node and isinstance(above.targets[0], Tuple | List)


def _operands(place: Place, saved: Saved, failure: Failure, context: Context) -> list[list[Place]]:
    """Return the operands of the operation at `place` that may be the saved tensor.

    They are found by name, by what made them (`facts["origin"]`) or by role, alone or with all that mention the name.
    If none of these helps, each operand is tried by itself, then all together.
    """
    name, role, origin = saved.name, saved.role, context.place(failure.facts.get("origin"))
    found = [one for node in _inputs(place) if context.is_tensor(one := place.of(node))]
    named = [one for one in found if one.text == name]
    made = [one for one in found if origin and one.node is origin.node]
    keyword = [one for one in found if (arg := one.parent) and isinstance(arg, Arg) and arg.name == role]
    mentioned = [one for one in found if name and _mentions(one, name)]
    for told in (named, made, keyword, mentioned if len(mentioned) == 1 else []):
        if told:
            more = [one for one in found if any(one.node is node.node for node in (*told, *mentioned))]
            return [told, more] if len(more) > len(told) else [told]
    plain = role not in {"weight", "bias"}  # a module's own tensors are no operands of the call
    tensors = [one for one in found if plain and isinstance(one.node, Name | Attribute | Subscript)]
    return [*([one] for one in tensors), *([tensors] if len(tensors) > 1 else [])]


def _mentions(place: Place, name: str) -> bool:
    return any(place.text_of(node) == name for node in walk(place.node) if isinstance(node, Name | Attribute))


def _inputs(place: Place) -> Iterator[Expr]:
    """Return the operands without what the operation itself changes: it would change the copy instead."""
    node = place.node.value if isinstance(place.node, ExprStmt | Return | Assign) else place.node
    if isinstance(node, Call):
        change = called_change(place.of(node))
        changed = change.target if change else None
        if isinstance(node.func, Attribute) and not is_module(place, node.func) and node.func.value is not changed:
            yield node.func.value
        for arg in node.args:
            if arg.value is not changed:
                yield from _items(arg.value)
    elif isinstance(node, BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, UnaryOp):
        yield node.operand
    elif isinstance(node, AugAssign):
        yield node.value
    elif isinstance(node, Subscript):
        yield node.value
        yield from _items(node.slice)


def _items(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Tuple | List):
        for one in node.elts:
            yield from _items(one)
    elif not isinstance(node, Starred | Slice | Constant):
        yield node


def change(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `x = x.clone()` before the statement that changes `x` or a view of it; `x.copy()` for an array."""
    found = find_change(failure, context)
    if found is None:
        return
    place = found.place
    owner = _item(found, failure, context) or root(found.target)
    declaring = declared(place, owner)
    if not isinstance(owner, Name | Attribute | Subscript) or declaring is None or not can_precede(place):
        return
    if isinstance(owner, Name) and is_module(place, owner):
        return
    text = place.text_of(owner)
    array = failure.kind == "silent-stale" and context.is_untold(owner, text)
    itself = (f"{text} = {text}{COPY if array else CLONE}", declaring)
    for line, more in (itself, *_rebuilt(place, owner)):
        edit = insert_before(found.statement, line)
        if edit:
            # A copy no longer shares memory with the other views, and only the replay knows who reads them.
            parts = failure.kind == "silent-stale" or _writes_through(failure)
            changes = "others" if parts else rebinding(failure, context, found)
            yield Fix(context.say("clone-before", changes, name=quote(text)), safety(changes), (*more, edit))


def _item(found: Change, failure: Failure, context: Context) -> Subscript | None:
    """Return the item of a container that is the changed tensor, if it is one."""
    node, name = found.target, failure.write.name if failure.write else failure.name
    while isinstance(node, Subscript):
        text = found.place.text_of(node)
        if text == name and is_pure(node) and not context.story(node.value, found.place.text_of(node.value)):
            return node
        node = node.value
    return None


def _rebuilt(place: Place, item: Expr) -> Iterator[tuple[str, list[Edit]]]:
    """Return how a copy replaces an item of a tuple, and what declares it: `r = (*r[:1], r[1].clone(), *r[2:])`."""
    if not isinstance(item, Subscript) or not isinstance(item.value, Name) or not isinstance(item.slice, Constant):
        return
    owner, number, declaring = item.value.id, item.slice.value, declared(place, item.value)
    if type(number) is int and declaring is not None:
        before = f"*{owner}[:{number}], " if number else ""
        yield f"{owner} = ({before}{place.text_of(item)}{CLONE}, *{owner}[{number + 1}:])", declaring


def alias(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to clone where the tensor gets another name, or where it is passed on."""
    places = [place for hop in failure.hops if hop.kind in {"alias", "view", "passed", "stored"}
              for place in _handed(context.place(hop.site), hop.name or failure.name)]  # fmt: skip
    found = find_change(failure, context)
    owner = root(found.target) if found else None
    bound = binding(found.place, owner.id) if found and isinstance(owner, Name) else None
    story = context.story(owner, owner.id) if isinstance(owner, Name) else None
    is_leaf = failure.kind == "leaf-inplace" or (story is not None and story.is_leaf is True)
    for place in [*([bound] if bound else []), *places]:
        value = place.node.value if isinstance(place.node, Assign | Arg | Return) else place.node
        if (
            not isinstance(value, Expr)
            or isinstance(value, Tuple | List | Constant)
            or is_iterator(value)
            or _is_target(place)
        ):
            continue
        made = is_leaf and isinstance(value, Call)  # a copy of a new leaf is no leaf
        if made and found and is_itself_needed(failure, context, found):
            continue
        lost = left_graph(failure, context, found) if found else None
        changes = "leaf" if made else "others" if observed(failure, context) else lost
        if changes is None and changed_between(failure, place, context):
            changes = "views"
        title = context.say("clone-here", changes, value=quote(place.text_of(value)), name=quote(failure.name or ""))
        yield Fix(title, safety(changes), tuple(copied(place.of(value))))


def _is_target(place: Place) -> bool:
    """Return whether the expression is what an assignment binds."""
    stmt = place.statement.node
    return isinstance(stmt, Assign) and any(target is node for target in stmt.targets for node in place.chain)


def _handed(place: Place | None, name: str | None) -> list[Place]:
    """Return the expressions at `place` that pass the tensor on: of a call, what names it, or an argument."""
    if place is None:
        return []
    if not isinstance(place.node, Call):
        return [place]
    named = [one for node in walk(place.node) if isinstance(node, Expr) and (one := place.of(node)).text == name]
    return named[:1] or [place.of(arg.value) for arg in place.node.args if not arg.star][:1]


def argument(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to pass a copy to a call that changes its argument, such as a custom Function's `apply`."""
    call = call_of(context.place(failure.site))
    here = replace(failure, write=None)  # what the call changes, wherever that happens inside it
    if find_change(here, context) is not None or call is None:
        return
    for place in _handed(call, failure.name)[:1]:
        if isinstance(place.node, Name | Attribute | Subscript):
            read = not isinstance(place.node, Name) or reads_later(call, place.node.id)
            changes = "others" if read or observed(here, context) else None
            title = context.say("argument", changes, value=quote(place.text))
            yield Fix(title, safety(changes), tuple(suffix(place, CLONE)))


def copied(place: Place) -> list[Edit]:
    """Return the edits that make the expression a copy: of a NumPy array by `copy()`, of `x.data` by `detach()` too."""
    node = place.node
    if isinstance(node, Attribute) and node.attr == "data":
        return [Edit(place.path, place.chunk.offset + node.attr_start, place.end, "detach().clone()")]
    numpy = isinstance(node, Call) and isinstance(node.func, Attribute) and node.func.attr in {"numpy", "__array__"}
    return suffix(place, COPY if numpy else CLONE)


def view(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to clone what `expand` or a call that gives several views made (`facts["built"]`, `facts["origin"]`)."""
    told = failure.facts.get("built") or failure.facts.get("origin")
    place = context.place(told)
    if place is None or not isinstance(place.node, Expr):
        return
    item = place.outer
    if _is_unpacked(place) and item is not None and isinstance(item.node, Subscript):
        place = item
    read = failure.kind != "overlap-write" and observed(failure, context)
    changes = "base" if read or _writes_through(failure) else None
    title = context.say("clone-result", changes, value=quote(place.text))
    yield Fix(title, safety(changes), tuple(suffix(place, CLONE)))


def _writes_through(failure: Failure) -> bool:
    """Return whether an expanded tensor is written by index, which PyTorch refuses only in `backward()`."""
    return failure.kind == "overlap-write" and failure.backward is not None and failure.raised == failure.backward


def pieces(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to clone each view of a call that makes several: `tuple(part.clone() for part in x.split(2))`."""
    place = next(_made_several(failure, context), None)
    if place is None:
        return
    name = fresh_name(place, "part")
    changes = "base" if observed(failure, context) and not _is_of_temporary(place) else None
    title = context.say("clone-pieces", changes, value=quote(place.text))
    each = f"{name}{CLONE} for {name} in {place.text}"
    found = find_change(failure, context)
    is_put_back = found is not None and found.form == "augmented" and isinstance(found.target, Subscript)
    text = f"[{each}]" if is_put_back else f"tuple({each})"  # `parts[0] += 1` assigns the part, too
    yield Fix(title, safety(changes), (place.edit(text),))


def _is_of_temporary(several: Place) -> bool:
    """Return whether the views are of memory that nothing else refers to, which an operator has just made."""
    func = several.node.func if isinstance(several.node, Call) else None
    base = func.value if isinstance(func, Attribute) else None
    if isinstance(base, Call):
        fact = fact_of(base.func, import_table(several.source))
        return fact is not None and all(one.kind == "new" for case in fact.cases for one in case.results)
    return isinstance(base, BinOp) or (isinstance(base, UnaryOp) and base.op != "+")  # `+x` is `x`


def _made_several(failure: Failure, context: Context) -> Iterator[Place]:
    """Return the assigned or returned value that made the views: as the facts say, or by the name it is bound to."""
    told = [context.place(hop.site) for hop in failure.hops if hop.kind == "built"]
    found = find_change(failure, context)
    owner = root(found.target) if found else None
    bound = binding(found.place, owner.id) if found and isinstance(owner, Name) else None
    for place in (*told, bound):
        stmt = place.statement if place else None
        if stmt is None or not isinstance(stmt.node, Assign | Return) or stmt.node.value is None:
            continue
        func = stmt.node.value.func if isinstance(stmt.node.value, Call) else None
        targets = stmt.node.targets if isinstance(stmt.node, Assign) else ()
        unpacked = any(isinstance(target, Tuple | List) for target in targets[:1]) and func is None
        if unpacked or (isinstance(func, Attribute) and func.attr in SEVERAL):
            yield stmt.of(stmt.node.value)


def results(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to clone each result of a call that returns several, one of which was saved and is changed as `r[0]`."""
    saved = failure.saved
    place = call_of(context.place(saved.site)) if saved and saved.role == "result" else None
    stmt = place.parent if place else None
    if place is None or not isinstance(stmt, Assign) or stmt.value is not place.node or _is_by_name(stmt, place):
        return
    if _gives_several(place):
        name = fresh_name(place, "part")
        title = context.say("clone-pieces", value=quote(place.text))
        yield Fix(title, "safe", (place.edit(f"tuple({name}{CLONE} for {name} in {place.text})"),))


def _is_by_name(stmt: Assign, place: Place) -> bool:
    """Return whether the bound name is read as `name.field` somewhere, so that a plain tuple won't do."""
    target = stmt.targets[0]
    if len(stmt.targets) > 1 or not isinstance(target, Name):
        return True
    owners = [node.value for one in surroundings(place) for node in walk(one) if isinstance(node, Attribute)]
    return any(isinstance(one, Name) and one.id == target.id for one in owners)


def _gives_several(place: Place) -> bool:
    """Return whether a call returns several tensors, as far as its fact says."""
    assert isinstance(place.node, Call)
    fact = fact_of(place.node.func, import_table(place.source))
    return fact is not None and any(len(case.results) > 1 or case.sequence for case in fact.cases)


def base(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to take several views of a copy, `x.clone().unbind(0)`, if the base is changed afterwards."""
    built = next((context.place(hop.site) for hop in failure.hops if hop.kind == "built"), None)
    place = _base_of(built) if built else None
    if place is not None:
        title = context.say("clone-base", "views", value=quote(place.text))
        yield Fix(title, "unsafe", tuple(suffix(place, CLONE)))


def _base_of(built: Place) -> Place | None:
    """Return the expression that several views are taken of: by a call, by unpacking, or by a loop."""
    call = call_of(built)
    if call is None or not isinstance(call.node, Call):
        node = built.node
        value = node.value if isinstance(node, Assign) else node.iter if isinstance(node, For) else node
        return built.of(value) if isinstance(value, Name | Attribute) else None
    func, args = call.node.func, call.node.args
    if isinstance(func, Attribute) and not is_module(call, func.value):
        return call.of(func.value)
    return call.of(args[0].value) if args and not args[0].star else None


def source(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to clone what is written if it may share the target's memory: `x[1:] = x[:-1].clone()`.

    With several operands, the index among them, each is tried by itself, then all together.
    """
    found = find_change(failure, context)
    if found is None:
        return
    index = found.target.slice if isinstance(found.target, Subscript) else None
    named = [index] if isinstance(index, Name | Attribute) else []
    places = [found.place.of(one) for one in (*_written(found), *named) if not isinstance(one, Constant)]
    for some in (*([one] for one in places), *([places] if len(places) > 1 else [])):
        shown = context.say("and").join(quote(text) for text in dict.fromkeys(one.text for one in some))
        edits = tuple(edit for one in some for edit in suffix(one, CLONE))
        yield Fix(context.say("clone-source", value=shown), "safe", edits)


def _written(found: Change) -> Iterator[Expr]:
    """Return the values that a change reads: what is assigned, or the operands of a call, the likeliest first."""
    node = found.place.node
    if isinstance(node, Assign | AugAssign):
        yield node.value
    elif isinstance(node, Call):
        plain = [arg.value for arg in node.args if not arg.star and arg.value is not found.target]
        yield from (value for value in plain if isinstance(value, Name | Attribute | Subscript | Call))

"""Cut the graph of state that is carried from one iteration to the next: `h = h_next.detach()`."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..syntax.ir import (
    AnnAssign,
    Arg,
    Assign,
    Attribute,
    AugAssign,
    Call,
    ClassDef,
    Comp,
    Constant,
    Dict,
    Expr,
    ExprStmt,
    For,
    FunctionDef,
    JoinedStr,
    List,
    Name,
    Return,
    Tuple,
    While,
)
from .change import changed
from .edit import Edit, Fix
from .layout import first_line_of, insert_after, suffix
from .nograd import torch_name
from .place import Place, below, is_iterator, own_statements
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from .place import Context

CONTAINERS = ("tuple", "list", "dict")


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose where to detach: where the state that is carried over was bound or stored (`facts["carried"]`).

    `facts["carried_kind"]` says what is bound there (`tensor`, `tuple`, `list`, `dict`, or nested as in `list/tuple`),
    `facts["carried_as"]` by which names, each with its kind, the function that calls backward() has it. Without these,
    all are tried. `facts["crossing"]` is where something was bound that all rounds of a loop use.
    """
    shared = _carrying(context.place(failure.facts.get("crossing")))
    if shared is not None:
        for edits in _at_binding(shared, "tensor"):
            yield Fix(context.say("detach", "shared", value=quote(_shown(shared))), "unsafe", tuple(edits))
    place = _carrying(context.place(failure.facts.get("carried")))
    if place is None:
        return
    kinds = _Kinds(failure, context)
    plain = isinstance(_value(place), Name | Attribute | Tuple | List) or not isinstance(place.node, Assign | AugAssign)
    title = context.say("detach", "earlier", value=quote(_shown(place)))
    here = [(title, edits) for kind in kinds.bound for edits in _at_binding(place, kind)]
    later = list(_after_backward(place, failure, context, kinds))
    for said, edits in [*(here + later if plain else later + here), *_at_start(place, context, kinds)]:
        yield Fix(said, "unsafe", tuple(edits))


def changes(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to detach what is written in place into state that all rounds of a loop use: `total += loss.detach()`."""
    place = _carrying(context.place(failure.facts.get("carried")))
    for stmt, names in _that_know(place.statement) if place else ():
        written = changed(stmt)
        if written is not None and stmt.text_of(written) in names:
            given = [one for one in _given(stmt) if not context.is_untold(one.node, one.text)]  # type: ignore[arg-type]
            edits = [edit for one in given for edit in detached(one, "tensor")]
            if edits:
                yield Fix(context.say("detach", "earlier", value=quote(given[0].text)), "unsafe", tuple(edits))


def _that_know(binding: Place) -> Iterator[tuple[Place, set[str]]]:
    """The statements of its function, or its class, that may know what a statement binds, with its names there."""
    target, written, cls = _target(binding), changed(binding), binding.up(ClassDef)
    known = [written] if written is not None else list(_bound(target)) if target is not None else []
    names = {binding.text_of(one) for one in known}
    if cls is None or any(isinstance(one, Name) for one in known):
        yield from ((stmt, names) for stmt in own_statements(binding))
    else:
        for function in below(cls.node, FunctionDef):
            yield from ((stmt, names) for stmt in own_statements(cls.of(function)))


def _given(stmt: Place) -> list[Place]:
    """The values that a statement writes, as far as its text shows."""
    node = stmt.node
    if isinstance(node, ExprStmt) and isinstance(node.value, Call):
        return [stmt.of(arg.value) for arg in node.value.args]
    value = _value(stmt)
    return [stmt.of(value)] if value is not None else []


@dataclass(frozen=True, slots=True)
class _Kinds:
    """What a name may stand for, as far as the failure's facts and the replay's rows say."""

    failure: Failure
    context: Context

    @property
    def known(self) -> tuple[tuple[str, str], ...]:
        """The names of the state where backward() is called, and their kinds, if the facts say so."""
        told = self.failure.facts.get("carried_as", ())
        assert isinstance(told, tuple)
        return told

    @property
    def bound(self) -> tuple[str, ...]:
        """What is bound where the state is carried over: the tensor itself, unless the facts say otherwise."""
        return (str(self.failure.facts.get("carried_kind", "tensor")),)

    def of(self, name: str) -> tuple[str, ...]:
        """What the name may stand for elsewhere."""
        if name in dict(self.known):
            return (dict(self.known)[name],)
        if "carried_kind" in self.failure.facts:
            return self.bound
        rows = self.context.report.rows if self.context.report else ()
        attribute = name.rpartition(".")[2]  # an attribute of an object that has another name elsewhere
        return ("tensor",) if any(row.name.rpartition(".")[2] == attribute for row in rows) else CONTAINERS


def _carrying(place: Place | None) -> Place | None:
    """Return the assignment that a target belongs to, other statements and arguments unchanged."""
    if place is not None and isinstance(place.statement.node, Assign | AnnAssign | AugAssign):
        return place.statement
    return place


def _shown(place: Place) -> str:
    node = place.node
    return place.text_of(_target(place) or node)


def _target(place: Place) -> Expr | None:
    node = place.node
    return node.targets[0] if isinstance(node, Assign) else node.target if isinstance(node, AugAssign) else None


def _value(place: Place) -> Expr | None:
    node = place.node
    return node.value if isinstance(node, Assign | AnnAssign | AugAssign | Return | Arg) else None


def _at_binding(place: Place, kind: str) -> Iterator[list[Edit]]:
    """Detach in the statement or expression that carries the state over."""
    node, value = place.node, _value(place)
    if isinstance(node, Assign) and isinstance(node.targets[0], Tuple) and not isinstance(value, Tuple):
        return
    if value is not None:
        edits = detached(place.of(value), kind)
    elif isinstance(node, ExprStmt) and isinstance(node.value, Call):
        edits = [edit for arg in node.value.args for edit in detached(place.of(arg.value), "tensor")]
    else:
        edits = detached(place, kind) if isinstance(node, Expr) else []
    if edits:
        yield edits


def detached(place: Place, kind: str) -> list[Edit]:
    """Return the edits that detach the expression: a display's elements each, a tuple by a generator."""
    node = place.node
    if isinstance(node, Tuple | List):
        return [edit for one in node.elts for edit in detached(place.of(one), "tensor")]
    if kind == "tensor":
        return suffix(place, ".detach()") if not _is_literal(place) else []
    return [place.edit(each(place.text, kind))]


def _is_literal(place: Place) -> bool:
    return isinstance(place.node, Comp | Constant | JoinedStr | Dict) or is_iterator(place.node)


def each(text: str, kind: str, how: str = ".detach()") -> str:
    """Return an expression for what `text` names, with `how` called on each tensor in it."""
    if kind == "tensor":
        return f"{text}{how}"
    outer, _, inner = kind.partition("/")
    name = "value" if outer == "dict" else "s" if not inner else "part"
    one = each(name, inner or "tensor", how)
    if outer == "dict":
        return f"{{key: {one} for key, value in {text}.items()}}"
    return f"[{one} for {name} in {text}]" if outer == "list" else f"tuple({one} for {name} in {text})"


def _after_backward(
    place: Place, failure: Failure, context: Context, kinds: _Kinds
) -> Iterator[tuple[str, list[Edit]]]:
    """Detach after backward(), by the names that its function may have for the state; each way with its title."""
    backward = context.place(failure.backward)
    if backward is None:
        return
    for together in dict.fromkeys([*((one,) for one in kinds.known), kinds.known]):
        names = ", ".join(name for name, _ in together)
        values = ", ".join(each(name, kind) for name, kind in together)
        if together:
            yield (
                _behind(names, backward.statement, context),
                [insert_after(backward.statement, f"{names} = {values}")],
            )
    calls = failure.facts.get("backward_calls", ())
    assert isinstance(calls, tuple)
    callers = [one for call in reversed(calls) if (one := context.place(call))]
    for station in callers if kinds.known else [backward, *callers]:
        for name in dict.fromkeys(_names_for(place, station)):
            for kind in kinds.of(name):
                line = insert_after(station.statement, f"{name} = {each(name, kind)}")
                yield _behind(name, station.statement, context), [line]


def _behind(names: str, stmt: Place, context: Context) -> str:
    return context.say("detach-behind", "earlier", value=quote(names), other=quote(stmt.text))


def _names_for(place: Place, backward: Place) -> Iterator[str]:
    """Return what the state may be called where backward() is: its own name, a loop's variables, an attribute."""
    target = _target(place)
    same = getattr(place.function, "node", None) is getattr(backward.function, "node", None)
    if target is not None and same:
        if place.start > backward.start:
            return
        yield from (place.text_of(one) for one in _bound(target))
        return
    for loop in backward.loops[:1]:
        yield from _loop_carried(loop)
        if isinstance(target, Attribute):
            called = {call.func.id for call in below(loop.node, Call) if isinstance(call.func, Name)}
            yield from (f"{name}.{target.attr}" for name in sorted(called - vars(builtins).keys()))


def _loop_carried(loop: Place) -> Iterator[str]:
    """Return the names that a loop's body reads before it binds them: they are carried from one round to the next."""
    node = loop.node
    assert isinstance(node, For | While)
    for stmt in node.body:
        for assign in below(stmt, Assign):
            for target in assign.targets:
                for name in (one for one in _bound(target) if isinstance(one, Name)):
                    reads = [one for one in below(node, Name) if one.id == name.id and one is not name]
                    if any(node.body[0].start <= one.start < assign.end for one in reads):
                        yield name.id


def _bound(target: Expr) -> Iterator[Name | Attribute]:
    """Return the names and attributes that an assignment to a target binds."""
    if isinstance(target, Name | Attribute):
        yield target
    elif isinstance(target, Tuple | List):
        for one in target.elts:
            yield from _bound(one)


def _at_start(place: Place, context: Context, kinds: _Kinds) -> Iterator[tuple[str, list[Edit]]]:
    """Detach an object's state where the method that binds it begins; with the title."""
    target = _target(place)
    function = place.function
    if function is None or not isinstance(target, Attribute) or not isinstance(function.node, FunctionDef):
        return
    body = function.node.body
    name = place.text_of(target)
    torch, imports = torch_name(place)
    title = context.say("detach-first", "earlier", value=quote(name), other=quote(function.node.name))
    for kind in kinds.of(name):
        test = f"isinstance({name}, {torch}.Tensor)" if kind == "tensor" else f"{name} is not None"
        line = f"if {test}: {name} = {each(name, kind)}"
        documented = function.node.doc is not None
        edit = insert_after(_in(function, body[0]), line) if documented else first_line_of(function, line)
        if edit:
            yield title, [*imports, edit]


def _in(function: Place, stmt: object) -> Place:
    return Place(function.path, function.source, (*function.chain, stmt))  # type: ignore[arg-type]

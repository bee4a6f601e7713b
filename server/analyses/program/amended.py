"""A class of which some members were edited stays the class that it was; these are looked up in it as names are.

    class Net(nn.Module):
        def forward(self, x): …
        def extra_repr(self): …     # somebody gives this a parameter, or writes another method behind it

The `class` statement is run again and makes a class. If that differs from the one before only in members behind which
nothing can be changed, functions above all, the class that was there gets these members, and stays. Only steps that
have looked up one of them, or asked for all, are concerned: `Net` is still built and trained as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import ir
from ..domain.steps import Globals, is_made_by, keys_of
from ..domain.values import (
    ABSENT,
    FIELDS,
    GIVEN,
    SUBCLASSES,
    ClassMethod,
    ClassV,
    FunctionV,
    Property,
    StaticMethod,
    Value,
    Wrapped,
)
from ..python.enumerations import is_enum
from .alike import Comparison, Run
from .sameness import Kinds, is_same_member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..domain.steps import Place, Shelved, Step
    from ..python.machine import Machine

PAIRS = 2_000
"""pairs of values that are compared, of members behind which something can be changed"""


def amended(m: Machine, old: Shelved, step: Step) -> Mapping[Place, Value] | None:
    """The members that differ, once the class that a step has made again has given them to the one that was there.

    Each with what it was. `old` is the step as it was, and taken back. None if the class is another one: then nothing
    is changed.
    """
    statement = step.key
    if not isinstance(statement, ir.ClassDef) or old.step.key is not statement or statement.decorators:
        return None
    store, was = bound_by(old, statement)
    now = dict.get(store, statement.name)
    if not isinstance(now, ClassV) or was.bases != now.bases or not is_plain(now):
        return None
    if told_by_text(old.step.bodies.get(statement, [])) != told_by_text(statement.body):
        return None
    if old.undone.nodes or len(m.grad.nodes) > step.mark.nodes or m.coroutines:
        return None
    changed = differing(m, old, step, was, now)
    if changed is None:
        return None
    members = {(was.attributes, name): dict.get(was.attributes, name, ABSENT) for name in changed}
    take(was, now, changed)
    forget(m, step)
    put(store, statement.name, was, now)
    step.stand_for(old.step)
    return members


def bound_by(old: Shelved, statement: ir.ClassDef) -> tuple[dict[Any, Value], Value]:
    """The names in which a step that was taken back had bound its class, and that class; None if there is none."""
    for store, key, value in old.undone.trail:
        if key == statement.name and type(store) is Globals and isinstance(value, ClassV) and value.node is statement:
            return store, value
    return {}, None


def is_plain(cls: ClassV) -> bool:
    """Whether nobody is told of the class when it is made."""
    return cls.meta is None and not is_enum(cls) and cls.lookup("__init_subclass__") is ABSENT


def told_by_text(body: list[ir.Stmt]) -> list[ir.Stmt]:
    """The statements of a class body that others read as text: its docstring, and annotations."""
    return [s for i, s in enumerate(body) if i == 0 or isinstance(s, ir.AnnAssign)]


def differing(m: Machine, old: Shelved, step: Step, was: ClassV, now: ClassV) -> set[Any] | None:
    """The names of the members that differ between two classes; None if something can be changed behind one."""
    kinds = Kinds()
    changed: set[Any] = set()
    open_: list[tuple[Value, Value]] = []
    for name in {**was.attributes, **now.attributes}:
        one, other = (dict.get(cls.attributes, name, ABSENT) for cls in (was, now))
        if name in (FIELDS, GIVEN) or is_same_member(one, other):
            continue
        if kinds.is_fixed(one) and kinds.is_fixed(other):
            changed.add(name)
        else:
            open_.append((one, other))
    return changed if not open_ or are_alike(m, old, step, [(was, now), *open_]) else None


def are_alike(m: Machine, old: Shelved, step: Step, pairs: list[tuple[Value, Value]]) -> bool:
    """Whether members behind which something can be changed are alike; the first pair are the classes themselves."""
    undone = m.take_back(step.mark)
    comparison = Comparison(Run(old.step, old.undone), Run(step, undone))
    holds = comparison.members(*pairs[0], pairs[1:], PAIRS)
    m.do_again(undone)
    return holds


def take(was: ClassV, now: ClassV, changed: set[Any]) -> None:
    """Give a class the members of another one that have `changed`, and those that it has in the order of the other."""
    assert was.frame is not None and now.frame is not None
    for kept, given in ((was.attributes, now.attributes), (was.frame.variables, now.frame.variables)):
        every = {name: dict.get(kept, name, v) if name not in changed else v for name, v in dict.items(given)}
        dict.clear(kept)
        dict.update(kept, every)
    for name in changed:
        for f in functions_in(was.attributes.get(name)):
            if f.cls is now:
                f.cls, f.uid = was, was.uid
                f.attributes.born = was.uid  # type: ignore[attr-defined]


def forget(m: Machine, step: Step) -> None:
    """Forget what a step wrote to what it has made itself: nobody has that any more."""
    for written, mark in ((m.state.trail, step.mark.trail), (m.state.notes, step.mark.notes)):
        mine = (is_made_by(step, store) or is_made_by(step, keys_of(key)) for store, key, _ in written[mark:])
        written[mark:] = [one for one, is_mine in zip(written[mark:], mine, strict=True) if not is_mine]


def functions_in(v: Value) -> Iterator[FunctionV]:
    """The functions that a member is made of."""
    if isinstance(v, FunctionV):
        yield v
    elif isinstance(v, (StaticMethod, ClassMethod, Wrapped)):
        yield from functions_in(v.function)
    elif isinstance(v, Property):
        yield from functions_in(v.getter)
        yield from functions_in(v.setter)


def put(store: dict[Any, Value], name: str, was: ClassV, now: ClassV) -> None:
    """Let a class stand where another one was bound, and among the subclasses of its bases."""
    dict.__setitem__(store, name, was)
    for base in was.bases:
        if SUBCLASSES in base.attributes:
            every = dict.__getitem__(base.attributes, SUBCLASSES)
            dict.__setitem__(base.attributes, SUBCLASSES, tuple(was if one is now else one for one in every))

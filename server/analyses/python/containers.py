"""Subscripts and operators of the built-in containers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...syntax import ir
from ..domain import budget
from ..domain.containers import NO_ITEM
from ..domain.known import is_constant, key_of, may_be
from ..domain.paths import Raised
from ..domain.values import (
    ABSENT,
    CALLABLES,
    Args,
    ClassV,
    Cond,
    Container,
    DictV,
    Instance,
    Items,
    Iterator_,
    Lib,
    ListV,
    Phi,
    SliceV,
    Unknown,
    UnknownKey,
    Value,
    contents,
    leaves,
)
from ..operators.cases import items_of
from . import attributes, enumerations, imports, library, sequences

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .machine import Machine

ASKED = 3
"""branches by which a list is told apart"""


def as_slice(index: SliceV) -> slice | None:
    """The Python slice, if its bounds are known."""
    parts = (index.lower, index.upper, index.step)
    if all(p is None or isinstance(p, int) for p in parts):
        return slice(*parts)
    return None


def get_item(m: Machine, v: Value, index: Value) -> Value:
    """`v[index]` for a list, tuple, dict, text or range."""
    if isinstance(v, DictV):
        return dict_item(m, v, index)
    if isinstance(v, (str, bytes, range)):
        try:
            return v[as_slice(index) or slice(None)] if isinstance(index, SliceV) else v[index]
        except IndexError:
            raise Raised(None, "IndexError") from None
        except TypeError:
            return Unknown("an item", ("[]", key_of(v), key_of(index)))
    items = v if isinstance(v, tuple) else items_of(m, v)
    open_ = not isinstance(v, tuple) and (m.state.is_open(v) or may_hold_more(m, v))
    if isinstance(index, SliceV):
        if isinstance(v, tuple):
            return part(v, items, index, open_)
        return by_length(m, v, lambda held: part(v, held, index, open_))
    if isinstance(index, int) and (not open_ or 0 <= index < len(items) or (index < 0 and items)):
        rows = m.state.resolve(v.items) if isinstance(v, (ListV, Iterator_)) else v
        if type(rows) is Phi and -len(items) <= index < len(items):
            return m.state.resolve(m.state.each_way(rows, lambda row: of_row(row, index)))
        if index == -1 and items:
            return last(m, items[-budget.LIMITS.choices :])
        if -len(items) <= index < len(items):
            return m.state.resolve(items[index])
        if items and not open_:  # an empty list may have been filled by something that isn't replayed
            raise Raised(None, "IndexError")
        return Unknown("an item")
    if isinstance(index, Unknown) and items:
        return one_of(m, items, index, range(len(items)))
    return Unknown("an item", ("[]", key_of(v), key_of(index), len(items)))


def of_row(row: Value, index: int) -> Value:
    """The item of one of the rows that a list can be."""
    return row[index] if isinstance(row, tuple) and -len(row) <= index < len(row) else Unknown("an item")


def last(m: Machine, items: Sequence[Value]) -> Value:
    """The last item, depending on the branches that have decided which items there are."""
    *before, item = items
    if not before:
        return m.state.resolve(item)
    return m.state.each_way(item, lambda one: last(m, before) if one is NO_ITEM else one)


def may_hold_more(m: Machine, v: ListV | Iterator_) -> bool:
    """Whether the items of a list are unknown after some of the branches that lead here."""
    return any(not isinstance(items, tuple) for _, items in m.state.alternatives(v.items))


def one_of(m: Machine, items: Sequence[Value], index: Unknown, keys: Sequence[Value]) -> Value:
    """An item at an unknown index: the first one that it may be, assuming that it is that one, else an unknown one."""
    if all(same(items[0], i) for i in items):
        return items[0]
    other = Unknown("an item", ("one of", key_of(index), len(items)))
    at_first = first_possible(m, index, keys)
    return other if at_first is None else Phi(at(m, index, keys[at_first]), items[at_first], other)


def first_possible(m: Machine, index: Unknown, keys: Sequence[Value]) -> int | None:
    """The place of the first key that an index may be: what a loop counts with has left the first ones behind."""
    from .counting import can_be

    return next((place for place, key in enumerate(keys) if can_be(m, index, key)), None)


def any_of(m: Machine, items: dict[Value, Value], index: Unknown) -> Value:
    """An item of a table of classes, functions or objects: each is followed, or the first ones of a large table."""
    *before, (_, found) = items.items()
    if len(items) > budget.LIMITS.choices:
        before, found = before[: budget.LIMITS.choices], Unknown("an item", ("one of", index.key, len(items)))
    for key, item in reversed(before):
        found = m.state.merge(at(m, index, key), item, found)
    return found


def at(m: Machine, index: Unknown, key: Value) -> Cond:
    """The question whether an unknown index is a known one."""
    node, chunk, told = m.here.node, m.here.chunk, index.why
    if isinstance(node, ir.Subscript) and chunk is not None and not m.here.in_model:
        told = chunk.text[node.slice.start : node.slice.end]
    return Cond(("==", index.key, key_of(key)), "branch", f"{told or 'the index'} == {key!r}", m.here.site)


def same(a: Value, b: Value) -> bool:
    """Whether two values are the same one."""
    return a is b or (type(a) is type(b) and isinstance(a, (int, str, float)) and a == b)


def part(v: Value, items: tuple[Value, ...], index: SliceV, open_: bool) -> Value:
    """`v[a:b:c]`."""
    known = as_slice(index)
    if isinstance(v, tuple):
        if known is not None:
            return tuple(items[known])
        some = ListV(tuple(items), "tuple")
        some.open = True
        return some
    made = ListV(items[known] if known is not None else items, v.kind if isinstance(v, ListV) else "list")
    made.open = open_ or known is None
    return made


def dict_item(m: Machine, v: DictV, index: Value) -> Value:
    """`v[key]`; a defaultdict makes a missing value, a Counter has 0 for it."""
    index = sequences.key_like(m, v, index)
    if sequences.hashable(index):
        found = m.state.resolve(v.items.get(index, ABSENT))
        if found is not ABSENT:
            return found
        if v.default is not None:
            made = m.call(v.default, Args())
            m.state.set(v.items, index, made)
            return made
        if not m.state.is_open(v) and index not in v.beside:
            if v.counts:
                return 0
            raise Raised(None, "KeyError")
    elif not v.counts:
        key = UnknownKey(key_of(index), index)
        if v.default is not None and key not in v.items:
            m.state.set(v.items, key, m.call(v.default, Args()))
            m.state.put(v, Container.open, True)
        known = v.items.get(key, ABSENT)
        if known is not ABSENT:
            return m.state.resolve(known)
        held = possible(v, index)
        if held and isinstance(index, Unknown):
            held.sort(key=lambda k: k != index.usual)  # the usual one first
            items = [m.state.resolve(v.items[k]) for k in held]
            if all(isinstance(i, (*CALLABLES, Instance)) for i in items):
                return any_of(m, dict(zip(held, items, strict=True)), index)
            return one_of(m, items, index, held)
    return Unknown("an item", None if v.counts else ("[]", v.uid, key_of(index)), number=v.counts)


def possible(v: DictV, index: Value) -> list[Value]:
    """The known keys of a dict that something may be."""
    return [key for key in sequences.keys(v) if not isinstance(key, UnknownKey) and may_be(index, key)]


def set_item(m: Machine, v: Value, index: Value, value: Value) -> None:
    """`v[index] = value`."""
    if isinstance(v, DictV):
        if isinstance(index, Unknown) and not sequences.hashable(index) and (held := possible(v, index)):
            m.state.set(v.items, held[0], m.state.merge(at(m, index, held[0]), value, v.items[held[0]]))
        sequences.add(m, v, index, value)
        return
    items = items_of(m, v)
    if isinstance(index, int) and -len(items) <= index < len(items):
        by_length(m, v, partial(put_at, m, v, index, value))
    elif isinstance(index, Unknown) and items:
        place = first_possible(m, index, range(len(items)))
        if place is not None:
            changed_there = m.state.merge(at(m, index, place), value, items[place])
            m.state.put(v, Items.items, (*items[:place], changed_there, *items[place + 1 :]))
    elif isinstance(index, SliceV):
        known = as_slice(index)
        changed = list(items)
        seq = sequences.sequence(m, value)
        if known is not None and not seq.open:
            try:
                changed[known] = seq.known()
            except ValueError:
                return
            m.state.put(v, Items.items, tuple(changed))
        else:
            m.state.put(v, Items.items, tuple(seq.known()))
            m.state.put(v, Container.open, True)


def by_length(m: Machine, v: Value, run: Callable[[tuple[Value, ...]], Value], asked: int = 0) -> Value:
    """Run something with the items of a list on each side of the branches that have added some of them, if few have."""
    items = [m.state.resolve(item) for item in items_of(m, v)]
    added = next((item for item in items if type(item) is Phi and NO_ITEM in leaves(item)), None)
    if added is None or asked == ASKED:
        return run(tuple(item for item in items if item is not NO_ITEM))
    again = partial(by_length, m, v, run, asked + 1)
    return m.state.fork(added.cond, again, again)


def put_at(m: Machine, v: Value, index: int, value: Value, items: tuple[Value, ...]) -> Value:
    """`v[index] = value` of a list with these items."""
    if -len(items) <= index < len(items):
        row = list(items)
        row[index] = value
        m.state.put(v, Items.items, tuple(row))
    return None


def delete_item(m: Machine, v: Value, index: Value) -> None:
    """`del v[index]`."""
    if isinstance(v, DictV):
        if sequences.hashable(index) and index in v.items:
            m.state.delete(v.items, index)
        return
    by_length(m, v, partial(delete_at, m, v, as_slice(index) if isinstance(index, SliceV) else index))


def delete_at(m: Machine, v: Value, index: Value, items: tuple[Value, ...]) -> Value:
    """`del v[index]` of a list with these items."""
    if isinstance(index, slice) or (isinstance(index, int) and -len(items) <= index < len(items)):
        row = list(items)
        del row[index]
        m.state.put(v, Items.items, tuple(row))
    return None


def binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`list + list`, `list * n`, `dict | dict`, set operators."""
    if isinstance(a, DictV) and isinstance(b, DictV):
        return merged(m, op, a, b)
    if op == "+" and isinstance(a, (ListV, tuple)) and isinstance(b, (ListV, tuple)):
        made = ListV((), a.kind if isinstance(a, ListV) else "list")
        sequences.extend(m, made, a)
        sequences.extend(m, made, b)
        return made
    if op == "*":
        seq, n = (a, b) if isinstance(a, ListV) else (b, a)
        if isinstance(seq, ListV) and isinstance(n, int):
            items = items_of(m, seq)
            made = ListV(items * max(0, min(n, 64)))
            made.open = m.state.is_open(seq) or n > 64
            return made
        if isinstance(seq, ListV):
            made = ListV(items_of(m, seq) * 2)
            made.open = True
            return made
    views = op in ("|", "&", "-", "^")  # what a dict's keys and items, which are lists here, know as well
    if not views and all(isinstance(v, (ListV, DictV)) or is_constant(v) for v in (a, b)):
        raise Raised(None, "TypeError")
    return Unknown()


def merged(m: Machine, op: str, a: DictV, b: DictV) -> Value:
    """`a | b`, `a & b`, `a - b`, `a ^ b`."""
    made = DictV(kind=a.kind)
    made.open = m.state.is_open(a) or m.state.is_open(b)
    mine, theirs = sequences.keys(a), set(sequences.keys(b))
    if op == "|":
        made.items.update({k: a.items[k] for k in mine})
        made.items.update({k: b.items[k] for k in sequences.keys(b)})
    elif op in ("&", "-", "^"):
        made.items.update({k: a.items[k] for k in mine if (k in theirs) is (op == "&")})
    if op == "^":
        made.items.update({k: b.items[k] for k in sequences.keys(b) if k not in mine})
    return made


def instance_item(m: Machine, v: Instance, index: Value) -> Value:
    """`v[index]` of an object of a library's class, or of one that derives from a list or dict."""
    inner = contents(v)
    if inner is not v:
        return missing(m, v, inner, index) if isinstance(inner, DictV) else get_item(m, inner, index)
    f = attributes.get(m, v, "__getitem__")
    if not isinstance(f, Unknown):
        return m.call(f, Args([index]))
    return Unknown("an item", ("[]", v.uid, key_of(index)))


def missing(m: Machine, v: Instance, inner: DictV, index: Value) -> Value:
    """An item of an object that derives from a dict; for a missing key, the result of its `__missing__`."""
    own = attributes.special(m, v, "__missing__")
    if own is not None and sequences.contains(m, inner, index) is False:
        return m.call(own, Args([index]))
    return dict_item(m, inner, index)


def set_instance_item(m: Machine, v: Instance, index: Value, value: Value) -> None:
    """`v[index] = value` of an object of a library's class, or of one that derives from a list or dict."""
    inner = contents(v)
    if inner is not v:
        set_item(m, inner, m.state.resolve(index), value)
        return
    f = attributes.get(m, v, "__setitem__")
    if not isinstance(f, Unknown):
        m.call(f, Args([index, value]))


def class_item(m: Machine, v: Value, index: Value) -> Value:
    """`Class[index]`: an enumeration's member, the result of the class's own method, or the class (a generic alias)."""
    if isinstance(v, ClassV):
        own = attributes.special(m, v, "__getitem__")
        if own is not None:
            return m.call(own, Args([index]))
        if enumerations.is_enum(v) and index in v.attributes["__members__"].items:
            return v.attributes["__members__"].items[index]
        f = v.lookup("__class_getitem__")
        if f is not ABSENT:
            return m.call(attributes.get(m, v, "__class_getitem__"), Args([index]))
    if isinstance(v, Lib) and isinstance(index, str):
        if v.name == "sys.modules":
            return imports.running(m, index)
        if v.name.endswith(".__dict__"):
            return library.resolve(m, f"{v.name.removesuffix('__dict__')}{index}")
    return v

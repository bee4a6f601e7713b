"""Methods of dicts, sets, texts and generators."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...domain.known import key_of
from ...domain.paths import Raised
from ...domain.registry import METHODS, method_of, model
from ...domain.values import (
    ABSENT,
    Args,
    Container,
    DictV,
    Generator,
    Instance,
    ListV,
    Unknown,
    UnknownKey,
    Value,
    contents,
)
from ...python import conditions, functions, operators, sequences
from .iterables import iter_, next_

if TYPE_CHECKING:
    from ...python.machine import Machine


@method_of("dict", "keys")
@method_of("dict", "__iter__")
def keys(m: Machine, args: Args) -> Value:
    """`d.keys()`."""
    made = ListV(sequences.key_values(args[0]))
    made.open = m.state.is_open(args[0])
    made.of_dict = True
    return made


@method_of("dict", "values")
def values(m: Machine, args: Args) -> Value:
    """`d.values()`."""
    d = args[0]
    made = ListV(tuple(m.state.resolve(d.items[k]) for k in sequences.keys(d)))
    made.open = m.state.is_open(d)
    return made


def pairs(m: Machine, d: DictV) -> list[tuple[Value, Value]]:
    """The keys and values of a dict."""
    return list(zip(sequences.key_values(d), (m.state.resolve(d.items[k]) for k in sequences.keys(d)), strict=True))


@method_of("dict", "items")
def items(m: Machine, args: Args) -> Value:
    """`d.items()`."""
    d = args[0]
    made = ListV(tuple(pairs(m, d)))
    made.open = m.state.is_open(d)
    made.of_dict = True
    return made


@method_of("dict", "get")
def get(m: Machine, args: Args) -> Value:
    """`d.get(key, default)`."""
    d, key = args[0], sequences.key_like(m, args[0], m.state.resolve(args.get(1, "key")))
    if sequences.hashable(key):
        found = m.state.resolve(d.items.get(key, ABSENT))
        if found is not ABSENT:
            return found
        if not m.state.is_open(d):
            return args.get(2, "default")
    return functions.or_option(m, Unknown("an item", ("[]", d.uid, key_of(key))), args.get(2, "default"))


@method_of("list", "__init__")
@method_of("collections.deque", "__init__")
@method_of("collections.UserList", "__init__")
def init_list(m: Machine, args: Args) -> Value:
    """`list.__init__(v, items)`."""
    for v in args.pos[1:2]:
        sequences.extend(m, contents(args[0]), v)
    return None


@method_of("dict", "__init__")
@method_of("collections.OrderedDict", "__init__")
@method_of("collections.UserDict", "__init__")
@method_of("collections.Counter", "__init__")
def init_dict(m: Machine, args: Args) -> Value:
    """`dict.__init__(d, other, **kw)`."""
    return update(m, Args([contents(args[0]), *args.pos[1:]], args.kw))


def has_content(m: Machine, v: Value) -> bool:
    """Whether the content of a container is known: not if its class derives from one and wasn't constructed."""
    v = m.state.resolve(v)
    return not isinstance(v, Instance) or contents(v) is not v


@method_of("list", "__setitem__")
@method_of("dict", "__setitem__")
@method_of("collections.deque", "__setitem__")
def set_item(m: Machine, args: Args) -> Value:
    """`v.__setitem__(key, value)`."""
    if has_content(m, args[0]):
        operators.set_item(m, args[0], args[1], args[2])
    return None


@method_of("list", "__delitem__")
@method_of("dict", "__delitem__")
def delete_item(m: Machine, args: Args) -> Value:
    """`v.__delitem__(key)`."""
    if has_content(m, args[0]):
        operators.delete_item(m, args[0], args[1])
    return None


@method_of("list", "__getitem__")
@method_of("dict", "__getitem__")
@method_of("tuple", "__getitem__")
@method_of("collections.deque", "__getitem__")
def get_item(m: Machine, args: Args) -> Value:
    """`v.__getitem__(key)`."""
    if not has_content(m, args[0]):
        return Unknown("an item")
    return operators.get_item(m, args[0], args[1])


@method_of("list", "__len__")
@method_of("dict", "__len__")
def len_method(m: Machine, args: Args) -> Value:
    """`v.__len__()`."""
    return sequences.length(m, args[0])


@method_of("list", "__contains__")
@method_of("dict", "__contains__")
def contains(m: Machine, args: Args) -> Value:
    """`v.__contains__(item)`."""
    return sequences.contains(m, args[0], args[1])


@method_of("list", "__iter__")
def iterate(m: Machine, args: Args) -> Value:
    """`v.__iter__()`."""
    return iter_(m, args)


@method_of("dict", "setdefault")
def setdefault(m: Machine, args: Args) -> Value:
    """`d.setdefault(key, default)`."""
    d, key = args[0], sequences.key_like(m, args[0], m.state.resolve(args[1]))
    found = m.state.resolve(d.items.get(key, ABSENT)) if sequences.hashable(key) else ABSENT
    if found is not ABSENT:
        return found
    sequences.add(m, d, key, args.get(2, "default"))
    return args.get(2, "default")


@method_of("dict", "update")
@method_of("set", "update")
def update(m: Machine, args: Args) -> Value:
    """`d.update(other, **kw)`."""
    d = args[0]
    for other in args.pos[1:]:
        if d.kind == "set":
            for v in sequences.sequence(m, other).known():
                sequences.add(m, d, v, v)
        elif d.counts:
            tally(m, d, other)
        else:
            sequences.update(m, d, other)
    if d.counts:
        tally(m, d, DictV(dict(args.kw)))
    else:
        for k, v in args.kw.items():
            sequences.add(m, d, k, v)
    return None


def tally(m: Machine, d: DictV, other: Value) -> None:
    """`counter.update(other)`: counts are added from a mapping, items of any other iterable are counted."""
    other = contents(m.state.resolve(other))
    mapping = isinstance(other, DictV) and other.kind == "dict"
    if mapping:
        counted = pairs(m, other)
        open_ = m.state.is_open(other)
    else:
        seq = sequences.sequence(m, other)
        counted, open_ = [(k, 1) for k in seq.known()], seq.open
    for k, n in counted:
        sequences.add(m, d, k, operators.binary(m, "+", operators.get_item(m, d, k), n))
    if open_:
        m.state.put(d, Container.open, True)
        for k in sequences.keys(d):
            m.state.set(d.items, k, Unknown("a count", number=True))


@model("collections.Counter")
def counter(m: Machine, args: Args) -> Value:
    """`Counter(items, **kw)`."""
    made = DictV()
    made.counts = True
    update(m, args.prepend(made))
    return made


@method_of("dict", "most_common")
def most_common(m: Machine, args: Args) -> Value:
    """`counter.most_common(n)`: all pairs if the counts are known, otherwise some."""
    d, n = args[0], m.state.resolve(args.get(1, "n"))
    counts = pairs(m, d)
    known = not m.state.is_open(d) and all(isinstance(count, int) for _, count in counts)
    if known:
        counts.sort(key=lambda pair: -pair[1])
    made = ListV(tuple(counts[:n] if isinstance(n, int) else counts))
    made.open = not known or not (n is None or isinstance(n, int))
    return made


@method_of("dict", "subtract")
def subtract(m: Machine, args: Args) -> Value:
    """`counter.subtract(items)`: the counts become unknown."""
    for k in sequences.keys(args[0]):
        m.state.set(args[0].items, k, Unknown("a count", number=True))
    m.state.put(args[0], Container.open, True)
    return None


@method_of("dict", "pop")
def dict_pop(m: Machine, args: Args) -> Value:
    """`d.pop(key, default)`."""
    d, key = args[0], sequences.key_like(m, args[0], m.state.resolve(args[1]))
    if sequences.hashable(key) and d.items.get(key, ABSENT) is not ABSENT:
        found = m.state.resolve(d.items[key])
        m.state.delete(d.items, key)
        return found
    if len(args.pos) > 2:
        return args[2]
    if sequences.hashable(key) and not m.state.is_open(d):
        raise Raised(None, "KeyError")
    return Unknown("an item")


@method_of("dict", "clear")
@method_of("set", "clear")
def dict_clear(m: Machine, args: Args) -> Value:
    """`d.clear()`."""
    d = args[0]
    for k in sequences.keys(d):
        m.state.delete(d.items, k)
    m.state.put(d, Container.open, False)
    return None


@method_of("dict", "copy")
@method_of("set", "copy")
def dict_copy(m: Machine, args: Args) -> Value:
    """`d.copy()`."""
    d = args[0]
    made = DictV(dict(d.items), d.kind)
    made.open = m.state.is_open(d)
    made.default, made.counts = d.default, d.counts
    return made


@method_of("set", "add")
def add(m: Machine, args: Args) -> Value:
    """`s.add(item)`."""
    s = contents(m.state.resolve(args[0]))
    if isinstance(s, DictV):
        sequences.add(m, s, args[1], args[1])
    return None


@method_of("set", "discard", "remove")
def discard(m: Machine, args: Args) -> Value:
    """`s.discard(item)`, and `s.remove(item)`, which raises if the item isn't there."""
    s, key = args[0], sequences.key_like(m, args[0], m.state.resolve(args[1]))
    if sequences.hashable(key) and s.items.get(key, ABSENT) is not ABSENT:
        m.state.delete(s.items, key)
    return None


def _set_method(name: str, changes: bool = False) -> None:
    """A method of sets with other sets as arguments, computed on the keys; objects are compared by identity."""

    def run(m: Machine, args: Args) -> Value:
        s, others = args[0], [sequences.sequence(m, v) for v in args.pos[1:]]
        items = [v for seq in others for v in seq.known()]
        if any(isinstance(v, ListV) and v.kind != "tuple" for v in items):
            raise Raised(None, "TypeError")
        if m.state.is_open(s) or any(seq.open for seq in others) or not all(map(sequences.hashable, items)):
            return unclear(m, s, items, changes)
        held = sequences.keys(s)
        result = getattr(set(held), name.removesuffix("_update"))(*(set(seq.known()) for seq in others))
        if isinstance(result, bool):
            return result
        kept = {v: v for v in (*held, *items) if v in result}
        if not changes:
            return DictV(kept, "set")
        dict_clear(m, args)
        for v in kept:
            m.state.set(s.items, v, v)
        return None

    METHODS["set", name] = run


def unclear(m: Machine, s: DictV, items: list[Value], changes: bool) -> Value:
    """The result of a set's method if not all items are known."""
    made = s if changes else DictV(dict(s.items), "set")
    for v in items:
        sequences.add(m, made, v, v)
    m.state.put(made, Container.open, True)
    return None if changes else made


for _name in ("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"):
    _set_method(_name)
for _name in ("intersection_update", "difference_update", "symmetric_difference_update"):
    _set_method(_name, changes=True)


@method_of("dict", "popitem")
def popitem(m: Machine, args: Args) -> Value:
    """`d.popitem(last)`: the last pair, or the first."""
    d = args[0]
    held = sequences.keys(d)
    if m.state.is_open(d):
        return Unknown("a pair")
    if not held:
        raise Raised(None, "KeyError")
    key = held[-1 if conditions.truth(m, args.get(1, "last", True)) is not False else 0]
    found = m.state.resolve(d.items[key])
    m.state.delete(d.items, key)
    return (key.value if isinstance(key, UnknownKey) else key), found


@method_of("set", "pop")
def set_pop(m: Machine, args: Args) -> Value:
    """`s.pop()`."""
    s = args[0]
    held = sequences.keys(s)
    if len(held) == 1 and not m.state.is_open(s):
        m.state.delete(s.items, held[0])
        return held[0]
    m.state.put(s, Container.open, True)
    return Unknown("an item")


@method_of("dict", "move_to_end")
def move_to_end(m: Machine, args: Args) -> Value:
    """`d.move_to_end(key, last)` of an OrderedDict."""
    d, key = args[0], sequences.key_like(m, args[0], m.state.resolve(args[1]))
    held = sequences.keys(d)
    if key in held:
        last = conditions.truth(m, args.get(2, "last", True)) is not False
        pairs = {k: d.items[k] for k in held if k != key}
        pairs = {**pairs, key: d.items[key]} if last else {key: d.items[key], **pairs}
        for k in held:
            m.state.delete(d.items, k)
        for k, v in pairs.items():
            m.state.set(d.items, k, v)
    return None


@method_of("str", "join")
def join(m: Machine, args: Args) -> Value:
    """`s.join(items)`."""
    seq = sequences.sequence(m, args[1])
    found = seq.known()
    if not seq.open and all(isinstance(v, str) for v in (args[0], *found)) and len(found) < 100:
        return args[0].join(found)
    return Unknown("text")


@method_of("generator", "send")
def send(m: Machine, args: Args) -> Value:
    """`g.send(value)`."""
    going, value = sequences.advance(m, args[0], args.get(1, "value"))
    if not going:
        raise functions.stop(m, value)
    return value


@method_of("generator", "throw")
def throw(m: Machine, args: Args) -> Value:
    """`g.throw(error)`."""
    going, value = sequences.advance(m, args[0], error=functions.exception(m, args[1]))
    if not going:
        raise functions.stop(m, value)
    return value


@method_of("generator", "close")
@method_of("iterator", "close")
def close(m: Machine, args: Args) -> Value:
    """`g.close()`."""
    v = args[0]
    if isinstance(v, Generator):
        m.state.note(v, "used", True)
        if v.coroutine is not None:
            with suppress(Raised):
                sequences.advance(m, v, error=Raised(None, "GeneratorExit"))
    return None


@method_of("generator", "__next__")
@method_of("iterator", "__next__")
def step(m: Machine, args: Args) -> Value:
    """`it.__next__()`."""
    return next_(m, Args(args.pos[:1]))

"""Python's builtin functions and the methods of its containers."""

from __future__ import annotations

import builtins
from contextlib import suppress
from typing import TYPE_CHECKING

from .. import attributes, enumerations, operators, plain, sequences
from ..isinstance_ import check
from ..state import Raised
from ..tensors import Tensor
from ..values import (
    ABSENT,
    CALLABLES,
    Args,
    ClassV,
    DictV,
    Generator,
    Instance,
    Iterator_,
    Lib,
    ListV,
    Object,
    Phi,
    SliceV,
    Unknown,
    Value,
    is_constant,
    key_of,
)
from .registry import METHODS, is_class, method_of, model

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..machine import Machine


def unknown_of(name: str, args: Args) -> Unknown:
    """The unknown result of a pure function: the same for the same arguments."""
    return Unknown(f"{name}(…)", (name, *(key_of(a) for a in args)))


@model("len")
def len_(m: Machine, args: Args) -> Value:
    """`len(v)`."""
    return sequences.length(m, args.get(0, "obj"))


@model("range")
def range_(m: Machine, args: Args) -> Value:
    """`range(…)`; with an unknown bound, a sequence of unknown length."""
    from ..torch_ops import split

    return split(m, args, lambda known: span(known.pos))


def span(bounds: list[Value]) -> Value:
    """The range of some bounds."""
    if bounds and all(isinstance(v, int) for v in bounds) and not (len(bounds) == 3 and bounds[2] == 0):
        return range(*bounds)
    start, step = bounds[0] if len(bounds) > 1 else 0, bounds[2] if len(bounds) > 2 else 1
    if isinstance(start, int) and isinstance(step, int):
        return sequences.sequence_value(sequences.Seq((), True), lambda i: start + i * step)
    return sequences.sequence_value(sequences.Seq((), True), lambda i: Unknown("an integer", number=True))


@model("enumerate")
def enumerate_(m: Machine, args: Args) -> Value:
    """`enumerate(v)`."""
    v, start = m.state.resolve(args.get(0, "iterable")), args.get(1, "start", 0)
    own = sequences.iter_method(m, v)
    v = own if own is not None else v
    first = start if isinstance(start, int) else 0
    if isinstance(v, Generator):
        inner = v

        def run(consume: Callable[[Value], Value]) -> Value:
            body, i = sequences.entered(m, inner), first

            def one(value: Value) -> Value:
                nonlocal i
                i += 1
                return consume((i - 1, value))

            return body(one) if body is not None else None

        return Generator(run)
    seq = sequences.sequence(m, v)
    return sequences.sequence_value(seq, lambda i: (first + i, seq.item(m, i)))


@model("zip")
def zip_(m: Machine, args: Args) -> Value:
    """`zip(a, b, …)`: a generator among them drives the others."""
    values = [m.state.resolve(v) for v in args.pos]
    drivers = [i for i, v in enumerate(values) if isinstance(v, Generator)]
    if drivers:
        return _driven(m, values, drivers[0])
    seqs = [sequences.sequence(m, v) for v in values]
    closed = [len(s.items) for s in seqs if not s.open]
    if not seqs:
        return ()
    made = sequences.Seq((), True, None) if not closed else sequences.Seq(range(min(closed)))
    longest = max((len(s.items) for s in seqs), default=0)
    if not closed:
        made = sequences.Seq(range(longest), True)
    return sequences.sequence_value(made, lambda i: tuple(s.item(m, i) for s in seqs))


def _driven(m: Machine, values: list[Value], driver: int) -> Generator:
    def run(consume: Callable[[Value], Value]) -> Value:
        body = sequences.entered(m, values[driver], may_stop=True)
        others = [v if isinstance(v, Generator) else iter_(m, Args([v])) for v in values]
        out = sequences.Stop(None)

        def one(value: Value) -> Value:
            row = []
            for i, other in enumerate(others):
                going, item = (True, value) if i == driver else advance(m, other)
                if not going:
                    raise out
                row.append(item)
            return consume(tuple(row))

        try:
            return body(one) if body is not None else None
        except sequences.Stop as stopped:
            if stopped is not out:
                raise
            return None

    return Generator(run)


@model("map")
def map_(m: Machine, args: Args) -> Value:
    """`map(f, a, …)`: run when it is consumed."""
    f, rest = args.pos[0], args.pos[1:]

    def run(consume: Callable[[Value], Value]) -> Value:
        rows = zip_(m, Args(list(rest))) if len(rest) > 1 else rest[0]
        single = len(rest) == 1
        return each_item(m, rows, lambda v: consume(m.call(f, Args([v] if single else list(v), site=m.site))))

    return Generator(run)


def each_item(m: Machine, v: Value, consume: Callable[[Value], Value]) -> Value:
    """Call `consume` for the items of an iterable, those of a generator as it runs."""
    v = m.state.resolve(v)
    if isinstance(v, Generator):
        run = sequences.entered(m, v)
        return run(consume) if run is not None else None
    for item in sequences.sequence(m, v).known(m):
        consume(item)
    return None


@model("filter")
def filter_(m: Machine, args: Args) -> Value:
    """`filter(f, v)`: what may pass, passes."""
    f = args.pos[0]

    def run(consume: Callable[[Value], Value]) -> Value:
        def one(v: Value) -> Value:
            keep = operators.truth(m, v if f is None else m.call(f, Args([v], site=m.site)))
            return consume(v) if keep is not False else None

        return each_item(m, args.pos[1], one)

    return Generator(run)


@model("sum")
def sum_(m: Machine, args: Args) -> Value:
    """`sum(v, start)`: additions from the left."""
    seq = sequences.sequence(m, args.get(0, "iterable"))
    total = args.get(1, "start", 0)
    for v in seq.known(m):
        total = operators.binary(m, "+", total, v)
    if seq.open and is_constant(total):
        return Unknown("a sum")
    return total


def extreme(m: Machine, args: Args, least: bool) -> Value:
    """`min` and `max` of known numbers; of others, something unknown."""
    values = list(args.pos)
    if len(values) == 1:
        seq = sequences.sequence(m, values[0])
        if seq.open:
            return Unknown("an extreme")
        values = seq.known(m)
    if any(isinstance(m.state.resolve(v), Tensor) for v in values):
        return m.state.resolve(values[0])
    ranked = is_ordered(m, tuple(values), tuple(values))
    if ranked is not None:
        return ranked[0 if least else -1]
    plain = [m.state.resolve(v) for v in values]
    number = all(isinstance(v, (int, float)) or (isinstance(v, Unknown) and v.number) for v in plain)
    return Unknown("an extreme", ("extreme", *(key_of(v) for v in plain)), number=number)


def seq_open(m: Machine, args: Args) -> bool:
    """Whether what `min` or `max` looks through may hold more than is known."""
    return args.open or bool(sequences.sequence(m, args.pos[0]).open)


def default_of(args: Args) -> Value:
    """What `min` or `max` gives of nothing."""
    if "default" not in args.kw:
        raise Raised(None, "ValueError")
    return args.kw["default"]


def by_key(m: Machine, f: Callable[..., Value], values: list[Value], args: Args) -> Value:
    """The one of `values` whose key is the least or the greatest."""
    if not values:
        return Unknown("an extreme") if seq_open(m, args) else default_of(args)
    key = m.state.resolve(args.kw["key"])
    ranks = [m.state.resolve(m.call(key, Args([v], site=m.site))) if key is not None else v for v in values]
    if not is_constant(tuple(ranks)):
        number = all(isinstance(v, (int, float)) or (isinstance(v, Unknown) and v.number) for v in values)
        return Unknown("an extreme", number=number)
    return values[plain.called(f, [range(len(values))], {"key": ranks.__getitem__})]


def _extreme(f: Callable[..., Value]) -> Callable[[Machine, Args], Value]:
    def run(m: Machine, args: Args) -> Value:
        def known(inner: Args) -> Value:
            values = list(inner.pos)
            if len(values) == 1:
                seq = sequences.sequence(m, values[0])
                values = [] if seq.open else seq.known(m)
            values = [m.state.resolve(v) for v in values]
            if "key" in inner.kw:
                return by_key(m, f, values, inner)
            if values and is_constant(tuple(values)):
                return plain.called(f, [values], {})
            if not values and not seq_open(m, inner):
                return default_of(inner)
            return extreme(m, inner, f is min)

        from ..torch_ops import split

        return split(m, args, known)

    return run


model("min")(_extreme(min))
model("max")(_extreme(max))


@model("id")
def identity(m: Machine, args: Args) -> Value:
    """`id(v)`: a number of its own for each object."""
    return m.state.each(args.pos[0], lambda v: v.uid if isinstance(v, Object) else unknown_of("id", args))


def computed(m: Machine, name: str, f: Callable[..., Value], args: Args) -> Value:
    """A function of Python's that changes nothing: computed where all that it is given is known."""
    with suppress(plain.NotPlain):
        if not args.open:
            return plain.compute(m, f, args.pos, args.kw)
    return unknown_of(name, args)


@model("hash")
def pure(m: Machine, args: Args) -> Value:
    """Functions whose result differs from run to run; the hash of a number doesn't."""
    v = m.state.resolve(args.pos[0]) if args.pos else None
    own = attributes.special(m, v, "__hash__")
    if own is not None:
        return m.call(own, Args(site=m.site))
    return hash(v) if isinstance(v, int) else unknown_of("pure", args)


def _folded(name: str, f: Callable[..., Value]) -> None:
    def run(m: Machine, args: Args) -> Value:
        def known(inner: Args) -> Value:
            pos = [m.state.resolve(v) for v in inner.pos]
            if pos and isinstance(pos[0], Instance) and (own := attributes.special(m, pos[0], f"__{name}__")):
                return m.call(own, Args(pos[1:], site=m.site))
            if name in ("abs",) and pos and isinstance(pos[0], Tensor):
                return m.call(Lib("torch.abs"), Args([pos[0]]))
            if name == "pow" and pos and isinstance(pos[0], Tensor):
                return m.call(Lib("torch.pow"), Args(pos))
            return computed(m, name, f, inner)

        from ..torch_ops import split

        return split(m, args, known)

    model(name)(run)


PURE: dict[str, Callable[..., Value]] = {
    "abs": abs,
    "round": round,
    "divmod": divmod,
    "pow": pow,
    "chr": chr,
    "ord": ord,
    "hex": hex,
    "bin": bin,
    "oct": oct,
    "repr": repr,
    "ascii": ascii,
    "format": format,
    "bytes": bytes,
}
for _name, _f in PURE.items():
    _folded(_name, _f)


def _number(name: str, f: Callable[..., Value]) -> None:
    def run(m: Machine, args: Args) -> Value:
        v = m.state.resolve(args.get(0, "x", 0))
        own = attributes.special(m, v, f"__{name}__") if isinstance(v, Instance) else None
        if own is not None:
            return m.call(own, Args(site=m.site))
        if isinstance(v, Tensor):
            return Unknown("a number", number=True)
        if isinstance(v, enumerations.Member):
            v = enumerations.value_of(v)
        return computed(m, name, f, Args([v, *args.pos[1:]], args.kw, args.open))

    model(name)(run)


NUMBERS: dict[str, Callable[..., Value]] = {"int": int, "float": float, "complex": complex}
for _name, _f in NUMBERS.items():
    _number(_name, _f)


@model("bool")
def bool_(m: Machine, args: Args) -> Value:
    """`bool(v)`."""
    return operators.truth(m, args.get(0, "x", False))


@model("str")
def str_(m: Machine, args: Args) -> Value:
    """`str(v)`."""
    v = m.state.resolve(args.get(0, "object", ""))
    for name in ("__str__", "__repr__"):
        own = attributes.special(m, v, name)
        if own is not None:
            return m.call(own, Args(site=m.site))
    return computed(m, "str", str, Args([v, *args.pos[1:]]))


@model("print", "breakpoint", "input", "open", "exec", "eval", "compile")
def nothing(m: Machine, args: Args) -> Value:
    """Functions that change no tensor; nothing of the program is ever run for them."""
    return Unknown("a value")


@model("list", "collections.UserList")
def list_(m: Machine, args: Args) -> Value:
    """`list(v)`."""
    made = ListV()
    if args.pos:
        sequences.extend(m, made, args.pos[0])
    return made


@model("collections.deque")
def deque(m: Machine, args: Args) -> Value:
    """`deque(v, maxlen)`."""
    made = ListV(kind="deque")
    maxlen = args.get(1, "maxlen")
    made.maxlen = maxlen if isinstance(maxlen, int) else None
    if args.pos:
        sequences.extend(m, made, args.pos[0])
    return made


@model("tuple")
def tuple_(m: Machine, args: Args) -> Value:
    """`tuple(v)`."""
    if not args.pos:
        return ()
    v = m.state.resolve(args.pos[0])
    if isinstance(v, tuple):
        return v
    seq = sequences.sequence(m, v)
    if not seq.open:
        return tuple(seq.known(m))
    made = ListV(tuple(seq.known(m)), "tuple")
    made.d["open"] = True
    return made


@model("set", "frozenset")
def set_(m: Machine, args: Args) -> Value:
    """`set(v)`."""
    made = DictV(kind="set")
    if args.pos:
        seq = sequences.sequence(m, args.pos[0])
        for v in seq.known(m):
            sequences.add(m, made, v, v)
        made.d["open"] = made.d["open"] or seq.open
    return made


@model("dict", "collections.OrderedDict", "collections.UserDict", "types.MappingProxyType")
def dict_(m: Machine, args: Args) -> Value:
    """`dict(v, **kw)`."""
    made = DictV()
    if args.pos:
        sequences.update(m, made, args.pos[0])
    for k, v in args.kw.items():
        sequences.add(m, made, k, v)
    return made


@model("collections.defaultdict")
def defaultdict(m: Machine, args: Args) -> Value:
    """`defaultdict(factory, v)`."""
    made = dict_(m, Args(args.pos[1:], args.kw))
    made.default = args.get(0, "default_factory")
    return made


@model("dict.fromkeys")
def fromkeys(m: Machine, args: Args) -> Value:
    """`dict.fromkeys(keys, value)`."""
    made = DictV()
    for k in sequences.sequence(m, args.pos[0]).known(m):
        sequences.add(m, made, k, args.get(1, "value"))
    return made


@model("slice")
def slice_(m: Machine, args: Args) -> Value:
    """`slice(…)`."""
    a = [m.state.resolve(v) for v in args.pos]
    if len(a) == 1:
        return SliceV(None, a[0], None)
    return SliceV(a[0], a[1], a[2] if len(a) > 2 else None)


@model("sorted")
def sorted_(m: Machine, args: Args) -> Value:
    """`sorted(v)`: known where all items, or what `key` makes of them, are constants."""
    seq = sequences.sequence(m, args.pos[0])
    items, by = tuple(seq.known(m)), m.state.resolve(args.kw.get("key"))
    ranks = items if by is None else tuple(m.call(by, Args([v], site=m.site)) for v in items)
    if is_constant(ranks) and not seq.open:
        back = operators.truth(m, args.kw.get("reverse", False))
        order = plain.called(sorted, [range(len(items))], {"key": ranks.__getitem__, "reverse": back is True})
        items = tuple(items[i] for i in order)
        made = ListV(items)
        made.d["open"] = not isinstance(back, bool)
        return made
    ranked = is_ordered(m, items, ranks)
    if ranked is not None and not seq.open:
        items = ranked[::-1] if operators.truth(m, args.kw.get("reverse", False)) is True else ranked
    elif ranked is None:  # objects stay in their order, which is as good as any other
        items = tuple(Unknown("an item") if is_constant(v) else v for v in items)
    made = ListV(items)
    made.d["open"] = seq.open
    return made


def is_ordered(m: Machine, items: tuple[Value, ...], ranks: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """The items in the order that the ranks' own `<` says, inserted one by one; None where it doesn't tell."""
    if len(items) > 12 or not any(attributes.special(m, v, "__lt__") is not None for v in ranks):
        return None
    order: list[int] = []
    for i, rank in enumerate(ranks):
        place = 0
        while place < len(order):
            less = operators.truth(m, operators.compare(m, "<", rank, ranks[order[place]]))
            if not isinstance(less, bool):
                return None
            if less:
                break
            place += 1
        order.insert(place, i)
    return tuple(items[i] for i in order)


@model("reversed")
def reversed_(m: Machine, args: Args) -> Value:
    """`reversed(v)`."""
    v = m.state.resolve(args.pos[0])
    if isinstance(v, range):
        return v[::-1]
    own = attributes.special(m, v, "__reversed__")
    if own is not None:
        return m.call(own, Args())
    seq = sequences.sequence(m, v)
    if seq.open:
        return sequences.sequence_value(seq, lambda i: seq.item(m, i))
    return ListV(tuple(seq.known(m))[::-1])


def _quantified(name: str, settles: bool) -> None:
    def run(m: Machine, args: Args) -> Value:
        seq = sequences.sequence(m, args.pos[0])
        answers = [operators.truth(m, v) for v in seq.known(m)]
        if any(a is settles for a in answers):
            return settles
        if all(isinstance(a, bool) for a in answers) and not seq.open:
            return not settles
        open_ = [a for a in answers if not isinstance(a, bool)]
        return open_[0] if len(open_) == 1 and not seq.open else Unknown("a truth", (name, *map(key_of, answers)))

    model(name)(run)


_quantified("any", True)
_quantified("all", False)


@model("iter")
def iter_(m: Machine, args: Args) -> Value:
    """`iter(v)`."""
    v = m.state.resolve(args.pos[0])
    if isinstance(v, (Generator, Iterator_, sequences.Lazy)) or len(args.pos) > 1:
        return v
    own = attributes.special(m, v, "__iter__")
    if own is not None:
        return m.call(own, Args())
    seq = sequences.sequence(m, v)
    if not seq.open and isinstance(seq.items, (tuple, list)):
        return Iterator_(tuple(seq.known(m)))
    return Generator(lambda consume: one_by_one(m, seq, consume))


def one_by_one(m: Machine, seq: sequences.Seq, consume: Callable[[Value], Value]) -> Value:
    """Give the items of a sequence, each made when it is asked for."""
    n = len(seq.items)
    for i in range(max(n, sequences.MAX_TURNS) if seq.open else n):
        consume(seq.item(m, i))
    return None


@model("next", "anext")
def next_(m: Machine, args: Args) -> Value:
    """`next(it, default)`."""
    going, value = advance(m, m.state.resolve(args.pos[0]))
    if going:
        return value
    if len(args.pos) > 1:
        return args.pos[1]
    raise Raised(value, "StopIteration")


def advance(m: Machine, v: Value) -> tuple[bool, Value]:
    """Take the next item of an iterator: True and the item, or False and what a generator returns in the end."""
    if isinstance(v, Generator):
        return sequences.advance(m, v)
    if isinstance(v, sequences.Lazy):
        return v.advance(m)
    if isinstance(v, Iterator_):
        items = sequences.items_of(m, v)
        if items:
            m.state.put(v, "items", items[1:])
            return True, items[0]
        return m.is_open(v), Unknown("the next item")
    own = attributes.special(m, v, "__next__")
    if own is None:
        return True, Unknown("the next item")
    try:
        with m.state.unwinding():
            return True, m.call(own, Args())
    except Raised as error:
        if error.name != "StopIteration":
            raise
        return False, error.value


@model("isinstance")
def isinstance_(m: Machine, args: Args) -> Value:
    """`isinstance(v, cls)`."""
    return check(m, args.pos[0], args.pos[1]) if len(args.pos) > 1 else Unknown("a type")


@model("issubclass")
def issubclass_(m: Machine, args: Args) -> Value:
    """`issubclass(a, b)`."""
    a, b = m.state.resolve(args.pos[0]), m.state.resolve(args.pos[1])
    if isinstance(a, ClassV) and isinstance(b, ClassV):
        return b in a.mro or (Unknown("a type") if a.open else False)
    if isinstance(a, Lib) and isinstance(b, Lib):
        types = [getattr(builtins, v.name, None) for v in (a, b)]
        if all(isinstance(t, type) for t in types):
            return plain.called(issubclass, types, {})
    return Unknown("a type")


@model("callable")
def callable_(m: Machine, args: Args) -> Value:
    """`callable(v)`."""
    v = m.state.resolve(args.pos[0])
    if isinstance(v, CALLABLES):
        return True
    if is_constant(v) or isinstance(v, (Tensor, ListV, DictV)):
        return False
    if isinstance(v, Instance):
        return v.cls.derives("torch.nn.Module") or v.cls.lookup("__call__") is not ABSENT
    return Unknown("callable", ("callable", key_of(v)))


@model("globals")
def globals_(m: Machine, args: Args) -> Value:
    """`globals()`: the names of the running module; what is stored there is one of them."""
    return DictV(m.frame.globals.d)


@model("locals")
def locals_(m: Machine, args: Args) -> Value:
    """`locals()`: a copy of the running function's names; a module's and a class's are its own."""
    return DictV(m.frame.d if m.frame.function is None else dict(m.frame.d))


@model("vars")
def vars_(m: Machine, args: Args) -> Value:
    """`vars(obj)`: its `__dict__`."""
    return attributes.get(m, args.pos[0], "__dict__") if args.pos else locals_(m, args)


@model("dir")
def dir_(m: Machine, args: Args) -> Value:
    """`dir()`; of an object it isn't known in full."""
    return Unknown("names") if args.pos else ListV(tuple(sorted(k for k in m.frame.d if isinstance(k, str))))


@model("hasattr")
def hasattr_(m: Machine, args: Args) -> Value:
    """`hasattr(v, name)`."""
    name = m.state.resolve(args.pos[1])
    return attributes.has(m, args.pos[0], name) if isinstance(name, str) else Unknown("an attribute")


@model("getattr")
def getattr_(m: Machine, args: Args) -> Value:
    """`getattr(v, name, default)`."""
    name = m.state.resolve(args.pos[1])
    if isinstance(name, Phi):
        return m.state.each(name, lambda n: getattr_(m, Args([args.pos[0], n, *args.pos[2:]])))
    if not isinstance(name, str):
        return Unknown("an attribute")
    if len(args.pos) > 2:
        has = attributes.has(m, args.pos[0], name)
        if has is False:
            return args.pos[2]
        try:
            found = attributes.get(m, args.pos[0], name)
        except Raised as error:
            if error.name != "AttributeError":
                raise
            return args.pos[2]
        if isinstance(found, Unknown) and has is not True:
            return Unknown(name, ("getattr", key_of(args.pos[0]), name))
        return found
    return attributes.get(m, args.pos[0], name)


@model("setattr")
def setattr_(m: Machine, args: Args) -> Value:
    """`setattr(v, name, value)`."""
    name = m.state.resolve(args.pos[1])
    if isinstance(name, str):
        attributes.set_(m, args.pos[0], name, args.pos[2])
    return None


@model("delattr")
def delattr_(m: Machine, args: Args) -> Value:
    """`delattr(v, name)`."""
    name = m.state.resolve(args.pos[1])
    if isinstance(name, str):
        attributes.delete(m, args.pos[0], name)
    return None


@model("type")
def type_(m: Machine, args: Args) -> Value:
    """`type(v)`."""
    v = m.state.resolve(args.pos[0])
    if isinstance(v, Instance):
        return v.cls
    if isinstance(v, Tensor):
        return Lib("torch.nn.Parameter" if v.d["param"] else "torch.Tensor")
    if len(args.pos) > 2:
        return type_new(m, args.prepend(None))
    if isinstance(v, ClassV):
        return v.meta if v.meta is not None else Lib("type")
    if isinstance(v, Lib):
        return Lib("type") if is_class(v.name) else Unknown("a type", ("type", v.name))
    if isinstance(v, Unknown):
        return Unknown("a type", ("type", key_of(v)))
    return Lib(attributes.kind_of(v))


@method_of("type", "__new__")
def type_new(m: Machine, args: Args) -> Value:
    """`type.__new__(meta, name, bases, namespace)`: what a `class` statement makes."""
    from .. import classes

    name, bases, names = (m.state.resolve(args.get(at, of)) for at, of in enumerate(("name", "bases", "dict"), 1))
    if not isinstance(names, DictV) or not isinstance(name, str):
        return Unknown("a class")
    cls = names.cls if isinstance(names, classes.Namespace) else None
    if cls is None:
        cls = ClassV(name, tuple(classes.base_class(m, b) for b in sequences.sequence(m, bases).known(m)), name)
    classes.complete(m, cls, names.items, args.kw)
    return cls


@method_of("type", "__call__")
def type_call(m: Machine, args: Args) -> Value:
    """`type.__call__(cls, …)`: an object of the class."""
    from .. import classes

    cls = m.state.resolve(args.pos[0])
    if not isinstance(cls, ClassV):
        return Unknown("an object")
    return classes.construct(m, cls, Args(args.pos[1:], args.kw, args.open, args.site))


METHODS.update({("object", name): f for name, f in attributes.OBJECT.items()})
METHODS["object", "__new__"] = attributes.new_object


@model("super")
def super_(m: Machine, args: Args) -> Value:
    """`super(cls, self)`."""
    from ..values import Super

    cls, obj = m.state.resolve(args.pos[0]), m.state.resolve(args.pos[1])
    return Super(cls, obj) if isinstance(cls, ClassV) else Unknown("super()")


@model("exit", "quit", "sys.exit", "os._exit", "os.abort")
def exit_(m: Machine, args: Args) -> Value:
    """The program ends."""
    raise Raised(None, "SystemExit")

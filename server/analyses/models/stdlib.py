"""Parts of the standard library that carry tensors around: functools, itertools, dataclasses, argparse, …"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from .. import attributes, classes, imports, operators, sequences
from ..contexts import Managed
from ..values import (
    DATACLASS,
    FIELDS,
    Args,
    Builtin,
    ClassV,
    DictV,
    FunctionV,
    Generator,
    Instance,
    Iterator_,
    Lib,
    ListV,
    Partial,
    Unknown,
    Value,
    Wrapped,
    is_constant,
)
from . import registry
from .builtins import advance, each_item, iter_, unknown_of, zip_
from .registry import BASES, method_of, model

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..machine import Machine

# -- math -----------------------------------------------------------------------------------------------


def math_function(name: str, f: Callable[..., Value]) -> None:
    """A function of `math`, computed for known numbers."""

    def run(m: Machine, args: Args) -> Value:
        values = [m.state.resolve(v) for v in args.pos]
        if is_constant(tuple(values)) and not args.kw and not args.open:
            try:
                return f(*values)
            except (ValueError, OverflowError, TypeError):
                return Unknown()
        return unknown_of(name, args)

    model(f"math.{name}")(run)


for _name in dir(math):
    if callable(getattr(math, _name)) and _name not in ("factorial", "comb", "perm"):
        math_function(_name, getattr(math, _name))


# -- functools, itertools -------------------------------------------------------------------------------


@model("functools.partial")
def partial(m: Machine, args: Args) -> Value:
    """`partial(f, …)`."""
    return Partial(m.state.resolve(args.pos[0]), Args(args.pos[1:], args.kw, args.open))


@model("functools.reduce")
def reduce(m: Machine, args: Args) -> Value:
    """`reduce(f, items, start)`."""
    items = sequences.sequence(m, args.pos[1]).known(m)
    total = args.pos[2] if len(args.pos) > 2 else items.pop(0) if items else Unknown()
    for v in items:
        total = m.call(args.pos[0], Args([total, v], site=m.site))
    return total


@model("functools.lru_cache", "functools.cache")
def lru_cache(m: Machine, args: Args) -> Value:
    """`@lru_cache`, with or without arguments: the same arguments give the same value (`wrappers.cached`)."""

    def keep(f: Value) -> Value:
        return Wrapped(f, "functools.lru_cache", DictV())

    if args.pos and not isinstance(m.state.resolve(args.pos[0]), (int, type(None))):
        return keep(args.pos[0])
    return Builtin("lru_cache", lambda machine, inner: keep(inner.pos[0]))


@model("functools.wraps", "functools.update_wrapper")
def wraps(m: Machine, args: Args) -> Value:
    """`@wraps(f)`, `update_wrapper(w, f)`: the function as it is, by the name of the one that it wraps."""
    if len(args.pos) > 1:
        return named_like(m, args.pos[0], args.pos[1])
    return Builtin("wraps", lambda machine, inner: named_like(machine, inner.pos[0], args.pos[0]))


def named_like(m: Machine, wrapper: Value, f: Value) -> Value:
    """A wrapper with the names of the function that it wraps."""
    if isinstance(wrapper, FunctionV):
        for name in ("__name__", "__qualname__"):
            m.state.set(wrapper.d, name, attributes.get(m, f, name))
        m.state.set(wrapper.d, "__wrapped__", f)
    return wrapper


@model("functools.total_ordering")
def total_ordering(m: Machine, args: Args) -> Value:
    """`@total_ordering`: the class, which has the other comparisons as well."""
    if isinstance(args.pos[0], ClassV):
        args.pos[0].d["__total_ordering__"] = True
    return args.pos[0]


@model("operator.itemgetter")
def itemgetter(m: Machine, args: Args) -> Value:
    """`itemgetter(i)`."""
    keys = args.pos

    def run(machine: Machine, inner: Args) -> Value:
        found = tuple(operators.get_item(machine, inner.pos[0], k) for k in keys)
        return found[0] if len(found) == 1 else found

    return Builtin("itemgetter", run)


@model("operator.attrgetter")
def attrgetter(m: Machine, args: Args) -> Value:
    """`attrgetter(name, …)`."""

    def one(machine: Machine, v: Value, name: Value) -> Value:
        for part in str(name).split("."):
            v = attributes.get(machine, v, part)
        return v

    def run(machine: Machine, inner: Args) -> Value:
        found = tuple(one(machine, inner.pos[0], name) for name in args.pos)
        return found[0] if len(found) == 1 else found

    return Builtin("attrgetter", run)


@model("operator.methodcaller")
def methodcaller(m: Machine, args: Args) -> Value:
    """`methodcaller(name, …)`."""
    name, rest = m.state.resolve(args.pos[0]), Args(args.pos[1:], args.kw, args.open)

    def run(machine: Machine, inner: Args) -> Value:
        if not isinstance(name, str):
            return Unknown("a result")
        return machine.call(attributes.get(machine, inner.pos[0], name), rest)

    return Builtin("methodcaller", run)


def binary(op: str) -> Callable[[Machine, Args], Value]:
    """`operator.add` and its kin."""
    return lambda m, args: operators.binary(m, op, args.pos[0], args.pos[1])


def comparison(op: str) -> Callable[[Machine, Args], Value]:
    """`operator.lt` and its kin."""
    return lambda m, args: operators.compare(m, op, args.pos[0], args.pos[1])


for _op, _name in operators.METHODS.items():
    model(f"operator.{_name}")(binary(_op))
for _op, _name in operators.COMPARE_METHODS.items():
    model(f"operator.{_name}")(comparison(_op))


model("operator.neg")(lambda m, args: operators.unary(m, "-", args.pos[0]))
model("operator.pos")(lambda m, args: operators.unary(m, "+", args.pos[0]))
model("operator.invert", "operator.inv")(lambda m, args: operators.unary(m, "~", args.pos[0]))
model("operator.not_")(lambda m, args: operators.negation(m, operators.truth(m, args.pos[0])))
model("operator.truth")(lambda m, args: operators.truth(m, args.pos[0]))
model("operator.abs")(lambda m, args: m.call(Lib("abs"), args))
model("operator.is_")(comparison("is"))
model("operator.is_not")(comparison("is not"))
model("operator.contains")(lambda m, args: sequences.contains(m, args.pos[0], args.pos[1]))
model("operator.getitem")(lambda m, args: operators.get_item(m, args.pos[0], args.pos[1]))
model("operator.delitem")(lambda m, args: operators.delete_item(m, args.pos[0], args.pos[1]))
model("operator.and_", "operator.__and__")(binary("&"))
model("operator.or_", "operator.__or__")(binary("|"))
model("operator.concat")(binary("+"))


@model("operator.setitem")
def setitem(m: Machine, args: Args) -> Value:
    """`operator.setitem(v, key, value)`."""
    operators.set_item(m, args.pos[0], args.pos[1], args.pos[2])
    return None


def in_place(op: str) -> Callable[[Machine, Args], Value]:
    """`operator.iadd` and its kin."""

    def run(m: Machine, args: Args) -> Value:
        from ..statements import in_place as apply

        return apply(m, op, args.pos[0], args.pos[1])

    return run


for _op, _name in operators.METHODS.items():
    model(f"operator.i{_name}")(in_place(_op))


@model("itertools.chain")
def chain(m: Machine, args: Args) -> Value:
    """`chain(a, b, …)`."""

    def run(consume: Callable[[Value], Value]) -> Value:
        for v in args.pos:
            each_item(m, v, consume)
        return None

    return Generator(run)


@model("itertools.chain.from_iterable")
def from_iterable(m: Machine, args: Args) -> Value:
    """`chain.from_iterable(v)`."""
    rows = [v for v in args.pos if not isinstance(v, ClassV)]
    return chain(m, Args(sequences.sequence(m, rows[0]).known(m)))


@model("itertools.islice")
def islice(m: Machine, args: Args) -> Value:
    """`islice(v, n)`: of an iterator it takes no more than these."""
    v, bounds = m.state.resolve(args.pos[0]), [m.state.resolve(b) for b in args.pos[1:]]
    known = slice(*bounds) if all(isinstance(b, (int, type(None))) for b in bounds) else None
    if known is None or known.stop is None:
        known = slice(known.start if known else 0, None, known.step if known else 1)
        seq = sequences.sequence(m, v)
        return sequences.sequence_value(
            sequences.Seq(seq.known(m)[known], seq.open),
            lambda i: seq.item(m, (known.start or 0) + i * (known.step or 1)),
        )
    it = iter_(m, Args([v]))
    return Generator(lambda consume: taken(m, it, known, consume))


def taken(m: Machine, it: Value, part: slice, consume: Callable[[Value], Value]) -> Value:
    """Give the items of an iterator in a part of it, and leave it there."""
    wanted = range(part.start or 0, part.stop, part.step or 1)
    for i in range(min(part.stop, sequences.MAX_TURNS)):
        going, v = advance(m, it)
        if not going:
            break
        if i in wanted:
            consume(v)
    return None


@model("itertools.accumulate")
def accumulate(m: Machine, args: Args) -> Value:
    """`accumulate(v, f, initial=…)`: running totals, each given before the next is made."""
    f, initial = m.state.resolve(args.get(1, "func")), args.kw.get("initial")

    def run(consume: Callable[[Value], Value]) -> Value:
        total = initial
        if initial is not None:
            consume(total)

        def one(v: Value) -> Value:
            nonlocal total
            if total is None:
                total = v
            elif f is None:
                total = operators.binary(m, "+", total, v)
            else:
                total = m.call(f, Args([total, v], site=m.site))
            return consume(total)

        return each_item(m, args.get(0, "iterable"), one)

    return Generator(run)


@model("itertools.starmap")
def starmap(m: Machine, args: Args) -> Value:
    """`starmap(f, rows)`."""

    def one(v: Value) -> Value:
        return m.call(args.pos[0], Args(sequences.sequence(m, v).known(m), site=m.site))

    return Generator(lambda consume: each_item(m, args.pos[1], lambda v: consume(one(v))))


@model("itertools.takewhile")
def takewhile(m: Machine, args: Args) -> Value:
    """`takewhile(f, v)`: ends at the first item that is known to fail the test."""
    out = sequences.Stop(None)

    def run(consume: Callable[[Value], Value]) -> Value:
        def one(v: Value) -> Value:
            if passes(m, args.pos[0], v) is False:
                raise out
            return consume(v)

        try:
            return each_item(m, args.pos[1], one)
        except sequences.Stop as stopped:
            if stopped is not out:
                raise
            return None

    return Generator(run)


def passes(m: Machine, f: Value, v: Value) -> Value:
    """Whether an item passes a test, which may be None for its own truth."""
    return operators.truth(m, v if m.state.resolve(f) is None else m.call(f, Args([v], site=m.site)))


@model("itertools.dropwhile")
def dropwhile(m: Machine, args: Args) -> Value:
    """`dropwhile(f, v)`: begins at the first item that may fail the test."""

    def run(consume: Callable[[Value], Value]) -> Value:
        begun = False

        def one(v: Value) -> Value:
            nonlocal begun
            begun = begun or passes(m, args.pos[0], v) is not True
            return consume(v) if begun else None

        return each_item(m, args.pos[1], one)

    return Generator(run)


@model("itertools.filterfalse")
def filterfalse(m: Machine, args: Args) -> Value:
    """`filterfalse(f, v)`: what may fail the test."""

    def one(consume: Callable[[Value], Value], v: Value) -> Value:
        return consume(v) if passes(m, args.pos[0], v) is not True else None

    return Generator(lambda consume: each_item(m, args.pos[1], lambda v: one(consume, v)))


def _arranged(name: str) -> None:
    """A function of itertools that arranges items without looking at them."""
    f = getattr(itertools, name)

    def run(m: Machine, args: Args) -> Value:
        seqs = [sequences.sequence(m, v) if not isinstance(v, int) else v for v in map(m.state.resolve, args.pos)]
        plain_ = {k: m.state.resolve(v) for k, v in args.kw.items()}
        known = [seq if isinstance(seq, int) else seq.known(m) for seq in seqs]
        try:
            made = list(itertools.islice(f(*known, **plain_), sequences.MAX_ITEMS + 1))
        except TypeError:  # a number that is not known
            return Iterator_((), True)
        open_ = len(made) > sequences.MAX_ITEMS or any(isinstance(seq, sequences.Seq) and seq.open for seq in seqs)
        return Iterator_(tuple(made[: sequences.MAX_ITEMS]), open_)

    model(f"itertools.{name}")(run)


for _name in ("product", "combinations", "combinations_with_replacement", "permutations", "zip_longest", "pairwise"):
    _arranged(_name)


@model("itertools.batched")
def batched(m: Machine, args: Args) -> Value:
    """`batched(v, n)`: tuples of `n` items, the last one of what is left."""
    seq, n = sequences.sequence(m, args.pos[0]), m.state.resolve(args.get(1, "n"))
    if not isinstance(n, int) or n < 1:
        return Unknown("batches")
    items = seq.known(m)
    return Iterator_(tuple(tuple(items[i : i + n]) for i in range(0, len(items), n)), seq.open)


@model("itertools.compress")
def compress(m: Machine, args: Args) -> Value:
    """`compress(v, selectors)`: what may be selected."""
    rows = zip_(m, Args(args.pos[:2]))

    def one(consume: Callable[[Value], Value], row: Value) -> Value:
        return consume(row[0]) if operators.truth(m, row[1]) is not False else None

    return Generator(lambda consume: each_item(m, rows, lambda row: one(consume, row)))


@model("itertools.groupby")
def groupby(m: Machine, args: Args) -> Value:
    """`groupby(v, key)`: runs of items with equal keys; open where two keys can't be told apart."""
    seq, key = sequences.sequence(m, args.get(0, "iterable")), m.state.resolve(args.get(1, "key"))
    groups: list[tuple[Value, list[Value]]] = []
    unclear = seq.open
    for v in seq.known(m):
        rank = v if key is None else m.call(key, Args([v], site=m.site))
        same = operators.truth(m, operators.compare(m, "==", groups[-1][0], rank)) if groups else False
        unclear = unclear or not isinstance(same, bool)
        if same is False:
            groups.append((rank, []))
        groups[-1][1].append(v)
    return Iterator_(tuple((rank, Iterator_(tuple(items), unclear)) for rank, items in groups), unclear)


@model("itertools.tee")
def tee(m: Machine, args: Args) -> Value:
    """`tee(v, n)`: iterators that each give all items."""
    seq, n = sequences.sequence(m, args.pos[0]), m.state.resolve(args.get(1, "n", 2))
    return tuple(Iterator_(tuple(seq.known(m)), seq.open) for _ in range(n if isinstance(n, int) else 2))


@model("itertools.count")
def count(m: Machine, args: Args) -> Value:
    """`count(start)`."""
    start, step = args.get(0, "start", 0), args.get(1, "step", 1)
    known = isinstance(start, (int, float)) and isinstance(step, (int, float))
    more = sequences.Seq((), True)
    return sequences.sequence_value(more, lambda i: start + i * step if known else Unknown("a number", number=True))


@model("itertools.cycle")
def cycle(m: Machine, args: Args) -> Value:
    """`cycle(v)`: the same items for ever."""
    items = sequences.sequence(m, args.pos[0]).known(m)
    return sequences.sequence_value(sequences.Seq((), True), lambda i: items[i % len(items)] if items else Unknown())


@model("itertools.repeat")
def repeat(m: Machine, args: Args) -> Value:
    """`repeat(v, n)`."""
    n = m.state.resolve(args.get(1, "times"))
    if isinstance(n, int):
        return ListV((args.pos[0],) * min(n, 64))
    return sequences.sequence_value(sequences.Seq((), True), lambda i: args.pos[0])


# -- contextlib, abc, typing, dataclasses, collections ------------------------------------------------------


@model("contextlib.contextmanager")
def contextmanager(m: Machine, args: Args) -> Value:
    """`@contextmanager`."""
    return Wrapped(args.pos[0], "contextlib.contextmanager")


@model("contextlib.nullcontext")
def nullcontext(m: Machine, args: Args) -> Value:
    """`nullcontext(v)`."""
    v = args.get(0, "enter_result")
    return Managed(Generator(lambda consume: consume(v)), lambda: nullcontext(m, args))


@model("contextlib.closing")
def closing(m: Machine, args: Args) -> Value:
    """`closing(v)`: its `close` is called in the end."""
    v = args.get(0, "thing")

    def run(consume: Callable[[Value], Value]) -> Value:
        try:
            return consume(v)
        finally:
            m.call(attributes.get(m, v, "close"), Args())

    return Managed(Generator(run), lambda: closing(m, args))


BASES["contextlib.suppress"] = ()
BASES["pytest.raises"] = ()
BASES["typing.NamedTuple"] = ()
BASES["typing.Protocol"] = ()
BASES["typing.Generic"] = ()
BASES["abc.ABC"] = ()
for _name in ("int", "str", "type"):
    BASES[_name] = ()
BASES["abc.ABCMeta"] = ("type",)
BASES["enum.EnumMeta"] = BASES["enum.EnumType"] = ("type",)
BASES["enum.auto"] = ()
BASES["enum.Enum"] = ()
BASES["enum.IntEnum"] = ("int", "enum.Enum")
BASES["enum.StrEnum"] = ("str", "enum.Enum")
BASES["enum.Flag"] = ("enum.Enum",)
BASES["enum.IntFlag"] = ("int", "enum.Flag")
BASES["types.SimpleNamespace"] = ()
BASES["argparse.Namespace"] = ("types.SimpleNamespace",)
BASES["argparse.ArgumentParser"] = ()
BASES["dataclasses.field"] = ()
BASES["typing.TypedDict"] = ()
BASES["?"] = ()


@model("typing.cast")
def cast(m: Machine, args: Args) -> Value:
    """`cast(type, v)`."""
    return args.pos[1]


@model("dataclasses.dataclass")
def dataclass(m: Machine, args: Args) -> Value:
    """`@dataclass`, with or without arguments."""
    v = m.state.resolve(args.pos[0]) if args.pos else None
    if not isinstance(v, ClassV):
        return Builtin("dataclass", lambda machine, inner: dataclass(machine, Args(inner.pos, args.kw)))
    m.state.put(v, DATACLASS, dict(args.kw))
    return v


@method_of("dataclasses.field", "__init__")
def field(m: Machine, args: Args) -> Value:
    """`field(default=…, default_factory=…)`."""
    args.pos[0].state.update(args.kw)
    return None


@model("dataclasses.replace")
def replace(m: Machine, args: Args) -> Value:
    """`replace(obj, **changes)`."""
    v = m.state.resolve(args.pos[0])
    if not is_dataclass(v):
        return Unknown("an object")
    taken_ = [
        (name, kind)
        for name, kind, default in classes.init_fields(v.cls)
        if classes.option(default, "init") is not False
    ]
    given = {name: v.d[name] for name, kind in taken_ if kind != "InitVar" and name in v.d}
    return m.call(v.cls, Args(kw={**given, **args.kw}, site=m.site))


@model("dataclasses.asdict")
def asdict(m: Machine, args: Args) -> Value:
    """`asdict(obj)`: its fields by name, and so for the dataclasses in them."""
    v = m.state.resolve(args.pos[0])
    if not is_dataclass(v):
        return Unknown("a dict")
    return DictV({f: plain(m, v.d.get(f), lambda inner: asdict(m, Args([inner]))) for f in classes.all_fields(v.cls)})


@model("dataclasses.astuple")
def astuple(m: Machine, args: Args) -> Value:
    """`astuple(obj)`: the values of its fields, and so for the dataclasses in them."""
    v = m.state.resolve(args.pos[0])
    if not is_dataclass(v):
        return Unknown("a tuple")
    return tuple(plain(m, v.d.get(f), lambda inner: astuple(m, Args([inner]))) for f in classes.all_fields(v.cls))


def is_dataclass(v: Value) -> bool:
    """Whether it is an object of a dataclass."""
    return isinstance(v, Instance) and classes.is_dataclass(v.cls)


def plain(m: Machine, v: Value, make: Callable[[Value], Value]) -> Value:
    """A field's value copied, the dataclasses in it, also those in lists and dicts, replaced by what `make` gives."""
    v = m.state.resolve(v)
    if is_dataclass(v):
        return make(v)
    if isinstance(v, ListV):
        made = ListV(tuple(plain(m, one, make) for one in sequences.items_of(m, v)), v.kind)
        made.d["open"] = v.d["open"]
        return made
    if isinstance(v, DictV):
        held = DictV({k: plain(m, v.items[k], make) for k in sequences.keys(v)}, v.kind)
        held.d["open"] = v.d["open"]
        return held
    if type(v) is tuple:
        return tuple(plain(m, one, make) for one in v)
    return m.call(Lib("copy.deepcopy"), Args([v], site=m.site))


@model("dataclasses.fields")
def fields(m: Machine, args: Args) -> Value:
    """`fields(obj)`: objects with a name."""
    v = m.state.resolve(args.pos[0])
    cls = v.cls if isinstance(v, Instance) else v
    if not isinstance(cls, ClassV):
        return Unknown("fields")
    made = []
    for name in classes.all_fields(cls):
        f = Instance(registry.class_named(m, "types.SimpleNamespace"))
        f.d["name"] = name
        made.append(f)
    return tuple(made)


@model("collections.namedtuple")
def namedtuple(m: Machine, args: Args) -> Value:
    """`namedtuple(name, fields)`."""
    names = m.state.resolve(args.get(1, "field_names"))
    if isinstance(names, str):
        listed = names.replace(",", " ").split()
    else:
        listed = [str(n) for n in sequences.sequence(m, names).known(m)]
    cls = ClassV(str(args.pos[0]), (registry.class_named(m, "typing.NamedTuple"),), str(args.pos[0]))
    cls.d[FIELDS] = tuple(listed)
    defaults = args.kw.get("defaults")
    if isinstance(defaults, tuple):
        cls.d.update(zip(listed[-len(defaults) :], defaults, strict=True))
    return cls


@method_of("types.SimpleNamespace", "__init__")
def namespace(m: Machine, args: Args) -> Value:
    """`SimpleNamespace(**kw)`."""
    args.pos[0].d.update(args.kw)
    return None


@model("collections.ChainMap")
def chain_map(m: Machine, args: Args) -> Value:
    """`ChainMap(a, b)`: the first mapping wins."""
    made = DictV()
    for v in reversed(args.pos):
        sequences.update(m, made, v)
    return made


@model("importlib.import_module")
def import_module(m: Machine, args: Args) -> Value:
    """`import_module(name, package)`: a relative name is taken to begin at the importing file's package."""
    name = m.state.resolve(args.get(0, "name"))
    if not isinstance(name, str):
        return Unknown("a module")
    absolute = name.lstrip(".")
    if absolute == name:
        return imports.module(m, name)
    own = imports.load(m, absolute, len(name) - len(absolute), imports.importer(m))
    return own if own is not None else Unknown("a module")


# -- argparse -----------------------------------------------------------------------------------------------


@method_of("argparse.ArgumentParser", "__init__")
def parser(m: Machine, args: Args) -> Value:
    """`ArgumentParser(…)`."""
    args.pos[0].state["defaults"] = DictV()
    return None


@method_of("argparse.ArgumentParser", "add_argument")
def add_argument(m: Machine, args: Args) -> Value:
    """`p.add_argument("--name", default=…)`: the default is what the program is taken to run with."""
    names = [n for n in args.pos[1:] if isinstance(n, str)]
    if not names:
        return Unknown("an argument")
    long = next((n for n in names if n.startswith("--")), names[0])
    dest = args.kw.get("dest", long.lstrip("-").replace("-", "_"))
    action = args.kw.get("action")
    if "default" in args.kw:
        value = args.kw["default"]
    elif action in ("store_true", "store_false"):
        value = action == "store_false"
    elif not long.startswith("-"):
        value = Unknown(str(dest))
    else:
        value = None if "required" not in args.kw else Unknown(str(dest))
    sequences.add(m, args.pos[0].state["defaults"], dest, value)
    return Unknown("an argument")


@method_of("argparse.ArgumentParser", "set_defaults")
def set_defaults(m: Machine, args: Args) -> Value:
    """`p.set_defaults(**kw)`."""
    for k, v in args.kw.items():
        sequences.add(m, args.pos[0].state["defaults"], k, v)
    return None


@method_of("argparse.ArgumentParser", "add_argument_group", "add_mutually_exclusive_group")
def argument_group(m: Machine, args: Args) -> Value:
    """A group adds to its parser."""
    return args.pos[0]


@method_of("argparse.ArgumentParser", "parse_args", "parse_known_args")
def parse_args(m: Machine, args: Args) -> Value:
    """`p.parse_args()`: the defaults."""
    made = Instance(registry.class_named(m, "argparse.Namespace"), m.site)
    defaults = args.pos[0].state["defaults"]
    made.d.update({str(k): m.state.resolve(defaults.items[k]) for k in sequences.keys(defaults)})
    return made

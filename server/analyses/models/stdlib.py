"""Parts of the standard library that carry tensors around: functools, itertools, dataclasses, argparse, …"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from .. import classes, imports, operators, sequences
from ..contexts import Managed
from ..values import (
    Args,
    Builtin,
    ClassV,
    DictV,
    Generator,
    Instance,
    Lib,
    ListV,
    Partial,
    Unknown,
    Value,
    Wrapped,
    is_constant,
)
from . import registry
from .builtins import each_item, unknown_of
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


@model("functools.wraps")
def wraps(m: Machine, args: Args) -> Value:
    """`@wraps(f)`: the function as it is."""
    return Builtin("wraps", lambda machine, inner: inner.pos[0])


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
    """`attrgetter(name)`."""
    from .. import attributes

    def run(machine: Machine, inner: Args) -> Value:
        v = inner.pos[0]
        for part in str(args.pos[0]).split("."):
            v = attributes.get(machine, v, part)
        return v

    return Builtin("attrgetter", run)


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
    """`islice(v, n)`: of a generator it takes no more than these."""
    v, bounds = m.state.resolve(args.pos[0]), [m.state.resolve(b) for b in args.pos[1:]]
    stop = bounds[0] if len(bounds) == 1 else bounds[1] if len(bounds) > 1 else None
    if isinstance(v, Generator) and isinstance(stop, int):
        first = bounds[0] if len(bounds) > 1 and isinstance(bounds[0], int) else 0
        return Generator(lambda consume: taken(m, v, first, stop, consume))
    seq = sequences.sequence(m, v)
    known = seq.known(m)
    if isinstance(stop, int):
        if seq.open:
            known += [seq.item(m, i) for i in range(len(known), min(stop, 16))]
        start = bounds[0] if len(bounds) > 1 and isinstance(bounds[0], int) else 0
        return ListV(tuple(known[start:stop]))
    return ListV(tuple(known))


def taken(m: Machine, g: Generator, start: int, stop: int, consume: Callable[[Value], Value]) -> Value:
    """Give the items of a generator from the `start`-th up to the `stop`-th, and leave it there."""
    for i in range(min(stop, sequences.MAX_TURNS)):
        going, v = sequences.advance(m, g)
        if not going:
            break
        if i >= start:
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
            if operators.truth(m, m.call(args.pos[0], Args([v], site=m.site))) is False:
                raise out
            return consume(v)

        try:
            return each_item(m, args.pos[1], one)
        except sequences.Stop as stopped:
            if stopped is not out:
                raise
            return None

    return Generator(run)


@model("itertools.product")
def product(m: Machine, args: Args) -> Value:
    """`product(a, b, …)`."""
    rows: list[tuple[Value, ...]] = [()]
    repeat = args.kw.get("repeat", 1)
    for v in args.pos * (repeat if isinstance(repeat, int) else 1):
        items = sequences.sequence(m, v).known(m)
        rows = [(*r, i) for r in rows for i in items][:256]
    return ListV(tuple(rows))


@model("itertools.count")
def count(m: Machine, args: Args) -> Value:
    """`count(start)`."""
    start, step = args.get(0, "start", 0), args.get(1, "step", 1)
    known = isinstance(start, (int, float)) and isinstance(step, (int, float))
    more = sequences.Seq((), True)
    return sequences.sequence_value(more, lambda i: start + i * step if known else Unknown("a number", number=True))


@model("itertools.cycle", "itertools.repeat")
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


@model("itertools.pairwise")
def pairwise(m: Machine, args: Args) -> Value:
    """`pairwise(v)`."""
    items = sequences.sequence(m, args.pos[0]).known(m)
    return ListV(tuple(itertools.pairwise(items)))


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
    if isinstance(v, ClassV):
        v.d["__dataclass__"] = "frozen" if args.kw.get("frozen") is True else True
        return v
    return Builtin("dataclass", lambda machine, inner: dataclass(machine, Args(inner.pos, args.kw)))


@method_of("dataclasses.field", "__init__")
def field(m: Machine, args: Args) -> Value:
    """`field(default=…, default_factory=…)`."""
    args.pos[0].state.update(args.kw)
    return None


@model("dataclasses.replace")
def replace(m: Machine, args: Args) -> Value:
    """`replace(obj, **changes)`."""
    v = m.state.resolve(args.pos[0])
    if not isinstance(v, Instance):
        return Unknown("an object")
    made = Instance(v.cls, m.site)
    made.d.update(v.d)
    made.d.update(args.kw)
    return made


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
    return isinstance(v, Instance) and any(c.d.get("__dataclass__") for c in v.cls.mro)


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
    cls.d["__annotations__"] = tuple(listed)
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

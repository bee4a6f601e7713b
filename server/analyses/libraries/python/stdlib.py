"""Parts of the standard library that carry tensors around: functools, contextlib, collections, types, …"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...domain import registry
from ...domain.known import is_constant
from ...domain.paths import Raised
from ...domain.registry import BASES, method_of, model
from ...domain.values import (
    FIELDS,
    Args,
    Bound,
    Builtin,
    ClassV,
    DictV,
    FunctionV,
    Generator,
    Instance,
    Lib,
    ListV,
    ModuleV,
    Partial,
    Unknown,
    Value,
    Wrapped,
)
from ...python import attributes, conditions, imports, sequences
from ...python.bounds import is_bounded
from ...python.contexts import Managed
from ...python.types import check
from .builtins import unknown_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine

# -- math -----------------------------------------------------------------------------------------------


def math_function(name: str, f: Callable[..., Value]) -> None:
    """A function of `math`, computed for known numbers."""

    def run(m: Machine, args: Args) -> Value:
        values = [m.state.resolve(v) for v in args.pos]
        if is_constant(tuple(values)) and not args.kw and not args.open:
            try:
                return f(*values) if is_bounded(f, values, {}) else Unknown()
            except (ValueError, ArithmeticError, TypeError):
                return Unknown()
        return unknown_of(name, args, number=name not in ("frexp", "modf"))

    model(f"math.{name}")(run)


for _name in dir(math):
    if callable(getattr(math, _name)) and _name not in ("factorial", "comb", "perm", "prod", "isclose"):
        math_function(_name, getattr(math, _name))


@model("time.time", "time.perf_counter", "time.monotonic", "time.process_time", "timeit.default_timer")
def clock(m: Machine, args: Args) -> Value:
    """The time of a clock."""
    return Unknown("a time", number=True)


# -- functools -------------------------------------------------------------------------------------------


@model("functools.partial")
def partial(m: Machine, args: Args) -> Value:
    """`partial(f, …)`."""
    return Partial(m.state.resolve(args[0]), Args(args.pos[1:], args.kw, args.open))


@model("functools.reduce")
def reduce(m: Machine, args: Args) -> Value:
    """`reduce(f, items, start)`."""
    items = sequences.sequence(m, args[1]).known()
    total = args[2] if len(args.pos) > 2 else items.pop(0) if items else Unknown()
    for v in items:
        total = m.call(args[0], Args([total, v], site=m.here.site))
    return total


@model("functools.lru_cache", "functools.cache")
def lru_cache(m: Machine, args: Args) -> Value:
    """`@lru_cache`, with or without arguments: the same arguments give the same value (`decorators.cached`)."""

    def keep(f: Value) -> Value:
        return Wrapped(f, "functools.lru_cache", DictV())

    if args.pos and not isinstance(m.state.resolve(args[0]), (int, type(None))):
        return keep(args[0])
    return Builtin("lru_cache", lambda machine, inner: keep(inner[0]))


@model("functools.wraps", "functools.update_wrapper")
def wraps(m: Machine, args: Args) -> Value:
    """`@wraps(f)`, `update_wrapper(w, f)`: the function itself, with the name of the one that it wraps."""
    if len(args.pos) > 1:
        return named_like(m, args[0], args[1])
    return Builtin("wraps", lambda machine, inner: named_like(machine, inner[0], args[0]))


def named_like(m: Machine, wrapper: Value, f: Value) -> Value:
    """A wrapper with the names of the function that it wraps."""
    if isinstance(wrapper, FunctionV):
        for name in ("__name__", "__qualname__"):
            m.state.set(wrapper.attributes, name, attributes.get(m, f, name))
        m.state.set(wrapper.attributes, "__wrapped__", f)
    return wrapper


@model("functools.total_ordering")
def total_ordering(m: Machine, args: Args) -> Value:
    """`@total_ordering`: the class, which has the other comparisons as well."""
    if isinstance(args[0], ClassV):
        args[0].attributes["__total_ordering__"] = True
    return args[0]


@model("functools.partialmethod")
def partialmethod(m: Machine, args: Args) -> Value:
    """`partialmethod(f, …)`: a method that calls `f` with the object first."""
    function, fixed = args[0], args

    def method(machine: Machine, inner: Args) -> Value:
        pos = [*inner.pos[:1], *fixed.pos[1:], *inner.pos[1:]]
        return machine.call(function, Args(pos, {**fixed.kw, **inner.kw}, inner.open, inner.site))

    return Builtin("partialmethod", method)


# -- weakref ---------------------------------------------------------------------------------------------------


@model("weakref.ref")
def weak(m: Machine, args: Args) -> Value:
    """`ref(v)`: a function that returns the object."""
    return Builtin("ref", lambda machine, inner: args[0])


@model("weakref.proxy")
def proxy(m: Machine, args: Args) -> Value:
    """`proxy(v)`: stands for the object."""
    return args[0]


# -- contextlib, abc, typing, collections -------------------------------------------------------------------


@model("contextlib.contextmanager", "contextlib.asynccontextmanager")
def contextmanager(m: Machine, args: Args) -> Value:
    """`@contextmanager`, `@asynccontextmanager`."""
    return Wrapped(args[0], "contextlib.contextmanager")


@model("contextlib.nullcontext")
def nullcontext(m: Machine, args: Args) -> Value:
    """`nullcontext(v)`."""
    v = args.get(0, "enter_result")
    return Managed(Generator(lambda consume: consume(v)), lambda: nullcontext(m, args))


@model("contextlib.closing")
def closing(m: Machine, args: Args) -> Value:
    """`closing(v)`: `v.close()` is called at the end."""
    v = args.get(0, "thing")

    def run(consume: Callable[[Value], Value]) -> Value:
        try:
            return consume(v)
        finally:
            m.call(attributes.get(m, v, "close"), Args())

    return Managed(Generator(run), lambda: closing(m, args))


BASES["contextlib.AbstractContextManager"] = ()
BASES["contextlib.ContextDecorator"] = ()
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


BASES["threading.local"] = ()


@model("typing.cast")
def cast(m: Machine, args: Args) -> Value:
    """`cast(type, v)`."""
    return args[1]


@model("collections.namedtuple")
def namedtuple(m: Machine, args: Args) -> Value:
    """`namedtuple(name, fields)`."""
    names = m.state.resolve(args.get(1, "field_names"))
    if isinstance(names, str):
        listed = names.replace(",", " ").split()
    else:
        listed = [str(n) for n in sequences.sequence(m, names).known()]
    cls = ClassV(str(args[0]), (registry.class_named(m, "typing.NamedTuple"),), str(args[0]))
    cls.attributes[FIELDS] = tuple(listed)
    defaults = args.kw.get("defaults")
    if isinstance(defaults, tuple):
        if len(defaults) > len(listed):
            raise Raised(None, "TypeError")
        cls.attributes.update(zip(listed[len(listed) - len(defaults) :], defaults, strict=True))
    return cls


@method_of("types.SimpleNamespace", "__init__")
def namespace(m: Machine, args: Args) -> Value:
    """`SimpleNamespace(**kw)`."""
    args[0].attributes.update(args.kw)
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
    if not name:
        raise Raised(None, "ValueError")
    if absolute == name:
        return imports.module(m, name)
    own = imports.load(m, absolute, len(name) - len(absolute), imports.importer(m))
    return own if own is not None else Unknown("a module")


@model("types.MethodType")
def method_type(m: Machine, args: Args) -> Value:
    """`MethodType(function, obj)`."""
    return Bound(args[0], args[1])


# -- inspect ------------------------------------------------------------------------------------------------


@model("inspect.isclass")
def is_class(m: Machine, args: Args) -> Value:
    """`isclass(v)`."""
    return check(m, args[0], Lib("type"))


@model("inspect.getmembers")
def get_members(m: Machine, args: Args) -> Value:
    """`getmembers(v, predicate)` of a module or a class of the program: its names and values, sorted by name."""
    v, wanted = m.state.resolve(args.get(0, "object")), args.get(1, "predicate")
    held = attributes.get(m, v, "__dict__") if isinstance(v, (ModuleV, Lib)) else None
    names = v.attributes if isinstance(v, ClassV) else held.items if isinstance(held, DictV) else None
    if names is None:
        return Unknown("members")
    members = [(k, attributes.get(m, v, k)) for k in sorted(k for k in names if isinstance(k, str))]
    if wanted is not None:
        members = [one for one in members if conditions.truth(m, m.call(wanted, Args([one[1]]))) is True]
    found = ListV(tuple(members))
    found.open = isinstance(v, Lib)
    return found


BASES["inspect.Signature"] = ()


@model("inspect.signature")
def signature(m: Machine, args: Args) -> Value:
    """`signature(f)` of a function, method or class of the program; `parameters` has the names."""
    names = parameter_names(m, args.get(0, "obj"))
    if names is None:
        return Unknown("a signature")
    made = Instance(registry.class_named(m, "inspect.Signature"), m.here.site)
    made.attributes["parameters"] = DictV({name: Unknown("a parameter") for name in names})
    return made


def parameter_names(m: Machine, f: Value) -> list[str] | None:
    """The parameter names of `f`, without a method's object; None if they are unknown."""
    f = m.state.resolve(f)
    if isinstance(f, (Bound, ClassV)):
        names = parameter_names(m, f.function if isinstance(f, Bound) else attributes.get(m, f, "__init__"))
        return names[1:] if names else None
    if not isinstance(f, FunctionV):
        return None
    params = f.node.params
    given = [*params.posonly, *params.args, params.vararg, *params.kwonly, params.kwarg]
    return [one.name for one in given if one is not None]

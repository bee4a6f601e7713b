"""Models of Python's `dataclasses`: classes with fields, and the functions that copy and list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ...domain import registry
from ...domain.registry import method_of, model
from ...domain.values import DATACLASS, Args, Builtin, ClassV, DictV, Instance, Lib, ListV, Unknown, Value
from ...operators.cases import items_of
from ...python import classes, sequences

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine


@model("dataclasses.dataclass")
def dataclass(m: Machine, args: Args) -> Value:
    """`@dataclass`, with or without arguments."""
    v = m.state.resolve(args[0]) if args.pos else None
    if not isinstance(v, ClassV):
        return Builtin("dataclass", lambda machine, inner: dataclass(machine, Args(inner.pos, args.kw)))
    m.state.set(v.attributes, DATACLASS, dict(args.kw))
    return v


@method_of("dataclasses.field", "__init__")
def field(m: Machine, args: Args) -> Value:
    """`field(default=…, default_factory=…)`."""
    args[0].model_state.update(args.kw)
    return None


@model("dataclasses.replace")
def replace(m: Machine, args: Args) -> Value:
    """`replace(obj, **changes)`."""
    v = m.state.resolve(args[0])
    if not is_dataclass(v):
        return Unknown("an object")
    taken_ = [
        (name, kind)
        for name, kind, default in classes.init_fields(v.cls)
        if classes.option(default, "init") is not False
    ]
    given = {name: v.attributes[name] for name, kind in taken_ if kind != "InitVar" and name in v.attributes}
    return m.call(v.cls, Args(kw={**given, **args.kw}, site=m.here.site))


@model("dataclasses.asdict")
def asdict(m: Machine, args: Args) -> Value:
    """`asdict(obj)`: its fields by name, recursively."""
    v = m.state.resolve(args[0])
    if not is_dataclass(v):
        return Unknown("a dict")
    return DictV(
        {f: plain(m, v.attributes.get(f), lambda inner: asdict(m, Args([inner]))) for f in classes.all_fields(v.cls)}
    )


@model("dataclasses.astuple")
def astuple(m: Machine, args: Args) -> Value:
    """`astuple(obj)`: the values of its fields, recursively."""
    v = m.state.resolve(args[0])
    if not is_dataclass(v):
        return Unknown("a tuple")
    return tuple(
        plain(m, v.attributes.get(f), lambda inner: astuple(m, Args([inner]))) for f in classes.all_fields(v.cls)
    )


def is_dataclass(v: Value) -> TypeGuard[Instance]:
    """Whether a value is an object of a dataclass."""
    return isinstance(v, Instance) and classes.is_dataclass(v.cls)


def plain(m: Machine, v: Value, make: Callable[[Value], Value]) -> Value:
    """A copy of a field's value in which `make` has replaced all dataclasses, also those in lists and dicts."""
    v = m.state.resolve(v)
    if is_dataclass(v):
        return make(v)
    if isinstance(v, ListV):
        made = ListV(tuple(plain(m, one, make) for one in items_of(m, v)), v.kind)
        made.open = v.open
        return made
    if isinstance(v, DictV):
        held = DictV({k: plain(m, v.items[k], make) for k in sequences.keys(v)}, v.kind)
        held.open = v.open
        return held
    if type(v) is tuple:
        return tuple(plain(m, one, make) for one in v)
    return m.call(Lib("copy.deepcopy"), Args([v], site=m.here.site))


@model("dataclasses.fields")
def fields(m: Machine, args: Args) -> Value:
    """`fields(obj)`: objects that have a name."""
    v = m.state.resolve(args[0])
    cls = v.cls if isinstance(v, Instance) else v
    if not isinstance(cls, ClassV):
        return Unknown("fields")
    made = []
    for name in classes.all_fields(cls):
        f = Instance(registry.class_named(m, "types.SimpleNamespace"))
        f.attributes["name"] = name
        made.append(f)
    return tuple(made)

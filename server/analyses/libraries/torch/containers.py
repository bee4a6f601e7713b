"""Containers of `torch.nn`: sequences, lists and dicts of modules or parameters, and what their members are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.containers import NO_ITEM, Seq
from ...domain.registry import BASES, ITERATORS, LENGTHS, method_of
from ...domain.values import (
    ABSENT,
    Args,
    Container,
    DictV,
    FunctionV,
    Instance,
    Lib,
    ListV,
    Phi,
    Unknown,
    Value,
    leaves,
)
from ...operators import cases
from ...python import operators, sequences

if TYPE_CHECKING:
    from ...python.machine import Machine

CONTAINERS = ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList",
              "torch.nn.ParameterDict")  # fmt: skip

for _name in CONTAINERS:
    BASES[_name] = ("torch.nn.Module",)


@method_of("torch.nn.Sequential", "__init__")
@method_of("torch.nn.ModuleList", "__init__")
@method_of("torch.nn.ParameterList", "__init__")
def init_list(m: Machine, args: Args) -> Value:
    """A container of modules by position; Sequential takes them one by one, or in an OrderedDict."""
    obj, rest = args[0], args.pos[1:]
    m.state.set(obj.attributes, "training", True)
    kept(m, obj)  # branches add to one list
    first = m.state.pick(rest[0]) if rest else None
    if isinstance(first, DictV):
        for k in sequences.keys(first):
            keep(m, obj, str(k), first.items[k])
        return None
    items: list[Value] = list(rest)
    if not obj.cls.derives("torch.nn.Sequential"):
        seq = sequences.sequence(m, passed(m, args))
        items = seq.known()
        if seq.open:
            open_up(m, obj)
    for i, v in enumerate(items):
        keep(m, obj, str(i), v)
    if args.open:
        open_up(m, obj)
    return None


def passed(m: Machine, args: Args) -> Value:
    """What a container is made of: the one argument beside the object; nothing where it is None or left out."""
    given = m.state.resolve(next(iter((*args.pos[1:], *args.kw.values())), ()))
    return () if given is None else given


@method_of("torch.nn.ModuleDict", "__init__")
@method_of("torch.nn.ParameterDict", "__init__")
def init_dict(m: Machine, args: Args) -> Value:
    """A container of modules or parameters by name."""
    obj = args[0]
    m.state.set(obj.attributes, "training", True)
    d = DictV()
    sequences.update(m, d, passed(m, args))
    for k in sequences.keys(d):
        keep(m, obj, str(k), d.items[k])
    return None


def keep(m: Machine, obj: Instance, key: str, value: Value) -> None:
    """Store a member in a container; containers of parameters convert plain tensors (`container.py`)."""
    t = m.state.pick(value)
    plain = isinstance(t, Tensor) and not t.is_parameter
    if plain and of_parameters(obj):
        value = m.call(Lib("torch.nn.Parameter"), Args([value], site=m.here.site))
    m.state.set(obj.attributes, key, value)
    sequences.append(m, kept(m, obj), key)
    if isinstance(t, Instance) and t.within is None:
        m.state.note(t, "within", (obj, way_to(obj, key)))


def kept(m: Machine, obj: Instance) -> ListV:
    """The keys that a container's members were stored under. It is open if there may be more members than are known."""
    keys = obj.model_state.get("kept")
    if not isinstance(keys, ListV):
        keys = ListV()
        m.state.set(obj.model_state, "kept", keys)
    return keys


def open_up(m: Machine, obj: Instance) -> None:
    """Let a container have more members than are known."""
    m.state.put(kept(m, obj), Container.open, True)


def way_to(obj: Instance, key: str) -> str:
    """How the program accesses a container's member: `[2]`, `["head"]`, `.head`."""
    if key.isdecimal():
        return f"[{key}]"
    return f'["{key}"]' if obj.cls.derives("torch.nn.ModuleDict") else f".{key}"


def entries(m: Machine, obj: Instance) -> list[tuple[str, Value]]:
    """The members of a container by key: modules, tensors, unknown values, and each None that was stored as one."""
    held = [(k, m.state.resolve(v)) for k, v in obj.attributes.items() if isinstance(k, str)]
    stored, tensors = set(cases.items_of(m, kept(m, obj))), of_parameters(obj)
    return [(k, v) for k, v in held if is_member(v, k in stored, tensors)]


def is_member(v: Value, stored: bool, tensors: bool) -> bool:
    """Whether an attribute of a container is one of its members, which may be `tensors`.

    An unknown value may be a number that a class of the program keeps: it is one if it was `stored` as such, or comes
    from a call.
    """
    if isinstance(v, Phi):
        return any(is_member(one, stored, tensors) for one in leaves(v))
    if isinstance(v, Unknown):
        return stored or (not v.number and isinstance(v.key, tuple) and v.key[0] == "call")
    if isinstance(v, Tensor):
        return tensors
    return isinstance(v, (Instance, FunctionV)) or (v is None and stored)


def of_parameters(obj: Instance) -> bool:
    """Whether a container's members are parameters; those that a container of modules has are not its members."""
    return obj.cls.derives("torch.nn.ParameterList") or obj.cls.derives("torch.nn.ParameterDict")


@method_of("torch.nn.Sequential", "forward")
def sequential(m: Machine, args: Args) -> Value:
    """`Sequential.forward`: one module after the other. One that a branch has added is called only on its side."""
    v = args.get(1, "input")
    for module in in_a_row(m, args[0]):
        given = Args([v], site=args.site)
        v = m.state.each(module, partial(run_member, m, given))
    return v


def run_member(m: Machine, given: Args, module: Value) -> Value:
    """The result of a module of a sequence; what it is given where it isn't there."""
    return given[0] if module is NO_ITEM else m.call(module, given)


def in_a_row(m: Machine, obj: Instance) -> list[Value]:
    """The members of a container: where a branch has added one, `NO_ITEM` on its other side."""
    held, keys = dict(entries(m, obj)), [m.state.resolve(key) for key in cases.items_of(m, kept(m, obj))]
    if not any(type(key) is Phi for key in keys):
        return list(held.values())
    added = {one for key in keys for one in leaves(key)}
    row = [m.state.each_way(key, lambda one: held.get(one, NO_ITEM)) for key in keys]
    return [*row, *(v for key, v in held.items() if key not in added)]


def members(m: Machine, obj: Instance) -> ListV:
    """The members of a container in a row."""
    row = ListV(tuple(in_a_row(m, obj)))
    row.open = m.state.is_open(kept(m, obj))
    return row


def container_items(m: Machine, obj: Instance) -> Seq:
    """Iterating over a container: its modules, or the keys of one by name."""
    if obj.cls.derives("torch.nn.ModuleDict") or obj.cls.derives("torch.nn.ParameterDict"):
        return Seq([k for k, _ in entries(m, obj)], m.state.is_open(kept(m, obj)))
    return sequences.sequence(m, members(m, obj))


def length(m: Machine, obj: Instance) -> Value:
    """`len(container)`."""
    keys = kept(m, obj)
    return sequences.length(m, keys) if m.state.is_open(keys) else len(entries(m, obj))


for _name in CONTAINERS:
    ITERATORS[_name] = container_items
    LENGTHS[_name] = length


def get_item(m: Machine, args: Args) -> Value:
    """`container[i]`."""
    obj, index = args[0], m.state.resolve(args[1])
    if isinstance(index, str):
        found = obj.attributes.get(index, ABSENT)
        return m.state.resolve(found) if found is not ABSENT else Unknown("a module")
    return m.state.each(operators.get_item(m, members(m, obj), index), partial(part_of, m, obj))


def part_of(m: Machine, obj: Instance, picked: Value) -> Value:
    """What `container[i]` or `container[a:b]` gives: a member, or a container of some of them."""
    if not isinstance(picked, ListV):
        return picked
    made = Instance(obj.cls, obj.site)
    made.attributes["training"] = True
    for i, v in enumerate(cases.items_of(m, picked)):
        keep(m, made, str(i), v)
    kept(m, made).open = picked.open
    return made


def set_item(m: Machine, args: Args) -> Value:
    """`container[i] = module`."""
    obj, index = args[0], m.state.resolve(args[1])
    if isinstance(index, int):
        keys = [k for k, _ in entries(m, obj)]
        index = keys[index] if -len(keys) <= index < len(keys) else str(index)
    if isinstance(index, str):
        keep(m, obj, index, args[2])
    return None


def append(m: Machine, args: Args) -> Value:
    """`container.append(module)`."""
    obj = args[0]
    keep(m, obj, str(len(entries(m, obj))), args.get(1, "module"))
    return obj


def extend(m: Machine, args: Args) -> Value:
    """`container.extend(modules)`."""
    modules_ = sequences.sequence(m, args.get(1, "modules"))
    for v in modules_.known():
        append(m, Args([args[0], v]))
    if modules_.open:
        open_up(m, args[0])
    return args[0]


def insert(m: Machine, args: Args) -> Value:
    """`container.insert(i, module)`."""
    obj, i = args[0], m.state.resolve(args.get(1, "index"))
    values = [v for _, v in entries(m, obj)]
    values.insert(i if isinstance(i, int) else len(values), args.get(2, "module"))
    for k, v in enumerate(values):
        m.state.set(obj.attributes, str(k), v)
    sequences.append(m, kept(m, obj), str(len(values) - 1))
    return None


for _name in CONTAINERS:
    method_of(_name, "__getitem__")(get_item)
    method_of(_name, "__setitem__")(set_item)
for _name in ("torch.nn.Sequential", "torch.nn.ModuleList"):
    method_of(_name, "insert")(insert)
for _name in ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ParameterList"):
    method_of(_name, "append")(append)
    method_of(_name, "extend")(extend)
for _name in ("torch.nn.ModuleDict", "torch.nn.ParameterDict"):
    method_of(_name, "keys")(lambda m, args: ListV(tuple(k for k, _ in entries(m, args[0]))))
    method_of(_name, "values")(lambda m, args: ListV(tuple(v for _, v in entries(m, args[0]))))
    method_of(_name, "items")(lambda m, args: ListV(tuple(entries(m, args[0]))))
    method_of(_name, "update")(lambda m, args: init_dict(m, args))

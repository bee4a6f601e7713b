"""What the replay knows of libraries, by dotted name: functions, classes, methods, attributes, modes.

Models register themselves here when `libraries.load_models` imports them, each name once:

    @method_of("queue.Queue", "put")
    def put(m: Machine, args: Args) -> Value: ...

`python/library.py` says who is asked in which order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from ...facts.model import Fact, ModuleFact, OptimizerFact
from .values import (
    ABSENT,
    Args,
    Bound,
    Builtin,
    ClassV,
    DictV,
    Instance,
    Lib,
    ListV,
    Unbuilt,
    Unknown,
    Value,
    Vm,
    contents,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...facts.releases import Facts
    from .containers import Seq

Model = Callable[[Vm, Args], Value]

K = TypeVar("K")
V = TypeVar("V")
F = TypeVar("F", bound=Callable[..., Any])


class Register(dict[K, V]):
    """Models by name. Raises ValueError if a name is given twice, since one of the two would never be found."""

    def __setitem__(self, key: K, value: V) -> None:
        if key in self:
            raise ValueError(f"{key!r} is registered twice")
        super().__setitem__(key, value)


FUNCTIONS: Register[str, Model] = Register()
"""Functions, and classes whose objects are values of another kind (`dict`, `torch.Size`)."""

METHODS: Register[tuple[str, str], Model] = Register()
"""Methods, by class and name; the object is the first argument."""

PROPERTIES: Register[tuple[str, str], Callable[[Vm, Instance], Value]] = Register()
"""Attributes that a library's class computes."""

BASES: Register[str, tuple[str, ...]] = Register()
"""Library classes that the program may derive from or make objects of, with their bases."""

MODES: Register[str, Callable[[Vm, Instance], dict[str, Value]]] = Register()
"""Context managers of PyTorch that set a mode of autograd."""

ITERATORS: Register[str, Callable[[Vm, Instance], Seq]] = Register()
STREAMS: Register[str, Callable[[Vm, Instance], Value]] = Register()
LENGTHS: Register[str, Callable[[Vm, Instance], Value]] = Register()


BY_FACT: Register[tuple[type[Fact], str], Callable[[Vm, Instance, Any, Args], Value]] = Register()
"""What replays a method of a class without a model, from its fact: by the kind of fact."""


def by_fact(kind: type[Fact], name: str) -> Callable[[F], F]:
    """Register what replays a method of all classes with a kind of fact."""

    def register(f: F) -> F:
        BY_FACT[kind, name] = f
        return f

    return register


RESOLVERS: Register[str, Callable[[Vm, str], Value]] = Register()
"""What names that begin with a prefix stand for."""


def resolver(prefix: str) -> Callable[[Callable[[Vm, str], Value]], Callable[[Vm, str], Value]]:
    """Register what gives the meaning of names with a prefix."""

    def register(f: Callable[[Vm, str], Value]) -> Callable[[Vm, str], Value]:
        RESOLVERS[prefix] = f
        return f

    return register


CALLERS: Register[str, Callable[[Vm, str, Args], Value]] = Register()
"""Who replays calls of functions whose names begin with a prefix and that have no model of their own."""


def caller(prefix: str) -> Callable[[Callable[[Vm, str, Args], Value]], Callable[[Vm, str, Args], Value]]:
    """Register what replays a library's functions."""

    def register(f: Callable[[Vm, str, Args], Value]) -> Callable[[Vm, str, Args], Value]:
        CALLERS[prefix] = f
        return f

    return register


def model(*names: str) -> Callable[[Model], Model]:
    """Register a function under its dotted names."""

    def register(f: Model) -> Model:
        for name in names:
            FUNCTIONS[name] = f
        return f

    return register


def method_of(cls: str, *names: str) -> Callable[[Model], Model]:
    """Register a method of a library's class under its names."""

    def register(f: Model) -> Model:
        for name in names:
            METHODS[cls, name] = f
        return f

    return register


def property_of(cls: str, *names: str) -> Callable[[Callable[[Vm, Instance], Value]], Any]:
    """Register a computed attribute of a library's class."""

    def register(f: Callable[[Vm, Instance], Value]) -> Any:
        for name in names:
            PROPERTIES[cls, name] = f
        return f

    return register


def function(name: str) -> Model | None:
    """The model of a function, if there is one."""
    return FUNCTIONS.get(name)


def method(m: Vm, cls: str, name: str) -> Model | None:
    """A method of exactly this class: that of a model, or the forward of a module with a fact."""
    found = METHODS.get((cls, name))
    return _from_fact(m, cls, name) if found is None and name == "forward" else found


def _from_fact(m: Vm, cls: str, name: str) -> Model | None:
    """What replays a method of a class by the class's fact."""
    fact = m.facts.table.find(cls)
    replayed = BY_FACT.get((type(fact), name)) if fact is not None else None
    return None if replayed is None else lambda m, args: replayed(m, args[0], fact, without_self(args))


def without_self(args: Args) -> Args:
    """The arguments of a method after its object."""
    return Args(args.pos[1:], args.kw, args.open, args.site, args.exprs)


def is_class(m: Vm, name: str) -> bool:
    """Whether a dotted name is a class with a model or a fact."""
    return name in BASES or isinstance(m.facts.table.find(name), (ModuleFact, OptimizerFact))


def is_known(m: Vm, name: str) -> bool:
    """Whether a dotted name is a class or function with a model or a fact."""
    return name in FUNCTIONS or name in BASES or m.facts.table.find(name) is not None


def names(facts: Facts) -> Iterator[str]:
    """The dotted names of all functions and classes with a model or a fact."""
    yield from facts.table.names()
    yield from FUNCTIONS
    yield from BASES


@cache
def libraries(facts: Facts) -> frozenset[str]:
    """The top-level names of all libraries with models or facts."""
    known = (*names(facts), *RESOLVERS, *CALLERS, *MODES, *(cls for cls, _ in METHODS))
    return frozenset(name.partition(".")[0] for name in known)


CONTENTS = {
    "dict": "dict",
    "collections.OrderedDict": "dict",
    "collections.UserDict": "dict",
    "collections.defaultdict": "dict",
    "collections.Counter": "dict",
    "set": "set",
    "list": "list",
    "collections.UserList": "list",
    "collections.deque": "deque",
}
"""Containers that a class of the program may derive from, and what its objects hold then."""


def class_named(m: Vm, name: str) -> ClassV:
    """The library class of a dotted name, made when it is first asked for."""
    known: ClassV | None = m.library.get(name)
    if known is None:
        fact = m.facts.table.find(name)
        if name in BASES:
            bases = BASES[name]
        elif isinstance(fact, ModuleFact):
            bases = ("torch.nn.Module",)
        elif isinstance(fact, OptimizerFact):
            bases = ("torch.optim.Optimizer",)
        else:
            bases = ("?",) if name not in ("?", "object", "type") and name not in CONTENTS else ()
        known = ClassV(name.rsplit(".", 1)[-1], tuple(class_named(m, b) for b in bases), name)
        m.library[name] = known
    return known


def attribute(m: Vm, v: Instance, name: str) -> Value:
    """An attribute that the object has from one of its library classes; ABSENT if there is none."""
    inner = contents(v)
    if inner is not v and (hasattr(list, name) or hasattr(dict, name) or hasattr(deque, name)):
        return Bound(Lib(f"{'collections.deque' if inner.kind == 'deque' else inner.kind}.{name}"), inner)
    for c in v.cls.mro:
        if c.node is not None:
            continue
        found = PROPERTIES.get((c.qualname, name))
        if found is not None:
            return found(m, v)
        f = method(m, c.qualname, name)
        if f is not None:
            return Bound(Builtin(f"{c.qualname}.{name}", f), v)
    return ABSENT


def class_attribute(m: Vm, v: ClassV, name: str) -> Value:
    """A method of a library class, read from the class."""
    for c in v.mro:
        f = constructor(m, c.qualname) if name == "__init__" else method(m, c.qualname, name)
        if f is not None:
            return Builtin(f"{c.qualname}.{name}", f)
        f = FUNCTIONS.get(f"{c.qualname}.{name}")
        if f is not None:
            return Bound(Builtin(f"{c.qualname}.{name}", f), v)
    return ABSENT


def inherited(m: Vm, v: Instance, name: str) -> Value:
    """An attribute of a library base that `super()` asks for."""
    found = attribute(m, v, name)
    return found if found is not ABSENT else Unknown(f"super().{name}")


def prepare(m: Vm, obj: Instance) -> None:
    """Set what every object of a library's class has before its constructor runs."""
    if obj.cls.derives("torch.nn.Module"):
        obj.attributes["training"] = True
    hold(obj)


def hold(obj: Instance, open_: bool = False) -> None:
    """Give an object whose class derives from a container its contents: none, or with `open_` unknown ones."""
    kind = next((CONTENTS[c.qualname] for c in obj.cls.mro if c.qualname in CONTENTS), None)
    if kind is None:
        return
    inner = ListV(kind=kind) if kind in ("list", "deque") else DictV(kind=kind)
    obj.model_state["contents"] = inner
    inner.open = open_
    if isinstance(inner, DictV):
        inner.counts = obj.cls.derives("collections.Counter")
    if obj.cls.derives("collections.UserDict") or obj.cls.derives("collections.UserList"):
        obj.attributes["data"] = inner


def constructor(m: Vm, cls: str) -> Model | None:
    """The constructor of exactly this library class: that of a model, or of a module or optimizer with a fact."""
    return METHODS.get((cls, "__init__")) or _from_fact(m, cls, "__init__")


def construct(m: Vm, obj: Instance, args: Args) -> None:
    """Run the constructor that a library's class gives the object."""
    for c in obj.cls.mro:
        init = constructor(m, c.qualname)
        if init is not None:
            init(m, args.prepend(obj))
            return
    for i, v in enumerate(args.pos):
        obj.model_state[i] = v
    obj.model_state.update(args.kw)


def iterator(cls: ClassV) -> Callable[[Vm, Instance], Seq] | None:
    """How objects of a library's class are iterated over."""
    return next((ITERATORS[c.qualname] for c in cls.mro if c.qualname in ITERATORS), None)


def stream(m: Vm, v: Instance) -> Value:
    """The generator behind iterating over an object of a library's class; None if there is none."""
    give = next((STREAMS[c.qualname] for c in v.cls.mro if c.qualname in STREAMS), None)
    with suppress(Unbuilt):
        return None if give is None else give(m, v)
    return None


def length(m: Vm, v: Instance) -> Value:
    """`len()` of an object of a library's class; None if its model has none."""
    f = next((LENGTHS[c.qualname] for c in v.cls.mro if c.qualname in LENGTHS), None)
    try:
        return f(m, v) if f is not None else None
    except Unbuilt:
        return Unknown("a length", number=True)

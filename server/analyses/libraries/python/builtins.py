"""Python's builtin functions on single values: their types, their attributes, and constructors."""

from __future__ import annotations

import builtins
from contextlib import suppress
from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.known import is_constant, is_large, is_number, key_of
from ...domain.paths import Raised
from ...domain.registry import METHODS, class_named, is_class, method_of, model, property_of
from ...domain.values import (
    ABSENT,
    CALLABLES,
    Args,
    ClassV,
    DictV,
    Instance,
    Lib,
    ListV,
    Object,
    Phi,
    Property,
    SliceV,
    Unknown,
    Value,
)
from ...python import attributes, conditions, containers, enumerations, functions, library, sequences, spellings
from ...python import (
    constants as plain,
)
from ...python.annotations import unquoted
from ...python.types import check, derives, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine


def unknown_of(name: str, args: Args, number: bool = False) -> Unknown:
    """The unknown result of a pure function, a number if it returns numbers: equal for equal arguments."""
    return Unknown(f"{name}(…)", (name, *(key_of(a) for a in args)), number=number)


@model("id")
def identity(m: Machine, args: Args) -> Value:
    """`id(v)`: a different number for each object."""
    return m.state.each(args[0], lambda v: v.uid if isinstance(v, Object) else unknown_of("id", args))


def computed(m: Machine, name: str, f: Callable[..., Value], args: Args, number: bool = False) -> Value:
    """A function of Python that changes nothing: it is computed if all its arguments are known."""
    with suppress(plain.NotPlain):
        if not args.open:
            return plain.compute(m, f, args.pos, args.kw)
    return unknown_of(name, args, number)


@model("hash")
def pure(m: Machine, args: Args) -> Value:
    """Functions whose result differs from run to run; the hash of a number doesn't."""
    v = m.state.resolve(args[0]) if args.pos else None
    own = attributes.special(m, v, "__hash__")
    if own is not None:
        return m.call(own, Args(site=m.here.site))
    return hash(v) if isinstance(v, int) else unknown_of("pure", args)


def _folded(name: str, f: Callable[..., Value]) -> None:
    def run(m: Machine, args: Args) -> Value:
        def known(inner: Args) -> Value:
            pos = [m.state.resolve(v) for v in inner.pos]
            if pos and isinstance(pos[0], Instance) and (own := attributes.special(m, pos[0], f"__{name}__")):
                return m.call(own, Args(pos[1:], site=m.here.site))
            if name in ("abs",) and pos and isinstance(pos[0], Tensor):
                return m.call(Lib("torch.abs"), Args([pos[0]]))
            if name == "pow" and pos and isinstance(pos[0], Tensor):
                return m.call(Lib("torch.pow"), Args(pos))
            return computed(m, name, f, inner)

        from ...operators.calls_by_name import split

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
            return m.call(own, Args(site=m.here.site))
        if isinstance(v, Tensor):
            return Unknown("a number", number=True)
        if isinstance(v, enumerations.Member):
            v = enumerations.value_of(v)
        if isinstance(v, Unknown) and type(v.usual) is f:  # it is what its default is, most likely
            return v
        return computed(m, name, f, Args([v, *args.pos[1:]], args.kw, args.open), number=True)

    model(name)(run)


NUMBERS: dict[str, Callable[..., Value]] = {"int": int, "float": float, "complex": complex}
for _name, _f in NUMBERS.items():
    _number(_name, _f)


@model("bool")
def bool_(m: Machine, args: Args) -> Value:
    """`bool(v)`."""
    return conditions.truth(m, args.get(0, "x", False))


@model("str")
def str_(m: Machine, args: Args) -> Value:
    """`str(v)`."""
    v = m.state.resolve(args.get(0, "object", ""))
    for name in ("__str__", "__repr__"):
        own = attributes.special(m, v, name)
        if own is not None:
            return m.call(own, Args(site=m.here.site))
    if isinstance(v, Instance) and v.cls.derives("BaseException"):
        given = v.model_state.get("args")
        return str_(m, Args(list(given))) if isinstance(given, tuple) and len(given) < 2 else Unknown("an error's text")
    return computed(m, "str", str, Args([v, *args.pos[1:]]))


@method_of("BaseException", "__init__")
def exception_init(m: Machine, args: Args) -> Value:
    """An exception keeps its arguments; some of Python's exceptions require some."""
    cls = getattr(builtins, args[0].cls.qualname, None)
    if isinstance(cls, type) and len(args.pos) == 1 and not args.open:
        try:
            cls()
        except TypeError:
            raise Raised(None, "TypeError") from None
    args[0].model_state["args"] = tuple(args.pos[1:]) if not args.open else Unknown("an error's arguments")
    return None


@property_of("BaseException", "args")
def exception_args(m: Machine, v: Instance) -> Value:
    """`error.args`."""
    return v.model_state.get("args", Unknown("an error's arguments"))


@model("print", "breakpoint", "input", "open", "exec", "compile")
def nothing(m: Machine, args: Args) -> Value:
    """Functions that change no tensor and run no code of the program."""
    return Unknown("a value")


@model("eval")
def eval_(m: Machine, args: Args) -> Value:
    """`eval(text)` of a dotted name is what that name stands for; no other text is evaluated."""
    text = m.state.resolve(args.get(0, "expression"))
    path = unquoted(text, m.here.site.node) if isinstance(text, str) and len(args.pos) == 1 else None
    return m.eval(path) if path is not None else Unknown("a value")


@model("list", "collections.UserList")
def list_(m: Machine, args: Args) -> Value:
    """`list(v)`."""
    made = ListV()
    if args.pos:
        sequences.extend(m, made, args[0])
    return made


@model("collections.deque")
def deque(m: Machine, args: Args) -> Value:
    """`deque(v, maxlen)`."""
    made = ListV(kind="deque")
    maxlen = args.get(1, "maxlen")
    made.maxlen = maxlen if isinstance(maxlen, int) else None
    if args.pos:
        sequences.extend(m, made, args[0])
    return made


@model("tuple")
def tuple_(m: Machine, args: Args) -> Value:
    """`tuple(v)`."""
    if not args.pos:
        return ()
    v = m.state.resolve(args[0])
    if isinstance(v, tuple):
        return v
    seq = sequences.sequence(m, v)
    if not seq.open:
        return tuple(seq.known())
    made = ListV(tuple(seq.known()), "tuple")
    made.open = True
    return made


@model("set", "frozenset", "weakref.WeakSet")
def set_(m: Machine, args: Args) -> Value:
    """`set(v)`."""
    made = DictV(kind="set")
    if args.pos:
        seq = sequences.sequence(m, args[0])
        for v in seq.known():
            sequences.add(m, made, v, v)
        made.open = made.open or seq.open
    return made


@model("dict", "collections.OrderedDict", "collections.UserDict", "types.MappingProxyType",
       "weakref.WeakValueDictionary", "weakref.WeakKeyDictionary")  # fmt: skip
def dict_(m: Machine, args: Args) -> Value:
    """`dict(v, **kw)`."""
    made = DictV()
    if args.pos:
        sequences.update(m, made, args[0])
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
    for k in sequences.sequence(m, args[0]).known():
        sequences.add(m, made, k, args.get(1, "value"))
    return made


@model("slice")
def slice_(m: Machine, args: Args) -> Value:
    """`slice(…)`."""
    if len(args.pos) == 1:
        return SliceV(None, m.state.resolve(args[0]), None)
    return SliceV(*(m.state.resolve(v) for v in (args[0], args[1], args.get(2, "step"))))


@method_of("slice", "indices")
def indices(m: Machine, args: Args) -> Value:
    """`s.indices(n)`: start, stop and step for a sequence of that length."""
    known, n = containers.as_slice(args[0]), m.state.resolve(args.get(1, "len"))
    if known is None or not isinstance(n, int) or n < 0:
        return Unknown("indices")
    if known.step == 0:
        raise Raised(None, "ValueError")
    return known.indices(n)


@model("isinstance")
def isinstance_(m: Machine, args: Args) -> Value:
    """`isinstance(v, cls)`."""
    return check(m, args[0], args[1]) if len(args.pos) > 1 else Unknown("a type")


TENSOR = {"torch.Tensor", "object"}
PARAMETER = TENSOR | {"torch.nn.Parameter", "torch.nn.parameter.Parameter"}
LINES: dict[str | None, set[str]] = {
    "torch.Tensor": TENSOR,
    "torch.nn.Parameter": PARAMETER,
    "torch.nn.parameter.Parameter": PARAMETER,
    "numpy.ndarray": {"numpy.ndarray", "object"},
}
"""Classes that programs tell apart and that have no model, each with all that it derives from, itself included."""


def is_plain(m: Machine, cls: Value) -> bool:
    """Whether a class is known, and none that others can be registered with."""
    if isinstance(cls, ClassV) and cls.node is not None:
        return cls.meta is None and cls.lookup("__subclasshook__") is ABSENT
    name = named(cls)
    return name in LINES or (name is not None and is_class(m, name))


@model("issubclass")
def issubclass_(m: Machine, args: Args) -> Value:
    """`issubclass(a, b)`; `b` may be several classes."""
    a, b = m.state.resolve(args[0]), m.state.resolve(args[1])
    if isinstance(b, tuple):
        if is_large(b):
            return Unknown("a type")
        answers = [issubclass_(m, Args([a, one])) for one in b]
        return next((v for v in answers if v is True), next((v for v in answers if v is not False), False))
    types = [getattr(builtins, v.name, None) if isinstance(v, Lib) else None for v in (a, b)]
    if all(isinstance(t, type) for t in types):
        return plain.called(issubclass, types, {})
    if (line := LINES.get(named(a))) and (types[1] or is_plain(m, b)):
        return named(b) in line
    if isinstance(a, Lib) and is_class(m, a.name):
        a = class_named(m, a.name)
    if isinstance(a, ClassV) and isinstance(b, (ClassV, Lib)):
        name = b.name if isinstance(b, Lib) else b.qualname if b.node is None else ""
        found = b in a.mro or derives(a, name) or name == "object"
        return found or (Unknown("a type") if a.open or not (a.bases or a.node) else False)
    return Unknown("a type")


@model("callable")
def callable_(m: Machine, args: Args) -> Value:
    """`callable(v)`."""
    v = m.state.resolve(args[0])
    if isinstance(v, Phi):
        return m.state.each(v, lambda one: callable_(m, Args([one])))
    if isinstance(v, CALLABLES):
        return True
    if is_constant(v) or is_number(v) or isinstance(v, (Tensor, tuple, ListV, DictV)):
        return False
    if isinstance(v, Instance):
        return v.cls.derives("torch.nn.Module") or v.cls.lookup("__call__") is not ABSENT
    return Unknown("callable", ("callable", key_of(v)))


@model("globals")
def globals_(m: Machine, args: Args) -> Value:
    """`globals()`: the names of the running module; storing an item there binds a name."""
    return DictV(m.frame.globals.variables)


@model("locals")
def locals_(m: Machine, args: Args) -> Value:
    """`locals()`: a copy of the running function's names; in a module or class body, the names themselves."""
    return DictV(m.frame.variables if m.frame.function is None else dict(m.frame.variables))


@model("vars")
def vars_(m: Machine, args: Args) -> Value:
    """`vars(obj)`: its `__dict__`."""
    return attributes.get(m, args[0], "__dict__") if args.pos else locals_(m, args)


@model("dir")
def dir_(m: Machine, args: Args) -> Value:
    """`dir()`; that of an object isn't known completely."""
    return Unknown("names") if args.pos else ListV(tuple(sorted(k for k in m.frame.variables if isinstance(k, str))))


@model("hasattr")
def hasattr_(m: Machine, args: Args) -> Value:
    """`hasattr(v, name)`."""
    name = m.state.resolve(args[1])
    return attributes.has(m, args[0], name) if isinstance(name, str) else Unknown("an attribute")


@model("getattr")
def getattr_(m: Machine, args: Args) -> Value:
    """`getattr(v, name, default)`."""
    name = m.state.resolve(args[1])
    if isinstance(name, Phi):
        return m.state.each(name, lambda n: getattr_(m, Args([args[0], n, *args.pos[2:]])))
    if isinstance(name, Unknown) and isinstance(name.usual, str):
        usual = getattr_(m, Args([args[0], name.usual, *args.pos[2:]]))
        return m.state.merge(containers.at(m, name, name.usual), usual, Unknown("an attribute"))
    if isinstance(name, Unknown) and (found := spellings.attribute(m, m.state.resolve(args[0]), name)) is not None:
        return found
    if not isinstance(name, str):
        return Unknown("an attribute")
    if len(args.pos) > 2:
        has = attributes.has(m, args[0], name)
        if has is False:
            return args[2]
        try:
            found = attributes.get(m, args[0], name)
        except Raised as error:
            if error.name != "AttributeError":
                raise
            return args[2]
        if isinstance(found, Unknown) and has is not True:
            return functions.or_option(m, Unknown(name, ("getattr", key_of(args[0]), name)), args[2])
        return found
    return attributes.get(m, args[0], name)


@model("setattr")
def setattr_(m: Machine, args: Args) -> Value:
    """`setattr(v, name, value)`."""
    name = m.state.resolve(args[1])
    if isinstance(name, str):
        attributes.set_(m, args[0], name, args[2])
    return None


@model("delattr")
def delattr_(m: Machine, args: Args) -> Value:
    """`delattr(v, name)`."""
    name = m.state.resolve(args[1])
    if isinstance(name, str):
        attributes.delete(m, args[0], name)
    return None


@model("property")
def property_(m: Machine, args: Args) -> Value:
    """`property(fget, fset)`."""
    return Property(args.get(0, "fget", None), args.get(1, "fset", None))


@model("type")
def type_(m: Machine, args: Args) -> Value:
    """`type(v)`."""
    v = m.state.resolve(args[0])
    if isinstance(v, Instance):
        return v.cls
    if isinstance(v, Tensor):
        return library.resolve(m, "torch.nn.Parameter" if v.is_parameter else "torch.Tensor")
    if len(args.pos) > 2:
        return type_new(m, args.prepend(None))
    if isinstance(v, ClassV):
        return v.meta if v.meta is not None else Lib("type")
    if isinstance(v, Lib):
        return Lib("type") if is_class(m, v.name) else Unknown("a type", ("type", v.name))
    if isinstance(v, Unknown):
        return Unknown("a type", ("type", key_of(v)))
    return Lib(attributes.kind_of(v))


@method_of("type", "__new__")
def type_new(m: Machine, args: Args) -> Value:
    """`type.__new__(meta, name, bases, namespace)`: what a `class` statement makes."""
    from ...python import classes

    name, bases, names = (m.state.resolve(args.get(at, of)) for at, of in enumerate(("name", "bases", "dict"), 1))
    if not isinstance(names, DictV) or not isinstance(name, str):
        return Unknown("a class")
    cls = names.cls if isinstance(names, classes.Namespace) else None
    if cls is None:
        cls = ClassV(name, tuple(classes.base_class(m, b) for b in sequences.sequence(m, bases).known()), name)
    classes.complete(m, cls, names.items, args.kw)
    return cls


@method_of("type", "__call__")
def type_call(m: Machine, args: Args) -> Value:
    """`type.__call__(cls, …)`: an object of the class."""
    from ...python import classes

    cls = m.state.resolve(args[0])
    if not isinstance(cls, ClassV):
        return Unknown("an object")
    return classes.construct(m, cls, Args(args.pos[1:], args.kw, args.open, args.site))


for _name, _model in attributes.OBJECT.items():
    METHODS["object", _name] = _model
METHODS["object", "__new__"] = attributes.new_object


@model("super")
def super_(m: Machine, args: Args) -> Value:
    """`super(cls, self)`."""
    from ...domain.values import Super

    cls, obj = m.state.resolve(args[0]), m.state.resolve(args[1])
    return Super(cls, obj) if isinstance(cls, ClassV) else Unknown("super()")


@model("exit", "quit", "sys.exit", "os._exit", "os.abort")
def exit_(m: Machine, args: Args) -> Value:
    """The program ends."""
    raise Raised(None, "SystemExit")

"""`isinstance`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Tensor
from ..domain.known import is_large, key_of
from ..domain.values import (
    ABSENT,
    FIELDS,
    Bound,
    Builtin,
    ClassV,
    DictV,
    FunctionV,
    Generator,
    Instance,
    Lib,
    ListV,
    Partial,
    Phi,
    SliceV,
    Unknown,
    Value,
    Wrapped,
)
from ..operators.arrays import NDArray
from ..operators.module_classes import ABOVE
from ..operators.types import TENSORS, dtype_of

if TYPE_CHECKING:
    from .machine import Machine

SIZED = {"list", "tuple", "dict", "set", "str", "bytes", "range", "collections.deque", "tensor"}

ABSTRACT = {
    "Sequence": {"list", "tuple", "str", "bytes", "range", "collections.deque"},
    "MutableSequence": {"list", "collections.deque"},
    "Reversible": {"list", "tuple", "dict", "str", "bytes", "range", "collections.deque"},
    "Mapping": {"dict"},
    "MutableMapping": {"dict"},
    "OrderedDict": {"dict"},
    "defaultdict": {"dict"},
    "Set": {"set"},
    "AbstractSet": {"set"},
    "MutableSet": {"set"},
    "frozenset": {"set"},
    "Hashable": {
        "str", "bytes", "int", "float", "bool", "complex", "NoneType", "tuple", "range", "ellipsis",
        "function", "class", "generator", "iterator", "tensor",
    },
    "Iterable": {*SIZED, "generator", "iterator"},
    "Sized": SIZED,
    "Container": SIZED,
    "Collection": SIZED,
    "Number": {"int", "float", "complex", "bool"},
    "Complex": {"int", "float", "complex", "bool"},
    "Real": {"int", "float", "bool"},
    "Rational": {"int", "bool"},
    "Integral": {"int", "bool"},
    "Callable": {"function", "class", "module"},
    "Iterator": {"generator", "iterator"},
    "Generator": {"generator"},
    "deque": {"collections.deque"},
    "int": {"int", "bool"},
    "Size": {"torch.Size"},
    "EllipsisType": {"ellipsis"},
    "List": {"list"},
    "Dict": {"dict"},
    "Tuple": {"tuple"},
    "Text": {"str"},
}  # fmt: skip

HOOKED = {
    "Hashable": (),
    "Callable": ("__call__",),
    "Iterable": ("__iter__",),
    "Iterator": ("__iter__", "__next__"),
    "Sized": ("__len__",),
    "Container": ("__contains__",),
    "Collection": ("__len__", "__iter__", "__contains__"),
    "Reversible": ("__reversed__", "__iter__"),
}
"""Abstract classes that an object is of if its class has these methods, whatever it derives from."""

INTERFACES = ("collections.abc.", "typing.", "numbers.")

METACLASSES = {
    "type": "object",
    "abc.ABCMeta": "abc.ABC",
    "enum.EnumMeta": "enum.Enum",
    "enum.EnumType": "enum.Enum",
}
"""Metaclasses, each with the class whose subclasses are of it."""


NO_NUMBERS = frozenset({"str", "bytes", "list", "tuple", "dict", "set", "torch.Tensor", "torch.nn.Module"})
"""Types that an unknown number is not of."""


def type_name(v: Value) -> str | None:
    """The name of a value's built-in type."""
    if isinstance(v, Tensor):
        return "tensor"
    if isinstance(v, (ListV, DictV)):
        return {"deque": "collections.deque"}.get(v.kind, v.kind)
    if isinstance(v, (FunctionV, Bound, Builtin, Partial, Wrapped)):
        return "function"
    if isinstance(v, (ClassV, Lib)):
        return "class"
    if isinstance(v, Generator):
        return "generator"
    if isinstance(v, NDArray):
        return "numpy.ndarray"
    if isinstance(v, tuple):
        return "tuple"
    if isinstance(v, SliceV):
        return "slice"
    if v is None or v is Ellipsis:
        return type(v).__name__
    return next((kind.__name__ for kind in PLAIN if isinstance(v, kind)), None)


PLAIN = (bool, int, float, str, bytes, complex, range)
"""The types of constants; the members of an enumeration may derive from one."""


def check(m: Machine, v: Value, cls: Value) -> Value:
    """`isinstance(v, cls)`: True, False or an Unknown."""
    v, cls = m.state.resolve(v), m.state.resolve(cls)
    if isinstance(v, Phi):
        return m.state.each(v, lambda one: check(m, one, cls))
    if isinstance(cls, (tuple, ListV)):
        items = cls if isinstance(cls, tuple) else m.state.tuple_of(cls.items)
        if isinstance(v, Unknown) and v.number and {named(c) for c in items} >= {"int", "float"}:
            return True
        if is_large(items) or (isinstance(cls, ListV) and cls.kind == "list"):
            return Unknown("its type")
        answers = [check(m, v, c) for c in items]
        if any(a is True for a in answers):
            return True
        return next((a for a in answers if a is not False), False)
    if isinstance(v, Unknown) or not isinstance(cls, (ClassV, Lib)):
        if isinstance(v, Unknown) and v.number and named(cls) in NO_NUMBERS:
            return False
        if isinstance(v, Unknown) and m.is_used(v) and TENSORS.get(named(cls) or "") is None:
            return isinstance(cls, (ClassV, Lib)) and named(cls) in TENSORS
        return Unknown("its type", ("isinstance", key_of(v), named(cls) or key_of(cls)))
    return known(v, cls)


def named(cls: Value) -> str | None:
    """The dotted name of a class."""
    if isinstance(cls, ClassV):
        return cls.qualname
    return cls.name if isinstance(cls, Lib) else None


def has_all(v: Instance, protocol: ClassV) -> Value:
    """Whether an object has the names of a protocol, which is all that `@runtime_checkable` asks for."""
    names = {
        k
        for c in protocol.mro
        if c.node is not None
        for k in (*c.attributes, *c.attributes.get(FIELDS, ()))
        if is_public(k)
    }
    if all(k in v.attributes or v.cls.lookup(k) is not ABSENT for k in names):
        return True
    return Unknown("its type", ("isinstance", v.uid, protocol.uid)) if v.cls.open else False


def is_public(name: Value) -> bool:
    """Whether a name of a protocol is one that its implementations must have."""
    return isinstance(name, str) and (not name.startswith("_") or name in ("__call__", "__len__", "__iter__"))


def derives(cls: ClassV, name: str) -> bool:
    """Whether a class derives from one with that dotted name, which may be a private one of PyTorch."""
    return cls.derives(name) or any(name in ABOVE.get(c.qualname, ()) for c in cls.mro)


def known(v: Value, cls: ClassV | Lib) -> Value:
    """`isinstance` of a value whose type is known."""
    name = named(cls) or ""
    if isinstance(v, Tensor) and name in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
        return bool(v.is_parameter)
    if isinstance(v, Tensor) and name in TENSORS:
        return of_tensor(v, name)
    if name == "torch.dtype":
        return dtype_of(v) is not None
    own = getattr(v, "cls", None)
    if isinstance(own, ClassV):
        if cls in own.mro or derives(own, name):
            return True
        if isinstance(v, Instance):
            return of_object(v, cls, name)
    if isinstance(v, ClassV) and name in METACLASSES:
        return v.derives(METACLASSES[name]) or name == "type"
    return of_builtin(v, name)


def of_tensor(v: Tensor, name: str) -> Value:
    """`isinstance` of a tensor and `torch.Tensor`, or a class for one dtype and device such as `torch.FloatTensor`."""
    dtype = TENSORS[name]
    if dtype is None:
        return True
    return False if v.dtype not in (None, dtype) else Unknown("its device", ("isinstance", v.uid, name))


def of_object(v: Instance, cls: ClassV | Lib, name: str) -> Value:
    """`isinstance` of an object whose class isn't derived from `cls`: by what protocols and interfaces ask for."""
    own = v.cls
    if isinstance(cls, ClassV) and cls.derives("typing.Protocol"):
        return has_all(v, cls)
    if name.endswith("Callable") and own.derives("torch.nn.Module"):
        return True
    methods = HOOKED.get(name.rpartition(".")[2]) if name.startswith(INTERFACES) else None
    if methods is not None and all(own.lookup(one) is not ABSENT for one in methods):
        return True
    told = "." not in name or (isinstance(cls, ClassV) and cls.node is not None)
    told = told and not own.derives("?")  # else it may derive from what no model tells of
    return Unknown("its type", ("isinstance", v.uid, name)) if own.open and not told else False


def of_builtin(v: Value, name: str) -> Value:
    """`isinstance` of a value of one of Python's own types."""
    kind = type_name(v)
    short = name.rsplit(".", 1)[-1]
    if kind is None:
        return False
    if name.startswith("types.") and kind in ("function", "generator", "class"):
        if kind == "generator":
            return name == "types.GeneratorType"
        return Unknown("its type", ("isinstance", key_of(v), name))
    if kind == "tuple" and name == "torch.Size":
        return Unknown("its type", ("isinstance", "torch.Size", key_of(v)))  # sizes are kept as tuples
    if short not in ABSTRACT and name.startswith(INTERFACES):
        return Unknown("its type", ("isinstance", key_of(v), name))
    return kind in (short, name) or kind in ABSTRACT.get(short, ()) or name == "object"

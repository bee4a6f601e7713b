"""Reading, setting and deleting attributes of all kinds of values."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ...syntax import ir
from ...syntax.statements import docstring
from ..autograd.tensors import Tensor
from ..domain import registry
from ..domain.known import key_of
from ..domain.paths import Raised
from ..domain.values import (
    ABSENT,
    DATACLASS,
    FIELDS,
    SUBCLASSES,
    Args,
    Bound,
    Builtin,
    ClassMethod,
    ClassV,
    DictV,
    Frame,
    FunctionV,
    Generator,
    Instance,
    Iterator_,
    Lib,
    ListV,
    ModuleV,
    Partial,
    Phi,
    Property,
    SliceV,
    StaticMethod,
    Super,
    Unknown,
    Value,
    Wrapped,
    contents,
)
from ..operators import arrays
from ..operators import attributes as tensor_attributes
from ..operators.arrays import NDArray
from ..operators.types import dtype_of
from ..shapes.dtypes import is_complex, is_floating
from . import decorators, enumerations, functions, guesses, imports, library

if TYPE_CHECKING:
    from collections.abc import Callable

    from .machine import Machine


def get(m: Machine, v: Value, name: str) -> Value:
    """`v.name`."""
    v = m.state.resolve(v)
    return READERS.get(type(v), builtin_method)(m, v, name)


def of_choice(m: Machine, v: Phi, name: str) -> Value:
    """The attribute of each of several values, joined."""
    return m.state.each(v, lambda one: get(m, one, name))


def of_library(m: Machine, v: Lib, name: str) -> Value:
    """What a library's dotted name stands for with one more part; `torch.float32.is_floating_point` is computed."""
    if name == "__dict__" and (members := m.facts.members.of(v.name)):
        found = DictV({one: library.resolve(m, f"{v.name}.{one}") for one in members})
        found.open = True
        return found
    dtype = dtype_of(v) if name in KINDS else None
    return KINDS[name](dtype) if dtype is not None else library.resolve(m, f"{v.name}.{name}")


def of_unknown(m: Machine, v: Unknown, name: str) -> Value:
    """An attribute of an unknown value, which may show that it is a tensor."""
    if v.data:
        return of_data(m, v, name)
    own = v.own
    field = own.attributes.get(name) if own is not None and is_field(own, name) else None
    if v.number or (own is not None and guesses.tells_type(own, name, guesses.NUMBERS)):
        default = field if isinstance(field, (int, float)) else None
        return Unknown(f"{v.why}.{name}", ("attr", v.key, name), number=True, usual=default)
    if guesses.tells_tensor(m, v, name):
        return tensor_attributes.get(m, m.sure_tensor(v), name)
    if name == "data" and guesses.is_gradient(v):
        return tensor_attributes.get(m, m.sure_tensor(v), name)
    if name == "requires_grad_":
        return Builtin(name, partial(switch, v))
    usual = functions.option(m, field)
    if usual is not None and not isinstance(usual, str):
        return usual
    history = None if name in guesses.OF_NO_GRAPH else v.history
    why = f"{v.why}.{name}" if v.why else ""
    came_in = v.parameter or (own is not None and guesses.tells_type(own, name, guesses.TENSORS))
    if name in guesses.CHANGING:
        m.forget_items(v)
    read = Unknown(why, ("attr", v.key, name), came_in, history=history, usual=usual, within=v.within)
    read.number = name == "shape"
    read.of = v if name in guesses.TOLD_BY_CALLS else None
    return m.part(read)


def of_partial(m: Machine, v: Partial, name: str) -> Value:
    """An attribute of `functools.partial(f, …)`."""
    return v.function if name == "func" else of_function(m, v, name)


def of_array(m: Machine, v: NDArray, name: str) -> Value:
    """An attribute of a NumPy array."""
    found = arrays.attribute(v, name)
    if found is not ABSENT:
        return found
    shared = name.startswith("__") or name in guesses.OF_ARRAYS or name in guesses.OF_OTHERS
    if not shared and tensor_attributes.is_known(m, name):
        m.refused(f"an array has no {name}")
    return builtin_method(m, v, name)


def is_field(cls: ClassV, name: str) -> bool:
    """Whether an attribute is a field of a dataclass, which its constructor sets."""
    return DATACLASS in cls.attributes and name in cls.attributes.get(FIELDS, ())


KINDS = {"is_floating_point": is_floating, "is_complex": is_complex}
"""What a type of numbers says about itself."""


def switch(v: Unknown, m: Machine, args: Args) -> Value:
    """`v.requires_grad_(mode)` of a module or a tensor, which returns itself; a tensor has the flag then."""
    m.require_grad(m.as_tensor(v), m.state.resolve(args.get(0, "requires_grad", True)))
    return v


MOVES = frozenset({"to", "cuda", "cpu", "pin_memory"})
"""Attributes that containers of tensors share with tensors."""


def of_data(m: Machine, v: Unknown, name: str) -> Value:
    """An attribute of data from outside: a method that only tensors have shows that it is one."""
    if name in MOVES:
        return Builtin(name, lambda machine, args: v)
    if not hasattr(dict, name) and not hasattr(list, name) and tensor_attributes.is_known(m, name):
        return tensor_attributes.get(m, m.as_tensor(v), name)
    if name in guesses.CHANGING:
        m.forget_items(v)
    return m.part(Unknown(v.why, ("attr", v.key, name), data=True))


def builtin_method(m: Machine, v: Value, name: str) -> Value:
    """A method of a built-in type, as a library's name bound to its object."""
    named = getattr(v, "named", None)
    if named is not None:
        if name in named:
            return v[named.index(name)]
        if name == "_fields":
            return named
        found = v.cls.lookup(name) if v.cls is not None else ABSENT
        if found is not ABSENT:
            return bound(m, found, v)
    if isinstance(v, enumerations.Member):
        found = enumerations.of_member(m, v, name)
        if found is not ABSENT:
            return found
    kind = kind_of(v)
    if kind == "range" and name in ("start", "stop", "step"):
        return getattr(v, name)
    if isinstance(v, SliceV) and name in SLICE_PARTS:
        return getattr(v, SLICE_PARTS[name])
    if kind in ("int", "float", "complex") and name in ("real", "imag"):
        return getattr(v, name)
    if kind in PLAIN and not hasattr(PLAIN[kind], name):
        m.refused(f"{kind} has no {name}")
    return Bound(Lib(f"{kind}.{name}"), v)


SLICE_PARTS: dict[str, Literal["lower", "upper", "step"]] = {"start": "lower", "stop": "upper", "step": "step"}

PLAIN = {cls.__name__: cls for cls in (tuple, list, dict, set, str, int, float, bool, type(None))}
"""Built-in types whose attributes are all known."""


def kind_of(v: Value) -> str:
    """The name of a value's built-in type."""
    if isinstance(v, (ListV, DictV)):
        return {"deque": "collections.deque"}.get(v.kind, v.kind)
    if isinstance(v, NDArray):
        return "numpy.ndarray"
    if isinstance(v, Generator):
        return "generator"
    if isinstance(v, Iterator_):
        return "iterator"
    if isinstance(v, SliceV):
        return "slice"
    if isinstance(v, tuple):
        return "tuple"
    if isinstance(v, enumerations.Member):
        return "int" if isinstance(v, int) else "str"
    return type(v).__name__


def instance(m: Machine, v: Instance, name: str) -> Value:
    """An attribute of an object: its own, its class's, or that of its library's model."""
    if name == "__doc__":
        m.files.seen.update((one.attributes, name) for one in v.cls.mro)
    found = v.cls.lookup(name)
    if isinstance(found, Property) and (found.cached is None or name not in v.attributes):
        value = m.call(found.getter, Args([v], site=m.here.site))
        if found.cached is not None:
            m.state.set(v.attributes, name, value)
        return value
    if special(m, found, "__set__") is not None:
        return bound(m, found, v)
    own = v.attributes.get(name, ABSENT)
    if own is not ABSENT:
        return m.state.resolve(own)
    if found is not ABSENT:
        return bound(m, found, v)
    if name == "__class__":
        return v.cls
    if name == "__module__":
        return of_class(m, v.cls, name)
    if name == "__dict__":
        made = DictV(v.attributes)
        made.beside = guesses.IN_MODULES if v.cls.derives("torch.nn.Module") else made.beside
        return made
    model = registry.attribute(m, v, name)
    if model is not ABSENT:
        return model
    if name == "__doc__":
        return documentation(m, v.cls)
    getattr_ = special(m, v, "__getattr__")
    if getattr_ is not None and not hasattr(object, name) and not is_of_module(v, name):
        return m.call(getattr_, Args([name]))
    no_tensor(m, v.cls, name)
    expect(m, v, name)
    return Unknown(f"{v.cls.name}.{name}", ("attr", v.uid, name))


def is_of_module(v: Instance, name: str) -> bool:
    """Whether it is an attribute of every module that no model describes."""
    return name in guesses.OF_MODULES and v.cls.derives("torch.nn.Module")


SEEN_THROUGH = frozenset({"object", "torch.nn.Module", "abc.ABC", "typing.Generic", "typing.Protocol"})
"""Library classes whose attributes are all known."""


def expect(m: Machine, v: Value, name: str) -> None:
    """Raise AttributeError if a handler of the program expects it and the object certainly lacks the attribute."""
    if "AttributeError" not in m.expected or name.startswith("__"):
        return
    cls = v.cls if isinstance(v, Instance) else v
    seen = not isinstance(cls, ClassV) or (
        not cls.open and all(c.node is not None or c.qualname in SEEN_THROUGH for c in cls.mro)
    )
    if seen and has(m, v, name) is False:
        raise Raised(None, "AttributeError")


def no_tensor(m: Machine, cls: ClassV, name: str) -> None:
    """Note that an object lacks an attribute: it is of a class of the program, or tensors have such an attribute."""
    own = all(c.node is not None or c.qualname == "object" for c in cls.mro)
    if not cls.open and (own or tensor_attributes.is_known(m, name)):
        m.refused(f"{cls.name} has no {name}")


def bound(m: Machine, found: Value, v: Value) -> Value:
    """What a class attribute becomes when it is read through an object."""
    if isinstance(found, (FunctionV, Wrapped)):
        return Bound(found, v)
    if isinstance(found, Builtin) or (isinstance(found, Lib) and found.name.split(".")[0] in registry.CONTENTS):
        return Bound(found, v)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, ClassMethod):
        return Bound(found.function, v.cls if isinstance(v, Instance) else v)
    if isinstance(found, Property):
        return m.call(found.getter, Args([v], site=m.here.site))
    get = special(m, found, "__get__")
    if get is not None:
        return m.call(get, Args([v, v.cls] if isinstance(v, Instance) else [None, v], site=m.here.site))
    return m.state.resolve(found)


def of_class(m: Machine, v: ClassV, name: str) -> Value:
    """An attribute of a class."""
    if name == "__doc__":
        m.files.seen.update((one.attributes, name) for one in v.mro)
    found = v.lookup(name)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, (ClassMethod, Instance)):
        return bound(m, found, v)
    if found is not ABSENT:
        return m.state.resolve(found)
    if name in ("__name__", "__qualname__"):
        return v.name
    if name == "__bases__":
        return v.bases
    if name == "__doc__":
        return documentation(m, v)
    if name == "__module__" and v.frame is not None:
        return v.frame.globals.variables["__name__"]
    if name == "__new__":
        return Builtin(name, new_object)
    if name == "__subclasses__" and v.node is not None:
        return Builtin(name, lambda m, args: subclasses(m, v))
    of_meta = special(m, v, name)
    if of_meta is not None:
        return of_meta
    model = registry.class_attribute(m, v, name)
    if model is not ABSENT:
        return Builtin(model.name, partial(unbound, model, name)) if isinstance(model, Builtin) else model
    for c in v.mro:
        if c.node is None and c.qualname != "?":
            return library.resolve(m, f"{c.qualname}.{name}")
    expect(m, v, name)
    return Unknown(f"{v.name}.{name}", ("attr", v.uid, name))


def unbound(method: Builtin, name: str, m: Machine, args: Args) -> Value:
    """A call of a library's method by its class (`Optimizer.step(opt)`); unknown for an object of another class."""
    if not args.pos:
        return method.call(m, args)
    owner, rest = method.name.rpartition(".")[0], args.pos[1:]

    def on(obj: Value) -> Value:
        if isinstance(obj, Unknown):
            return m.call(get(m, obj, name), Args(rest, args.kw, args.open, args.site))
        if isinstance(obj, Instance):
            if owner != "object" and not obj.cls.derives(owner):
                return Unknown(f"{name}(…)")
        elif owner == "BaseException" or ("." in owner and not owner.startswith(OF_VALUES)):
            raise Raised(None, "TypeError")
        return method.call(m, Args([obj, *rest], args.kw, args.open, args.site, args.exprs))

    return m.state.each(args.pos[0], on)


OF_VALUES = ("torch.Tensor", "torch.Size", "numpy.", "collections.", "enum.", "abc.")
"""Classes of libraries, or beginnings of their names, whose objects the replay has as values of their own kinds."""


def documentation(m: Machine, v: ClassV | FunctionV) -> Value:
    """The docstring of a class or function, which no subclass inherits; unknown for one of a library."""
    node = v.node
    if node is None:
        return Unknown(f"{v.name}.__doc__", ("doc", v.uid))
    if isinstance(node, ir.FunctionDef):
        m.look_at(node)
    if isinstance(node, ir.Lambda) or not node.body:
        return None
    text = docstring(node.body)
    if text is not None:
        m.now.texts[node.body[0]] = text
    return text


def subclasses(m: Machine, cls: ClassV) -> ListV:
    """What derives from a class by now."""
    m.files.seen.add((cls.attributes, SUBCLASSES))
    return ListV(m.state.tuple_of(cls.attributes.get(SUBCLASSES, ())))


def of_module(m: Machine, v: ModuleV, name: str) -> Value:
    """A name of a module of the program, or a submodule."""
    if name == "__dict__":
        return DictV(v.frame.variables)
    found = imports.named(m, v, name)
    if found is not ABSENT:
        return m.state.resolve(found)
    return imports.below(m, v, name)


def of_super(m: Machine, v: Super, name: str) -> Value:
    """An attribute found after `v.cls` in the method resolution order of the object's class."""
    cls = v.self.cls if isinstance(v.self, Instance) else v.self
    if not isinstance(cls, ClassV):
        return Unknown(f"super().{name}")
    mro = cls.mro if v.cls in cls.mro or cls.meta is None else cls.meta.mro
    after = mro[mro.index(v.cls) + 1 :] if v.cls in mro else mro
    for i, c in enumerate(after):
        found = c.attributes.get(name, ABSENT)
        if found is not ABSENT:
            if name == "__init__" and isinstance(found, FunctionV) and any(is_unseen(m, one) for one in after[:i]):
                return Builtin(name, partial(cooperative, found, v.self))
            return bound(m, found, v.self)
        if c.node is None:
            model = registry.method(m, c.qualname, name)
            if model is None and name == "__init__":
                model = registry.constructor(m, c.qualname)
            if model is not None:
                method = Builtin(f"{c.qualname}.{name}", model)
                return method if name == "__new__" else Bound(method, contents(v.self))
    if name in ("__init__", "__init_subclass__", "__post_init__"):
        return Builtin(name, lambda m, args: None)
    if name == "__new__":
        return Builtin(name, new_object)
    if name in OBJECT:
        return Bound(Builtin(name, OBJECT[name]), v.self)
    if isinstance(v.self, Instance):
        return registry.inherited(m, v.self, name)
    return Unknown(f"super().{name}")


def is_unseen(m: Machine, cls: ClassV) -> bool:
    """Whether a class comes from a library and has an unknown constructor."""
    top, _, rest = cls.qualname.partition(".")
    known = cls.node is not None or top == "torch" or top in sys.stdlib_module_names
    return top == "?" or bool(rest and not known and registry.constructor(m, cls.qualname) is None)


def cooperative(f: FunctionV, self: Value, m: Machine, args: Args) -> Value:
    """`super().__init__(…)` behind an unseen base: the call is meant for that if it doesn't suit the next one."""
    args.pos.insert(0, self)
    return m.call(f, args) if functions.fits(f, args) else None


def new_object(m: Machine, args: Args) -> Value:
    """`object.__new__(cls)`."""
    cls = m.state.resolve(args[0])
    if not isinstance(cls, ClassV):
        return Unknown("an object")
    made = Instance(cls, m.here.site)
    registry.hold(made)
    return made


def set_directly(m: Machine, args: Args) -> Value:
    """`object.__setattr__(obj, name, value)`."""
    obj, name, value = (m.state.resolve(args.get(i, key)) for i, key in enumerate(("self", "name", "value")))
    if isinstance(name, str) and isinstance(obj, Instance):
        m.state.set(obj.attributes, name, value)
    return None


def get_directly(m: Machine, args: Args) -> Value:
    """`object.__getattribute__(obj, name)`: what `super().__getattr__` finds, or raises an error for."""
    obj, name = args[0], m.state.resolve(args[1])
    if not isinstance(obj, Instance) or not isinstance(name, str):
        return Unknown("an attribute")
    found = obj.attributes.get(name, ABSENT)
    if found is ABSENT:
        found = obj.cls.lookup(name)
        if found is ABSENT:
            raise Raised(None, "AttributeError")
        return bound(m, found, obj)
    return m.state.resolve(found)


def delete_directly(m: Machine, args: Args) -> Value:
    """`object.__delattr__(obj, name)`."""
    delete(m, args[0], m.state.pick(args[1]))
    return None


OBJECT = {
    "__setattr__": set_directly,
    "__getattribute__": get_directly,
    "__getattr__": get_directly,
    "__delattr__": delete_directly,
}
"""Methods of `object` that a class which overrides them calls for the real effect."""


def of_property(m: Machine, v: Property, name: str) -> Value:
    """`@p.setter` and its kin: the property with one more function."""
    if name == "setter":
        return Builtin(name, lambda m, args: Property(v.getter, args[0], v.cached))
    return Builtin(name, lambda m, args: v)


def of_function(m: Machine, v: Value, name: str) -> Value:
    """An attribute of a function: set by the program, or its name."""
    if name == "register" and isinstance(v, Wrapped) and v.by in decorators.DISPATCH:
        return Builtin(name, lambda m, args: decorators.register(m, v, args))
    inner = v
    while isinstance(inner, (Wrapped, Bound, Partial)):
        if name == "__self__" and isinstance(inner, Bound):
            return inner.self
        if name == "cache_clear" and isinstance(inner, Wrapped) and inner.by == decorators.CACHE:
            return Bound(Lib("dict.clear"), inner.data)
        inner = inner.function
    if isinstance(inner, FunctionV):
        if name == "__doc__":
            m.files.seen.add((inner.attributes, name))
        found = inner.attributes.get(name, ABSENT)
        if found is not ABSENT:
            return m.state.resolve(found)
        if name in ("__name__", "__qualname__"):
            return inner.name
        if name == "__module__":
            return inner.parent.globals.variables["__name__"]
        if name == "__doc__":
            return documentation(m, inner)
        if name == "__wrapped__":
            return inner
        if name == "__get__":
            return Builtin(name, lambda m, args: Bound(v, args[0]))
        if tensor_attributes.is_known(m, name):
            m.refused(f"{inner.name} has no {name}")
        expect(m, inner, name)
    return Unknown(name, ("attr", key_of(inner), name))


def set_(m: Machine, v: Value, name: str, value: Value) -> None:
    """`v.name = value`."""
    v = m.state.resolve(v)
    if isinstance(v, Phi):
        m.state.each(v, lambda one: set_(m, one, name, value))
    elif isinstance(v, Tensor):
        tensor_attributes.set_(m, v, name, value)
    elif isinstance(v, Instance):
        set_instance(m, v, name, value)
    elif isinstance(v, ModuleV):
        m.state.set(v.frame.variables, name, value)
    elif isinstance(v, (ClassV, FunctionV)):
        m.state.set(v.attributes, name, value)
    elif isinstance(v, Unknown) and name == "requires_grad":
        m.require_grad(m.as_tensor(v), m.state.resolve(value))
    elif isinstance(v, Unknown):
        m.set_part(Unknown(key=("attr", v.key, name)), m.state.resolve(value))
    elif name in getattr(v, "named", ()):
        m.refused(f"{name} of a named tuple can't be set")


def set_instance(m: Machine, v: Instance, name: str, value: Value) -> None:
    """Set an attribute of an object: through a property's setter, `__setattr__`, or in its dict."""
    if name == "__class__" and isinstance(value, ClassV):
        m.state.note(v, "cls", value)
        return
    found = v.cls.lookup(name)
    if isinstance(found, Property):
        if found.setter is not None:
            m.call(found.setter, Args([v, value]))
        return
    put = special(m, found, "__set__")
    if put is not None:
        m.call(put, Args([v, value]))
        return
    setattr_ = special(m, v, "__setattr__")
    if setattr_ is not None:
        m.call(setattr_, Args([name, value]))
        return
    if frozen(v) or replaces_parameter(m, v, name, value):
        m.refused(f"{v.cls.name}.{name} takes no other value")
    m.state.set(v.attributes, name, value)


def frozen(v: Instance) -> bool:
    """Whether an object's attributes can't be set: a frozen dataclass's."""
    return any(c.attributes.get(DATACLASS, {}).get("frozen") is True for c in v.cls.mro)


def replaces_parameter(m: Machine, v: Instance, name: str, value: Value) -> bool:
    """Whether a plain tensor would replace a Parameter, which a module refuses (`Module.__setattr__`)."""
    old, new = m.state.pick(v.attributes.get(name)), m.state.pick(value)
    replaced = isinstance(old, Tensor) and isinstance(new, Tensor) and bool(old.is_parameter and not new.is_parameter)
    return replaced and v.cls.derives("torch.nn.Module")


def delete(m: Machine, v: Value, name: str) -> None:
    """`del v.name`."""
    v = m.state.resolve(v)
    if isinstance(v, (Instance, ClassV, FunctionV)) and name in v.attributes:
        m.state.delete(v.attributes, name)


def has(m: Machine, v: Value, name: str) -> Value:
    """`hasattr(v, name)`: True, False or an Unknown."""
    v = m.state.resolve(v)
    if isinstance(v, Phi):
        return m.state.each(v, lambda one: has(m, one, name))
    known = instance_has(m, v, name) if isinstance(v, Instance) else other_has(m, v, name)
    return Unknown(f"whether it has {name}", ("hasattr", key_of(v), name)) if known is None else known


def instance_has(m: Machine, v: Instance, name: str) -> bool | None:
    """Whether an object has an attribute: its own, its class's, its library's, or what its `__getattr__` returns."""
    if name in v.attributes or v.cls.lookup(name) is not ABSENT or registry.attribute(m, v, name) is not ABSENT:
        return True
    if is_of_module(v, name):
        return True
    make = special(m, v, "__getattr__")
    if make is None:
        return None if v.cls.open else False
    try:
        m.call(make, Args([name]))
    except Raised as error:
        if error.name != "AttributeError":
            raise
        return False
    return True


def other_has(m: Machine, v: Value, name: str) -> bool | None:
    """Whether anything but an object has an attribute; None if that is unknown."""
    if isinstance(v, ClassV):
        found = v.lookup(name) is not ABSENT
        return found if found or (v.node is not None and not v.open) else None
    if isinstance(v, ModuleV):
        return imports.named(m, v, name) is not ABSENT
    if isinstance(v, Lib):
        return registry.is_known(m, f"{v.name}.{name}") or None
    if isinstance(v, (str, int, float, type(None), ListV, tuple)):
        return hasattr(list if isinstance(v, ListV) else type(v), name)
    if isinstance(v, FunctionV):
        return name in v.attributes or name in ("__name__", "__module__", "__call__", "__doc__")
    return tensor_attributes.has(m, v, name) if isinstance(v, Tensor) else None


def special(m: Machine, v: Value, name: str) -> Value:
    """A special method of an object's class (a class's metaclass), bound; None if it has none."""
    cls = v.cls if isinstance(v, Instance) else v.meta if isinstance(v, ClassV) else None
    found = cls.lookup(name) if cls is not None else ABSENT
    return bound(m, found, v) if found is not ABSENT else None


def zero_argument_super(m: Machine) -> Value:
    """`super()`: the class that the running method was defined in, and its first argument."""
    frame: Frame | None = m.frame
    while frame is not None:
        f = frame.function
        if f is not None and f.cls is not None:
            first = functions.first_parameter(f)
            self = m.state.resolve(frame.variables.get(first, ABSENT)) if first else ABSENT
            if self is not ABSENT:
                return Super(f.cls, self)
        frame = frame.parent
    return Unknown("super()")


READERS: dict[type[Any], Callable[[Machine, Any, str], Value]] = {
    Phi: of_choice,
    Tensor: tensor_attributes.get,
    Instance: instance,
    Lib: of_library,
    ClassV: of_class,
    ModuleV: of_module,
    Super: of_super,
    Unknown: of_unknown,
    Partial: of_partial,
    Property: of_property,
    FunctionV: of_function,
    Wrapped: of_function,
    Bound: of_function,
    Builtin: of_function,
    NDArray: of_array,
}
"""Who reads an attribute of a value, by its class; all others are values of Python's built-in types."""

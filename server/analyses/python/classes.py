"""Classes of the program: definition, dataclasses, construction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax import ir
from ..domain import registry
from ..domain.mixed import NamedTuple
from ..domain.modules import is_model
from ..domain.paths import Raised
from ..domain.steps import Members
from ..domain.values import (
    ABSENT,
    ABSTRACT,
    DATACLASS,
    FIELDS,
    GIVEN,
    SUBCLASSES,
    Args,
    Bound,
    ClassMethod,
    ClassV,
    DictV,
    Frame,
    FunctionV,
    Instance,
    Lib,
    Property,
    StaticMethod,
    Unknown,
    Value,
    Wrapped,
)
from ..operators.module_classes import FORWARDS
from . import attempts, attributes, decorators, enumerations, statements, unfinished, unseen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .machine import Machine


def define(m: Machine, s: ir.ClassDef) -> None:
    """`class`: run the body in a frame, make a class of its names, decorate, bind the name."""
    bases = tuple(base_class(m, m.eval(a.value)) for a in s.args if a.name is None and not a.star)
    keywords = {a.name: m.eval(a.value) for a in s.args if a.name is not None}
    cls = ClassV(s.name, unseen.completed(m, s, bases), f"{m.frame.globals.name}.{s.name}", s)
    meta = keywords.pop("metaclass", None)
    if isinstance(meta, ClassV) and (meta.node is not None or meta.derives("abc.ABCMeta")):
        cls.meta = meta
    frame = Frame(m.frame, m.frame.globals, "<class>")
    cls.frame, frame.defines = frame, cls
    if not is_model(s.chunk):
        m.look_at(s)
        if m.files.noting and m.now.key is s:
            cls.attributes = Members(m.files.seen, cls.uid)
    outer, m.frame = m.frame, frame
    try:
        statements.run_block(m, s.body)
    finally:
        m.frame = outer
    cls.attributes[FIELDS] = fields_of(m, s)
    cls.attributes[GIVEN] = given_of(s)
    m.here.chunk, m.here.node = s.chunk, s
    value = made_by(m, cls, Namespace(cls, frame.variables), keywords)
    for decorator in reversed(s.decorators):
        m.here.chunk, m.here.node = s.chunk, decorator
        value = decorators.decorate(m, m.eval(decorator), value)
    m.here.chunk, m.here.node = s.chunk, s
    m.state.set(m.frame.variables, s.name, value)


class Namespace(DictV):
    """The names of a class body; `cls` is the class that is made of them."""

    __slots__ = ("cls",)

    def __init__(self, cls: ClassV, names: dict[str, Value]) -> None:
        super().__init__(names)
        self.cls = cls


def made_by(m: Machine, cls: ClassV, names: Namespace, keywords: dict[str, Value]) -> Value:
    """The class that the metaclass makes of a class body; its own `__new__` and `__init__` run, if it has them."""
    new, init = (cls.meta.lookup(name) if cls.meta is not None else ABSENT for name in ("__new__", "__init__"))
    value: Value = cls
    if new is ABSENT:
        complete(m, cls, names.items, keywords)
    else:
        value = m.call(new, Args([cls.meta, cls.name, cls.bases, names], keywords))
    if init is not ABSENT:
        m.call(init, Args([value, cls.name, cls.bases, names], keywords))
    return value


IMPLICIT = {"__new__": StaticMethod, "__init_subclass__": ClassMethod, "__class_getitem__": ClassMethod}
"""Functions of a class body that Python turns into static or class methods by itself."""


def complete(m: Machine, cls: ClassV, names: Mapping[str, Value], keywords: dict[str, Value]) -> None:
    """`type.__new__`: give the class its names, and notify the values stored under them and the bases."""
    for name, v in names.items():
        cls.attributes[name] = IMPLICIT[name](v) if name in IMPLICIT and isinstance(v, FunctionV) else v
        told = attributes.special(m, v, "__set_name__")
        if told is not None:
            m.call(told, Args([cls, name]))
    for base in cls.bases:
        if base.node is not None:
            m.state.set(base.attributes, SUBCLASSES, (*m.state.tuple_of(base.attributes.get(SUBCLASSES, ())), cls))
    if enumerations.is_enum(cls):
        enumerations.make_members(m, cls)
    hook = next((c.attributes["__init_subclass__"] for c in cls.mro[1:] if "__init_subclass__" in c.attributes), None)
    if hook is not None:
        m.call(attributes.bound(m, hook, cls), Args(kw=keywords))


def base_class(m: Machine, v: Value) -> ClassV:
    """A base as a class; an unknown one leaves the class open."""
    v = m.state.resolve(v)
    if isinstance(v, ClassV):
        return v
    if isinstance(v, Lib):
        return registry.class_named(m, FORWARDS.get(v.name, v.name))
    return registry.class_named(m, "?")


def fields_of(m: Machine, s: ir.ClassDef) -> tuple[str, ...]:
    """The annotated names of a class body, in order: a dataclass's or named tuple's fields."""
    return tuple(
        b.target.id
        for b in s.body
        if isinstance(b, ir.AnnAssign)
        and isinstance(b.target, ir.Name)
        and annotation_name(b.annotation) not in ("ClassVar", "KW_ONLY")
    )


def given_of(s: ir.ClassDef) -> dict[str, str]:
    """How the annotated names of a class body are passed to a dataclass, if not like ordinary fields.

    `InitVar` for names that only its constructor takes, `KW_ONLY` for those that are passed by keyword.
    """
    given: dict[str, str] = {}
    by_name = False
    for b in s.body:
        if isinstance(b, ir.AnnAssign) and isinstance(b.target, ir.Name):
            kind = annotation_name(b.annotation)
            by_name = by_name or kind == "KW_ONLY"
            if kind == "InitVar" or by_name:
                given[b.target.id] = "InitVar" if kind == "InitVar" else "KW_ONLY"
    return given


def annotation_name(e: ir.Expr) -> str:
    """The last name of an annotation, without its brackets: `ClassVar` of `typing.ClassVar[int]`."""
    if isinstance(e, ir.Subscript):
        return annotation_name(e.value)
    if isinstance(e, ir.Constant) and isinstance(e.value, str):
        return e.value.partition("[")[0].rpartition(".")[2]
    return e.id if isinstance(e, ir.Name) else e.attr if isinstance(e, ir.Attribute) else ""


def is_dataclass(cls: ClassV) -> bool:
    """Whether it is a dataclass, or derives from one."""
    return any(DATACLASS in c.attributes for c in cls.mro)


def has_equality(cls: ClassV) -> bool:
    """Whether two objects of the class may be equal: by its own `__eq__`, or as a dataclass's by their fields."""
    options = next((c.attributes[DATACLASS] for c in cls.mro if DATACLASS in c.attributes), None)
    return cls.lookup("__eq__") is not ABSENT or (isinstance(options, dict) and options.get("eq") is not False)


def is_ordered(cls: ClassV) -> bool:
    """Whether objects of the class are ordered as a dataclass's are, by their fields."""
    return any(c.attributes.get(DATACLASS, {}).get("order") is True for c in cls.mro)


def compared_fields(cls: ClassV) -> list[str]:
    """The fields by which two objects of a dataclass are compared."""
    return [name for name in all_fields(cls) if option(cls.lookup(name), "compare") is not False]


def init_fields(cls: ClassV) -> list[tuple[str, str, Value]]:
    """The parameters of a dataclass's constructor: names, how they are passed, their defaults or `field(…)`."""
    given: dict[str, str] = {}
    for c in reversed(cls.mro):
        options = c.attributes.get(DATACLASS)
        usual = "KW_ONLY" if isinstance(options, dict) and options.get("kw_only") is True else ""
        own = c.attributes.get(GIVEN, {})
        given.update({n: own.get(n, usual) for n in c.attributes.get(FIELDS, ())})
    found = [(name, kind, cls.lookup(name)) for name, kind in given.items()]
    by_name = {n for n, kind, default in found if kind == "KW_ONLY" or option(default, "kw_only") is True}
    placed = [one for one in found if one[0] not in by_name]
    return [*placed, *((n, "KW_ONLY", default) for n, _, default in found if n in by_name)]


def option(default: Value, name: str) -> Value:
    """An argument of a `dataclasses.field(…)` by keyword; None for another default."""
    return default.model_state.get(name) if is_field(default) else None


def is_field(default: Value) -> bool:
    """Whether a default is a `dataclasses.field(…)`."""
    return isinstance(default, Instance) and default.cls.qualname == "dataclasses.field"


def all_fields(cls: ClassV) -> list[str]:
    """The fields of a dataclass or named tuple, those of its bases first."""
    found: dict[str, None] = {}
    for c in reversed(cls.mro):
        given = c.attributes.get(GIVEN, {})
        found.update(dict.fromkeys(n for n in c.attributes.get(FIELDS, ()) if given.get(n) != "InitVar"))
    return list(found)


def instantiate(m: Machine, cls: ClassV, args: Args) -> Value:
    """`cls(…)`: the result of the metaclass's own `__call__`, or an object."""
    call = cls.meta.lookup("__call__") if cls.meta is not None else ABSENT
    return construct(m, cls, args) if call is ABSENT else m.call(Bound(call, cls), args)


def construct(m: Machine, cls: ClassV, args: Args) -> Value:
    """`type.__call__`: make the object and run its constructor."""
    if cls.node is None:
        made = registry.function(cls.qualname)
        if made is not None:
            return made(m, args)
    if cls.derives("typing.NamedTuple"):
        return named_tuple(m, cls, args)
    if cls.derives("typing.TypedDict"):
        return m.call(Lib("dict"), args)
    if enumerations.is_enum(cls):
        return enumerations.look_up(m, cls, args.get(0, "value"))
    if "TypeError" in m.expected and is_abstract(cls):
        raise Raised(None, "TypeError")
    new = cls.lookup("__new__")
    if isinstance(new, (FunctionV, StaticMethod)):
        made = m.call(new, Args([cls, *args.pos], args.kw, args.open, args.site))
        if not isinstance(made, Instance):
            return made
        obj = made
    else:
        obj = Instance(cls, m.here.site)
    registry.prepare(m, obj)
    if cls.node is not None:
        m.now.executed.add(cls.node)
    init = initialiser(cls)
    if isinstance(init, FunctionV) and attempts.is_aside(m, init):
        unbuilt = Unknown(cls.name, own=cls)
        made = attempts.briefly(m, lambda: initialised(m, init, obj, args), unbuilt, building=True)
        if made is unbuilt:
            unfinished.doubt_given(m, args)
        return made
    if init is not ABSENT:
        return initialised(m, init, obj, args)
    if is_dataclass(cls):
        dataclass_init(m, cls, obj, args)
    else:
        registry.construct(m, obj, args)
    return obj


def initialiser(cls: ClassV) -> Value:
    """The `__init__` of the first class that has one; ABSENT if that is a library's, or the one of a dataclass."""
    for c in cls.mro:
        if "__init__" in c.attributes:
            return c.attributes["__init__"]
        if c.attributes.get(DATACLASS, {"init": False}).get("init") is not False:
            return ABSENT
    return ABSENT


def initialised(m: Machine, init: Value, obj: Instance, args: Args) -> Instance:
    """An object after its `__init__`."""
    m.call(attributes.bound(m, init, obj), args)
    return obj


def is_abstract(cls: ClassV) -> bool:
    """Whether a class of `abc` has a method that a class under it must define."""
    if not cls.derives("abc.ABC") and not (cls.meta is not None and cls.meta.derives("abc.ABCMeta")):
        return False
    return any(must_be_defined(cls.lookup(name)) for c in cls.mro if c.node is not None for name in c.attributes)


def must_be_defined(v: Value) -> bool:
    """Whether a class attribute is an `abc.abstractmethod`, even as a property or class method."""
    while isinstance(v, (Property, StaticMethod, ClassMethod, Wrapped)):
        v = v.getter if isinstance(v, Property) else v.function
    return isinstance(v, FunctionV) and v.attributes.get(ABSTRACT) is True


def dataclass_init(m: Machine, cls: ClassV, obj: Instance, args: Args) -> None:
    """The `__init__` that `dataclasses.dataclass` writes, and `__post_init__`."""
    rest: list[Value] = []
    position = 0
    for name, kind, default in init_fields(cls):
        if option(default, "init") is False:
            if default.model_state.keys() & {"default", "default_factory"}:
                m.state.set(obj.attributes, name, field_default(m, default, name))
            continue
        if kind != "KW_ONLY" and position < len(args.pos):
            value = args.pos[position]
        elif name in args.kw:
            value = args.kw[name]
        elif is_field(default):
            value = field_default(m, default, name)
        else:
            value = default if default is not ABSENT else Unknown(name)
        position += kind != "KW_ONLY"
        if kind == "InitVar":
            rest.append(value)
        else:
            m.state.set(obj.attributes, name, value)
    post = cls.lookup("__post_init__")
    if post is not ABSENT:
        m.call(attributes.bound(m, post, obj), Args(rest))


def field_default(m: Machine, spec: Instance, name: str) -> Value:
    """The default of a `dataclasses.field(…)`."""
    factory = spec.model_state.get("default_factory", ABSENT)
    if factory is not ABSENT:
        return m.call(factory, Args())
    return spec.model_state.get("default", Unknown(name))


def named_tuple(m: Machine, cls: ClassV, args: Args) -> Value:
    """An instance of a NamedTuple class."""
    names = all_fields(cls)
    values = []
    for i, name in enumerate(names):
        default = cls.lookup(name)
        values.append(args.get(i, name, default if default is not ABSENT else Unknown(name)))
    made = NamedTuple(values)
    made.cls, made.named = cls, tuple(names)
    return made

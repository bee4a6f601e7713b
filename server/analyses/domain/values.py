"""The values of the replay.

A value that is known is itself: Python's `int`, `float`, `str`, `bytes`, `bool`, `None`, `Ellipsis`, `complex` and
`tuple` (of values) stand for themselves. Everything else is one of the classes here or a `Tensor`
(`autograd/tensors.py`). Of `n = len(data)`, where nobody knows `data`, `n` is an `Unknown`; after a branch a value may
be a `Phi`, a choice of two by a condition, which `State.resolve` makes one again where the condition is known.

Objects with an identity and a state keep it in slots (`Slot`) or in dicts, which are written through the trail only
(`trail.py`), so that a path can be undone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from .modules import is_model

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, MutableMapping

    from ...syntax import ir
    from ...syntax.text import Excerpt
    from .report import Site

Value = Any
"""A value of the replay: a Python constant, a tuple of values, or an object of this module."""

Vm = Any
"""What replays the program: the first argument of native functions (`python/machine.py`, above this room)."""

serial = count(1).__next__
"""the next number: of two objects, the older one has the lower number"""


class Moment(int):
    """Such a number where it is a value itself."""

    __slots__ = ()


CONSTANTS = (int, float, str, bytes, bool, type(None), type(Ellipsis), complex)


class _Absent:
    """The value of a name, key or attribute that isn't bound."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()

LINK = "link"


class Cond:
    """A question that the text doesn't answer; equal keys are the same question.

    `kind` is `branch` for a condition of the program, `turn` for one that only some turns of a loop meet,
    `requires-grad` for a parameter of an entry point that may require grad, `of-data` for one that is named as data
    is, `may-require-grad` for any other unknown value, `factor` for one that nothing shows to be a tensor at all,
    `LINK` for gradients that an unseen call may pass on (its key: LINK and the question whether its result requires
    grad), `linked` or `needed` if a backward shows that it does, `dtype` for a conversion that finds the usual dtype
    there already, `guess` for everything else that depends on something unknown. `flipped`: the text asks the opposite
    (`x is not None` for the question whether x is None).
    """

    __slots__ = ("flipped", "hash", "key", "kind", "site", "text")

    def __init__(
        self, key: Hashable, kind: str = "branch", text: str = "", site: Site | None = None, flipped: bool = False
    ) -> None:
        self.key = key
        self.kind = kind
        self.text = text
        self.site = site
        self.flipped = flipped
        self.hash = hash(key)  # keys nest, and questions are kept in sets

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Cond and self.key == other.key)

    def __hash__(self) -> int:
        return self.hash

    def __repr__(self) -> str:
        return f"Cond({self.key!r})"


class Unknown:
    """A value that the replay doesn't know.

    `key` identifies it: two unknowns with equal keys are the same value (`a < b` twice). `why` names it in messages.
    `parameter`: it was passed in as an argument of an entry point. `data`: it is data from outside, whose tensors don't
    require grad. `number`: it is a plain number (a size, a count, the result of `item()`). `own`: the class of the
    program that it is an object of, so that it is no tensor. `usual`: its default, a text or a number. `result`: it is
    the result of a model that was passed in. `history` is the node behind it (`opaque.py`), `bound` where it was bound
    to a name. `within`: it was read from a container that was passed in. `moved`: it is the result of `to(device)` or
    the like of something passed in, and so no number. `given`: it is passed in the place of None, and so isn't None.
    `of`: what it is an attribute of, where a call of it may show that to be a tensor. `born`: when it was made.
    """

    __slots__ = (
        "born",
        "bound",
        "data",
        "given",
        "history",
        "key",
        "moved",
        "number",
        "of",
        "own",
        "parameter",
        "result",
        "tensor",
        "usual",
        "why",
        "within",
    )

    def __init__(
        self,
        why: str = "",
        key: Hashable = None,
        parameter: bool = False,
        data: bool = False,
        number: bool = False,
        own: ClassV | None = None,
        result: bool = False,
        history: Value = None,
        usual: str | float | None = None,
        within: bool = False,
    ) -> None:
        self.own = own
        self.given = False
        self.usual = usual
        self.result = result
        self.history = history
        self.bound: Site | None = None
        self.data = data
        self.number = number
        self.born = serial()
        self.key = self.born if key is None else key
        self.why = why
        self.parameter = parameter
        self.within = within
        self.moved = False
        self.of: Unknown | None = None
        self.tensor: Value = None

    @property
    def came_in(self) -> bool:
        """Whether it was passed in, or is a part of what was."""
        return self.parameter or self.within

    @property
    def is_item(self) -> bool:
        """Whether it was read from a container, so that `why` is the name of something else."""
        return self.why == "an item" or (type(self.key) is tuple and self.key[0] == "[]")

    def __repr__(self) -> str:
        return f"Unknown({self.why or self.key})"


class Phi:
    """One of two values, after a branch: `then` if `cond` holds, else `orelse` (a *gated* phi, known as gamma)."""

    __slots__ = ("cond", "named_by", "orelse", "size", "then")

    def __init__(self, cond: Cond, then: Value, orelse: Value) -> None:
        self.cond = cond
        self.then = then
        self.orelse = orelse
        self.size: int = getattr(then, "size", 1) if type(then) is Phi else 1
        self.size += orelse.size if type(orelse) is Phi else 1
        self.named_by = 0

    @property
    def name(self) -> int:
        """What questions about it name it by."""
        if not self.named_by:
            self.named_by = serial()
        return self.named_by

    def __repr__(self) -> str:
        return f"Phi({self.cond.key}, {self.then!r}, {self.orelse!r})"


T = TypeVar("T")

if TYPE_CHECKING:

    class Slot(Generic[T]):
        """A part of a record's state, which has a type and is written through the trail: a value, or a choice.

            class Counter(Object):
                __slots__ = ("current",)
                current: Slot[Version]

            counter.current                                # a Version, or a Phi of several
            state.put(counter, Counter.current, version)   # written so that it can be undone

        At run time a slot is what `__slots__` makes of it: reading one costs no more than any attribute.
        """

        @overload
        def __get__(self, obj: None, owner: type[Any]) -> Slot[T]: ...
        @overload
        def __get__(self, obj: object, owner: type[Any] | None = None) -> T | Phi: ...
        def __get__(self, obj: object | None, owner: type[Any] | None = None) -> T | Phi | Slot[T]: ...
        def __set__(self, obj: object, value: T | Phi) -> None: ...

else:
    Slot = MemberDescriptorType


def leaves(value: Value) -> list[Value]:
    """All alternatives of a value."""
    if type(value) is Phi:
        return leaves(value.then) + leaves(value.orelse)
    return [value]


class Object:
    """Something with an identity."""

    __slots__ = ("uid",)

    def __init__(self) -> None:
        self.uid = serial()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.uid}>"


class Unbuilt(KeyError):
    """A library's model asks an object for what the library's constructor sets, which has not run."""


class Kept(dict[Any, Value]):
    """What is kept about an object, by the program or a library's model. Raises Unbuilt for what isn't there."""

    __slots__ = ()

    def __missing__(self, key: Any) -> Value:
        raise Unbuilt(key)


class Names(Kept):
    """The variables of a frame, the attributes of an object or the items of a dict, and the moment when it was made."""

    __slots__ = ("born",)

    def __init__(self, born: int, known: Mapping[Any, Value] | None = None) -> None:
        self.born = born
        if known is not None:
            self.update(known)

    __hash__ = object.__hash__  # type: ignore[assignment]


class Shared(Names):
    """The attributes of a class or a function."""

    __slots__ = ()


class Answers(dict[Any, Value]):
    """What was found out of values: false on a path where nothing was, where a name would be bound on one side only."""

    __slots__ = ()


class Attributed(Object):
    """Something whose attributes the program can set."""

    __slots__ = ("attributes",)

    def __init__(self) -> None:
        super().__init__()
        self.attributes: dict[Any, Value] = Names(self.uid)


class Container(Object):
    """Something that holds values; `open` if it may hold more than is known."""

    open: Slot[bool]

    __slots__ = tuple(__annotations__)


class Items(Container):
    """Something that holds values in a row."""

    items: Slot[tuple[Value, ...]]

    __slots__ = tuple(__annotations__)


class ListV(Items):
    """A list or deque.

    `more` makes the item in a place past those, if it can be known. A dict's keys and items (`of_dict`) are kept in
    their order, but operators treat them as sets.
    """

    __slots__ = ("kind", "maxlen", "more", "of_dict")

    def __init__(self, items: tuple[Value, ...] = (), kind: str = "list") -> None:
        super().__init__()
        self.items = items
        self.open = False
        self.kind = kind
        self.maxlen: int | None = None
        self.more: Callable[[int], Value] | None = None
        self.of_dict = False


class DictV(Container):
    """A dict or set: `items` maps constant keys (or objects, by identity) to values, ABSENT if removed.

    `default` makes missing values (defaultdict). In one that `counts` (a Counter), a missing value is 0. The keys
    `beside` are there, too, and nothing else is known of them.
    """

    __slots__ = ("beside", "counts", "default", "items", "kind")

    def __init__(self, items: MutableMapping[Any, Value] | None = None, kind: str = "dict") -> None:
        super().__init__()
        made = Names(self.uid, items) if items is None or type(items) is dict else items
        self.items: MutableMapping[Any, Value] = made
        self.open = False
        self.kind = kind
        self.default: Value = None
        self.counts = False
        self.beside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """An unknown key of a dict: two are equal if their `key` is; `value` is what a loop over the keys gets."""

    key: Hashable
    value: Value = field(compare=False)


FIELDS, GIVEN, DATACLASS = "_<fields>", "_<given>", "_<dataclass>"
"""What the replay keeps among a class's attributes, under names that no program can write: its annotated names, how
they are set, and the options of `dataclass`."""

ABSTRACT = "__isabstractmethod__"
"""what `abc.abstractmethod` sets on a function"""

SUBCLASSES = ("__subclasses__",)
"""where a class keeps its subclasses in the program: under no name, so that nothing lists them"""


class ClassV(Attributed):
    """A class: of the program (`node` set) or of a library (`qualname` is its dotted name).

    `meta` is its metaclass, if the program defines one.
    """

    __slots__ = ("bases", "frame", "meta", "mro", "name", "node", "qualname", "qualnames")

    def __init__(self, name: str, bases: tuple[ClassV, ...], qualname: str, node: ir.ClassDef | None = None) -> None:
        super().__init__()
        self.name = name
        self.bases = bases
        self.qualname = qualname
        self.node = node
        self.attributes = Shared(self.uid)
        self.frame: Frame | None = None
        self.mro: tuple[ClassV, ...] = linearise(self)
        self.qualnames = frozenset(c.qualname for c in self.mro)
        self.meta: ClassV | None = next((c.meta for c in self.mro[1:] if c.meta is not None), None)

    def derives(self, qualname: str) -> bool:
        """Whether the class or one of its bases is the library class with that dotted name."""
        return qualname in self.qualnames

    @property
    def open(self) -> bool:
        """Whether a base is unknown, or comes from a model: it may have attributes that the replay doesn't see."""
        return "?" in self.qualnames or any(c.node is not None and is_model(c.node.chunk) for c in self.mro)

    def lookup(self, name: Hashable) -> Value:
        """The class attribute along the method resolution order, or ABSENT."""
        for c in self.mro:
            v = c.attributes.get(name, ABSENT)
            if v is not ABSENT:
                return v
        return ABSENT

    def __repr__(self) -> str:
        return f"<class {self.qualname or self.name}>"


def linearise(cls: ClassV) -> tuple[ClassV, ...]:
    """The C3 method resolution order; a plain depth-first order if C3 finds none."""
    sequences = [list(b.mro) for b in cls.bases] + [list(cls.bases)]
    order = [cls]
    while True:
        sequences = [s for s in sequences if s]
        if not sequences:
            return tuple(order)
        head = next((s[0] for s in sequences if not any(s[0] in t[1:] for t in sequences)), None)
        if head is None:
            rest = [c for s in sequences for c in s]
            return tuple(order + list(dict.fromkeys(c for c in rest if c not in order)))
        order.append(head)
        for s in sequences:
            if s[0] is head:
                del s[0]


class Instance(Attributed):
    """An object of a class. `model_state` is what a library's model keeps about it.

    `label` is the name that the program gave it first, `within` the container, or the object that was `self`, which
    keeps it, and how it is got there.
    """

    __slots__ = ("cls", "label", "model_state", "site", "within")

    def __init__(self, cls: ClassV, site: Site | None = None) -> None:
        super().__init__()
        self.cls = cls
        self.site = site
        self.model_state: dict[Any, Value] = Kept()
        self.label: str | None = None
        self.within: tuple[Instance, str] | None = None

    @property
    def name(self) -> str | None:
        """Its name for a person: the third module of `net` is `net[2]`."""
        if self.label is not None or self.within is None:
            return self.label
        holder, way = self.within
        return f"{holder.name}{way}" if holder.name is not None else None

    def __repr__(self) -> str:
        return f"<{self.cls.name} {self.uid}>"


def contents(v: Value) -> Value:
    """The list or dict inside an object whose class derives from one; any other value stands for itself."""
    return v.model_state.get("contents", v) if isinstance(v, Instance) else v


class Frame(Object):
    """The variables of a running function, comprehension, class body or module, by name.

    `defines` is the class whose body it is.
    """

    __slots__ = ("defines", "function", "globals", "is_comprehension", "name", "parent", "variables", "yields")

    def __init__(self, parent: Frame | None, globals_: Frame | None, name: str = "") -> None:
        super().__init__()
        self.variables: dict[Any, Value] = Names(self.uid)
        self.parent = parent
        self.globals: Frame = globals_ if globals_ is not None else self
        self.name = name
        self.defines: ClassV | None = None
        self.function: FunctionV | None = None
        self.yields: Callable[[Value], Value] | None = None
        self.is_comprehension = False


class FunctionV(Attributed):
    """A function or lambda of the program, with the frame that it was defined in.

    `cls` is the class whose body it stands in: what Python keeps as `__class__`, for `super()`.
    """

    __slots__ = ("chunk", "cls", "defaults", "kwdefaults", "name", "node", "parent", "wrappers")

    def __init__(self, node: ir.FunctionDef | ir.Lambda, chunk: Excerpt, parent: Frame, name: str) -> None:
        super().__init__()
        self.attributes = Shared(self.uid)
        self.node = node
        self.chunk = chunk
        # a function does not see the names of the class body that it stands in
        self.parent = parent if parent.defines is None or parent.parent is None else parent.parent
        self.name = name
        self.defaults: dict[str, Value] = {}
        self.cls = parent.defines
        self.wrappers: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<function {self.name}>"


@dataclass(slots=True, eq=False)
class Lib:
    """Something of a library, by its dotted name: a function, a constant, a module."""

    name: str


@dataclass(slots=True, eq=False)
class Builtin:
    """A function that the replay itself implements: `call(machine, args) -> value`."""

    name: str
    call: Callable[[Vm, Args], Value]


@dataclass(slots=True, eq=False)
class Bound:
    """A method with its object."""

    function: Value
    self: Value


@dataclass(slots=True, eq=False)
class Partial:
    """functools.partial."""

    function: Value
    args: Args


@dataclass(slots=True, eq=False)
class Wrapped:
    """A callable that runs under something: `by` names the wrapper (`no_grad`, `checkpoint`, …)."""

    function: Value
    by: str
    data: Value = None


@dataclass(slots=True, eq=False)
class Property:
    """A property, with what it calls; a cached one keeps its first value under its name."""

    getter: Value
    setter: Value = None
    cached: str | None = None


@dataclass(slots=True, eq=False)
class StaticMethod:
    """staticmethod(function)."""

    function: Value


@dataclass(slots=True, eq=False)
class ClassMethod:
    """classmethod(function)."""

    function: Value


@dataclass(slots=True, eq=False)
class Super:
    """`super()`: attributes are looked up after `cls` in the order of the object's class."""

    cls: ClassV
    self: Value


@dataclass(slots=True, eq=False)
class SliceV:
    """`lower:upper:step`."""

    lower: Value
    upper: Value
    step: Value


class ModuleV(Object):
    """A module of the program; its names are those of `frame`. `whole`: all of its own code has run, to its end."""

    __slots__ = ("frame", "name", "path", "whole")

    def __init__(self, name: str, path: str, frame: Frame) -> None:
        super().__init__()
        self.name = name
        self.path = path
        self.frame = frame
        self.whole = False

    @property
    def is_package(self) -> bool:
        """Whether it is the `__init__.py` of a package."""
        return self.path.endswith("__init__.py")


class Resumable(Protocol):
    """The body of a generator, stopped at a `yield`."""

    def resume(self, sent: Value, error: BaseException | None = None) -> tuple[bool, Value]:
        """Go on: True and what is yielded next, or False and what the body returns."""


@dataclass(slots=True, eq=False)
class Generator:
    """A suspended generator: `run(consume)` replays its body and calls `consume` at each yield.

    It runs once (`used`); a loop that ends early may leave further items, which are unknown (`left`).
    If the program advances it by hand, `coroutine` is where it stands. `kept`: the program may come back to it.
    """

    run: Callable[[Callable[[Value], Value]], Value]
    used: bool = False
    left: bool = False
    coroutine: Resumable | None = None
    kept: bool = False
    uid: int = field(default_factory=serial)


class Iterator_(Items):
    """An iterator: `items` is what is left."""

    __slots__ = ()

    def __init__(self, items: tuple[Value, ...], open_: bool = False) -> None:
        super().__init__()
        self.items = items
        self.open = open_


class TooFew(Exception):
    """A model asks for a positional argument that its call doesn't have."""


class Args:
    """The arguments of a call: positional, by keyword, and whether unknown ones may follow."""

    __slots__ = ("exprs", "kw", "open", "pos", "receiver", "site")

    def __init__(
        self,
        pos: list[Value] | None = None,
        kw: dict[str, Value] | None = None,
        open_: bool = False,
        site: Site | None = None,
        exprs: Any = None,
    ) -> None:
        self.pos = pos if pos is not None else []
        self.kw = kw if kw is not None else {}
        self.open = open_
        self.site = site
        self.exprs = exprs
        self.receiver: ir.Expr | None = None

    def __getitem__(self, index: int) -> Value:
        """The positional argument with this number; raises TooFew if there is none."""
        if index < len(self.pos):
            return self.pos[index]
        raise TooFew

    def get(self, index: int, name: str, default: Value = None) -> Value:
        """The argument at a position or by its keyword, else `default`."""
        if index < len(self.pos):
            return self.pos[index]
        return self.kw.get(name, default)

    def prepend(self, first: Value) -> Args:
        """The same arguments with one more in front, as a method gets its object."""
        return Args([first, *self.pos], self.kw, self.open, self.site, self.exprs)

    def __iter__(self) -> Iterator[Value]:
        yield from self.pos
        yield from self.kw.values()


CALLABLES = (FunctionV, ClassV, Bound, Builtin, Partial, Wrapped, Lib)
"""the kinds of values that can be called"""

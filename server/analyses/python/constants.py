"""Values that are known through and through, as Python's own: what is computed with them, Python computes."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ..domain import budget
from ..domain.paths import Raised
from ..domain.values import ABSENT, CONSTANTS, DictV, Items, ListV, Value
from .bounds import is_bounded
from .enumerations import Member

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .machine import Machine


class NotPlain(Exception):
    """A value isn't completely known, or is of a kind that can't be computed with here."""


class Reader:
    """Turns values of the replay into Python's own: a bounded number, however they share parts or hold themselves."""

    def __init__(self, m: Machine) -> None:
        self.state = m.state
        self.left = budget.LIMITS.value

    def of(self, v: Value, depth: int = 0) -> Any:
        """The value as Python's own. Raises NotPlain."""
        v = self.state.resolve(v)
        self.left -= 1
        if self.left < 0 or depth > budget.LIMITS.levels:
            raise NotPlain
        if type(v) is tuple:
            return tuple(self.of(one, depth + 1) for one in v)
        if isinstance(v, (ListV, DictV)):
            return self.container(v, depth)
        if type(v) is range or (isinstance(v, CONSTANTS) and not isinstance(v, Member)):
            return v
        raise NotPlain

    def container(self, v: ListV | DictV, depth: int = 0) -> Any:
        """A list, deque, dict or set as Python's own. Raises NotPlain."""
        if self.state.is_open(v) is not False:
            raise NotPlain
        if isinstance(v, ListV):
            items = self.state.resolve(v.items)
            if not isinstance(items, tuple) or len(items) > self.left:
                raise NotPlain
            known = [self.of(one, depth + 1) for one in items]
            return known if v.kind == "list" else tuple(known) if v.kind == "tuple" else deque(known, v.maxlen)
        if v.default is not None:
            raise NotPlain
        keys = [(self.of(k, depth + 1), x) for k, x in v.items.items() if x is not ABSENT]
        try:
            held = dict(keys)
        except TypeError:  # a frozenset is known as a set
            raise NotPlain from None
        return set(held) if v.kind == "set" else {k: self.of(x, depth + 1) for k, x in held.items()}


def value(known: Any) -> Value:
    """A value of Python's own as one of the replay. Raises NotPlain."""
    if type(known) in CONSTANTS or type(known) is range:
        return known
    if type(known) is tuple:
        return tuple(value(one) for one in known)
    if isinstance(known, list):
        return ListV(tuple(value(one) for one in known))
    if isinstance(known, deque):
        made = ListV(tuple(value(one) for one in known), "deque")
        made.maxlen = known.maxlen
        return made
    if isinstance(known, dict):
        return DictV({value(k): value(x) for k, x in known.items()})
    if isinstance(known, (set, frozenset)):
        return DictV({value(k): value(k) for k in listed(known)}, "set")
    raise NotPlain


def listed(known: set[Any] | frozenset[Any]) -> Iterable[Any]:
    """The items of a set, in an order that is the same in every run: hashes of texts differ from run to run."""
    return known if all(isinstance(k, (int, float)) for k in known) else sorted(known, key=repr)


def compute(m: Machine, f: Callable[..., Any], args: Sequence[Value], kw: Mapping[str, Value] | None = None) -> Value:
    """The result of a Python function without side effects.

    Raises NotPlain if an argument is unknown, and Raised if Python raises.
    """
    reader = Reader(m)
    pos = [reader.of(v) for v in args]
    named = {k: reader.of(v) for k, v in (kw or {}).items()}
    if any(isinstance(v, int) and abs(v) > budget.LIMITS.number for v in (*pos, *named.values())):
        raise NotPlain
    if not is_bounded(f, pos, named):
        raise NotPlain
    known = called(f, pos, named)
    if isinstance(known, CONSTANTS):
        return known
    for mine, v in zip(pos, args, strict=True):
        if known is mine:
            return v
    if isinstance(known, (list, dict, set)) and not all(is_flat(v) for v in (*pos, *named.values())):
        raise NotPlain  # what it holds would no longer be the objects that it was made of
    return value(known)


def called(f: Callable[..., Any], pos: Sequence[Any], kw: Mapping[str, Any]) -> Any:
    """Python's result for values of its own. Raises NotPlain for large results, and Raised if Python raises."""
    try:
        known = f(*pos, **kw)
    except (RecursionError, MemoryError):
        raise NotPlain from None
    except Exception as error:  # whatever it is, the program would meet it
        raise Raised(None, type(error).__name__) from None
    if isinstance(known, (str, bytes, list, tuple, dict, set)) and len(known) > budget.LIMITS.value:
        raise NotPlain
    return known


def is_flat(known: Any) -> bool:
    """Whether a value holds nothing that could be changed."""
    if isinstance(known, dict):
        return all(map(is_still, known.values()))
    return all(map(is_still, known)) if isinstance(known, (list, tuple, set, deque)) else True


def is_still(known: Any) -> bool:
    """Whether a value can't be changed, nor what it holds."""
    return all(map(is_still, known)) if isinstance(known, tuple) else isinstance(known, (*CONSTANTS, range))


def change(m: Machine, v: ListV | DictV, name: str, args: Sequence[Value], kw: Mapping[str, Value]) -> Value:
    """Call a method of a container that may change it. Raises as `compute` does."""
    known = Reader(m).container(v)
    method = getattr(known, name, None)
    if method is None or not is_flat(known):
        raise NotPlain
    result = compute(m, method, args, kw)
    after = value(known)
    if isinstance(v, ListV):
        m.state.put(v, Items.items, after.items)
        return result
    for k in [k for k, x in v.items.items() if x is not ABSENT and k not in after.items]:
        m.state.delete(v.items, k)
    for k, x in after.items.items():
        if k not in v.items:
            m.state.set(v.items, k, x)
    return result

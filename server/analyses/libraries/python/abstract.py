"""What a class inherits from the abstract containers of `collections.abc`: methods that call those it defines itself.

As `Lib/_collections_abc.py` has them. Native, for most programs name these classes in annotations alone.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...domain.known import key_of
from ...domain.registry import BASES, method_of
from ...domain.values import ABSENT, Args, DictV, ListV, Phi, Unknown, Value
from ...python import functions, operators, sequences

if TYPE_CHECKING:
    from ...domain.paths import Raised
    from ...python.machine import Machine

MAPPING, MUTABLE = "collections.abc.Mapping", "collections.abc.MutableMapping"

BASES[MAPPING] = ()
BASES[MUTABLE] = BASES["typing.Mapping"] = (MAPPING,)
BASES["typing.MutableMapping"] = (MUTABLE,)


@method_of(MAPPING, "get")
def get(m: Machine, args: Args) -> Value:
    """`v.get(key, default)`."""
    v, key, default = args[0], m.state.resolve(args.get(1, "key")), args.get(2, "default")
    if isinstance(key, Phi):
        return m.state.each(key, lambda one: get(m, Args([v, one, default])))
    if isinstance(key, Unknown) and (usual := functions.option(m, default)) is not None:
        return usual
    return m.state.attempt(lambda: operators.get_item(m, v, key), partial(missing, default), lambda item: item)


@method_of(MAPPING, "__contains__")
def contains(m: Machine, args: Args) -> Value:
    """`key in v`."""
    v, key = args[0], m.state.resolve(args[1])
    if isinstance(key, Unknown):
        return Unknown("membership", ("in", key_of(key), key_of(v)))
    return m.state.attempt(lambda: operators.get_item(m, v, key), partial(missing, False), lambda _: True)


def missing(answer: Value, error: Raised) -> Value:
    """The answer where a key is missing; raises any other error again."""
    if error.name != "KeyError":
        raise error
    return answer


@method_of(MAPPING, "keys")
def keys(m: Machine, args: Args) -> Value:
    """`v.keys()`."""
    seq = sequences.sequence(m, args[0])
    made = ListV(tuple(seq.known()))
    made.open = seq.open
    return made


@method_of(MAPPING, "values")
def values(m: Machine, args: Args) -> Value:
    """`v.values()`."""
    made = keys(m, args)
    made.items = tuple(operators.get_item(m, args[0], key) for key in made.items)
    return made


@method_of(MAPPING, "items")
def items(m: Machine, args: Args) -> Value:
    """`v.items()`."""
    made = keys(m, args)
    made.items = tuple((key, operators.get_item(m, args[0], key)) for key in made.items)
    return made


@method_of(MUTABLE, "setdefault")
def setdefault(m: Machine, args: Args) -> Value:
    """`v.setdefault(key, default)`."""
    v, key, default = args[0], args[1], args.get(2, "default")

    def put(error: Raised) -> Value:
        operators.set_item(m, v, key, missing(default, error))
        return default

    return m.state.attempt(lambda: operators.get_item(m, v, key), put, lambda item: item)


@method_of(MUTABLE, "pop")
def pop(m: Machine, args: Args) -> Value:
    """`v.pop(key, default)`."""
    v, key = args[0], args[1]

    def found(item: Value) -> Value:
        operators.delete_item(m, v, key)
        return item

    def not_found(error: Raised) -> Value:
        if len(args.pos) < 3:
            raise error
        return missing(args[2], error)

    return m.state.attempt(lambda: operators.get_item(m, v, key), not_found, found)


@method_of(MUTABLE, "update")
def update(m: Machine, args: Args) -> Value:
    """`v.update(other, **kw)`."""
    given = DictV()
    for other in args.pos[1:]:
        sequences.update(m, given, other)
    for key, item in {**given.items, **args.kw}.items():
        if item is not ABSENT:
            operators.set_item(m, args[0], key, item)
    return None

"""Models of Python's `operator`: operators as functions, and getters of items, attributes and methods."""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING

from ...domain.registry import model
from ...domain.values import Args, Builtin, Lib, Unknown, Value
from ...python import attributes, comparisons, conditions, operators, sequences

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine


@model("operator.itemgetter")
def itemgetter(m: Machine, args: Args) -> Value:
    """`itemgetter(i)`."""
    keys = args.pos

    def run(machine: Machine, inner: Args) -> Value:
        found = tuple(operators.get_item(machine, inner[0], k) for k in keys)
        return found[0] if len(found) == 1 else found

    return Builtin("itemgetter", run)


@model("operator.attrgetter")
def attrgetter(m: Machine, args: Args) -> Value:
    """`attrgetter(name, …)`."""

    def one(machine: Machine, v: Value, name: Value) -> Value:
        for part in str(name).split("."):
            v = attributes.get(machine, v, part)
        return v

    def run(machine: Machine, inner: Args) -> Value:
        found = tuple(one(machine, inner[0], name) for name in args.pos)
        return found[0] if len(found) == 1 else found

    return Builtin("attrgetter", run)


@model("operator.methodcaller")
def methodcaller(m: Machine, args: Args) -> Value:
    """`methodcaller(name, …)`: calls that method of its argument."""
    name, inner = m.state.resolve(args[0]), Args(args.pos[1:], args.kw, args.open)

    def run(machine: Machine, given: Args) -> Value:
        function = attributes.get(machine, given[0], name) if isinstance(name, str) else Unknown("a method")
        return machine.call(function, Args(inner.pos, inner.kw, inner.open, given.site))

    return Builtin("methodcaller", run)


def binary(op: str) -> Callable[[Machine, Args], Value]:
    """`operator.add` and its kin."""
    return lambda m, args: operators.binary(m, op, args[0], args[1])


def comparison(op: str) -> Callable[[Machine, Args], Value]:
    """`operator.lt` and its kin."""
    return lambda m, args: comparisons.compare(m, op, args[0], args[1])


for _op, _name in operators.METHODS.items():
    model(f"operator.{_name}_" if iskeyword(_name) else f"operator.{_name}")(binary(_op))
for _op, _name in comparisons.COMPARE_METHODS.items():
    model(f"operator.{_name}")(comparison(_op))


model("operator.neg")(lambda m, args: operators.unary(m, "-", args[0]))
model("operator.pos")(lambda m, args: operators.unary(m, "+", args[0]))
model("operator.invert", "operator.inv")(lambda m, args: operators.unary(m, "~", args[0]))
model("operator.not_")(lambda m, args: conditions.negation(m, conditions.truth(m, args[0])))
model("operator.truth")(lambda m, args: conditions.truth(m, args[0]))
model("operator.abs")(lambda m, args: m.call(Lib("abs"), args))
model("operator.is_")(comparison("is"))
model("operator.is_not")(comparison("is not"))
model("operator.contains")(lambda m, args: sequences.contains(m, args[0], args[1]))
model("operator.getitem")(lambda m, args: operators.get_item(m, args[0], args[1]))
model("operator.delitem")(lambda m, args: operators.delete_item(m, args[0], args[1]))
model("operator.__and__")(binary("&"))
model("operator.__or__")(binary("|"))
model("operator.concat")(binary("+"))


@model("operator.setitem")
def setitem(m: Machine, args: Args) -> Value:
    """`operator.setitem(v, key, value)`."""
    operators.set_item(m, args[0], args[1], args[2])
    return None


def in_place(op: str) -> Callable[[Machine, Args], Value]:
    """`operator.iadd` and its kin."""

    def run(m: Machine, args: Args) -> Value:
        from ...python.statements import in_place as apply

        return apply(m, op, args[0], args[1])

    return run


for _op, _name in operators.METHODS.items():
    model(f"operator.i{_name}")(in_place(_op))

"""Running statements.

Running a statement gives an *outcome*: None where control goes on to the next one, else RETURN with its
value, BREAK or CONTINUE; a Phi of these where that depends on an unknown condition. What follows is then
replayed under the condition that control gets there. Exceptions of the program are `Raised`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ...syntax import ir
from ...syntax.walk import statements as statements_of
from ..autograd.tensors import Tensor
from ..domain.modules import is_model
from ..domain.paths import Dead, Exhausted, Outcome, Raised, Unwanted
from ..domain.values import Args, Cond, DictV, ListV, Phi, Unknown, Value
from ..operators import arrays
from ..operators.arrays import NDArray
from . import (
    assignment,
    attributes,
    classes,
    conditions,
    contexts,
    functions,
    imports,
    library,
    loops,
    operators,
    patterns,
    sequences,
    unfinished,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .machine import Machine


@dataclass(frozen=True, slots=True)
class Return(Outcome):
    """The outcome of `return value`."""

    value: Value


@dataclass(frozen=True, slots=True)
class Jump(Outcome):
    """The outcome of `break` or `continue`."""

    word: str


BREAK, CONTINUE = Jump("break"), Jump("continue")


def run_block(m: Machine, body: Sequence[ir.Stmt]) -> Value:
    """Run statements one after the other; gives the outcome. One with too many steps is left (`unfinished.py`)."""
    tired = until = 0
    raises = len(body) > 1 and type(body[-1]) is ir.Raise
    for i, s in enumerate(body):
        if raises and is_lost(m, body[i:]):
            return run(m, body[-1])
        if m.work.depth <= m.work.short:
            until = unfinished.grant(m, s, until)
        try:
            outcome = run(m, s)
            tired = 0
        except Exhausted:
            tired += 1
            if not unfinished.may_leave(m, tired):
                raise
            outcome = unfinished.leave(m, s, "work")
        except Raised as error:
            if not unfinished.is_doubtful(m, s, error):
                raise
            outcome = unfinished.leave(m, s, "raises", error.name)
        if outcome is not None:
            outcome = m.state.resolve(outcome)
            if type(outcome) is Phi:
                return m.state.after(outcome, partial(run_block, m, body[i + 1 :]))
            if outcome is not None:
                return outcome
    return None


def is_lost(m: Machine, body: Sequence[ir.Stmt]) -> bool:
    """Whether what statements do before they raise is undone, on one side of a branch, and nothing of it is new.

    Looking for a name that resembles an unknown one, say, to put it into the message.
    """
    if not m.state.held or m.catching or m.handlers or not all(map(m.was_reached, body)):
        return False
    if any(isinstance(s, (ir.Return, ir.Break, ir.Continue)) for s in statements_of(body, into_definitions=False)):
        return False
    m.now.reached.update(body)
    return True


def run(m: Machine, s: ir.Stmt) -> Value:
    """Run one statement; gives the outcome."""
    of_model = is_model(s.chunk)
    m.here.chunk, m.here.node = s.chunk, s
    m.work.step()
    if not of_model and s not in m.now.reached:
        m.reach(s)
    try:
        outcome = RUN[type(s)](m, s)
    except Raised as error:
        if not of_model:
            m.trace.failed(s)
        if not error.failures or m.handlers:
            raise
        m.lost(error)  # a handler has raised it again
        return None
    except (Exhausted, Dead, Unwanted):
        raise
    except Exception:
        m.broken = m.broken or s
        raise
    if not isinstance(s, (ir.If, ir.Match, ir.For, ir.While)):  # they tell of themselves before their bodies run
        tell(m, s)
    m.now.done.add(s)
    return outcome


def tell(m: Machine, s: ir.Stmt) -> None:
    """A statement has run: note the values of its names, unless it belongs to a library's model."""
    if not is_model(s.chunk):
        m.trace.after(s)


def expression(m: Machine, s: ir.ExprStmt) -> Value:
    """An expression for its effect."""
    m.eval(s.value)
    return None


def assign(m: Machine, s: ir.Assign) -> Value:
    """`a = b = value`."""
    value = m.eval(s.value)
    if assignment.tells_rank(m, s):
        value = m.eval(s.value)  # a name's shape, which there is more to say of now
    for target in s.targets:
        m.here.chunk, m.here.node = s.chunk, s
        assignment.bind(m, target, value)
    return None


def annotated(m: Machine, s: ir.AnnAssign) -> Value:
    """`name: annotation = value`."""
    if s.value is not None:
        value = m.eval(s.value)
        m.here.chunk, m.here.node = s.chunk, s
        assignment.bind(m, s.target, value)
    return None


def augmented(m: Machine, s: ir.AugAssign) -> Value:
    """`target op= value`: get, operate in place, and store again (which writes a second time for a subscript)."""
    place = located(m, s.target)
    if place is None:
        return None
    old, put = place
    operand = m.eval(s.value)
    m.here.chunk, m.here.node = s.chunk, s
    m.good = None
    with m.here.writing(s, s.target, f"{s.op}="):
        new = in_place(m, s.op, old, operand)
        m.here.chunk, m.here.node = s.chunk, s
        if m.good is not s:  # else it hasn't come to that
            put(new)
    if isinstance(new, Tensor) and new.label is None:
        assignment.label(m, new, s.target)
    return None


def located(m: Machine, target: ir.Expr) -> tuple[Value, Callable[[Value], None]] | None:
    """The value of a target, and a function that stores there; its parts are evaluated once."""
    if isinstance(target, ir.Name):
        return m.eval(target), partial(assignment.store, m, target.id)
    if isinstance(target, ir.Attribute):
        obj = m.eval(target.value)
        m.here.node = target
        return attributes.get(m, obj, target.attr), partial(attributes.set_, m, obj, target.attr)
    if isinstance(target, ir.Subscript):
        obj, index = m.eval(target.value), m.eval(target.slice)
        m.here.node = target
        return operators.get_item(m, obj, index), partial(operators.set_item, m, obj, index)
    return None


def in_place(m: Machine, op: str, old: Value, operand: Value) -> Value:
    """`old op= operand` without the store: the object itself, if its type changes in place."""
    from ..operators import calls_by_name

    old, operand = m.state.resolve(old), m.state.resolve(operand)
    if type(old) is Unknown:
        old = m.to_write(old)
    if isinstance(old, Tensor):
        operand = calls_by_name.settled(operand)
    if isinstance(old, Phi):
        return m.state.each(old, lambda one: in_place(m, op, one, operand))
    if isinstance(operand, Phi):
        return m.state.each(operand, lambda one: in_place(m, op, old, one))
    if isinstance(old, Tensor):
        return calls_by_name.in_place_operator(m, op, old, operand)
    if isinstance(old, ListV) and op == "+" and old.kind != "tuple":
        sequences.extend(m, old, operand)
        return old
    if isinstance(old, NDArray):
        arrays.write(m, old, f"{op}=")
        return old
    if isinstance(old, DictV) and op == "|" and old.kind != "set":
        sequences.update(m, old, operand)
        return old
    if isinstance(old, DictV) and old.kind == "set" and op in SET_CHANGES:
        library.call_method(m, f"set.{SET_CHANGES[op]}", old, Args([operand]))
        return old
    own = attributes.special(m, old, f"__i{operators.METHODS[op]}__")
    if own is not None:
        return m.call(own, Args([operand]))
    return operators.binary(m, op, old, operand)


SET_CHANGES = {
    "|": "update",
    "&": "intersection_update",
    "-": "difference_update",
    "^": "symmetric_difference_update",
}


def delete(m: Machine, s: ir.Delete) -> Value:
    """`del a, b[c]`."""
    for target in s.targets:
        if isinstance(target, ir.Name):
            if target.id in m.frame.variables:
                m.state.delete(m.frame.variables, target.id)
        elif isinstance(target, ir.Subscript):
            operators.delete_item(m, m.eval(target.value), m.eval(target.slice))
        elif isinstance(target, ir.Attribute):
            attributes.delete(m, m.eval(target.value), target.attr)
    return None


def return_(m: Machine, s: ir.Return) -> Value:
    """`return value`."""
    return Return(m.eval(s.value) if s.value is not None else None)


def raise_(m: Machine, s: ir.Raise) -> Value:
    """`raise exc`; a bare `raise` raises again what the handler caught."""
    if s.exc is None:
        raise m.handling[-1] if m.handling else Raised(None, "RuntimeError")
    exc = m.eval(s.exc)
    raise functions.exception(m, exc)


def assert_(m: Machine, s: ir.Assert) -> Value:
    """`assert test`: the path goes on under the assumption that it holds."""
    t = conditions.truth(m, m.eval(s.test))
    if t is False:
        raise Raised(None, "AssertionError")
    if isinstance(t, Unknown):
        cond, holds = conditions.question(m, t, s.test)
        m.state.exclude(cond, not holds)
    return None


def pass_(m: Machine, s: ir.Stmt) -> Value:
    """Nothing to do."""
    return None


def break_(m: Machine, s: ir.Break) -> Value:
    """`break`."""
    return BREAK


def continue_(m: Machine, s: ir.Continue) -> Value:
    """`continue`."""
    return CONTINUE


def if_(m: Machine, s: ir.If) -> Value:
    """`if`: one side if the condition is known, else both."""
    test = m.eval(s.test)
    tell(m, s)
    return conditions.branch(m, test, s.test, lambda: run_block(m, s.body), lambda: run_block(m, s.orelse))


def while_(m: Machine, s: ir.While) -> Value:
    """`while`: a condition that stays unknown is assumed to hold for the replayed turns, and to fail then."""

    def again() -> bool | None:
        m.here.chunk, m.here.node = s.chunk, s
        t = conditions.truth(m, m.eval(s.test))
        tell(m, s)
        return t if isinstance(t, bool) else None

    return finished(m, s, loops.turns(m, s, again, lambda: run_block(m, s.body)))


def finished(m: Machine, s: ir.While | ir.For, outcome: Value) -> Value:
    """The outcome of a loop; without a `break`, its head ran last, and its `else` runs."""
    outcome = m.state.resolve(outcome)
    if isinstance(s, ir.For) and (outcome is None or type(outcome) is Phi):
        tell(m, s)
    if s.orelse:
        outcome = m.state.after(outcome, lambda: run_block(m, s.orelse))
    return loops.left(m, outcome)


def for_(m: Machine, s: ir.For) -> Value:
    """`for`."""
    iterable = m.eval(s.iter)

    def turn(value: Value) -> Value:
        m.here.chunk, m.here.node = s.chunk, s
        assignment.bind(m, s.target, value)
        tell(m, s)
        return run_block(m, s.body)

    return finished(m, s, loops.loop(m, s, iterable, turn))


def try_(m: Machine, s: ir.Try) -> Value:
    """`try`: an error of the body goes to the first handler that catches it."""

    def body() -> Value:
        named = [functions.names_of(m, h) for h in s.handlers]
        catches = any(functions.may_catch(names, h) for names, h in zip(named, s.handlers, strict=True))
        before = m.expected
        handles = any(functions.may_handle(names, h) for names, h in zip(named, s.handlers, strict=True))
        m.expected = (*before, *(name for names in named for name in names))
        m.catching += catches
        m.handlers += handles
        try:
            return run_block(m, s.body)
        finally:
            m.catching -= catches
            m.handlers -= handles
            m.expected = before

    def attempt() -> Value:
        if not s.handlers:
            return orelse(run_block(m, s.body))
        return m.state.attempt(body, partial(handle, m, s), orelse)

    def orelse(outcome: Value) -> Value:
        return m.state.after(outcome, lambda: run_block(m, s.orelse))

    if not s.finalbody:
        return attempt()
    try:
        with m.state.unwinding():
            outcome = attempt()
    except (Raised, Dead):
        run_block(m, s.finalbody)
        raise
    last = run_block(m, s.finalbody)
    return outcome if last is None else last


def guarded_import(m: Machine, s: ir.Try) -> Value:
    """`try`; if it expects an import to fail and the library may or may not be installed, it is replayed both ways."""
    library = imports.optional(m, s)
    if library is None:
        return try_(m, s)
    cond = Cond(("installed", library), "branch", f"import {library}", m.here.site)
    return m.state.fork(cond, lambda: try_(m, s), lambda: not_installed(m, s))


def not_installed(m: Machine, s: ir.Try) -> Value:
    """The way of a `try` whose first import fails."""
    outcome = handle(m, s, Raised(None, "ModuleNotFoundError"))
    last = run_block(m, s.finalbody)
    return outcome if last is None else last


def handle(m: Machine, s: ir.Try, error: Raised) -> Value:
    """Run the handler that catches `error`; raise it again if there is none."""
    for h in s.handlers:
        if not functions.catches(m, h, error):
            continue
        if h.name:
            m.state.set(m.frame.variables, h.name, functions.caught(m, error))
        m.handling.append(error)
        try:
            return run_block(m, h.body)
        finally:
            m.handling.pop()
    raise error


def with_(m: Machine, s: ir.With) -> Value:
    """`with`: enter the managers in turn, run the body, leave them."""

    def item(i: int) -> Value:
        if i == len(s.items):
            return run_block(m, s.body)
        w = s.items[i]
        manager = m.eval(w.context)

        def inside(value: Value) -> Value:
            if w.target is not None:
                assignment.bind(m, w.target, value)
            return item(i + 1)

        m.here.chunk, m.here.node = s.chunk, s
        return contexts.within(m, manager, inside)

    return item(0)


def match(m: Machine, s: ir.Match) -> Value:
    """`match`: the first case that fits; an unknown fit is a branch."""
    subject = m.eval(s.subject)
    tell(m, s)

    def case(i: int) -> Value:
        if i == len(s.cases):
            return None
        c = s.cases[i]
        fits = patterns.fits(m, c.pattern, subject)
        if fits is False:
            return case(i + 1)

        def body() -> Value:
            if c.guard is None:
                return run_block(m, c.body)
            guard = m.eval(c.guard)
            return conditions.branch(m, guard, c.guard, lambda: run_block(m, c.body), lambda: case(i + 1))

        return conditions.branch(m, fits, c, body, lambda: case(i + 1))

    return case(0)


def function_def(m: Machine, s: ir.FunctionDef) -> Value:
    """`def`: make the function and pass it through its decorators."""
    functions.define(m, s)
    return None


def class_def(m: Machine, s: ir.ClassDef) -> Value:
    """`class`: run the body in a namespace of its own and make the class."""
    classes.define(m, s)
    return None


RUN: dict[type, Callable[[Machine, Any], Value]] = {
    ir.ExprStmt: expression,
    ir.Assign: assign,
    ir.AnnAssign: annotated,
    ir.AugAssign: augmented,
    ir.Delete: delete,
    ir.Return: return_,
    ir.Raise: raise_,
    ir.Assert: assert_,
    ir.Pass: pass_,
    ir.Break: break_,
    ir.Continue: continue_,
    ir.If: if_,
    ir.While: while_,
    ir.For: for_,
    ir.Try: guarded_import,
    ir.With: with_,
    ir.Match: match,
    ir.FunctionDef: function_def,
    ir.ClassDef: class_def,
    ir.Import: lambda m, s: imports.import_(m, s),
    ir.ImportFrom: lambda m, s: imports.import_from(m, s),
    ir.Global: pass_,
    ir.Nonlocal: pass_,
    ir.TypeAlias: pass_,
}

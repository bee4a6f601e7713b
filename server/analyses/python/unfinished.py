"""Statements that take more work than there is: each is left, and the next one goes on with what is known then.

    state = simulate(turns=1_000_000)       # is left
    weight = torch.ones(3, requires_grad=True)
    weight += 1                             # is told all the same

What such a statement would have bound is unknown. What it has done by then stays, as if that were all: what fails of
tensors and graphs that were there is a guess from here on, of those made later it isn't.

The innermost block goes on first, then those around it. None has steps left then: each statement gets some of its own,
and a block where that was too little several times in a row is left as a whole.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...syntax import ir
from ...syntax.walk import statements as statements_of
from ..autograd.gradients import OPAQUE
from ..autograd.tensors import Node, Tensor
from ..domain import budget
from ..domain.modules import is_model
from ..domain.paths import Exhausted
from ..domain.values import ABSENT, Args, Container, DictV, Instance, ListV, Unknown, serial
from ..operators import modules
from . import assignment, attributes, containers, opaque, statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..domain.paths import Outcome, Raised
    from ..domain.report import Why
    from ..domain.values import Value
    from .machine import Machine


OLDEST = 1
"""no object is older: what was left is taken to change nothing, as an unseen call is"""

WRITING = 20
"""steps for a change in place whose operand was left"""

LOOKUPS = ("KeyError", "IndexError", "AttributeError", "AssertionError")
"""What Python raises where something is missing that an unfinished statement would have put there."""


def grant(m: Machine, s: ir.Stmt, until: int) -> int:
    """Allow a statement, with those in it, steps of its own, out of its block's steps up to `until`; gives `until`.

    A block that gets steps for the first time has no such bound yet: it is 0 then.
    """
    worth = budget.LIMITS.rest_built if m.frame.name == "__init__" else 1
    until = until or m.work.steps + m.work.rest * worth
    m.work.grant(sum(1 for _ in statements_of([s], into_definitions=False)), until, worth)
    return until


def may_leave(m: Machine, tired: int) -> bool:
    """Whether a block goes on behind a statement of its own, after so many in a row have used up their steps.

    Only the blocks that were open when the budget was used up do, and once more those inside each statement of the
    outermost one. Code that is run on trial is undone as a whole instead.
    """
    return (
        tired <= budget.LIMITS.left_statements
        and not m.work.tentative
        and (m.work.anew or m.work.depth <= m.work.short)
    )


def is_doubtful(m: Machine, s: ir.Stmt, error: Raised) -> bool:
    """Whether an error that ends the program at a statement may be due to unknown effects of statements left before.

    Outside the file that is replayed, only a failed lookup or assertion may be; an error that a `raise` raises may not.
    """
    own = s.chunk is not None and s.chunk.path == m.files.main
    possible = own or (error.name in LOOKUPS and not isinstance(s, ir.Raise) and not is_model(s.chunk))
    return possible and m.explain.unsure > 0 and not m.handlers and not m.catching and error.name != "SystemExit"


def pass_over(m: Machine, function: str, args: Args) -> Unknown:
    """Don't enter a function that has used up its steps before, now that few are left; its result is unknown."""
    m.stop("work")
    m.work.given_up += 1
    doubt(m, OLDEST)
    return unseen(m, function, args)


def doubt(m: Machine, uid: int) -> None:
    """From here on a failed lookup may be due to what was left, and objects older than `uid` may have changed."""
    m.state.note(m.explain, "unsure", max(m.explain.unsure, uid))


def doubt_given(m: Machine, given: Iterable[Value]) -> None:
    """A call was cut short: the containers and objects that it was given may have changed, and what is older.

    Tensors are taken to be as they were: few functions write their arguments.
    """
    objects = [v for v in given if isinstance(v, (Container, Instance))]
    own = [t for v in objects if modules.is_module(v) for t in modules.parameters(m, v)]
    if objects:
        doubt(m, max(one.uid for one in (*objects, *own)) + 1)


def seen_in_part(m: Machine, function: str, args: Args, result: Value, order: int, uid: int) -> Value:
    """The result of a call of which only a part was replayed.

    If it leads to nothing older than the call, with nodes up to `order` and tensors up to `uid`, the way back to the
    arguments may be in the other part: then it is taken as the result of an unseen call.
    """
    if result is ABSENT:
        return unseen(m, function, args)
    ways = [v for _, v in m.state.alternatives(result)]
    if any(is_lost(m, v, order, uid) for v in ways) and all(is_tensor(v) for v in ways) and opaque.has_graph(m, args):
        return unseen(m, function, args)
    return result


def is_lost(m: Machine, v: Value, order: int, uid: int) -> bool:
    """Whether a value is unknown, or a tensor with a graph, and leads to nothing older."""
    found = list(opaque.tensors(m, v))
    if not found:
        return isinstance(v, Unknown)
    graphs = [m.grad.grad_fn(t) for t in found if t is not v or m.grad.requires_grad(t) is not False]
    return bool(graphs) and not any(m.grad.leads_back(graph, order, uid) for graph in graphs)


def is_tensor(v: Value) -> bool:
    """Whether a value is a tensor, or may be one."""
    return isinstance(v, Tensor) or (isinstance(v, Unknown) and not v.number)


def unseen(m: Machine, function: str, args: Args) -> Unknown:
    """The result of a call that isn't replayed to its end: its history may lead to its arguments.

    To a module's parameters, too, of which one stands for all: then it is sure to require grad.
    """
    own = [t for v in args for t in (modules.parameters(m, v)[:1] if modules.is_module(v) else ())]
    return opaque.linked(m, Unknown(f"{function}()"), function, Args([*args, *own]), sure=bool(own))


def save(m: Machine, result: Unknown, called: str, given: Iterable[Value]) -> None:
    """Let the `result` of a module that is `called` so save what it was given, as its own training has shown."""
    node = result.history
    if not isinstance(node, Node) or node.name != OPAQUE:
        return
    for v in given:
        t = m.sure_tensor(v) if isinstance(v, Unknown) else v
        if isinstance(t, Tensor):
            node.called = called
            m.grad.save(node, t, "input", node.when)


def leave(m: Machine, s: ir.Stmt, why: Why, detail: str = "") -> Outcome | None:
    """Leave a statement unfinished; gives its outcome."""
    m.here.chunk, m.here.node = s.chunk, s
    m.stop(why, detail)
    m.work.given_up += 1
    if why == "work":
        m.work.short, m.work.anew = m.work.depth, False
    apart = m.work.entering and s.chunk is not None and s.chunk.path != m.files.main
    if isinstance(s, ir.AugAssign) and isinstance(held(m, s.target), Tensor):
        doubt(m, OLDEST)
        write(m, s)
        return None
    doubt(m, OLDEST if apart else serial())
    for inner in statements_of([s], into_definitions=False):
        for target in targets(inner):
            forget(m, target, inner)
    return statements.Return(unbound(m, s, "the result")) if isinstance(s, ir.Return) else None


def write(m: Machine, s: ir.AugAssign) -> None:
    """Change a tensor in place by what would have taken too much work, as by the result of an unseen call."""
    m.work.limit = m.work.most = max(m.work.most, m.work.steps + WRITING)
    operand = unbound(m, s, "what it is changed by")
    m.here.chunk, m.here.node = s.chunk, s
    with m.here.writing(s, s.target, f"{s.op}="), suppress(Exhausted):
        statements.in_place(m, s.op, held(m, s.target), operand)


def unbound(m: Machine, s: ir.Stmt, name: str) -> Value:
    """What a statement that was left would have bound or returned: if it is a call's result, as of an unseen call."""
    call = s.value if isinstance(s, (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.Return)) else None
    if not isinstance(call, ir.Call):
        return Unknown(name)
    given = Args([v for a in call.args if (v := held(m, a.value)) is not ABSENT])
    return m.at(call, lambda: opaque.linked(m, Unknown(name), name, given))


def forget(m: Machine, target: ir.Expr, s: ir.Stmt) -> None:
    """Bind a target to an unknown value, since its statement was left."""
    if isinstance(target, ir.Name):
        assignment.store(m, target.id, unbound(m, s, target.id))
    elif isinstance(target, ir.Attribute) and isinstance(target.value, ir.Name):
        owner = held(m, target.value)
        if owner is not ABSENT:
            attributes.set_(m, owner, target.attr, unbound(m, s, target.attr))
    elif isinstance(target, ir.Subscript):
        owner = held(m, target.value)
        if isinstance(owner, (DictV, ListV)):
            containers.set_item(m, owner, Unknown("a key"), Unknown("a value"))
    elif isinstance(target, (ir.Tuple, ir.List)):
        for part in target.elts:
            forget(m, part, s)
    elif isinstance(target, ir.Starred):
        forget(m, target.value, s)


def held(m: Machine, e: ir.Expr) -> Value:
    """What a variable holds, or an attribute of an object in one; ABSENT for another expression."""
    if isinstance(e, ir.Name):
        return m.state.resolve(m.frame.variables.get(e.id, ABSENT))
    owner = held(m, e.value) if isinstance(e, ir.Attribute) else ABSENT
    if isinstance(e, ir.Attribute) and isinstance(owner, Instance):
        return m.state.resolve(owner.attributes.get(e.attr, ABSENT))
    return ABSENT


def targets(s: ir.Stmt) -> Iterator[ir.Expr]:
    """The targets that a statement itself binds."""
    if isinstance(s, ir.Assign):
        yield from s.targets
    elif isinstance(s, (ir.AnnAssign, ir.AugAssign, ir.For)):
        yield s.target
    elif isinstance(s, ir.With):
        yield from (item.target for item in s.items if item.target is not None)
    elif isinstance(s, (ir.FunctionDef, ir.ClassDef)):
        yield ir.Name(s.start, s.end, s.name)
    elif isinstance(s, (ir.Import, ir.ImportFrom)):
        names = (alias.asname or alias.name.partition(".")[0] for alias in s.names)
        yield from (ir.Name(s.start, s.end, name) for name in names if name != "*")

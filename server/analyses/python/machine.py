"""The machine that replays a program: where it stands, what it has found, and how its parts meet.

Expressions, statements, calls and attributes are functions that take the machine first, each family in a file of its
own. The machine holds what they share: `state` (the trail and the paths), `grad` (autograd), `here` (where the replay
stands), `work` (how many steps it may still take), `files` (the program's modules), `explain` and `trace` (stories).
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...facts.releases import BASE
from ...syntax import ir
from ..autograd.backward import Autograd
from ..autograd.tensors import Tensor
from ..domain.here import Here
from ..domain.known import is_mask
from ..domain.modules import Modules, OfRelease, OwnFacts
from ..domain.paths import Guards, Raised, State
from ..domain.report import Assumption, Failure, Leaf, Stop, Why
from ..domain.steps import Globals, Mark, Step, Undone, loaded
from ..domain.trail import held, noted_in
from ..domain.values import (
    ABSENT,
    Answers,
    Args,
    ClassV,
    Cond,
    Frame,
    Moment,
    Phi,
    Unknown,
    Value,
    serial,
)
from ..stories.explain import Explainer, cause_of
from ..stories.trace import Trace
from . import attributes, guesses, opaque
from .calls import call
from .expressions import EVALUATE
from .files import Files
from .statements import run_block
from .work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from ...facts.model import Op
    from ...syntax.chunks import Source
    from ...syntax.text import Excerpt
    from ..autograd.tensors import Node
    from ..operators.numbers import Numbers
    from .coroutines import Coroutine


class Machine:
    """One replay. If it is `noting`, it notes what steps look up."""

    def __init__(self, modules: Modules, noting: bool = True) -> None:
        self.facts = modules.facts if isinstance(modules, OfRelease) else BASE
        self.own_facts = modules if isinstance(modules, OwnFacts) else None
        self.files = Files(modules, noting)
        self.state: State = State()
        self.state.on_lost = self.lost
        self.state.on_end = self.end
        self.state.on_both = self.both
        self.state.on_deep = partial(self.stop, "branches")
        self.here = Here()
        self.work = Work(self.here, self.state)
        self.grad = Autograd(self)
        self.explain = Explainer(self)
        self.trace = Trace(self)
        self.frame: Frame = Frame(None, None, "<start>")
        self.broken: ir.Stmt | None = None
        self.runs: int = 0
        self.tensors = Answers()
        """the unknown values that were used in ways that only tensors allow, as those"""
        self.used = Answers()
        """the unknown values that were used as tensors"""
        self.read = Globals(self.files.seen)
        """the items and attributes of unknown values that were read or set, by their keys"""
        self.numbers: Numbers | None = None
        """what tensors are full of, while a function is evaluated on numbers"""
        self.open_calls: dict[int, int] = {}
        self.open_loops: dict[int, bool] = {}
        self.catching = 0
        self.handlers = 0
        """how many enclosing `try`s may handle an error of autograd; with none, the replay goes on behind it"""
        self.expected: tuple[str, ...] = ()
        """the exceptions that the enclosing handlers name"""
        self.handling: list[Raised] = []
        self.causes: dict[Hashable, bool] = {}
        """the causes of certain failures, which are replayed as if mended: their other failures aren't reported"""
        self.good: ir.Node | None = None
        """the place of the last one of these"""
        self.passing = False
        """whether an object is being built that an entry point is called with"""
        self.of_any_type = False
        """whether an option may be anything, even where its default is a number"""
        self.ending: dict[str, Value] = {"over": False}
        """`over`: whether PyTorch has ended the program by now"""
        self.default_dtype = "float32"
        self.debug = False
        self.entry_assumptions: tuple[Assumption, ...] = ()
        self.taken: dict[Excerpt, Assumption] = {}
        self.library: dict[str, ClassV] = {}
        self.coroutines: list[Coroutine] = []
        self.turns: dict[tuple[str, int, int], int | Unknown | None] = {}
        """by the key of a turn that stands for many: for how many (`counting.py`)"""
        self.rare: int = 0
        self.now: Step = Step(None, self.mark())

    # -- steps of a session -----------------------------------------------------------------------

    @property
    def parts(self) -> tuple[object, ...]:
        """The records that the machine is made of, itself included: what they hold is no value of the program."""
        return self, self.grad, self.state, self.explain, self.work, self.files

    @property
    def _stores(self) -> tuple[dict[Any, Any], ...]:
        """Those to which things are added only."""
        return self.files.loaded, self.files.spaces, self.turns, self.explain.applied

    def mark(self) -> Mark:
        """The present state of the replay, for `go_back`."""
        return Mark(len(self.state.trail), len(self.state.notes), len(self.grad.nodes), *map(len, self._stores))

    def go_back(self, mark: Mark) -> None:
        """Undo everything that was done since."""
        self.state.undo(mark.trail)
        self.state.forget(mark.notes)
        del self.grad.nodes[mark.nodes :]
        for store, length in zip(self._stores, mark[3:], strict=True):
            while len(store) > length:
                store.popitem()

    def take_back(self, mark: Mark) -> Undone:
        """Undo all that was done since, and give what it takes to do it again."""
        written, noted = self.state.take_back(mark.trail, mark.notes)
        nodes, added = self.grad.nodes[mark.nodes :], self.added_since(mark)
        self.go_back(mark)
        return Undone(written, noted, nodes, added)

    def do_again(self, undone: Undone) -> None:
        """Do what was taken back."""
        self.state.do_again(undone.trail, undone.notes)
        self.grad.nodes += undone.nodes
        for store, added in zip(self._stores, undone.added, strict=True):
            store.update(added)

    def changed_since(self, mark: Mark) -> list[tuple[Any, Any, Value]]:
        """What was written and noted since, with the values that it has now."""
        state = self.state
        written = [(store, key, held(store, key)) for store, key, _ in state.trail[mark.trail :]]
        return [*written, *((store, key, noted_in(store, key)) for store, key, _ in state.notes[mark.notes :])]

    def before(self, mark: Mark) -> list[tuple[Any, Any, Value]]:
        """What was written and noted since, with the values that it had before."""
        return [*self.state.trail[mark.trail :], *self.state.notes[mark.notes :]]

    def added_since(self, mark: Mark) -> tuple[list[tuple[Any, Any]], ...]:
        """What was added since to stores to which things are added only."""
        return tuple(
            list(islice(one.items(), length, None)) for one, length in zip(self._stores, mark[3:], strict=True)
        )

    def look_at(self, node: ir.FunctionDef | ir.ClassDef | ir.Lambda) -> None:
        """Note that the present step depends on the body of a function or class."""
        if not isinstance(node, ir.Lambda):
            self.now.bodies[node] = node.body

    def find(self, name: str, level: int, importer: str) -> Source | None:
        """The file of the program that an import means; the present step depends on it.

        If it runs or has run already, on the names that are looked up there, not on all of its text.
        """
        source = self.files.modules.load(name, level, importer)
        known = source is not None and self.files.noting and source.path in self.files.loaded
        self.now.imports.setdefault((name, level, importer), loaded(source, whole=not known))
        return source

    # -- where it stands ------------------------------------------------------------------------

    def place(self) -> tuple[Any, ...]:
        """Everything about where the replay stands, to go on elsewhere meanwhile (`Coroutine`)."""
        here = self.here
        return (
            self.frame, here.chunk, here.node, here.stack, here.iterations, here.written, here.via, here.called,
            self.work.depth, self.catching, self.handlers, self.expected, self.open_calls, self.handling,
            self.state.splits, self.state.held, self.state.ways, self.state.tries, self.state.copies,
        )  # fmt: skip

    def come_to(self, place: tuple[Any, ...]) -> None:
        """Go on where `place` says."""
        here = self.here
        (
            self.frame, here.chunk, here.node, here.stack, here.iterations, here.written, here.via, here.called,
            self.work.depth, self.catching, self.handlers, self.expected, self.open_calls, self.handling,
            self.state.splits, self.state.held, self.state.ways, self.state.tries, self.state.copies,
        ) = place  # fmt: skip

    def leave_coroutines(self) -> None:
        """End the generators that the program has left suspended."""
        for coroutine in list(self.coroutines):
            coroutine.close()

    def own_fact(self, name: str) -> Op | None:
        """The fact of an operator in the program's configuration, if there is one."""
        return self.own_facts.fact(name) if self.own_facts is not None else None

    def stop(self, why: Why, detail: str = "") -> None:
        """Note that the path ends here, or goes on without something that the program does."""
        if self.here.node is not None:
            self.now.stops[Stop(self.here.site, why, detail)] = None

    def reach(self, s: ir.Stmt) -> None:
        """A step reaches a statement for the first time."""
        self.now.reached.add(s)
        if self.now.earlier is None or s not in self.now.earlier.reached:
            self.work.reach(s)

    def was_reached(self, s: ir.Stmt) -> bool:
        """Whether this step, or one before it, has reached a statement."""
        earlier, familiar = self.now.earlier, self.work.familiar
        return (
            s in self.now.reached
            or (earlier is not None and s in earlier.reached)
            or (familiar is not None and s in familiar.statements)
        )

    def operate(self) -> None:
        """An operator is replayed."""
        self.work.operate()

    def eval(self, e: ir.Expr) -> Value:
        """The value of an expression; for an unknown value that was used as only tensors can be, the tensor."""
        v = EVALUATE[type(e)](self, e)
        return self.found_out(v) if type(v) is Unknown and v.tensor is not None else v

    def block(self, body: Sequence[ir.Stmt]) -> Value:
        """Run statements; the outcome (`statements.py`)."""
        return run_block(self, body)

    def call(self, function: Value, args: Args) -> Value:
        """Call a value."""
        return call(self, function, args)

    def getattr(self, v: Value, name: str) -> Value:
        """An attribute of a value, as the program reads it."""
        return attributes.get(self, v, name)

    def bound(self, found: Value, v: Value) -> Value:
        """What an attribute of a class becomes when it is read through an object."""
        return attributes.bound(self, found, v)

    def at(self, node: ir.Node, run: Callable[[], Value]) -> Value:
        """Run something with `node` as its place, and return to the present place."""
        before, self.here.node = self.here.node, node
        try:
            return run()
        finally:
            self.here.node = before

    # -- unknown tensors --------------------------------------------------------------------------

    def as_tensor(self, v: Unknown) -> Tensor:
        """An unknown value that is used as a tensor; it is unknown whether it requires grad."""
        t = v.tensor
        if not isinstance(t, Tensor):
            t = self.grad.tensor()
            if opaque.leads_on(v):
                t.grad_fn, t.bound = v.history, v.bound
            elif not (v.data or is_mask(v.key)):
                t.requires_grad_ = frozenset({self.requires_grad(v)})
                t.grad_fn = Unknown("history")
            t.is_inference = False
            t.label = self.explain.text(v.bound) or v.why or None
            self.state.note(v, "tensor", t)
        if not self.is_used(v):
            self.state.set(self.used, v, True)
        return t

    def is_used(self, v: Unknown) -> bool:
        """Whether an unknown value was used as a tensor on the present path, so that it isn't None."""
        return v.tensor is not None and self.state.resolve(self.used.get(v, False)) is True

    def sure_tensor(self, v: Unknown) -> Tensor:
        """The same where only a tensor can be used like that: from here on the value is one."""
        t = self.as_tensor(v)
        if self.found_out(v) is not t:
            self.state.set(self.tensors, v, t)
        return t

    def part(self, v: Unknown) -> Value:
        """An item or an attribute of an unknown value, as it was read before or set; `v` if that is not known.

        What is read is noted anew each time, so that a later step rests on it.
        """
        before = self.state.resolve(self.read.get(self.key_of_part(v), ABSENT))
        found = v if before is ABSENT or isinstance(before, Phi) else before
        self.set_part(v, found)
        return found

    def set_part(self, v: Unknown, value: Value) -> None:
        """An item or an attribute of an unknown value is replaced."""
        if type(v.key) is tuple:
            self.state.set(self.read, self.key_of_part(v), value)

    def key_of_part(self, v: Unknown) -> Hashable:
        """The key under which an item or an attribute is kept: another for items once their container has changed."""
        if type(v.key) is not tuple or v.key[0] != "[]":
            return v.key
        changed = self.state.resolve(self.read.get(("changed", v.key[1]), ABSENT))
        if isinstance(changed, Phi):  # it may have
            changed = self.forget(v.key[1])
        return v.key if changed is ABSENT else (changed, v.key)

    def forget_items(self, v: Unknown) -> None:
        """An unknown container has changed: its items may be others."""
        self.forget(v.key)

    def forget(self, container: Hashable) -> int:
        """The items of what has this key begin anew; returns the moment."""
        moment = Moment(serial())
        self.state.set(self.read, ("changed", container), moment)
        return moment

    def found_out(self, v: Unknown) -> Value:
        """An unknown value, or the tensor that it must be on the present path."""
        t = self.state.resolve(self.tensors.get(v, False))
        return t if isinstance(t, Tensor) else v

    def to_write(self, v: Unknown) -> Value:
        """The same, of a value that is about to be changed: a choice of both where a branch has found that out."""
        found = self.state.resolve(self.tensors.get(v, False))
        return self.state.each_way(found, lambda t: t if isinstance(t, Tensor) else v)

    def requires_grad(self, v: Unknown) -> Cond:
        """The question whether an unknown value requires grad."""
        integers = guesses.tells_integers(v.why)
        expected = v.parameter and not v.own and not integers
        kind = "of-data" if guesses.tells_data(v.why) else "requires-grad"
        doubted = "factor" if integers or guesses.is_setting(v.why) else "may-require-grad"
        return Cond(("requires grad", v.key), kind if expected else doubted, v.why, self.here.site)

    def refuse_dtype(self, t: Tensor) -> None:
        """An integer tensor is to require grad: report that, and go on as if it had another dtype."""
        self.grad.fail("requires-grad-dtype", "direct", t, detail=t.dtype or "")
        self.state.put(t, Tensor.dtype_, None)

    def require_grad(self, t: Tensor, value: Value) -> None:
        """`t.requires_grad_(value)`: refused for integers; a non-leaf can't be switched off.

        If it may have a history, it certainly requires grad then; one that is switched off has none, or PyTorch raises.
        """
        if value is not True and value is not False:
            return
        if value and t.dtype is not None and not t.dtype.startswith(("float", "complex", "bfloat")):
            self.refuse_dtype(t)
        if value and t.is_inference is True and not self.grad.mode["inference"]:
            self.grad.fail("inference-tensor", "direct", t, detail="required")
        if self.grad.is_leaf(t, anew=False) is not False:
            self.state.put(t, Tensor.requires_grad_, value)
            if not value:
                self.state.put(t, Tensor.grad_fn, None)

    # -- failures ---------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether PyTorch has certainly ended the program by now, and the replay has gone on behind a failure."""
        return self.state.resolve(self.ending["over"]) is True

    def raise_failure(
        self, failure: Failure, guards: Guards, ways: Sequence[Guards] = (), cause: Hashable = None
    ) -> bool:
        """The program fails here: raises Raised if it may handle that, else reports the failure and goes on.

        Gives whether it fails for sure; the replay then goes on as if the refused operation had been mended and had no
        effect. Of several failures with one `cause`, the first is reported. The failure may depend on `guards`; each of
        several `ways` to it is enough. The replay goes on under the assumption that none of them holds.
        """
        cause = cause or cause_of(failure)
        if cause in self.causes:
            return not guards
        if guards:
            every = [
                frozenset((cond.key, holds) for cond, holds in (*self.state.sides, *way)) for way in ways or (guards,)
            ]
            if self.catching or all(map(self.state.has_ended, every)):
                return False
            self.report(failure, guards)
            for needed in every:
                self.state.set(self.state.ended, needed, True)
            if len(guards) == 1 and not self.state.splits:
                cond, holds = guards[0]
                self.state.assume(cond, not holds)
            return False
        self.go_on_from([(failure, cause)])
        return True

    def raise_collected(self, failures: Sequence[tuple[Failure, Guards]]) -> None:
        """Like `raise_failure`, for several failures that one backward finds."""
        new = [(f, guards, cause) for f, guards in failures if (cause := cause_of(f)) not in self.causes]
        for failure, guards, _ in new:
            if guards and not self.has_ended(guards):
                self.report(failure, guards)
        certain = [(f, cause) for f, guards, cause in new if not guards]
        if certain:
            self.go_on_from(certain)

    def go_on_from(self, failures: Sequence[tuple[Failure, Hashable]]) -> None:
        """Report certain failures, and remember their causes; raises Raised instead if the program may handle them."""
        if self.handlers:
            raise Raised(None, "RuntimeError", [self.explain.finish(f, tuple(self.state.splits)) for f, _ in failures])
        self.state.set(self.ending, "over", True)
        self.good = self.here.node
        for failure, cause in failures:
            self.report(failure)
            if cause is not None:
                self.state.set(self.causes, cause, True)

    def refuse(self) -> None:
        """PyTorch raises here, and no rule is about it: raises Raised if the program may handle that."""
        if self.handlers:
            raise Raised(None, "RuntimeError")
        self.refused("RuntimeError")
        self.state.set(self.ending, "over", True)

    def report(self, failure: Failure, guards: Guards = ()) -> None:
        """Record a failure that depends on `guards`, unless a handler of the program expects it.

        If it depends on something requiring grad that may well be a number, it isn't recorded.
        """
        if not self.catching and not any(cond.kind == "factor" and holds for cond, holds in guards):
            self.now.failures.append(self.explain.finish(failure, (*self.state.splits, *guards)))

    def note_backward(self, nodes: Sequence[Node]) -> None:
        """Note that a backward runs nodes, and so goes through the functions that were open when these were made."""
        for stack in {id(node.stack): node.stack for node in nodes}.values():
            self.now.differentiated.update(site.chunk for site in stack)
        self.now.differentiated.update(node.site.chunk for node in nodes if node.site is not None)

    def note_gradient(self, leaf: Tensor, is_updated: bool = False) -> None:
        """Note that a backward gives a leaf a gradient, or that an optimizer updates the leaf by it."""
        if leaf.origin is not None:
            self.now.trained.add(Leaf(leaf.origin, leaf.name, is_updated))

    def refused(self, why: str) -> None:
        """Note that Python or PyTorch refuses what the program does here; the replay goes on all the same.

        Behind a failure it isn't noted: it may follow from what was replayed as if mended.
        """
        if not self.catching and not self.is_over:
            self.now.errors.append(why)

    def lost(self, error: Raised) -> None:
        """A branch ended in an error while another one goes on: report now what failed there."""
        if not self.catching:
            self.now.failures.extend(error.failures)

    def end(self, given: frozenset[tuple[Hashable, bool]]) -> None:
        """The program raises under these answers, so a caller will not bring them about.

        In a file's own code that isn't kept: after an edit it would have each step replayed that comes behind.
        """
        if self.work.entering and not self.catching and not self.handlers:
            self.state.set(self.state.ended, given, True)

    def has_ended(self, guards: Guards) -> bool:
        """Whether the program has ended already where these answers hold, with those that lead here."""
        given = frozenset((cond.key, holds) for cond, holds in (*self.state.sides, *guards))
        return self.state.has_ended(given)

    def both(self, first: Exception, second: Exception) -> Exception:
        """Both sides of a branch end in an error: a failure that both have doesn't depend on the branch."""
        if isinstance(first, Raised) and isinstance(second, Raised):
            failures = self.explain.settled([*first.failures, *second.failures])
            return Raised(first.value, first.name, failures)
        return first if isinstance(first, Raised) else second

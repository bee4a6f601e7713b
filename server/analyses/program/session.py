"""Which parts of a program are replayed, in which order, and which of them again after an edit.

Every file's own code runs first, as its main program would, statement by statement: each is a *step*. What no step has
called is then entered with unknown arguments (`entries.py`): a function as one step, a class part by part.

    import torch                # step 1
    def loss(x): …              # step 2
    w = torch.rand(3)           # step 3
    train(w)                    # step 4: has run `loss`

After an edit of line 3 the trail leads back to the state before step 3; 1 and 2 stand, 3 and 4 are replayed. After an
edit inside `loss`, step 2 stands as well (the function's head is as it was), and step 4 is the first that has run what
was edited. So a keystroke costs the steps that depend on it, and the answer is what a replay from the start would give.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ...syntax import ir
from ...syntax.statements import docstring
from ...syntax.walk import statements as statements_of
from ..domain import budget
from ..domain.modules import OwnModels
from ..domain.paths import Unwanted, always
from ..domain.report import Reach, Report, Told
from ..domain.steps import Import, Step, loaded
from ..domain.values import ClassV, ModuleV, Value, serial
from ..libraries import load_models, polyfills
from ..python import imports, statements
from ..python.machine import Machine
from ..stories.trace import NoTrace, Trace
from .definitions import plain_function
from .effects import Difference, Shelf, changeable
from .entered import Entered
from .entries import Entry, guarded
from .past import Past
from .turns import Defined, Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

    from ...syntax.chunks import Source
    from ..domain.modules import Modules
    from ..domain.report import Failure
    from ..domain.steps import Earlier, Loaded

CLOSING = "the end of the program"


def replay(
    roots: Sequence[Source], modules: Modules, traced: bool = True, wanted: Callable[[], bool] = always
) -> Report:
    """Replay a program: `roots` are the files asked for, `modules` finds the others that they import.

    Without `traced` it costs less, and finds failures only: no rows, no stories.
    Gives what was found, in the order of the files and lines. Raises Unwanted soon after `wanted` says no, and nothing
    else: an internal error is reported in `Report.problems` and costs the answers of the entry point where it happened.
    """
    return Session(modules, traced).replay(roots, wanted)


class Beginning(NamedTuple):
    """What the first step of a file's own code depends on; it `asks` how the file is run if it mentions `__name__`."""

    path: str
    asks: bool

    @classmethod
    def of(cls, source: Source) -> Beginning:
        """That of a file."""
        return cls(source.path, "__name__" in source.text)


class Ending(NamedTuple):
    """What the last step of a file's own code depends on: what imports of the file have waited for is bound there."""

    path: str


class Session:
    """The replay of a program that is being edited: what an edit doesn't touch is not replayed again.

    A file's own code is replayed statement by statement, each a step that goes on from the one before. After an edit,
    the replay goes back to the first step that has changed, or has run a function that has. Each entry point is then a
    step that begins with the state at the end of all files and is undone. So a step that depends on the same text gives
    the same result whenever it is run.
    """

    def __init__(self, modules: Modules, traced: bool = True) -> None:
        load_models()
        self.m = Machine(modules, noting=traced)
        self.m.files.model_of = partial(model_of, modules)
        self.tracer = Trace if traced else NoTrace
        self.m.trace = self.tracer(self.m)
        self.own: list[Step] = []
        self.told: dict[ir.Stmt, Told] = {}
        self.entered: dict[Value, Entered] = {}
        self.shelf = Shelf(self.m)
        self.past = Past()
        self.since = Difference(self.m)
        """where the state is not the one that was entered from"""
        self.turns = Turns()
        self.ran: list[Step] = []
        """the steps that ran in the last replay, or in the present one"""

    def replay(self, roots: Sequence[Source], wanted: Callable[[], bool] = always) -> Report:
        """Replay the program as it is now; see `replay`.

        Raises Unwanted soon after `wanted` says no. What is done by then is kept for the next time.
        """
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, budget.LIMITS.frames))
        self.m.work.wanted = wanted
        self.ran.clear()
        try:
            is_fresh = Freshness(self.m.files.modules)
            self.run_files(roots, is_fresh)
            self.run_rest(roots, is_fresh)
        finally:
            self.m.work.wanted = always
            sys.setrecursionlimit(limit)
        return self.report(roots)

    def so_far(self) -> list[Failure]:
        """The failures that this replay has found anew so far: all of them will be among those of its report."""
        return self.m.explain.settled([failure for step in self.ran for failure in step.failures])

    def report(self, roots: Sequence[Source] = ()) -> Report:
        """What all steps have found in a program with the main files `roots`."""
        steps = [*self.own, *self.entry_steps()]
        done = [step.done for step in steps]
        return Report(
            self.m.explain.settled([failure for step in steps for failure in step.failures]),
            [problem for step in steps for problem in step.problems],
            [error for step in steps for error in step.errors],
            partial(last_told, self.told, [entered.told for entered in self.entered.values()]),
            {leaf for step in steps for leaf in step.trained},
            list(dict.fromkeys(stop for step in steps for stop in step.stops)),
            done,
            partial(reach, roots, done),
            self.m.facts,
        )

    def entry_steps(self) -> Iterator[Step]:
        """The steps of all that was entered."""
        return (step for entered in self.entered.values() for step in entered.steps)

    def step(
        self,
        key: object,
        what: str,
        run: Callable[[], Value],
        steps: int | None = None,
        patience: int | None = None,
        earlier: Earlier | None = None,
    ) -> Step:
        """Run a step; `what` names it where it goes wrong, `earlier` parts of an entry have run before it."""
        m = self.m
        m.files.seen.clear()
        m.now = step = Step(key, m.mark(), suspended=bool(m.coroutines), born=serial(), allowed=steps or 0)
        if earlier is not None:
            step.earlier = earlier
        self.ran.append(step)
        before = m.work.steps - m.work.imported
        guarded(m, what, run, steps, patience)
        step.cost = m.work.steps - m.work.imported - before
        step.touched = frozenset(m.files.seen)
        step.until, step.place = serial(), step.born
        return step

    # -- the files' own code ----------------------------------------------------------------------

    def run_files(self, roots: Sequence[Source], is_fresh: Freshness) -> None:
        """Replay the files' own code, from the first step whose result would differ."""
        known = self.known(roots, is_fresh)
        if self.own and self.own[-1].key is CLOSING and known == len(self.own):
            return
        self.undo(known)
        self.shelf.expect((key for source in roots for key in row(source)), self.own)
        try:
            at = 0
            for source in roots:
                at = self.run_file(source, at, is_fresh)
            self.own.append(self.step(CLOSING, CLOSING, self.m.leave_coroutines))
        except Unwanted:
            self.own.append(self.m.now)
            guarded(self.m, CLOSING, self.m.leave_coroutines)
            self.undo(len(self.own) - 1, keep=False)
            raise
        self.m.explain.moved = sorted((one.born, one.until, one.place) for one in self.own if one.place != one.born)
        before, self.told = self.told, self.m.trace.told()
        self.since.take(self.shelf.close(), before.keys() ^ self.told.keys())
        if self.since.lost:
            self.entered.clear()

    def undo(self, known: int, keep: bool = True) -> None:
        """Go back to before the step of this number, or farther where there is no way back to that.

        What was done since is kept, if it is wanted and may be done again.
        """
        last = len(self.own)
        while known and known < last and self.own[known].suspended:
            known -= 1
        if known < last - 1 or (keep and known < last):
            self.shelf.put(self.own[known:] if keep else None)
        if known < last:
            self.m.go_back(self.own[known].mark)
            del self.own[known:]
        if not known and not self.shelf:
            self.m.trace = self.tracer(self.m)

    def known(self, roots: Sequence[Source], is_fresh: Freshness) -> int:
        """How many of the first steps would have the same results again."""
        at = 0
        for source in roots:
            for key in row(source):
                if at == len(self.own) or self.own[at].key != key or not is_fresh(self.own[at]):
                    return at
                at += 1
                if self.own[at - 1].ended:
                    break
        return at + (at < len(self.own) and self.own[at].key is CLOSING and is_fresh(self.own[at]))

    def run_file(self, source: Source, at: int, is_fresh: Freshness) -> int:
        """Replay the unknown rest of a file's own code, which begins with step `at`; the number of the next step."""
        used = 0
        for key in row(source):
            if at == len(self.own):
                limits = budget.LIMITS
                allowed = min(limits.entry_steps, max(limits.file_steps - used, limits.least_steps))
                self.own.append(self.run_own(source, key, allowed, is_fresh))
            used += self.own[at].cost
            at += 1
            if self.own[at - 1].ended:
                break
        return at

    def run_own(self, source: Source, key: Part, allowed: int, is_fresh: Freshness) -> Step:
        """A step of a file's own code: what it did before, where it would do the same again."""
        again = self.shelf.again(key, allowed, is_fresh)
        if again is not None:
            return again
        step = self.step(key, source.path, partial(self.run_part, source, key), allowed, budget.LIMITS.own_patience)
        if self.m.files.noting:
            step.heap = changeable(self.m, step)
        self.shelf.replace(step, is_fresh, self.entry_steps())
        return step

    def run_part(self, source: Source, key: Part) -> None:
        """Begin or end a file, or replay one of its statements."""
        if isinstance(key, Beginning):
            self.begin(source)
        elif isinstance(key, Ending):
            imports.bind_awaited(self.m)
        else:
            self.run_statement(source, key)

    def begin(self, source: Source) -> None:
        """Begin a file: set its `__name__`, and autograd's modes.

        A file that was imported, and doesn't ask how it is run, would do the same again.
        """
        m, path = self.m, source.path
        known = m.files.module(path)
        if isinstance(known, ModuleV) and known.whole and not Beginning.of(source).asks:
            m.state.set(m.files.frames, path, known.frame)
            m.now.ended = True
            return
        frame = m.files.frame("__main__")
        frame.variables["__name__"] = "__main__"
        frame.variables["__file__"] = path
        m.state.set(m.files.frames, path, frame)
        m.files.main = path
        if path not in m.files.loaded:
            m.files.loaded[path] = ModuleV("__main__", path, frame)
        m.grad.set_modes({"grad": True, "inference": False, "hooks": None})

    def run_statement(self, source: Source, statement: ir.Stmt) -> None:
        """Replay a statement of a file's own code, `if __name__ == "__main__":` included."""
        self.m.frame, self.m.files.main = self.m.files.frames[source.path], source.path
        self.m.now.ended = statements.run_block(self.m, [statement]) is not None

    # -- the rest ---------------------------------------------------------------------------------

    def run_rest(self, roots: Sequence[Source], is_fresh: Freshness) -> None:
        """Enter what nothing in the program has called: in each file classes first, then functions."""
        known, self.entered = self.entered, {}
        try:
            self.enter(roots, is_fresh, known)
        except Unwanted:
            rest = {v: one for v, one in known.items() if not any(map(self.since.concerns, one.steps))}
            for v in known.keys() - rest.keys():
                self.past.put(known[v], self.since)
            self.entered = rest | self.entered
            raise
        finally:
            self.past.trim()
            self.since = Difference(self.m)

    def enter(self, roots: Sequence[Source], is_fresh: Freshness, known: dict[Value, Entered]) -> None:
        """Enter what nothing has called, one after the other; what is `known` and fresh need not run again."""
        self.m.now = Step(None, self.m.mark())
        entry = Entry(self.m, self.own)

        def is_as_it_was(step: Step) -> bool:
            return is_fresh(step) and entry.familiar(step) == step.familiar

        def stands(step: Step) -> bool:
            return not self.since.concerns(step) and is_as_it_was(step)

        self.past.take(self.since)
        paths = [source.path for source in roots]
        defined = [Defined(path, *one) for path in paths for one in self.defined(path)]
        for path, name, bound, v in self.turns.order(defined, paths):
            if not (unentered := entry.unentered(v)):
                continue
            self.m.files.main = path
            entered = known.pop(v, None)
            if entered is None or entered.unentered != unentered or not all(map(stands, entered.steps)):
                back = self.past.back((path, name, bound), unentered, is_as_it_was)
                if entered is not None:
                    self.past.put(entered.copy(), self.since)
                entered = back or self.run_entry(entry, (path, name, bound), v, entered, stands)
                entered.unentered = unentered
            self.entered[v] = entered
            for step in entered.steps:
                entry.add(step)
        for rest in known.values():
            self.past.put(rest, self.since)

    def run_entry(
        self,
        entry: Entry,
        of: tuple[str, str, str],
        v: Value,
        before: Entered | None,
        stands: Callable[[Step], bool],
    ) -> Entered:
        """Enter something in the state at the end of the files' own code, and go back to that state.

        `of` is its file, its own name, and the one that it, or what it is in, is bound to. Of what was entered
        `before`, the parts that stand are done again as they were.
        """
        m, (path, name, bound) = self.m, of
        entered = before or Entered(m, self.tracer(m), of)
        trace, m.trace = m.trace, entered.trace
        entered.trace.settled, entered.trace.since = self.told.keys(), len(m.grad.nodes)
        mark, moved = m.mark(), m.explain.moved
        m.explain.moved = sorted((*moved, *entered.moved()))
        try:
            entered.steps = self.run_parts(entry, name, v, entered, stands)
            entered.told = entered.trace.told()
            entered.keep()
        except Unwanted:
            guarded(m, name, m.leave_coroutines)
            raise
        finally:
            m.go_back(mark)
            m.trace, m.explain.moved = trace, moved
        for step in entered.steps:
            step.familiar = entry.familiar(step)
            step.touched |= {(m.files.frames[path].variables, bound)}
        return entered

    def run_parts(
        self, entry: Entry, name: str, v: Value, entered: Entered, stands: Callable[[Step], bool]
    ) -> list[Step]:
        """Run the parts of something that is entered, or do again those that stand."""
        parts, shelf, steps = entry.parts(v, entered.names), entered.shelf, list[Step]()
        shelf.expect((part.key for part in parts), ())
        for part in parts:
            if not (due := part.due()):
                continue
            step = shelf.again(part.key, 0, lambda one: stands(one) and entry.rests_on(one, due) == one.rests_on)
            if step is None:
                step = self.step(part.key, name, part.run, earlier=entry.earlier)
                step.rests_on = entry.rests_on(step, due)
                if self.m.files.noting and len(parts) > 1:
                    step.heap = changeable(self.m, step)
                shelf.replace(step, stands)
            entry.earlier.add(step)
            steps.append(step)
        if self.m.coroutines:
            steps.append(self.step(CLOSING, name, self.m.leave_coroutines, earlier=entry.earlier))
        return steps

    def defined(self, path: str) -> Iterator[tuple[str, str, Value]]:
        """The functions that a file defines at its top level, with their decorators; its classes, with those in them.

        Each by its own name, and the one that it, or what it is in, is bound to.
        """
        for bound, v in list(self.m.files.frames[path].variables.items()):
            v = self.m.state.pick(v)
            f = plain_function(v)
            if f is not None:
                if isinstance(f.node, ir.FunctionDef) and f.chunk.path == path:
                    yield f.name, bound, v
            elif isinstance(v, ClassV):
                yield from ((one.name, bound, one) for one in self.classes(v, path))

    def classes(self, cls: ClassV, path: str) -> Iterator[ClassV]:
        """A class, and those in its body, as far as a file defines them."""
        if cls.node is not None and cls.node.chunk.path == path:
            yield cls
            for v in cls.attributes.values():
                inner = self.m.state.pick(v)
                if isinstance(inner, ClassV) and inner.node in cls.node.body:
                    yield from self.classes(inner, path)


Part = Beginning | Ending | ir.Stmt
"""What a step of a file's own code is for."""


def row(source: Source) -> Iterator[Part]:
    """What the steps of a file's own code are for, in their order."""
    yield Beginning.of(source)
    yield from source.body
    yield Ending(source.path)


def last_told(own: Mapping[ir.Stmt, Told], entered: Iterable[Mapping[ir.Stmt, Told]]) -> Iterable[Told]:
    """What is known of each statement in the end, from the files' own code or the last entry point."""
    last = dict(own)
    for told in entered:
        last.update((s, one) for s, one in told.items() if not (one.failed and s in last))
    return last.values()


def reach(roots: Sequence[Source], done: Iterable[Set[ir.Stmt]]) -> Reach:
    """How many statements of the files, including those in functions and classes, were replayed to their end."""
    every = {s for source in roots for s in statements_of(source.body)}
    return Reach(len(every.intersection(set().union(*done))), len(every))


def model_of(modules: Modules, name: str) -> Source | None:
    """The model of a library's module: the user's own, or the built-in one."""
    own = modules.model(name) if isinstance(modules, OwnModels) else None
    return own or polyfills.find(name)


class Freshness:
    """Says whether what a step depends on is as it was; each import is looked up once."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self.same: dict[tuple[Import, bool], bool] = {}

    def __call__(self, step: Step) -> bool:
        """Whether nothing that a step depends on has changed."""
        for node, body in step.bodies.items():
            if node.body is not body:
                return False
        if any(docstring([statement]) != text for statement, text in step.texts.items()):
            return False
        return not step.imports or all(self.is_same(one, was) for one, was in step.imports.items())

    def is_same(self, one: Import, was: Loaded | None) -> bool:
        """Whether an import gives what it gave."""
        whole = was is None or was.body is not None
        if (one, whole) not in self.same:
            self.same[one, whole] = loaded(self.modules.load(*one), whole) == was
        return self.same[one, whole]

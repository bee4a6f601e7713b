"""Entry points: what of a program is replayed, in which order, and with which arguments.

Every file's own code runs first, as its main program would. What is then still untouched is entered with
unknown arguments: modules of `torch.nn` are built and their `forward` is called, as training would do;
other functions and methods are called once.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..syntax import ir
from . import attributes, functions, modules, statements
from .arguments import unknown_arguments
from .machine import STEPS, Machine, Modules
from .models import load_models
from .report import Assumption, Report
from .state import Dead, Exhausted, Raised
from .tensors import Tensor
from .values import (
    ABSENT,
    Args,
    Bound,
    ClassMethod,
    ClassV,
    DictV,
    Frame,
    FunctionV,
    Instance,
    ListV,
    ModuleV,
    Property,
    StaticMethod,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..syntax.chunks import Source

TRAINED = Assumption("trained", "")
BACKWARD = Assumption("backward", "")

RECURSION = 20_000
"""Python's own limit while the replay runs: a nested program needs several frames a level."""

PER_FUNCTION = 12_000
"""Steps for a function that is entered with unknown arguments."""


def replay(roots: Sequence[Source], modules_: Modules) -> Report:
    """Replay a program: `roots` are the files asked for, `modules_` finds the others that they import.

    Gives what was found, in the order of the files and lines. Raises nothing: an error inside is told in
    `Report.problems` and costs the answers of the entry point where it happened.
    """
    load_models()
    report = Report()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION))
    try:
        machine = Machine(modules_, report)
        entry = Entries(machine, report)
        for source in roots:
            entry.run_file(source)
        machine.trace.keep()
        for source in roots:
            entry.run_rest(source)
        machine.leave_coroutines()
        report.rows = list(machine.trace.rows())
        report.stories = dict(machine.trace.stories())
    finally:
        sys.setrecursionlimit(limit)
    report.failures = machine.explain.settled(report.failures)
    return report


class Entries:
    """Enters a program at all the places where it may be entered."""

    def __init__(self, machine: Machine, report: Report) -> None:
        self.m = machine
        self.report = report
        self.frames: dict[str, Frame] = {}

    def guarded(self, what: str, run: Callable[[], Value], steps: int = STEPS) -> Value:
        """Run something from outside; what the program raises ends it, and an internal error is told."""
        m = self.m
        m.limit = m.steps + steps
        m.stack, m.iterations, m.depth, m.catching = (), (), 0, 0
        m.state.splits.clear()
        m.grad.set_modes({"grad": True, "inference": False, "hooks": None})
        try:
            return run()
        except Raised as error:
            m.lost(error)
            if not error.failures and error.name != "SystemExit":
                m.refused(error.name)
        except (Exhausted, Dead):
            pass
        except RecursionError:
            self.report.problems.append(f"{what}: nested too deep")
        except Exception as error:  # the contract: a replay does not fail
            self.report.problems.append(f"{what}: {type(error).__name__}: {error}")
            if m.debug:
                raise
        return None

    def run_file(self, source: Source) -> None:
        """Replay a file's own code, `if __name__ == "__main__":` included."""
        m = self.m
        frame = Frame(None, None, "__main__")
        frame.d["__name__"] = "__main__"
        frame.d["__file__"] = source.path
        self.frames[source.path] = frame
        m.main = source.path
        if source.path not in m.loaded:
            m.loaded[source.path] = ModuleV("__main__", source.path, frame)
        m.frame = frame
        self.guarded(source.path, lambda: statements.run_block(m, list(source.body)))

    def run_rest(self, source: Source) -> None:
        """Enter what nothing of the program has entered: classes first, then functions."""
        m = self.m
        frame = self.frames[source.path]
        m.main = source.path
        mark = len(m.state.trail)
        for v in self.defined(frame, source.path):
            if isinstance(v, ClassV) and v.node is not None:
                self.enter_class(v)
                m.state.rewind(mark)
        for v in self.defined(frame, source.path):
            if isinstance(v, FunctionV):
                self.enter_function(v, Args())
                m.state.rewind(mark)

    def defined(self, frame: Frame, path: str) -> Iterator[Value]:
        """The classes and functions that a file defines at its top level."""
        for v in list(frame.d.values()):
            inner = self.m.pick(v)
            while isinstance(inner, Wrapped):
                inner = inner.function
            if (
                isinstance(inner, FunctionV) and isinstance(inner.node, ir.FunctionDef) and inner.chunk.path == path
            ) or (isinstance(inner, ClassV) and inner.node is not None and inner.node.chunk.path == path):
                yield inner

    def enter_class(self, cls: ClassV) -> None:
        """Build an object of a class that nobody built, and call what nobody called."""
        m = self.m
        methods = [v for v in cls.d.values() if self.untouched(v)]
        if not methods:
            return
        m.node, m.chunk = cls.node, cls.node.chunk  # type: ignore[union-attr]
        obj = self.guarded(cls.name, lambda: m.call(cls, Args(open_=True)), PER_FUNCTION)
        if not isinstance(obj, Instance):
            obj = Instance(cls)
        if modules.is_module(obj) and self.untouched(cls.lookup("forward")):
            self.train(obj)
        for v in methods:
            if self.untouched(v):
                self.enter_method(obj, v)

    def untouched(self, v: Value) -> bool:
        """Whether a function was never entered."""
        f = plain_function(v)
        return f is not None and f.node not in self.m.executed

    def train(self, obj: Instance) -> None:
        """Call a module's forward as training does, and run backward from what it gives."""
        m = self.m
        forward = plain_function(obj.cls.lookup("forward"))
        if forward is None:
            return

        def run() -> Value:
            m.node, m.chunk = forward.node, forward.chunk
            result = m.call(attributes.get(m, obj, "forward"), unknown_arguments(m, forward, 1, optional=True))
            m.node, m.chunk = forward.node, forward.chunk
            m.entry_assumptions = (TRAINED,)
            backward_from(m, result)
            return None

        m.entry_assumptions = (TRAINED,)
        self.guarded(f"{obj.cls.name}.forward", run, PER_FUNCTION)
        m.entry_assumptions = ()

    def enter_method(self, obj: Instance, v: Value) -> None:
        """Call a method with unknown arguments."""
        if isinstance(v, Property):
            self.enter_function(plain_function(v), Args([obj]))
        elif isinstance(v, StaticMethod):
            self.enter_function(plain_function(v), Args())
        elif isinstance(v, ClassMethod):
            self.enter_function(plain_function(v), Args([obj.cls]))
        else:
            self.enter_function(plain_function(v), Args([obj]), v)

    def enter_function(self, f: FunctionV | None, first: Args, through: Value = None) -> None:
        """Call a function that nobody called, with unknown arguments, and run backward from what it gives."""
        m = self.m
        if f is None or f.node in m.executed:
            return
        inner = f

        def run() -> Value:
            if functions.first_parameter(inner) == "ctx":  # autograd runs a custom function's parts without grad
                m.state.set(m.grad.mode, "grad", False)
            m.node, m.chunk = inner.node, inner.chunk
            args = unknown_arguments(m, inner, len(first.pos))
            args.pos = [*first.pos, *args.pos]
            result = m.call(through if through is not None else inner, args)
            m.node, m.chunk = inner.node, inner.chunk
            m.entry_assumptions = (BACKWARD,)
            backward_from(m, result)
            return None

        self.guarded(inner.name, run, PER_FUNCTION)
        m.entry_assumptions = ()


def plain_function(v: Value) -> FunctionV | None:
    """The function behind decorators and descriptors."""
    while isinstance(v, (Wrapped, StaticMethod, ClassMethod, Bound)):
        v = v.function
    if isinstance(v, Property):
        v = v.getter
    return v if isinstance(v, FunctionV) else None


def backward_from(m: Machine, result: Value) -> None:
    """Run backward from every tensor in a result, as a caller would from the loss made of them."""
    roots = [m.grad.grad_fn(t) for t in tensors_of(m, result, 0) if m.grad.requires_grad(t) is not False]
    if roots:
        m.grad.backward(roots, retain=True, accumulate=False)


def tensors_of(m: Machine, v: Value, depth: int) -> Iterator[Tensor]:
    """The tensors in a value, through containers."""
    for _, one in m.state.alternatives(v):
        if isinstance(one, Tensor):
            yield one
        elif depth < 4:
            inner: Sequence[Value] = ()
            if isinstance(one, tuple):
                inner = one
            elif isinstance(one, ListV):
                inner = m.tuple_of(one.d["items"])
            elif isinstance(one, DictV):
                inner = [x for x in one.items.values() if x is not ABSENT]
            for i in inner:
                yield from tensors_of(m, i, depth + 1)

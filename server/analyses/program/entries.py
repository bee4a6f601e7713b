"""Entering a program where no code of its own has called it: with unknown arguments, as a caller or a training would.

Modules of `torch.nn` are built, their `forward` is called, and then backward on its result, unless the program has run
a backward through that itself; one that keeps a part of its graph is trained for two steps in a row, and one with many
options is built and trained once more, with all at their defaults. Other functions and methods are called once. Public
names come before private ones: their callers decide what private functions are called with.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ...syntax import ir
from ...syntax.walk import names, nodes
from ..autograd.tensors import Node
from ..domain import budget, registry
from ..domain.modules import is_model
from ..domain.paths import Dead, Exhausted, Raised, Unwanted
from ..domain.report import Assumption, Site, fault
from ..domain.steps import ANY, TRAINING, Earlier, Familiar, Globals
from ..domain.values import (
    Args,
    ClassMethod,
    ClassV,
    FunctionV,
    Instance,
    Property,
    StaticMethod,
    Value,
)
from ..operators import modules
from ..python import attributes, functions, guesses
from ..python.annotations import own_class, unknown_arguments
from ..stories import carried
from . import options
from .definitions import given_modules, is_private, needed, own_forward, plain_function, varied
from .outcome import backward_from, gives_back, saved_by

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from ...syntax.text import Excerpt
    from ..domain.steps import Product, Step
    from ..python.machine import Machine

    Arguments = Callable[[Machine, FunctionV, int], Args]
    """makes arguments for a call from outside, none for the first parameters of a function"""

OBJECT = "object"
"""the name of the object of a class that is entered"""

BACKWARD, EXPECTED = Assumption("backward", ""), Assumption("backward", "", expected=True)


def guarded(
    m: Machine, what: str, run: Callable[[], Value], steps: int | None = None, patience: int | None = None
) -> Value:
    """Run a piece of the program; an error of the program ends it, and an internal error is reported.

    Raises Unwanted.
    """
    m.work.allow(budget.LIMITS.entry_steps if steps is None else steps, patience)
    m.here.stack, m.here.iterations, m.work.depth, m.catching, m.handlers, m.expected = (), (), 0, 0, 0, ()
    m.work.loop_until = None
    m.state.splits.clear()
    m.broken = None
    try:
        return run()
    except Raised as error:
        m.lost(error)
        if not error.failures and error.name != "SystemExit":
            m.stop("raises", error.name)
            m.refused(error.name)
    except (Exhausted, Dead):
        m.stop("work")
    except Unwanted:
        raise
    except RecursionError:
        m.stop("nested")
        m.now.problems.append(f"{what}: nested too deep")
    except Exception as internal:  # the contract: a replay does not fail
        m.stop("error", type(internal).__name__)
        m.now.problems.append(fault(what, _broken(m), internal))
        if m.debug:
            raise
    m.now.ended = True
    return None


def _broken(m: Machine) -> Site | None:
    """The statement in which an internal error happened."""
    return Site(m.broken.chunk, m.broken) if m.broken is not None else None


class Part(NamedTuple):
    """A part of entering something: what it is, what there is left to do of it (something false: nothing), and how."""

    key: Hashable
    due: Callable[[], Hashable]
    run: Callable[[], Value]


class Entry:
    """Enters a class or function that no step has entered, and a module that none has trained.

    `own` are the steps of the files' own code. What one of them has run as a demo, without a backward, counts as new:
    with other arguments, and trained, it may show more.
    """

    def __init__(self, machine: Machine, own: Sequence[Step]) -> None:
        self.m = machine
        self.executed: set[ir.Node] = set()
        self.called: set[ir.Node] = set()
        """what the files' own code has run"""
        self.trained: set[Excerpt | ir.Node] = set()
        self.differentiated: set[Excerpt] = set()
        """the text of the functions that a backward has gone through"""
        self.familiar_functions: set[ir.Node] = set()
        self.reached: set[ir.Stmt] = set()
        self.built: set[ir.Node] = set()
        self.made: set[Product] = set()
        self.saves: dict[ir.Node, frozenset[str]] = {}
        """which of its arguments a forward saves for backward, wherever it was trained"""
        self.spent = 0
        """how many steps the entry points have taken"""
        self.earlier = Earlier()
        """what the parts of the present class or function have come to"""
        self.names = Globals(set())
        """what they share"""
        for step in own:
            self.built |= {one for one in step.executed if isinstance(one, ir.ClassDef)}
            self.executed |= step.executed
            self.called |= step.executed
            self.trained |= step.differentiated
            self.differentiated |= step.differentiated
        for step in own:
            if not any(self.is_demo(f) for f in step.executed):
                self.add(step)
        self.spent = 0  # what the own code has taken is its own
        self.by_itself = len(self.reached)
        """how many statements the files' own code reaches, with all that it imports"""

    def is_demo(self, f: ir.Node) -> bool:
        """Whether a function that has run is a module's forward through which no backward has gone."""
        return isinstance(f, ir.FunctionDef) and f.name == "forward" and f.chunk not in self.trained

    def add(self, step: Step) -> None:
        """Note that one more step of the replay has run."""
        self.executed |= step.executed
        self.trained |= step.entered
        self.differentiated |= step.differentiated
        self.made |= step.made
        self.familiar_functions |= step.executed
        self.reached |= step.reached
        self.spent += step.cost
        for f, saved in step.saves.items():
            self.saves[f] = saved & self.saves.get(f, saved)

    def familiar(self, step: Step) -> Familiar:
        """The parts of a step that others had run before, and what is known of these."""
        return self.as_known(step.executed & self.familiar_functions, step.reached & self.reached)

    def as_known(self, known: set[ir.Node], reached: set[ir.Stmt]) -> Familiar:
        """What is familiar, what is known of that, and how many steps without a new statement are spent there."""
        saves = {f: saved for f, saved in self.saves.items() if f in known}
        return Familiar(known, reached, *self.patience(), saves)

    def patience(self) -> tuple[int, int]:
        """How many steps a familiar function has, and how many a familiar constructor."""
        limits = budget.LIMITS
        if self.spent < limits.early_steps:
            return limits.early_patience, limits.early_building
        entered = len(self.reached) - self.by_itself
        if len(self.reached) < limits.much_entered or entered < limits.first_entered:
            return limits.familiar_patience, limits.familiar_building
        return limits.brief_patience, limits.brief_building

    def parts(self, v: Value, names: Globals) -> list[Part]:
        """What there is to run of `v` that no entry point has reached yet; each part goes on from the one before.

        Of a class: build an object, which then stands in `names`, train it, and call the methods that nothing called.
        """
        self.earlier, self.names = Earlier(), names
        if not isinstance(v, ClassV):
            return [
                Part("call", lambda: self.untouched(v), lambda: self.enter_function(v, Args())),
                Part("options", lambda: self.missed_in(v), lambda: self.call(v, Args(), options.either_way)),
            ]
        methods = sorted((name for name, method in v.attributes.items() if self.untouched(method)), key=is_private)
        return [
            Part("build", lambda: True, lambda: self.build(v)),
            Part("library", lambda: self.called_by_library(v), lambda: self.run_uncalled(self.obj)),
            Part(TRAINING, lambda: self.untrained(v), lambda: self.train(self.obj)),
            Part("in a row", lambda: self.leads_back(v), lambda: self.train_twice(v)),
            Part("defaults", lambda: self.branched(v), lambda: self.train_at_defaults(v)),
            Part("options", lambda: self.missed(v), lambda: self.train_with_options(v)),
            *(self.method(v, name) for name in methods),
        ]

    def method(self, cls: ClassV, name: str) -> Part:
        """The part that calls a method."""
        of = cls.attributes
        return Part((name,), lambda: self.untouched(of.get(name)), lambda: self.call_method(self.obj, name, of[name]))

    @property
    def obj(self) -> Instance:
        """The object that was built of the class that is entered."""
        obj = self.names[OBJECT]
        assert isinstance(obj, Instance)
        return obj

    def rests_on(self, step: Step, due: Hashable) -> Hashable:
        """What a part takes from those before it, beside the state: what is left to do, and what they have reached."""
        return due, frozenset(step.reached & self.earlier.reached)

    def unentered(self, v: Value) -> Hashable:
        """The parts of `v` that no entry point has reached yet; something false if there are none."""
        if not isinstance(v, ClassV):
            if self.untouched(v):
                return self.new_product(v) or True
            return self.missed_in(v)
        methods = tuple(name for name, method in v.attributes.items() if self.untouched(method))
        untrained = self.untrained(v)
        return (methods or untrained) and (methods, untrained)

    def untrained(self, cls: ClassV) -> bool:
        """Whether this is a module class through which neither the program nor an entry of its own has run backward.

        The entry of another class doesn't count: with the arguments passed there it may show less. A class that
        inherits its `forward`, and overrides what that may use, counts for itself unless the program has trained it.
        """
        f = own_forward(cls)
        if not cls.derives(modules.MODULE) or f is None:
            return False
        trained = self.trained | self.earlier.entered | self.m.now.entered
        return f.chunk not in trained or (bool(varied(cls, "forward")) and cls.node not in trained | self.built)

    def outside(self, what: str, run: Callable[[], Value], patience: int | None = None, familiar: bool = True) -> Value:
        """Run something the way code outside the program would; what is `familiar` is left sooner."""
        patience = budget.LIMITS.patience if patience is None else patience
        self.m.grad.set_modes({"grad": True, "inference": False, "hooks": None})
        self.m.state.set(self.m.ending, "over", False)
        known, reached = (self.familiar_functions, self.reached) if familiar else (set(), set())
        self.m.work.familiar = self.as_known(known, reached)
        try:
            return guarded(self.m, what, run, budget.LIMITS.function_steps, patience)
        finally:
            self.m.work.familiar = None
            self.m.entry_assumptions = ()

    def build(self, cls: ClassV) -> None:
        """Build an object of a class."""
        obj = self.built_with(cls, lambda: Args(open_=True)) or self.built_of_anything(cls)
        if obj is None:
            obj = Instance(cls)
            registry.hold(obj, open_=True)
        self.m.state.set(self.names, OBJECT, obj)

    def built_with(self, cls: ClassV, passed: Callable[[], Args], patience: int | None = None) -> Instance | None:
        """Build an object of a class with the arguments that `passed` makes; None if that fails.

        If the constructor raises, it is given something for each default that is None, too.
        """
        m, init = self.m, plain_function(cls.lookup("__init__"))
        m.here.node, m.here.chunk = cls.node, cls.node.chunk  # type: ignore[union-attr]
        usual = budget.LIMITS.building_patience if cls.derives("torch.nn.Module") else budget.LIMITS.patience
        patience = usual if patience is None else patience
        obj = self.outside(cls.name, lambda: m.call(cls, passed()), patience)
        if not isinstance(obj, Instance) and init is not None and options.unset(init) and self.has_raised():
            obj = self.outside(cls.name, lambda: m.call(cls, options.with_offered(m, init, passed())), patience)
        return obj if isinstance(obj, Instance) else None

    def built_of_anything(self, cls: ClassV) -> Instance | None:
        """Build an object whose options may be anything where a number by default has made the constructor raise.

        `in_index=-1` has to be a list where the class says `input_transform="multiple"`.
        """
        self.m.of_any_type = True
        try:
            return self.built_with(cls, lambda: Args(open_=True)) if self.has_raised() else None
        finally:
            self.m.of_any_type = False

    def has_raised(self) -> bool:
        """Whether what the present part has run ended in an error of the program."""
        return any(stop.why == "raises" for stop in self.m.now.stops)

    def called_by_library(self, cls: ClassV) -> tuple[str, ...]:
        """The methods of a class that its library calls, if a model says so, and nothing has called.

        A class that inherits one, and overrides what that may use, counts for itself, as with a module's forward.
        """
        return tuple(name for name in self.entries(cls) if self.untouched(cls.lookup(name)) or self.is_anew(cls, name))

    def run_uncalled(self, obj: Instance) -> None:
        """Do with an object what its library would, with the methods that nothing has called; less if others have."""
        names = self.called_by_library(obj.cls)
        is_new = any(self.untouched(obj.cls.lookup(name)) for name in names)
        limits = budget.LIMITS
        patience = limits.training_patience if is_new else limits.options_patience
        self.run_as_library(obj, names, patience=patience)

    def entries(self, cls: ClassV) -> tuple[str, ...]:
        """The methods of the program that the library of a class calls, if a model says so."""
        named = self.m.state.tuple_of(cls.lookup("__entries__"))
        return tuple(name for name in named if (f := plain_function(cls.lookup(name))) and not is_model(f.chunk))

    def is_anew(self, cls: ClassV, name: str) -> bool:
        """Whether a class that nothing has built varies what one of its methods, an inherited one, may use.

        The constructor and the forward of a module are trained without its library.
        """
        found = varied(cls, name)
        if own_forward(cls) is not None:
            found = {one for one in found - {"__init__", "forward"} if plain_function(cls.lookup(one)) is not None}
        return cls.node not in self.built and bool(found)

    def run_as_library(
        self,
        obj: Instance,
        names: tuple[str, ...],
        told: str | None = None,
        patience: int = budget.LIMITS.training_patience,
    ) -> None:
        """Do with an object what the library of its class would do, as a model says.

        The model's class lists in `__entries__` the methods that the library calls, and has a method `__train__` that
        calls them; its argument are the `names` of those to call. `told` is what messages call the object.
        """
        m = self.m
        m.entry_assumptions = (Assumption("trained", told or obj.cls.name),)
        self.outside(obj.cls.name, lambda: m.call(attributes.get(m, obj, "__train__"), Args([names])), patience)
        called = (plain_function(obj.cls.lookup(name)) for name in names)
        m.now.entered |= {f.chunk for f in called if f is not None and f.node in m.now.executed}
        m.now.entered |= m.now.differentiated

    def restore(self, obj: Instance, before: Mapping[str, Value]) -> None:
        """Restore an object's attributes: what a private method leaves is up to its callers."""
        for name in {**before, **obj.attributes}:
            if name not in before:
                self.m.state.delete(obj.attributes, name)
            elif obj.attributes.get(name) is not before[name]:
                self.m.state.set(obj.attributes, name, before[name])

    def untouched(self, v: Value) -> bool:
        """Whether a function of the program was never entered, or computes a loss without a backward from it."""
        f = plain_function(v)
        if f is None or is_model(f.chunk):
            return False
        has_run = self.has_run(f) or f.node in self.m.now.executed
        return not has_run or self.is_open_loss(f)

    def is_open_loss(self, f: FunctionV) -> bool:
        """Whether others may call a function that computes a loss, and no backward has gone through it."""
        seen = f.node in self.called or is_private(f.name) or not guesses.computes_loss(f)
        return not seen and all(f.chunk not in known for known in (self.differentiated, self.m.now.differentiated))

    def was_trained(self, cls: ClassV) -> bool:
        """Whether an earlier part of the entry of a class has trained it."""
        return any(f.chunk in self.earlier.entered for f in self.ways_in(cls))

    def ways_in(self, cls: ClassV) -> list[FunctionV]:
        """The methods by which a class is trained: its forward, or those that its library calls."""
        forward = own_forward(cls)
        found = [forward] if forward else [plain_function(cls.lookup(name)) for name in self.entries(cls)]
        return [f for f in found if f is not None]

    def leads_back(self, cls: ClassV) -> Hashable:
        """What a second step of training may lead back into, and what the first has run; something false if nothing."""
        kept = self.kept() if self.was_trained(cls) else None
        return kept and (kept, frozenset(self.earlier.in_training))

    def kept(self) -> frozenset[str]:
        """The attributes in which the object that is entered keeps tensors with a history."""
        held = self.obj.attributes.items()
        return frozenset(name for name, v in held if isinstance(name, str) and self.has_history(v))

    def named_by_others(self, cls: ClassV) -> set[str]:
        """The attributes that functions of a class's file, or methods of its line, name which no training has run.

        The present step depends on all these functions, and on which there are.
        """
        there = self.m.files.frames[self.m.files.main or ""].variables.values()
        classes = [*cls.mro, *(v for v in there if isinstance(v, ClassV))]
        self.m.files.seen.update((c.attributes, ANY) for c in classes)
        defined = [s for c in classes if c.node is not None for s in c.node.body if isinstance(s, ir.FunctionDef)]
        defined += [v.node for v in there if isinstance(v, FunctionV) and isinstance(v.node, ir.FunctionDef)]
        others = [f for f in defined if f.name != "__init__" and f not in self.earlier.in_training]
        for f in others:
            self.m.look_at(f)
        return {one.attr for f in others for one in nodes(f.body) if isinstance(one, ir.Attribute)}

    def has_history(self, v: Value) -> bool:
        """Whether a value is, or holds, a tensor with a history."""
        grad_fns = (self.m.grad.grad_fn(t) for t in carried.inside(self.m, self.m.state.pick(v)))
        return any(isinstance(fn, Node) for fn in grad_fns)

    def train_twice(self, cls: ClassV) -> None:
        """Train a module, at its defaults, for two steps in a row: the second one may lead into the graph of the first.

        What other functions name is left to them: one may be called between two steps. What is kept where an option
        asks for it is mostly a cache, which isn't for training.
        """
        m = self.m
        if self.named_by_others(cls) & self.kept():
            return
        forward, obj = plain_function(cls.lookup("forward")), self.built_at_defaults(cls)
        if forward is None or obj is None:
            return
        trained = Assumption("trained", cls.name)
        m.runs += 1
        steps = m.runs

        def run() -> Value:
            for turn in range(2):
                m.here.iterations = ((steps, turn),)
                result = self.forward(obj, forward, trained)
                backward_from(m, result, (steps, 0))
            return None

        m.entry_assumptions = (trained,)
        self.outside(f"{obj.cls.name}.forward", run, budget.LIMITS.training_patience)

    def branched(self, cls: ClassV) -> bool:
        """Whether it is open what a module does at its defaults.

        It has more branches than are followed, or it fails only where several are taken.
        """
        return self.was_trained(cls) and self.earlier.open_branches

    def train_at_defaults(self, cls: ClassV) -> None:
        """Build a module and train it with all options at their defaults, which is one way through most branches."""
        obj = self.built_at_defaults(cls)
        if obj is not None:
            init = plain_function(cls.lookup("__init__"))
            given = init is not None and bool(needed(init)[1:])
            self.train_in_its_way(obj, unknown_arguments, f"{cls.name}({'…' if given else ''})")

    def missed(self, cls: ClassV) -> Hashable:
        """Where options that are off by default have kept the training of a module out; something false if nowhere."""
        init = plain_function(cls.lookup("__init__"))
        if not self.was_trained(cls) or self.earlier.cost > budget.LIMITS.with_options:
            return False
        if not any(map(options.are_off, self.ways_in(cls))) and (init is None or not options.unset(init)):
            return False
        run = (f for f in map(plain_function, cls.attributes.values()) if f is not None and self.has_run(f))
        return frozenset(s for f in run for s in self.missed_of(f))

    def missed_in(self, v: Value) -> Hashable:
        """The same for a function that others may call, unless the program does so itself."""
        f = plain_function(v)
        if f is None or is_model(f.chunk) or is_private(f.name) or f.node in self.called or not options.are_off(f):
            return False
        return self.has_run(f) and frozenset(self.missed_of(f))

    def missed_of(self, f: FunctionV) -> Iterator[ir.Stmt]:
        """The first statements of blocks of a function that nothing has reached."""
        return options.missed(f.node, self.was_reached) if isinstance(f.node, ir.FunctionDef) else iter(())

    def was_reached(self, s: ir.Stmt) -> bool:
        """Whether the program, or an entry, has reached a statement."""
        return s in self.reached or s in self.earlier.reached

    def has_run(self, f: FunctionV) -> bool:
        """Whether an entry has run a function."""
        return f.node in self.executed or f.node in self.earlier.executed

    def train_with_options(self, cls: ClassV) -> None:
        """Build a module with something for each option that is None by default, and train it with flags either way."""
        init = plain_function(cls.lookup("__init__"))
        passed = partial(options.given, self.m, init, 1) if init is not None else Args
        obj = self.built_with(cls, passed, budget.LIMITS.options_patience)
        if obj is not None:
            unset = [p.name for p in options.unset(init)] if init is not None else []
            told = options.call_with(cls.name, unset) if unset else None
            self.train_in_its_way(obj, options.either_way, told, budget.LIMITS.options_patience)

    def built_at_defaults(self, cls: ClassV) -> Instance | None:
        """An object of a class with all options at their defaults; None if building it fails."""
        init = plain_function(cls.lookup("__init__"))
        return self.built_with(cls, partial(unknown_arguments, self.m, init, 1) if init is not None else Args)

    def train(
        self,
        obj: Instance,
        passed: Arguments = options.with_optional,
        told: str | None = None,
        patience: int = budget.LIMITS.training_patience,
        familiar: bool = True,
    ) -> None:
        """Call a module's forward as training does, and run backward on its result.

        `passed` makes its arguments, `told` is what messages call the module.
        """
        m = self.m
        forward = plain_function(obj.cls.lookup("forward"))
        if forward is None:
            return

        trained = Assumption("trained", told or obj.cls.name)

        def run() -> Value:
            m.here.node, m.here.chunk = forward.node, forward.chunk
            args = passed(m, forward, 1)
            result = self.forward(obj, forward, trained, args)
            m.now.saves[forward.node] = saved_by(m, forward, args, result)
            backward_from(m, result)
            return None

        m.entry_assumptions = (trained,)
        self.outside(f"{obj.cls.name}.forward", run, patience, familiar)
        m.now.entered.add(forward.chunk)
        if obj.cls.node is not None:
            m.now.entered.add(obj.cls.node)

    def train_in_its_way(
        self,
        obj: Instance,
        passed: Arguments,
        told: str | None,
        patience: int = budget.LIMITS.training_patience,
    ) -> None:
        """Train an object as a module by its forward, or as its library would, if a model says how."""
        if own_forward(obj.cls) is not None:
            self.train(obj, passed, told, patience)
        elif entries := self.entries(obj.cls):
            self.run_as_library(obj, entries, told, patience)

    def forward(self, obj: Instance, f: FunctionV, trained: Assumption, args: Args | None = None) -> Value:
        """Call the forward `f` of a module, and be where its caller runs backward then."""
        m = self.m
        m.here.node, m.here.chunk = f.node, f.chunk
        args = unknown_arguments(m, f, 1) if args is None else args
        result = m.call(attributes.get(m, obj, "forward"), args)
        m.here.node, m.here.chunk = f.node, f.chunk
        m.entry_assumptions = (trained,)
        return result

    def call_method(self, obj: Instance, name: str, v: Value) -> None:
        """Call a method with unknown arguments."""
        before = dict(obj.attributes)
        self.enter_method(obj, v)
        if is_private(name):
            self.restore(obj, before)

    def enter_method(self, obj: Instance, v: Value) -> None:
        """Call a method in the way of its kind."""
        if isinstance(v, Property):
            self.enter_function(v.getter, Args([obj]))
        elif isinstance(v, StaticMethod):
            self.enter_function(v.function, Args())
        elif isinstance(v, ClassMethod):
            self.enter_function(v.function, Args([obj.cls]))
        else:
            self.enter_function(v, Args([obj]))

    def enter_function(self, v: Value, first: Args) -> None:
        """Call a function that was never called, and train a module that it makes."""
        if not self.untouched(v):
            return
        product = self.new_product(v)
        made = self.call(v, first, unknown_arguments, familiar=product is None)
        if product is not None and isinstance(made, Instance) and made.cls.derives(modules.MODULE):
            self.m.now.made.add(product)
            self.train(made, familiar=False)

    def call(self, v: Value, first: Args, passed: Arguments, familiar: bool = True) -> Value:
        """Call a function with the `first` arguments and those that `passed` makes, and run backward on its result.

        It is called with its decorators: under `torch.no_grad()`, if one says so.
        """
        m, inner = self.m, plain_function(v)
        if inner is None:
            return None

        def run() -> Value:
            if functions.first_parameter(inner) == "ctx":  # autograd runs a custom function's parts without grad
                m.state.set(m.grad.mode, "grad", False)
            m.here.node, m.here.chunk = inner.node, inner.chunk
            args = passed(m, inner, len(first.pos))
            m.entry_assumptions = tuple(given_modules(inner, args, len(first.pos)))
            args.pos = [*first.pos, *args.pos]
            result = m.call(v, args)
            m.here.node, m.here.chunk = inner.node, inner.chunk
            m.entry_assumptions += (EXPECTED if guesses.computes_loss(inner) else BACKWARD,)
            if not guesses.is_for_results(inner) and (not guesses.is_in_place(inner) or gives_back(m, args, result)):
                backward_from(m, result)
            return result

        return m.state.pick(self.outside(inner.name, run, familiar=familiar))

    def new_product(self, v: Value) -> Product | None:
        """What a function makes of modules, as those of a model zoo do, if no other makes the same; None if nothing.

        It passes what the class needs, so that parts are known which are not where the class is entered by itself.
        """
        f = plain_function(v)
        if f is None or not isinstance(f.node, ir.FunctionDef) or f.node.returns is None:
            return None
        cls = own_class(self.m, f, f.node.returns)
        built = plain_function(cls.lookup("__init__")) if cls is not None else None
        if cls is None or not cls.derives(modules.MODULE) or built is None or len(needed(built)) < 2:
            return None
        there = f.parent.globals.variables
        named = (self.m.state.pick(there.get(name)) for name in names(f.node.body))
        product = cls, frozenset(one for one in named if isinstance(one, ClassV) and one.derives(modules.MODULE))
        return product if product not in self.made else None

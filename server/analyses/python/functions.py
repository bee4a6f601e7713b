"""Functions of the program: definition, arguments, calls, exceptions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...syntax import ir
from ..autograd.tensors import Tensor
from ..domain import budget
from ..domain.mixed import IntMember, NamedTuple
from ..domain.modules import is_model
from ..domain.paths import Exhausted, Raised
from ..domain.values import (
    ABSENT,
    CALLABLES,
    Args,
    ClassV,
    DictV,
    Frame,
    FunctionV,
    Generator,
    Instance,
    Lib,
    ListV,
    Phi,
    Unknown,
    Value,
    serial,
)
from ..operators import modules
from ..operators.cases import items_of
from . import annotations as arguments
from . import attempts, builtin_names, decorators, statements, unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .machine import Machine


def define(m: Machine, s: ir.FunctionDef) -> None:
    """`def`: make the function, evaluate its defaults, pass it through its decorators, bind its name."""
    f = FunctionV(s, s.chunk, m.frame, s.name)
    for p in (*s.params.posonly, *s.params.args, *s.params.kwonly):
        if p.default is not None:
            f.defaults[p.name] = m.eval(p.default)
    offer(m, f)
    value: Value = f
    for decorator in reversed(s.decorators):
        m.here.chunk, m.here.node = s.chunk, decorator
        value = decorators.decorate(m, m.eval(decorator), value)
    m.state.set(m.frame.variables, s.name, value)


def first_parameter(f: FunctionV) -> str | None:
    """The name of a function's first positional parameter."""
    params = f.node.params
    names = [p.name for p in (*params.posonly, *params.args)]
    return names[0] if names else None


def bind(m: Machine, f: FunctionV, args: Args) -> dict[str, Value]:
    """The parameters' values for a call. A missing one has its default, or is unknown.

    So is what an entry point has passed for an option of its own that is None by default: it may well be the default.
    """
    params = f.node.params
    values: dict[str, Value] = {}
    positional = [*params.posonly, *params.args]
    keywords = dict(args.kw)
    for i, p in enumerate(positional):
        if i < len(args.pos):
            values[p.name] = suited(m, f, p, args.pos[i])
        elif p.name in keywords:
            values[p.name] = suited(m, f, p, keywords.pop(p.name))
        else:
            values[p.name] = default(m, f, p, args.open)
    for p in params.kwonly:
        known = p.name in keywords
        values[p.name] = suited(m, f, p, keywords.pop(p.name)) if known else default(m, f, p, args.open)
    if params.vararg is not None:
        rest = tuple(args.pos[len(positional) :])
        if args.open:
            more = ListV(rest, "tuple")
            more.open = True
            values[params.vararg.name] = more
        else:
            values[params.vararg.name] = rest
    if params.kwarg is not None:
        d = DictV(dict(keywords))
        d.open = args.open
        values[params.kwarg.name] = d
    return values


def suited(m: Machine, f: FunctionV, p: ir.Param, v: Value) -> Value:
    """What is passed for a parameter: its default where that is an option, and what is passed may be anything."""
    if type(v) is not Unknown or not v.given:
        return v
    usual = option(m, f.defaults.get(p.name, ABSENT))
    return v if usual is None or isinstance(usual, str) else usual


def fits(f: FunctionV, args: Args) -> bool:
    """Whether a call that the program spells out suits the parameters; unknown for a decorated function."""
    if args.exprs is None or args.open or (isinstance(f.node, ir.FunctionDef) and f.node.decorators):
        return True
    params = f.node.params
    positional = [*params.posonly, *params.args]
    by_place = {p.name for p in positional[: len(args.pos)]}
    by_name = {p.name for p in (*params.args, *params.kwonly)} - by_place
    given = by_place | (args.kw.keys() & by_name)
    twice = by_place & args.kw.keys() - {p.name for p in params.posonly}
    return (
        not twice
        and (len(args.pos) <= len(positional) or params.vararg is not None)
        and (args.kw.keys() <= by_name or params.kwarg is not None)
        and all(p.name in given or p.name in f.defaults for p in (*positional, *params.kwonly))
    )


def default(m: Machine, f: FunctionV, p: ir.Param, open_: bool) -> Value:
    """The value of a parameter that a call leaves out; an `open_` call may pass it all the same."""
    v = f.defaults.get(p.name, ABSENT)
    if v is ABSENT or (open_ and v is not None):
        usual = (handed_on(m, f, p) if v is ABSENT else option(m, v)) if open_ else None
        if usual is not None and not isinstance(usual, str):
            return usual
        return arguments.from_outside(m, f, p, usual) if open_ else Unknown(p.name)
    return v


def option(m: Machine, v: Value) -> Value:
    """A default that is an option of an unseen caller: a class, function or object, or the name of one; else None.

    A name may come with what is to be passed: `("elu", {"inplace": True})`. It is used as it is, since some callers
    will leave it so.
    """
    return v if m.work.entering and is_option(v) else None


def is_option(v: Value) -> bool:
    """Whether a default is a class, a function, an object or a name, which may come with what is to be passed.

    So do configurations: `{"type": "ReLU", "inplace": True}`.
    """
    if isinstance(v, DictV):
        return any(isinstance(one, str) for one in v.items.values())
    named = v[0] if isinstance(v, tuple) and v else v
    return isinstance(named, str) or isinstance(v, (*CALLABLES, Instance, NamedTuple, IntMember))


def offer(m: Machine, f: FunctionV) -> None:
    """Note the options that a function of a module, or a constructor, has by default: it may hand them on."""
    if is_model(f.chunk) or not (f.parent is f.parent.globals or f.name == "__init__"):
        return
    for name, v in f.defaults.items():
        if is_option(v):
            place = (f.chunk.path, name)
            m.state.set(m.files.options, place, (*m.state.tuple_of(m.files.options.get(place)), v))


def handed_on(m: Machine, f: FunctionV, p: ir.Param) -> Value:
    """The option that callers hand on to a parameter: what functions of its file have for one of that name.

    `Net(act=nn.ReLU)` makes its blocks by `Block(act)`. None where they have none, or several.
    """
    offered = m.state.tuple_of(m.files.options.get((f.chunk.path, p.name))) if m.work.entering else ()
    by_name = {v[0] if isinstance(v, tuple) else v: v for v in offered}
    return next(iter(by_name.values())) if len(by_name) == 1 else None


def looks_up(method: str, args: Args) -> bool:
    """Whether a call of a method looks something up, with a default: `options.get("activation", nn.ReLU)`.

    One that is named `get_or_…` calls what it is given.
    """
    is_lookup = method in ("get", "pop", "setdefault") or (method.startswith("get_") and "_or_" not in method)
    return is_lookup and len(args.pos) == 2


def or_option(m: Machine, found: Unknown, default: Value) -> Value:
    """What is looked up with a `default`, where it isn't known what is `found`: an option counts as its default."""
    usual = option(m, m.state.resolve(default))
    if isinstance(usual, str):
        found.usual = usual
    return found if usual is None or isinstance(usual, str) else usual


def call(m: Machine, f: FunctionV, args: Args) -> Value:
    """Replay a call in the callee. A generator function gives a generator."""
    if not (of_model := is_model(f.chunk)):
        m.look_at(f.node)
        m.now.executed.add(f.node)
    if m.work.awaited is not None and m.work.awaited.node is f.node:
        m.work.arrive(m.work.awaited)
    inner = m.open_calls.get(id(f.node), 0)
    same = budget.LIMITS.same_unknown if inner and is_blind(m, f, args) else budget.LIMITS.same_function
    if m.work.depth >= m.work.max_depth or inner >= same:
        m.stop("nested")
        return Unknown(f"{f.name}()")
    if m.work.short >= 0 and f.node in m.work.tiring:
        return unfinished.pass_over(m, f.name, args)
    if not (of_model or m.here.in_model or fits(f, args)):  # a model may leave out what other releases take
        raise Raised(None, "TypeError")
    values = bind(m, f, arguments.at_defaults(m, args) if attempts.is_part(m, f) else args)
    for name, v in values.items():
        if isinstance(v, Tensor) and v.label is None and not of_model:
            m.state.note(v, "label", name)
    frame = Frame(f.parent, f.parent.globals, f.name)
    frame.function = f
    frame.variables.update(values)
    if isinstance(f.node, ir.Lambda):
        node = f.node
        return inside(m, f, frame, lambda: m.eval(node.body))
    body = f.node.body
    if f.node.scope.is_generator:
        return generator(m, f, frame, body)
    run = partial(inside, m, f, frame, lambda: returned(m, statements.run_block(m, body)))
    wrapped = wrapped_elsewhere(m, f)
    return run() if wrapped is None else attempts.soon_calling(m, wrapped, run, lambda: call(m, wrapped, args))


def wrapped_elsewhere(m: Machine, f: FunctionV) -> FunctionV | None:
    """What a decorator of another file has wrapped (`functools.wraps`), in what is entered."""
    wrapped = m.state.resolve(f.attributes.get("__wrapped__")) if m.work.entering and f.attributes else None
    return wrapped if isinstance(wrapped, FunctionV) and wrapped.chunk.path != f.chunk.path else None


def is_blind(m: Machine, f: FunctionV, args: Args) -> bool:
    """Whether nothing is known of what a call passes, but for the object of a method."""
    given = [*args.pos[f.cls is not None :], *args.kw.values()]
    return bool(given) and all(isinstance(v, Unknown) and v.tensor is None for v in map(m.state.resolve, given))


def generator(m: Machine, f: FunctionV, frame: Frame, body: list[ir.Stmt]) -> Generator:
    """The generator that a call of a generator function returns; its body runs when it is consumed."""

    def run(consume: Callable[[Value], Value]) -> Value:
        frame.yields = consume
        return inside(m, f, frame, lambda: returned(m, statements.run_block(m, body)))

    return Generator(run)


def inside(m: Machine, f: FunctionV, frame: Frame, run: Callable[[], Value]) -> Value:
    """Run something in a function's frame, as one more open call."""
    here = m.here
    before = (m.frame, here.chunk, here.node, here.stack, here.written, here.via, here.called, here.caller)
    # an object that is not built to its end is none (`construct`)
    aside = f.name != "__init__" and attempts.is_aside(m, f)
    elsewhere = attempts.is_helped(m, f)
    at_length = not m.work.is_familiar(f) and m.work.is_familiar(m.frame.function)
    if is_model(f.chunk):
        if not here.in_model:
            here.called, here.caller = here.site, m.frame
    elif here.node is not None:
        here.stack = (*here.stack, here.site)
    m.frame, m.here.chunk, m.here.written, m.here.via = frame, f.chunk, None, ""
    m.work.depth += 1
    m.open_calls[id(f.node)] = m.open_calls.get(id(f.node), 0) + 1
    begun, left, variables = m.work.steps, m.work.given_up, list(frame.variables.items())
    order, uid = m.grad.order, serial()
    try:
        if aside:
            result = attempts.briefly(m, run, ABSENT)
        elif elsewhere:
            result = attempts.elsewhere(m, run, ABSENT)
        else:
            result = m.work.at_length(run) if at_length else run()
    except Exhausted:
        if m.work.steps - begun >= m.work.enough:
            m.state.note_item(m.work.tiring, f.node, True)
        raise
    finally:
        m.work.depth -= 1
        m.open_calls[id(f.node)] -= 1
        m.frame, here.chunk, here.node, here.stack, here.written, here.via, here.called, here.caller = before
    if m.work.given_up == left and result is not ABSENT:
        return result
    given = list(passed(m, f, variables))
    if result is ABSENT:
        by_module = first_parameter(f) == "self" and modules.is_module(given[0])
        unfinished.doubt_given(m, given[by_module:])
    result = unfinished.seen_in_part(m, f.name, Args(given), result, order, uid)
    if isinstance(result, Unknown) and m.work.familiar is not None and f.cls is not None:
        names = m.work.familiar.saves.get(f.node, frozenset())
        unfinished.save(m, result, f.cls.name, [v for name, v in variables if name in names])
    return result


def passed(m: Machine, f: FunctionV, variables: Iterable[tuple[str, Value]]) -> Iterator[Value]:
    """What a function was given, one by one, from the variables that it began with."""
    params = f.node.params
    spread = {p.name for p in (params.vararg, params.kwarg) if p is not None}
    for name, v in variables:
        if name not in spread:
            yield v
        elif isinstance(v, DictV):
            yield from (item for item in v.items.values() if item is not ABSENT)
        else:
            yield from v if isinstance(v, tuple) else items_of(m, v)


def returned(m: Machine, outcome: Value) -> Value:
    """The value of a call from the outcome of the function's body."""
    outcome = m.state.resolve(outcome)
    if isinstance(outcome, statements.Return):
        return m.state.resolve(outcome.value)
    if type(outcome) is Phi:
        return m.state.merge(outcome.cond, returned(m, outcome.then), returned(m, outcome.orelse))
    return None


# -- exceptions ---------------------------------------------------------------------------------------


def exception(m: Machine, exc: Value) -> Raised:
    """The error that `raise exc` raises."""
    if isinstance(exc, ClassV):
        exc = m.call(exc, Args())
    if isinstance(exc, Instance):
        return Raised(exc, exc.cls.name)
    if isinstance(exc, Lib):
        return Raised(None, exc.name.rsplit(".", 1)[-1])
    return Raised(exc, "Exception")


def caught(m: Machine, error: Raised) -> Value:
    """The exception that is raised; for one that Python itself raises, only its class is known."""
    if error.value is None and error.name != "Exception":
        cls = builtin_names.builtin(m, error.name)
        error.value = Instance(cls, m.here.site) if isinstance(cls, ClassV) else Unknown("the exception")
    return error.value if error.value is not None else Unknown("the exception")


def stop(m: Machine, value: Value) -> Raised:
    """`StopIteration(value)`, which ends an iterator; `value` is what a generator has returned."""
    error = Instance(builtin_names.builtin(m, "StopIteration"), m.here.site)
    error.attributes["value"] = value
    error.model_state["args"] = () if value is None else (value,)
    return Raised(error, "StopIteration")


def names_of(m: Machine, h: ir.Handler) -> list[str]:
    """The names of the exceptions that a handler catches; `BaseException` if it catches everything."""
    if h.type is None:
        return ["BaseException"]
    v = m.eval(h.type)
    return exception_names(v if isinstance(v, tuple) else (v,))


def exception_names(classes: Iterable[Value]) -> list[str]:
    """The names of exception classes; `?` for an unknown one."""
    return [one.name.rsplit(".", 1)[-1] if isinstance(one, ClassV) else "?" for one in classes]


def may_catch(names: list[str], h: ir.Handler) -> bool:
    """Whether a handler of errors with these names catches autograd's RuntimeError without raising it again."""
    if not any(n in ("BaseException", "Exception", "RuntimeError") for n in names):
        return False
    return not any(isinstance(s, ir.Raise) for s in h.body)


def may_handle(names: list[str], h: ir.Handler) -> bool:
    """Whether a handler of errors with these names does more than raise autograd's RuntimeError again."""
    if not any(n in ("BaseException", "Exception", "RuntimeError") for n in names):
        return False
    return not any(isinstance(s, ir.Raise) and raises_again(s, h) for s in h.body)


def raises_again(s: ir.Raise, h: ir.Handler) -> bool:
    """Whether a handler raises what it has caught again."""
    return s.exc is None or (isinstance(s.exc, ir.Name) and s.exc.id == h.name)


def catches(m: Machine, h: ir.Handler, error: Raised) -> bool:
    """Whether a handler catches an error."""
    return takes(names_of(m, h), error)


def takes(names: list[str], error: Raised) -> bool:
    """Whether an error is of one of the named classes."""
    if any(n in ("BaseException", "Exception") for n in names) or error.name in names:
        return True
    if isinstance(error.value, Instance):
        return any(c.name in names for c in error.value.cls.mro)
    return issubclass_by_name(error.name, names)


def issubclass_by_name(name: str, names: list[str]) -> bool:
    """Whether a builtin exception derives from one of the named ones."""
    import builtins

    cls = getattr(builtins, name, None)
    return isinstance(cls, type) and any(
        isinstance(getattr(builtins, n, None), type) and issubclass(cls, getattr(builtins, n)) for n in names
    )

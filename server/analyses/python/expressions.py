"""Evaluating expressions, one function a kind of expression."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ...syntax import ir
from ..domain import budget
from ..domain.values import (
    ABSENT,
    Args,
    Container,
    DictV,
    Frame,
    FunctionV,
    Generator,
    Instance,
    Lib,
    ListV,
    Phi,
    SliceV,
    Unknown,
    Value,
)
from . import (
    assignment,
    attempts,
    attributes,
    comparisons,
    conditions,
    constants,
    loops,
    operators,
    sequences,
    spellings,
)
from .builtin_names import builtin

if TYPE_CHECKING:
    from collections.abc import Callable

    from .machine import Machine


def name(m: Machine, e: ir.Name) -> Value:
    """A name: local, of an enclosing function, global, or a builtin."""
    frame: Frame | None = m.frame
    while frame is not None:
        v = frame.variables.get(e.id, ABSENT)
        if v is not ABSENT:
            return m.state.resolve(v) if type(v) is Phi else v
        frame = frame.parent
    return builtin(m, e.id)


def constant(m: Machine, e: ir.Constant) -> Value:
    """A literal."""
    return e.value


def joined(m: Machine, e: ir.JoinedStr) -> Value:
    """An f-string: known if all of its values are."""
    values = [m.eval(v) for v in e.values]
    if e.formats is not None:
        with suppress(constants.NotPlain):
            pieces = [e.text[0]]
            for v, form, text in zip(values, e.formats, e.text[1:], strict=True):
                pieces += [constants.compute(m, ("{" + form + "}").format, [written(m, v, form)]), text]
            return "".join(pieces)
    return spellings.spelled(e.text, values)


def written(m: Machine, v: Value, form: str) -> Value:
    """A value of an f-string; for an object, the text that its own methods give."""
    if not isinstance(v, Instance):
        return v
    conversion, _, spec = form.removeprefix("!").partition(":")
    text = m.call(Lib("repr" if conversion == "r" else "str"), Args([v]))
    own = None if conversion else attributes.special(m, v, "__format__")
    text = text if own is None else m.call(own, Args([spec]))
    if own is not None or conversion == "r" or not isinstance(text, str):
        raise constants.NotPlain
    return text


def items(m: Machine, elts: list[ir.Expr]) -> tuple[tuple[Value, ...], bool]:
    """The values of a display, with stars unpacked, and whether there may be more."""
    found: list[Value] = []
    more = False
    for elt in elts:
        if isinstance(elt, ir.Starred):
            seq = sequences.sequence(m, m.eval(elt.value))
            found += seq.known()
            more = more or seq.open
        else:
            found.append(m.eval(elt))
    return tuple(found), more


def tuple_(m: Machine, e: ir.Tuple) -> Value:
    """A tuple; one of unknown length becomes an open list, which unpacks and indexes alike."""
    found, more = items(m, e.elts)
    if not more:
        return found
    v = ListV(found, "tuple")
    v.open = True
    return v


def list_(m: Machine, e: ir.List) -> Value:
    """A list."""
    found, more = items(m, e.elts)
    v = ListV(found)
    v.open = more
    return v


def set_(m: Machine, e: ir.Set) -> Value:
    """A set."""
    found, more = items(m, e.elts)
    v = DictV(kind="set")
    for item in found:
        sequences.add(m, v, item, item)
    v.open = v.open or more
    return v


def dict_(m: Machine, e: ir.Dict) -> Value:
    """A dict."""
    v = DictV()
    for k, value in zip(e.keys, e.values, strict=True):
        if k is None:
            sequences.update(m, v, m.eval(value))
        else:
            key = m.eval(k)
            sequences.add(m, v, key, m.eval(value))
    return v


def attribute(m: Machine, e: ir.Attribute) -> Value:
    """`value.attr`."""
    value = m.eval(e.value)
    m.here.node = e
    return attributes.get(m, value, e.attr)


def subscript(m: Machine, e: ir.Subscript) -> Value:
    """`value[slice]`."""
    value = m.eval(e.value)
    index = m.eval(e.slice)
    m.here.node = e
    found = operators.get_item(m, value, index)
    if type(found) is Unknown and found.bound is None and found.is_item and not m.here.in_model:
        m.state.note(found, "bound", m.here.site)
    return found


def slice_(m: Machine, e: ir.Slice) -> Value:
    """`lower:upper:step` inside a subscript."""
    return SliceV(*(m.eval(p) if p is not None else None for p in (e.lower, e.upper, e.step)))


def arguments(m: Machine, nodes: list[ir.Arg]) -> Args:
    """Evaluate the arguments of a call, with stars unpacked."""
    args = Args(exprs=nodes)
    for a in nodes:
        v = m.eval(a.value)
        if a.name is not None:
            args.kw[a.name] = v
        elif a.star == "*":
            seq = sequences.sequence(m, v)
            args.pos += seq.known()
            args.open = args.open or seq.open
        elif a.star == "**":
            args.open = sequences.unpack_mapping(m, v, args.kw) or args.open
        else:
            args.pos.append(v)
    return args


def call(m: Machine, e: ir.Call) -> Value:
    """`func(args)`. What the call does happens at the call's own place."""
    if isinstance(e.func, ir.Name) and e.func.id == "super" and not e.args:
        return attributes.zero_argument_super(m)
    function = m.eval(e.func)
    args = arguments(m, e.args)
    m.work.step()
    m.here.node = e
    args.site = m.here.site
    args.receiver = e.func.value if isinstance(e.func, ir.Attribute) else None
    if m.frame.function is None and (m.files.importing or m.files.main.endswith("__init__.py")):
        return attempts.limited_call(m, budget.LIMITS.importing_steps, function, args, Unknown())
    return m.call(function, args)


def unary(m: Machine, e: ir.UnaryOp) -> Value:
    """`-x`, `+x`, `~x`, `not x`."""
    v = m.eval(e.operand)
    m.here.node = e
    if e.op == "not":
        return conditions.negation(m, conditions.truth(m, v))
    return operators.unary(m, e.op, v)


def binary(m: Machine, e: ir.BinOp) -> Value:
    """`left op right`."""
    left, right = m.eval(e.left), m.eval(e.right)
    m.here.node = e
    return operators.binary(m, e.op, left, right)


def boolean(m: Machine, e: ir.BoolOp) -> Value:
    """`and` and `or`, which evaluate the right side only if the left one doesn't decide."""

    return _operand(m, e, 0)


def _operand(m: Machine, e: ir.BoolOp, i: int) -> Value:
    v = m.eval(e.values[i])
    if i == len(e.values) - 1:
        return v

    def left() -> Value:
        return v

    right = partial(_operand, m, e, i + 1)
    return conditions.branch(m, v, e.values[i], *((right, left) if e.op == "and" else (left, right)))


def compare(m: Machine, e: ir.Compare) -> Value:
    """A comparison or a chain of them."""
    left = m.eval(e.left)
    result: Value = True
    for op, node in zip(e.ops, e.comparators, strict=True):
        right = m.eval(node)
        m.here.node = e
        one = comparisons.compare(m, op, left, right)
        result = one if result is True else conditions.both(m, result, one)
        if result is False:
            return False
        left = right
    return result


def conditional(m: Machine, e: ir.IfExp) -> Value:
    """`body if test else orelse`."""
    return conditions.branch(m, m.eval(e.test), e.test, lambda: m.eval(e.body), lambda: m.eval(e.orelse))


def named(m: Machine, e: ir.NamedExpr) -> Value:
    """`target := value`, which binds in the scope around a comprehension."""
    v = m.eval(e.value)
    frame = m.frame
    while frame.is_comprehension and frame.parent is not None:
        frame = frame.parent
    m.state.set(frame.variables, e.target.id, v)
    return v


def lambda_(m: Machine, e: ir.Lambda) -> Value:
    """A lambda, with its defaults evaluated now."""
    assert m.here.chunk is not None
    f = FunctionV(e, m.here.chunk, m.frame, "<lambda>")
    for p in (*e.params.posonly, *e.params.args, *e.params.kwonly):
        if p.default is not None:
            f.defaults[p.name] = m.eval(p.default)
    return f


def comprehension(m: Machine, e: ir.Comp) -> Value:
    """A comprehension, run in a scope of its own. A generator expression is run when it is consumed.

    Its first iterable is evaluated before, in the enclosing scope.
    """
    iterable = m.eval(e.generators[0].iter)
    frame = Frame(m.frame, m.frame.globals, m.frame.name)
    frame.function, frame.is_comprehension = m.frame.function, True
    chunk = m.here.chunk

    def run(consume: Callable[[Value], Value]) -> Value:
        before, at = m.frame, (m.here.chunk, m.here.node)
        m.frame, m.here.chunk = frame, chunk
        try:
            return generators(m, e, 0, iterable, consume)
        finally:
            m.frame, (m.here.chunk, m.here.node) = before, at

    if e.kind == "generator":
        return Generator(run)
    if e.kind == "dict":
        d = DictV()
        run(lambda kv: sequences.add(m, d, kv[0], kv[1]))
        return d
    if e.kind == "set":
        s = DictV(kind="set")
        run(lambda v: sequences.add(m, s, v, v))
        return s
    out = ListV()
    run(lambda v: sequences.append(m, out, v))
    first = loops.is_open(m, e.generators[0])
    if first:
        m.state.put(out, Container.open, True)
    return out


def generators(m: Machine, e: ir.Comp, depth: int, iterable: Value, consume: Callable[[Value], Value]) -> Value:
    """Run the `for`s of a comprehension from the given one, which goes through `iterable`, inwards."""
    g = e.generators[depth]

    def inner() -> Value:
        if depth + 1 < len(e.generators):
            return generators(m, e, depth + 1, m.eval(e.generators[depth + 1].iter), consume)
        v = (m.eval(e.elt), m.eval(e.value)) if e.value is not None else m.eval(e.elt)
        consume(v)
        return None

    def one(value: Value) -> Value:
        assignment.bind(m, g.target, value)

        def tests(i: int) -> Value:
            if i == len(g.ifs):
                return inner()
            return conditions.branch(m, m.eval(g.ifs[i]), g.ifs[i], lambda: tests(i + 1), lambda: None)

        return tests(0)

    loops.loop(m, g, iterable, one)
    return None


def starred(m: Machine, e: ir.Starred) -> Value:
    """A star where only one value is expected (an index, say)."""
    return m.eval(e.value)


def await_(m: Machine, e: ir.Await) -> Value:
    """`await value`: coroutines are replayed where they are called."""
    return m.eval(e.value)


def yield_(m: Machine, e: ir.Yield) -> Value:
    """`yield`: hand the value to whoever consumes the generator."""
    v = m.eval(e.value) if e.value is not None else None
    frame: Frame | None = m.frame
    while frame is not None and frame.yields is None:
        frame = frame.parent
    if frame is None or frame.yields is None:
        return Unknown("sent value")
    consume = frame.yields
    if not e.is_from:
        return consume(v)
    v = m.state.resolve(v)
    if isinstance(v, Generator):
        body = sequences.entered(m, v)
        return body(consume) if body is not None else None

    def one(item: Value) -> None:
        consume(item)

    loops.loop(m, e, v, one)
    return None


EVALUATE: dict[type, Callable[[Machine, Any], Value]] = {
    ir.Name: name,
    ir.Constant: constant,
    ir.JoinedStr: joined,
    ir.Tuple: tuple_,
    ir.List: list_,
    ir.Set: set_,
    ir.Dict: dict_,
    ir.Attribute: attribute,
    ir.Subscript: subscript,
    ir.Slice: slice_,
    ir.Call: call,
    ir.UnaryOp: unary,
    ir.BinOp: binary,
    ir.BoolOp: boolean,
    ir.Compare: compare,
    ir.IfExp: conditional,
    ir.NamedExpr: named,
    ir.Lambda: lambda_,
    ir.Comp: comprehension,
    ir.Starred: starred,
    ir.Await: await_,
    ir.Yield: yield_,
}

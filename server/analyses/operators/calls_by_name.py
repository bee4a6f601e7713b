"""PyTorch's functions, methods, operators and subscripts on tensors."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...facts import table
from ...facts.model import Op
from .. import shapes
from ..autograd.geometry import Geometry, GeometryError, times
from ..autograd.regions import partly_overlaps
from ..autograd.tensors import MULTI_OUTPUT, Node, Tensor, either, lie_alike
from ..domain.containers import Seq
from ..domain.values import Args, Cond, Instance, Lib, ListV, Phi, SliceV, Unknown, Value, leaves
from ..shapes import TensorType
from . import cases, joins, replay
from .arrays import NDArray
from .types import described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..autograd.geometry import Shape
    from .interpreter import Interpreter

OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floor_divide",
    "%": "remainder",
    "**": "pow",
    "@": "matmul",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "bitwise_left_shift",
    ">>": "bitwise_right_shift",
}


def find(name: str) -> Op | None:
    """The fact of a function; a method's where only that was measured."""
    fact = table.find(name)
    if isinstance(fact, Op):
        return fact
    return None


def resolved(m: Interpreter, args: Args) -> Args | None:
    """The arguments with every Phi resolved, or told to be unknown; None if one is still open."""
    if not any(isinstance(v, (Phi, tuple, ListV)) for v in args):
        return args
    pos = [m.state.resolve(v) for v in args.pos]
    kw = {k: m.state.resolve(v) for k, v in args.kw.items()}
    if any(type(v) is Phi or open_inside(m, v) is not None for v in (*pos, *kw.values())):
        return None
    kw = {k: vague(m, v) for k, v in kw.items()}
    return Args([vague(m, v) for v in pos], kw, args.open, args.site, args.exprs)


def split(m: Interpreter, args: Args, run: Callable[[Args], Value]) -> Value:
    """Call `run` for each alternative of the first argument that has several."""
    for i, v in enumerate(args.pos):
        v = m.state.resolve(v)
        if type(v) is Phi:
            return joins.each(m, v, lambda one, i=i: run(replaced(args, i, one)))  # type: ignore[misc]
    for k, v in args.kw.items():
        v = m.state.resolve(v)
        if type(v) is Phi:
            return joins.each(m, v, lambda one, k=k: run(replaced(args, k, one)))  # type: ignore[misc]
    inside = next((phi for v in args if (phi := open_inside(m, m.state.resolve(v))) is not None), None)
    return joins.each(m, inside, lambda _: run(args)) if inside is not None else run(args)


MAX_INSIDE = 2
"""Of a list that rests on more open conditions than these, what they decide on is read as from copies."""


def vague(m: Interpreter, v: Value) -> Value:
    """A list or tuple with one tensor in place of several that open conditions decide between."""
    if not isinstance(v, (tuple, ListV)):
        return v
    items = cases.items_of(m, v) if isinstance(v, ListV) else v
    told = tuple(one_of_many(m, m.state.resolve(one)) for one in items)
    if all(a is b for a, b in zip(told, items, strict=True)):
        return v
    return ListV(told) if isinstance(v, ListV) else told


def one_of_many(m: Interpreter, v: Value) -> Value:
    """A copy of whichever tensor the open conditions choose: its graph leads on to each under its own conditions.

    To take one of them would mix what holds under its conditions with what holds under others'.
    """
    if type(v) is not Phi or not any(isinstance(t, Tensor) for _, t in m.state.alternatives(v)):
        return v
    made = m.grad.tensor()
    m.state.put(made, Tensor.grad_fn, history(m, v))
    return made


def history(m: Interpreter, v: Value) -> Value:
    """The nodes of one of several tensors, under the conditions that choose it; None where it requires no grad."""
    if type(v) is Phi:
        return Phi(v.cond, history(m, v.then), history(m, v.orelse))
    return m.grad.node("CloneBackward0", [v], m.grad.requires_grad(v)) if isinstance(v, Tensor) else None


def open_inside(m: Interpreter, v: Value) -> Phi | None:
    """A Phi inside a list or tuple of tensors, or that is a list's content, if few conditions decide them all."""
    if not isinstance(v, (tuple, ListV)):
        return None
    items = m.state.resolve(v.items) if isinstance(v, ListV) else v
    if type(items) is Phi and any(isinstance(t, Tensor) for t in m.state.tuple_of(items)):
        return items if len(m.state.alternatives(items)) <= 2**MAX_INSIDE else None
    conditions: set[Cond] = set()
    first: Phi | None = None
    for one in items if isinstance(items, tuple) else ():
        phi = m.state.resolve(one)
        if type(phi) is Phi:
            ways = m.state.alternatives(phi)
            if any(isinstance(t, Tensor) for _, t in ways):
                first = first or phi
                conditions.update(cond for guards, _ in ways for cond, _ in guards)
    return first if len(conditions) <= MAX_INSIDE else None


def replaced(args: Args, at: int | str, value: Value) -> Args:
    """The arguments with another value at a position or keyword."""
    if isinstance(at, str):
        return Args(args.pos, {**args.kw, at: value}, args.open, args.site, args.exprs)
    return Args([*args.pos[:at], value, *args.pos[at + 1 :]], args.kw, args.open, args.site, args.exprs)


def call(m: Interpreter, name: str, args: Args) -> Value:
    """Call a function of PyTorch, or one that works as those do, by its dotted name; an unknown one's result is."""
    plain = resolved(m, args)
    if plain is None:
        return split(m, args, lambda one: call(m, name, one))
    if m.numbers is not None:
        return m.numbers.through(name, plain, lambda: operate(m, name, plain))
    return operate(m, name, plain)


def operate(m: Interpreter, name: str, plain: Args) -> Value:
    """What a call does with arguments none of which is open."""
    op = m.own_fact(name) or find(name)
    if op is None:
        short = name.rsplit(".", 1)[-1]
        if name.startswith("torch.Tensor.") and plain.pos:
            return unknown_method(m, short, plain.pos[0])
        return unknown_function(m, short, plain)
    if op.params and plain.pos and unusable(m, plain.pos[0], op):
        return Unknown(f"{cases.called(name)}(…)")
    if name.startswith("torch.nn.init."):
        return without_grad(m, lambda: replay.apply(m, op, plain))
    return replay.apply(m, op, plain)


def without_grad(m: Interpreter, run: Callable[[], Value]) -> Value:
    """Run something as under `torch.no_grad()`, as the functions of `torch.nn.init` do by themselves."""
    before = m.grad.mode["grad"]
    m.state.set(m.grad.mode, "grad", False)
    try:
        return run()
    finally:
        m.state.set(m.grad.mode, "grad", before)


def unusable(m: Interpreter, first: Value, op: Op) -> bool:
    """Whether the first argument is something that no tensor operator takes (an object of the program)."""
    return isinstance(first, (Instance, NDArray)) and op.params[0].name in ("input", "self")


def unknown_function(m: Interpreter, short: str, args: Args) -> Value:
    """A function that no fact tells of: fresh result, nothing changed unless the name says so."""
    if short.endswith("_") and not short.endswith("__"):
        for t in cases.tensors_in(m, args.get(0, "input")):
            m.grad.bump(t, short)
            return t
    return Unknown(f"{short}(…)")


def unknown_method(m: Interpreter, short: str, t: Value) -> Value:
    """A method of a tensor that no fact tells of; one whose name ends in an underscore changes the tensor."""
    if short.endswith("_") and not short.startswith("_") and isinstance(t, Tensor):
        m.grad.bump(t, short)
        return t
    return Unknown(f".{short}(…)")


def call_method(m: Interpreter, name: str, t: Value, args: Args) -> Value:
    """Call a method of a tensor."""
    inner = args.prepend(t)
    if name.endswith("_") and not name.endswith("__"):
        with m.here.writing(m.here.node, args.receiver, name):
            return call(m, f"torch.Tensor.{name}", inner)
    if find(f"torch.Tensor.{name}") is None and find(f"torch.{name}") is not None:
        return call(m, f"torch.{name}", inner)
    return call(m, f"torch.Tensor.{name}", inner)


def operator(m: Interpreter, op: str, a: Value, b: Value) -> Value:
    """`a op b` with at least one tensor."""
    if isinstance(a, NDArray) or isinstance(b, NDArray):
        b = Unknown("an array", data=True) if isinstance(b, NDArray) else b
        a = m.as_tensor(Unknown("an array", data=True)) if isinstance(a, NDArray) else a
    name = OPERATORS[op]
    if not isinstance(a, Tensor):
        if op == "-" or op == "/":
            return reflected(m, op, a, b)
        if op in ("+", "*", "&", "|", "^"):
            a, b = b, a
    if isinstance(b, (ListV, str)) or isinstance(a, (ListV, str)):
        return Unknown()
    if op == "@":
        return m.call(Lib("torch.matmul"), Args([a, b]))
    return call(m, f"torch.{name}", Args([a, b]))


def settled(v: Value) -> Value:
    """An operand that is one of several numbers: which one makes no difference to autograd."""
    if type(v) is Phi and all(isinstance(x, (int, float, Unknown)) and not is_tensor(x) for x in leaves(v)):
        return next((x for x in leaves(v) if isinstance(x, Unknown) and not x.number), Unknown("a number", number=True))
    return v


def is_tensor(v: Value) -> bool:
    """Whether an unknown value has been used as a tensor."""
    return isinstance(v, Unknown) and (v.tensor is not None or v.parameter)


def reflected(m: Interpreter, op: str, a: Value, b: Value) -> Value:
    """`number - tensor` and `number / tensor`, which PyTorch writes as other operators."""
    if op == "-":
        return call(m, "torch.rsub", Args([b, a]))
    reciprocal = call(m, "torch.reciprocal", Args([b]))
    return call(m, "torch.mul", Args([reciprocal, a]))


def in_place_operator(m: Interpreter, op: str, t: Tensor, operand: Value) -> Value:
    """`t op= operand`: the in-place method, where there is one; `@=` binds a new tensor."""
    if op == "@":
        return operator(m, op, t, operand)
    if isinstance(operand, NDArray):
        operand = m.as_tensor(Unknown("an array", data=True))
    return call(m, f"torch.Tensor.{OPERATORS[op]}_", Args([t, operand]))


# -- subscripts -----------------------------------------------------------------------------------------


def normal(m: Interpreter, index: Value) -> Value:
    """An index with its parts resolved; unknown parts stay unknown integers."""
    if isinstance(index, tuple):
        return tuple(part(m.state.pick(i)) for i in index)
    return part(m.state.pick(index))


def part(v: Value) -> Value:
    """A part of an index; an integer tensor without dimensions is a number (`python_variable_indexing.cpp`)."""
    if isinstance(v, Tensor) and v.shape == () and v.dtype in ("int8", "int16", "int32", "int64"):
        return Unknown("an index", number=True)
    return v


def get_item(m: Interpreter, t: Tensor, index: Value) -> Value:
    """`t[index]`: a view for integers, slices, None and `...`; a copy that saves its index for all else."""
    index = normal(m, index)
    if m.numbers is not None:
        return m.numbers.through("torch.Tensor.__getitem__", Args([t, index]), lambda: take(m, t, index))
    return take(m, t, index)


def take(m: Interpreter, t: Tensor, index: Value) -> Value:
    """What a subscript gives whose parts are resolved."""
    items = index if isinstance(index, tuple) else (index,)
    if any(isinstance(i, Unknown) for i in items) and not cases.advanced(index):
        return unknown_index(m, t, index)
    op = find("torch.Tensor.__getitem__")
    assert op is not None
    if cases.advanced(index):
        return replay.apply(m, op, Args([t, index]))
    return select(m, t, index, op)


def select(m: Interpreter, t: Tensor, index: Value, op: Op) -> Tensor:
    """The view that a basic index gives."""
    needs = m.grad.requires_grad(t)
    node = m.grad.node("SelectBackward0" if isinstance(index, int) else "SliceBackward0", [t], needs)
    view = m.grad.view(t, index_geometry(m, t, index))
    m.grad.set_history(view, node)
    if node is not None:
        node.op = select_op(m, t, index, view)
        node.roles = ("input" if node.op == ALIAS else "self",)
    if t.label is not None and isinstance(index, int):
        view.label = f"{t.label}[{index}]"
    return view


ALIAS = "torch.alias_copy"
SEVERAL = "torch.Tensor.unsqueeze and another view"
"""what no fact tells of: its gradient is a view of a new one"""


def select_op(m: Interpreter, t: Tensor, index: Value, view: Tensor) -> str:
    """The operator that a basic index stands for: only one that takes a part has a gradient of its own."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(i, (int, Unknown)) for i in parts):
        first = next((i for i in parts if i is not Ellipsis and i != SliceV(None, None, None)), None)
        return SEVERAL if first is None else "torch.Tensor.select"
    if not isinstance(index, SliceV) and whole(m, t, index):
        return ALIAS
    g, h = t.geometry, view.geometry
    same = g is not None and h is not None and g.numel() == h.numel()
    return "torch.Tensor.unsqueeze" if same and None in parts else "torch.Tensor.narrow"


def index_geometry(m: Interpreter, t: Tensor, index: Value) -> Geometry | None:
    """The geometry of the view that a basic index gives."""
    if t.geometry is None:
        return None
    made = shapes.view_of("__getitem__", t.geometry, {"input": TensorType(t.shape), "indices": described(m, index)})
    return made if isinstance(made, Geometry) else None


def unknown_index(m: Interpreter, t: Tensor, index: Value) -> Value:
    """An index that isn't known: an integer where it looks like one, in which case it makes a view."""
    from .conversions import guess

    parts = index if isinstance(index, tuple) else (index,)
    if all(not isinstance(i, Unknown) or i.number for i in parts):
        op = find("torch.Tensor.__getitem__")
        assert op is not None
        return select(m, t, index, op)
    view = m.grad.view(t, None)
    m.grad.set_history(view, m.grad.node("SelectBackward0", [t], m.grad.requires_grad(t)))
    copy = m.grad.tensor(None, t.dtype)
    node = m.grad.node("IndexBackward0", [t], m.grad.requires_grad(t))
    if node is not None:
        node.holds = True
        m.grad.set_history(copy, node)
    return Phi(guess("the index is a number or a slice", t, m), view, copy)


def set_item(m: Interpreter, t: Tensor, index: Value, value: Value) -> None:
    """`t[index] = value`: `copy_` or `fill_` on a view, `index_put_` for an advanced index; one bump."""
    index = normal(m, index)
    value = m.state.resolve(value)
    if index is False:
        return  # `set_item` of TensorIndexing.h: nothing is taken
    index = None if index is True else index
    if type(value) is Phi:
        m.state.each(value, lambda one: set_item(m, t, index, one))
        return
    if m.numbers is None:
        put(m, t, index, value)
    elif not cases.advanced(index) and whole(m, t, index):
        m.numbers.through("torch.Tensor.copy_", Args([t, value]), lambda: put(m, t, index, value))
    else:
        m.numbers.through("torch.Tensor.__setitem__", Args([t, index, value]), lambda: put(m, t, index, value))


def put(m: Interpreter, t: Tensor, index: Value, value: Value) -> None:
    """Write one value to what an index takes."""
    sources = cases.tensors_in(m, value)
    indices = cases.tensors_in(m, index)
    advanced = cases.advanced(index)
    needs = m.grad.requires_grad(t)
    with m.here.writing(m.here.node, None, "[…] ="):
        target = t
        if not advanced and not whole(m, t, index):
            target = view_for_write(m, t, index)
        if not advanced and not m.grad.mode["inference"]:
            sources = [fitted(m, s, target.shape) for s in sources]
        for s in sources:
            needs = either(needs, m.grad.requires_grad(s))
        if not m.grad.check_inplace(target, needs):
            return
        items = index if isinstance(index, tuple) else (index,)
        taken = [i for i in items if isinstance(i, Tensor)]
        if not (check_put(m, target, taken, sources) if advanced else check_copy(m, target, *sources[:1])):
            return
        given = [less_ones(m, s, None if advanced else target.shape) for s in sources]
        node = m.grad.node("IndexPutBackward0" if advanced else "CopySlices", [t, *given], needs)
        if node is not None:
            node.op = "torch.Tensor.index_put_" if advanced else "torch.Tensor.copy_"
            node.roles = ("self", *(("values" if advanced else "src") for _ in sources))
        if node is not None and advanced:
            node.holds = True
            for i in indices:
                m.grad.save(node, i, "index")
        m.grad.bump(
            t, m.here.via, same=bool(sources) and not advanced and is_there(m, target, sources[0]), where=target
        )
        if target is t or advanced:
            m.grad.rebase(t, node)
        else:
            m.grad.rebase(target, node)


def whole(m: Interpreter, t: Tensor, index: Value) -> bool:
    """Whether an index takes the whole tensor, which is then written itself and not a view of it (`applySlice`)."""
    parts = index if isinstance(index, tuple) else (index,)
    slices = [i for i in parts if isinstance(i, SliceV)]
    if any(i is not Ellipsis and not isinstance(i, SliceV) for i in parts):
        return False
    if any(i.lower not in (None, 0) or i.step not in (None, 1) for i in slices):
        return False
    if all(i.upper is None for i in slices):
        return True
    view = index_geometry(m, t, index)
    return view is not None and None not in view.shape and view.shape == t.shape


def view_for_write(m: Interpreter, t: Tensor, index: Value) -> Tensor:
    """The view that `t[index] = …` writes through."""
    view = m.grad.view(t, index_geometry(m, t, index))
    needs = m.grad.requires_grad(t)
    m.grad.set_history(view, m.grad.node("SliceBackward0", [t], needs))
    view.label = t.label
    return view


def check_copy(m: Interpreter, target: Tensor, source: Tensor | None = None) -> bool:
    """`copy_` into a view, of a tensor or a number, refuses one whose elements share memory with others.

    False where it is refused for sure.
    """
    if source is not None and is_there(m, target, source):
        return True  # nothing to copy (`copy_impl` of ATen/native/Copy.cpp)
    g, h = target.geometry, None if source is None else as_stored(target, source)
    if g is not None and g.overlaps_itself() is True:
        return not m.grad.fail("overlap-write", "direct", target, detail="itself", once=target.uid)
    if source is None or g is None or h is None or m.grad.storage(target) is not m.grad.storage(source):
        return True
    if g != h and partly_overlaps(g, h) == "partial":
        return not m.grad.fail("overlap-write", "direct", target, detail="input")
    return True


def is_there(m: Interpreter, target: Tensor, source: Tensor) -> bool:
    """Whether a value that is stored in a tensor is, as it is expanded to its shape, what lies there already."""
    g = target.geometry
    expanded = g is not None and g == as_stored(target, source) and m.grad.storage(target) is m.grad.storage(source)
    return expanded or m.grad.are_one(target, source)


def as_stored(target: Tensor, source: Tensor) -> Geometry | None:
    """How a value lies once it is brought to its target's shape (`copy_to` of TensorIndexing.h).

    None where that isn't known, and for a value without dimensions, a number that fills the target.
    """
    g, h = target.geometry, source.geometry
    if g is None or h is None or g.shape == h.shape:
        return h
    with suppress(GeometryError):
        return less_leading_ones(h).expand(g.shape) if h.ndim else None
    return h


def less_leading_ones(g: Geometry) -> Geometry:
    """`slicePrefix1sSize` of TensorIndexing.h: a value to be stored, less the dimensions of size 1 in front."""
    while g.ndim and g.shape[0] == 1:
        g = g.select(0, 0)
    return g


def fitted(m: Interpreter, value: Tensor, shape: Shape | None) -> Tensor:
    """An inference tensor that is to be stored, expanded first to another shape: autograd sees nothing of that."""
    if value.is_inference is not True or None in (shape, value.shape) or value.shape == shape:
        return value
    view = m.grad.view(value, value.geometry)
    view.label = value.label
    return view


def less_ones(m: Interpreter, value: Tensor, shape: Shape | None) -> Tensor:
    """The view of a value that is stored in its place, if it begins with dimensions of size 1, in one of a `shape`."""
    g = value.geometry
    if g is None or not g.ndim or g.shape[0] != 1 or g.shape == shape or m.grad.requires_grad(value) is False:
        return value
    view = m.grad.view(value, less_leading_ones(g))
    node = m.grad.node("ViewBackward0", [value], m.grad.requires_grad(value))
    m.grad.set_history(view, node)
    if node is not None:
        node.op, node.roles = "torch.Tensor.view", ("self",)
    view.label = value.label
    return view


def check_put(m: Interpreter, target: Tensor, indices: Sequence[Tensor], sources: Sequence[Tensor]) -> bool:
    """`index_put_` refuses a value and an index that share memory with its target, be it the whole of it.

    With one value for all that a mask takes it is `masked_fill_` (`canDispatchToMaskedFill`), which takes the value
    as a number, and refuses a mask that is a part of the target alone. A mask without dimensions is none: it is a
    number (`boolToIndexingTensor`). False where it is refused for sure.
    """
    one = not sources or sources[0].shape is None or times(*sources[0].shape) in (1, None)
    filled = one and len(indices) == 1 and indices[0].dtype in (None, "bool") and indices[0].shape != ()
    for value in sources[:1]:
        # A value that begins with a dimension of size 1 is viewed without it.
        viewed = None if value.geometry is None else less_leading_ones(value.geometry)
        same = lie_alike(target, value) and viewed == value.geometry
        if not filled and overlap(m, target, value, viewed, same) in ("partial", "full"):
            return not m.grad.fail("overlap-write", "direct", target, detail="input")
    for index in indices:
        found = overlap(m, target, index, index.geometry, index is target)
        if found == "partial" or (found == "full" and not filled):
            return not m.grad.fail("overlap-write", "direct", target, detail="input")
    return True


def overlap(m: Interpreter, target: Tensor, other: Tensor, g: Geometry | None, same: bool) -> str:
    """How much of its memory a tensor shares with another of geometry `g`, as far as that is known."""
    if m.grad.storage(target) is not m.grad.storage(other):
        return "no"
    lies = target.geometry
    if same and (other is target or lies is None or lies.is_dense() is not False):
        return "full"
    found = partly_overlaps(target.geometry, g) if target.geometry is not None and g is not None else None
    return found or "no"


def rows(m: Interpreter, t: Tensor, want: int | None) -> Seq:
    """Iterating over a tensor is `unbind(0)`: multi-output views of its rows."""
    n = t.shape[0] if t.shape else None
    if t.shape == ():
        return Seq(())
    needs = m.grad.requires_grad(t)
    node: Node | None = m.grad.node("UnbindBackward0", [t], needs)
    if node is not None:
        node.op, node.roles = "torch.Tensor.unbind", ("self",)
    row = index_geometry(m, t, 0) if n else None

    def piece(i: int) -> Tensor:
        g = index_geometry(m, t, i) if n is not None and i < n else row
        view = m.grad.view(t, g, MULTI_OUTPUT, i)
        m.grad.set_history(view, node, i)
        return view

    if n is not None and n <= 64:
        return Seq([piece(i) for i in range(n)])
    return Seq([piece(i) for i in range(want)] if want and n is None else (), True, piece)

"""Functions that transform functions: `torch.func`, `torch.autograd.functional`, `functional_call`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry
from ...autograd.tensors import Node, Tensor
from ...domain.registry import model
from ...domain.values import Args, Builtin, DictV, Instance, ListV, Unknown, Value
from ...operators import cases, modules
from ...operators.cases import items_of
from ...python import attributes, sequences
from .gradients import roots_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine

# -- derivatives -----------------------------------------------------------------------------------------


def leaf_like(m: Machine, v: Value) -> Value:
    """A tensor that requires grad over the memory of `v`, which a transformed function gets as its argument."""
    v = m.state.resolve(v)
    if isinstance(v, Tensor):
        leaf = m.grad.alias(v)
        leaf.requires_grad_ = True
        return leaf
    if isinstance(v, tuple):
        return tuple(leaf_like(m, i) for i in v)
    if isinstance(v, ListV):
        made = ListV(tuple(leaf_like(m, i) for i in items_of(m, v)), v.kind)
        made.open = m.state.is_open(v)
        return made
    if isinstance(v, DictV):
        return DictV({k: leaf_like(m, v.items[k]) for k in sequences.keys(v)})
    return v


def gradients_like(m: Machine, v: Value, history: Callable[[], Node | None]) -> Value:
    """Gradients, nested like the arguments that they belong to."""
    v = m.state.resolve(v)
    if isinstance(v, Tensor):
        g = m.grad.tensor(v.geometry_, v.dtype_)
        m.grad.set_history(g, history())
        return g
    if isinstance(v, tuple):
        return tuple(gradients_like(m, i, history) for i in v)
    if isinstance(v, DictV):
        return DictV({k: gradients_like(m, v.items[k], history) for k in sequences.keys(v)})
    return Unknown("gradients")


def viewed(m: Machine, v: Value) -> Value:
    """`v.view_as(v)`, of each tensor in an argument."""
    if isinstance(v, tuple):
        return tuple(viewed(m, i) for i in v)
    if not isinstance(v, Tensor):
        return v
    view = m.grad.view(v, v.geometry)
    m.grad.set_history(view, m.grad.node("ViewBackward0", [v], m.grad.requires_grad(v)))
    return view


def differentiated(m: Machine, f: Value, pos: list[Value], kw: dict[str, Value], at: tuple[int, ...]) -> Value:
    """Call `f` with leaves as the arguments at some positions, and run backward from its result; returns the result."""
    return tried(m, f, [leaf_like(m, v) if i in at else v for i, v in enumerate(pos)], kw)


def tried(m: Machine, f: Value, given: list[Value], kw: dict[str, Value]) -> Value:
    """Call `f` and run backward from its result; returns the result."""
    result = m.call(f, Args(given, kw, site=m.here.site))
    first = result[0] if isinstance(result, tuple) and result else result
    roots = roots_of(m, first)
    if roots:
        m.grad.backward(roots, retain=True, accumulate=False)
    return result


def linked(m: Machine, v: Value) -> Callable[[], Node | None]:
    """The node of a derivative that can itself be differentiated with respect to the arguments `v`."""
    tensors = cases.tensors_in(m, v)
    needs = any(m.grad.requires_grad(t) is True for t in tensors)
    return lambda: m.grad.node("GradBackward0", tensors, needs)


@model("torch.func.grad", "torch.func.jacrev", "torch.func.hessian")
def func_grad(m: Machine, args: Args) -> Value:
    """`torch.func.grad(f, argnums)`: f sees its argument as a leaf that requires grad."""
    f, argnums = args.get(0, "func"), m.state.resolve(args.get(1, "argnums", 0))
    at = (argnums,) if isinstance(argnums, int) else argnums if isinstance(argnums, tuple) else (0,)

    def run(machine: Machine, inner: Args) -> Value:
        differentiated(machine, f, inner.pos, inner.kw, at)
        chosen = tuple(inner.pos[i] for i in at if isinstance(i, int) and -len(inner.pos) <= i < len(inner.pos))
        made = gradients_like(machine, chosen, linked(machine, chosen))
        return made[0] if isinstance(argnums, int) and made else made

    return Builtin("grad", run)


@model("torch.func.grad_and_value")
def grad_and_value(m: Machine, args: Args) -> Value:
    """`torch.func.grad_and_value(f)`: the gradient, and the result of f."""
    inner = func_grad(m, args)
    return Builtin("grad_and_value", lambda machine, given: (inner.call(machine, given), plain(machine)))


def plain(m: Machine) -> Tensor:
    """A tensor of which nothing else is known."""
    return m.grad.tensor(None, None)


@model("torch.func.vjp")
def func_vjp(m: Machine, args: Args) -> Value:
    """`torch.func.vjp(f, *primals)`: the result of f, and a function from its gradients to those of the primals."""
    primals = tuple(args.pos[1:])
    result = differentiated(m, args[0], list(primals), {}, tuple(range(len(primals))))
    back = Builtin("vjp", lambda machine, inner: gradients_like(machine, primals, linked(machine, primals)))
    return (gradients_like(m, result, linked(m, primals)), back)


@model("torch.func.vmap", "torch.vmap")
def vmap(m: Machine, args: Args) -> Value:
    """`torch.vmap(f, in_dims)`: f gets slices of its arguments; its result stands for the stack of all results."""
    f, dims = args.get(0, "func"), m.state.resolve(args.get(1, "in_dims", 0))

    def run(machine: Machine, inner: Args) -> Value:
        whole = {i for i, dim in enumerate(dims) if dim is None} if isinstance(dims, tuple) else ()
        pos = [v if i in whole else sliced(machine, v) for i, v in enumerate(inner.pos)]
        return machine.call(f, Args(pos, inner.kw, inner.open, inner.site))

    return Builtin("vmap", run)


def sliced(m: Machine, v: Value) -> Value:
    """One slice of each tensor in an argument, of unknown size."""
    v = m.state.resolve(v)
    if isinstance(v, Tensor):
        view = m.grad.view(v, None)
        m.grad.set_history(view, m.grad.node("SelectBackward0", [v], m.grad.requires_grad(v)))
        return view
    if isinstance(v, tuple):
        return tuple(sliced(m, i) for i in v)
    if isinstance(v, DictV):
        return DictV({k: sliced(m, v.items[k]) for k in sequences.keys(v)})
    return v


@model("torch.func.jacfwd")
def jacfwd(m: Machine, args: Args) -> Value:
    """`torch.func.jacfwd(f)`: forward mode carries tangents along and saves nothing, so f may write in place."""
    f = args.get(0, "func")

    def run(machine: Machine, inner: Args) -> Value:
        machine.call(f, inner)
        return plain(machine)

    return Builtin("jacfwd", run)


@model("torch.func.jvp")
def func_jvp(m: Machine, args: Args) -> Value:
    """`torch.func.jvp(f, primals, tangents)`: the result of f, and its tangents."""
    primals = m.state.resolve(args.get(1, "primals"))
    if not isinstance(primals, tuple):
        return Unknown("a result and its tangents")
    result = m.call(args.get(0, "func"), Args(list(primals), site=args.site))
    return (result, gradients_like(m, result, lambda: None))


@model("torch.func.stack_module_state")
def stack_module_state(m: Machine, args: Args) -> Value:
    """`stack_module_state(models)`: the parameters and buffers of similar models, stacked by name as leaves."""
    alike = [
        v for v in map(m.state.pick, sequences.sequence(m, args.get(0, "models")).items) if isinstance(v, Instance)
    ]
    return tuple(
        DictV({name: stacked(m, t, len(alike)) for name, t in modules.named_tensors(m, alike[0], flag)})
        if alike
        else DictV()
        for flag in (True, False)
    )


def stacked(m: Machine, t: Tensor, n: int) -> Tensor:
    """A new leaf of `n` tensors like `t`, which requires grad if `t` does."""
    shape = t.shape
    geometry = Geometry.contiguous((n, *shape)) if shape is not None else None
    return m.grad.tensor(geometry, t.dtype_, m.grad.requires_grad(t))


@model("torch.func.linearize")
def func_other(m: Machine, args: Args) -> Value:
    """Functions whose results are not replayed."""
    return Unknown("a transformed function")


# -- torch.autograd.functional --------------------------------------------------------------------------------


def functional(m: Machine, args: Args, with_value: bool, twice: bool = False) -> Value:
    """`f(func, inputs, …, create_graph)`: func gets leaves, or views with `create_graph` (`_grad_preprocess`)."""
    f, inputs = args.get(0, "func"), m.state.resolve(args.get(1, "inputs"))
    create = m.state.resolve(args.kw.get("create_graph", False)) is True
    pos = list(inputs) if isinstance(inputs, tuple) else [inputs]
    given = pos if create else [leaf_like(m, v) for v in pos]
    result = tried(m, f, [viewed(m, v) for v in given] if create or twice else given, {})
    history = linked(m, inputs) if create else lambda: None
    made = gradients_like(m, inputs, history)
    return (gradients_like(m, result, history), made) if with_value else made


@model("torch.autograd.functional.jacobian")
def jacobian(m: Machine, args: Args) -> Value:
    """`jacobian(func, inputs)`."""
    return functional(m, args, with_value=False)


@model("torch.autograd.functional.hessian")
def hessian(m: Machine, args: Args) -> Value:
    """`hessian(func, inputs)`."""
    return functional(m, args, with_value=False, twice=True)


@model("torch.autograd.functional.vjp", "torch.autograd.functional.jvp", "torch.autograd.functional.vhp",
       "torch.autograd.functional.hvp")  # fmt: skip
def products(m: Machine, args: Args) -> Value:
    """`vjp(func, inputs, v)` and the like: the result of func, and the product."""
    return functional(m, args, with_value=True)


# -- functional_call --------------------------------------------------------------------------------------------


@model("torch.func.functional_call", "torch.nn.utils.stateless.functional_call")
def functional_call(m: Machine, args: Args) -> Value:
    """`functional_call(module, tensors, args, kwargs)`: the module's forward with replaced parameters and buffers."""
    obj, given = m.state.pick(args.get(0, "module")), args.get(1, "parameter_and_buffer_dicts")
    pos, kw = m.state.resolve(args.get(2, "args", ())), m.state.resolve(args.get(3, "kwargs"))
    if not isinstance(obj, Instance):
        return Unknown("a module's result")
    tensors = DictV()
    for one in given if isinstance(given, tuple) else (given,):
        sequences.update(m, tensors, one)
    before = [swap(m, obj, str(k), tensors.items[k]) for k in sequences.keys(tensors)]
    call = Args(list(pos) if isinstance(pos, tuple) else [pos], site=args.site)
    if isinstance(kw, DictV):
        sequences.unpack_mapping(m, kw, call.kw)
    try:
        return m.call(obj, call)
    finally:
        for holder, name, old in before:
            m.state.set(holder.attributes, name, old)


def swap(m: Machine, obj: Instance, dotted: str, value: Value) -> tuple[Instance, str, Value]:
    """Replace a tensor of a module, in the dict that has it (`swap_tensor`); returns its place and the old tensor."""
    path, _, name = dotted.rpartition(".")
    holder: Value = obj
    for part in path.split(".") if path else ():
        holder = m.state.pick(attributes.get(m, holder, part))
    if not isinstance(holder, Instance):
        holder = modules.owner(m, obj, dotted)
    old = holder.attributes.get(name)
    tensor = m.state.pick(old)
    if isinstance(tensor, Tensor) and (tensor.is_parameter or tensor.is_buffer):
        modules.put(holder, "_parameters" if tensor.is_parameter else "_buffers", name)
    m.state.set(holder.attributes, name, value)
    return holder, name, old

"""`torch.library`: operators that the program defines; and `torch.ops`, which has all operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import CUSTOM, Tensor, either
from ...domain.paths import Raised
from ...domain.registry import BASES, class_named, method_of, model, property_of, resolver
from ...domain.values import Args, Builtin, FunctionV, Instance, Lib, Value
from ...operators import cases
from ...python import functions, sequences

if TYPE_CHECKING:
    from ...autograd.tensors import Grad
    from ...python.machine import Machine

OPERATOR = "torch.library.CustomOpDef"
CONTEXT = "torch.autograd.function.FunctionCtx"

LIBRARY = "torch.library.Library"
PACKET = "torch._ops.OpOverloadPacket"

BASES[OPERATOR] = ()
BASES[PACKET] = ()
BASES[LIBRARY] = ()


# -- definition -------------------------------------------------------------------------------------------


@model("torch.library.custom_op", "torch.library.triton_op")
def custom_op(m: Machine, args: Args) -> Value:
    """`@torch.library.custom_op("ns::name", mutates_args=…)`, or with the function as its second argument."""
    name, function = m.state.resolve(args.get(0, "name")), m.state.resolve(args.get(1, "fn"))
    mutates = m.state.resolve(args.kw.get("mutates_args", ()))
    if function is not None:
        return define(m, name, function, mutates)
    return Builtin("custom_op", lambda machine, inner: define(machine, name, inner[0], mutates))


def define(m: Machine, name: Value, function: Value, mutates: Value) -> Instance:
    """Define an operator of the program, which is found by its name from then on."""
    made = Instance(class_named(m, OPERATOR), m.here.site)
    made.model_state.update(name=name, function=function, mutates=mutates, backward=None, setup=None)
    if isinstance(name, str):
        m.state.set(made.cls.attributes, name, made)
    return made


def operator_named(m: Machine, v: Value) -> Instance | None:
    """An operator by its name `ns::name`, or itself."""
    v = m.state.pick(v)
    if isinstance(v, str):
        v = m.state.pick(class_named(m, OPERATOR).attributes.get(v))
    return v if isinstance(v, Instance) and v.cls.derives(OPERATOR) else None


@model("torch.library.register_autograd")
@method_of(OPERATOR, "register_autograd")
def register_autograd(m: Machine, args: Args) -> Value:
    """`op.register_autograd(backward, setup_context=…)`."""
    op = operator_named(m, args[0])
    if op is not None:
        m.state.set(op.model_state, "backward", args.get(1, "backward"))
        m.state.set(op.model_state, "setup", args.kw.get("setup_context"))
    return None


@model("torch.library.register_fake", "torch.library.register_kernel", "torch.library.register_vmap",
       "torch.library.impl_abstract")  # fmt: skip
@method_of(OPERATOR, "register_fake", "register_kernel", "register_vmap", "register_torch_dispatch")
def register_other(m: Machine, args: Args) -> Value:
    """Registrations that don't concern gradients: decorators that return the function, or calls with it."""
    return Builtin("register", lambda machine, inner: inner[0])


# -- the older way ----------------------------------------------------------------------------------------


@method_of(LIBRARY, "__init__")
def init_library(m: Machine, args: Args) -> Value:
    """`torch.library.Library(ns, kind)`."""
    args[0].model_state["namespace"] = m.state.resolve(args.get(1, "ns"))
    return None


@method_of(LIBRARY, "impl")
def library_impl(m: Machine, args: Args) -> Value:
    """`lib.impl(name, function, dispatch_key)`."""
    implement(m, args[0], args.get(1, "op_name"), args.get(2, "fn"), args.get(3, "dispatch_key", ""))
    return None


@model("torch.library.impl")
def impl(m: Machine, args: Args) -> Value:
    """`@torch.library.impl(lib, name, dispatch_key)`, or `@torch.library.impl("ns::name", types)`."""
    first = m.state.pick(args[0]) if args.pos else None
    name, key = (args.get(1, "name"), args.get(2, "dispatch_key")) if isinstance(first, Instance) else (first, "")

    def register(machine: Machine, inner: Args) -> Value:
        implement(machine, first, name, inner[0], key)
        return inner[0]

    return Builtin("impl", register)


def implement(m: Machine, library: Value, name: Value, function: Value, key: Value) -> None:
    """Note the function that a call of an operator runs, recorded by autograd. One for `Autograd` takes precedence."""
    name = m.state.resolve(name)
    if not isinstance(name, str) or (isinstance(key, str) and "Meta" in key):
        return
    full = name if "::" in name else f"{library.model_state['namespace']}::{name}"
    before = operator_named(m, full)
    if before is None or (isinstance(key, str) and "Autograd" in key):
        define(m, full, function, ()).model_state["seen"] = True


# -- calls ------------------------------------------------------------------------------------------------


@method_of(OPERATOR, "__call__")
def call(m: Machine, args: Args) -> Value:
    """Call an operator: autograd doesn't record its function; then each argument that it declares mutated is bumped.

    (`torch/_library/custom_ops.py`: the ADInplaceOrView kernel calls `increment_version`, whatever the
    function itself did. A leaf is not refused.)
    """
    op, inner = args[0], Args(args.pos[1:], args.kw, args.open, args.site, args.exprs)
    function = op.model_state["function"]
    if op.model_state.get("seen"):
        return m.call(function, inner)
    bound = functions.bind(m, function, inner) if isinstance(function, FunctionV) else dict(inner.kw)
    with m.grad.within(grad=False):
        result = m.call(function, inner)
    for t in mutated(m, op, bound):
        m.grad.bump(t, str(op.model_state["name"]).rpartition(":")[2])
    refuse_aliases(m, tuple(bound.values()), result)
    return recorded(m, op, tuple(bound.values()), result)


def refuse_aliases(m: Machine, inputs: tuple[Value, ...], result: Value) -> None:
    """`_c_check_aliasing_constraint` of `torch/_library/utils.py`: results must not share memory with anything."""
    taken = {m.grad.storage(t) for t in cases.tensors_in(m, inputs)}
    for t in cases.tensors_in(m, result):
        storage = m.grad.storage(t)
        if storage in taken:
            raise Raised(None, "RuntimeError")
        taken.add(storage)


def mutated(m: Machine, op: Instance, bound: dict[str, Value]) -> list[Tensor]:
    """The arguments that the operator declares mutated; all tensors if it declares `"unknown"`."""
    names = op.model_state["mutates"]
    if names == "unknown":
        return cases.tensors_in(m, tuple(bound.values()))
    wanted = [names] if isinstance(names, str) else sequences.sequence(m, names).known()
    return [t for n in wanted if isinstance(n, str) for t in cases.tensors_in(m, bound.get(n))]


def recorded(m: Machine, op: Instance, inputs: tuple[Value, ...], result: Value) -> Value:
    """Make the results part of the graph; the node saves what `setup_context` saves."""
    needs: Grad = False
    tensors = cases.tensors_in(m, inputs)
    for t in tensors:
        needs = either(needs, m.grad.requires_grad(t))
    outputs = cases.tensors_in(m, result)
    node = m.grad.node(f"GeneratedBackwardFor_{str(op.model_state['name']).replace('::', '_')}_default", tensors, needs)
    if node is None or not outputs:
        return result
    for nr, t in enumerate(outputs):
        if t.base is not None:
            m.state.put(t, Tensor.creation_meta, CUSTOM)
        m.grad.set_history(t, node, nr)
    if op.model_state["setup"] is not None:
        ctx = Instance(class_named(m, CONTEXT), m.here.site)
        with m.grad.within(grad=False):
            m.call(op.model_state["setup"], Args([], {"ctx": ctx, "inputs": inputs, "output": result}))
        saved = cases.tensors_in(m, ctx.model_state.get("saved", ()))
        node.holds = bool(saved)
        for t in saved:
            m.grad.save(node, t, "saved")
    return result


# -- torch.ops --------------------------------------------------------------------------------------------


@resolver("torch.ops.")
def found(m: Machine, name: str) -> Value:
    """`torch.ops.ns.name`: an operator of the program, or one of PyTorch's under the name that users know."""
    parts = name.split(".")
    if len(parts) < 4:
        return Lib(name)
    own = operator_named(m, f"{parts[2]}::{parts[3]}")
    if own is not None:
        return own
    if parts[2] == "aten":
        for home in ("torch", "torch.Tensor", "torch.nn.functional"):
            if m.facts.table.find(f"{home}.{parts[3]}") is not None:
                packet = Instance(class_named(m, PACKET), m.here.site)
                packet.model_state["function"] = Lib(f"{home}.{parts[3]}")
                return packet
    return Lib(name)


@method_of(PACKET, "__call__")
def call_packet(m: Machine, args: Args) -> Value:
    """`torch.ops.aten.name(…)`."""
    function = args[0].model_state["function"]
    return m.call(function, Args(args.pos[1:], args.kw, args.open, args.site, args.exprs))


for _cls in (OPERATOR, PACKET):
    property_of(_cls, "default", "Tensor", "Scalar", "int", "dim", "out")(lambda m, obj: obj)

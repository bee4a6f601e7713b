"""Autograd's own functions: backward, grad, the grad modes, custom Functions, checkpointing, torch.func."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ....syntax import ir
from ...autograd.checks import Expected, Kept
from ...autograd.gradients import UNKNOWN
from ...autograd.tensors import CUSTOM, Grad, Gradients, Node, Tensor, either
from ...autograd.versions import bounds
from ...domain import registry
from ...domain.registry import BASES, method_of, model
from ...domain.report import Site
from ...domain.values import (
    ABSENT,
    Args,
    ClassV,
    Cond,
    FunctionV,
    Instance,
    StaticMethod,
    Unknown,
    Value,
    Wrapped,
)
from ...operators import cases
from ...python import attributes, contexts
from ...shapes.dtypes import is_integral
from . import contracts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...autograd.gradients import Times
    from ...python.machine import Machine

# -- modes ----------------------------------------------------------------------------------------------

for _name in (
    "torch.no_grad",
    "torch.enable_grad",
    "torch.set_grad_enabled",
    "torch.inference_mode",
    "torch.autograd.graph.saved_tensors_hooks",
    "torch.autograd.graph.save_on_cpu",
    "torch.autograd.graph.allow_mutation_on_saved_tensors",
    "torch.autograd.Function",
    "torch.autograd.function.FunctionCtx",
    "torch.autograd.graph.disable_saved_tensors_hooks",
):
    BASES[_name] = ()

contexts.mode("torch.no_grad", lambda m, v: {"grad": False})
contexts.mode("torch.enable_grad", lambda m, v: {"grad": True})
contexts.mode(
    "torch.inference_mode",
    lambda m, v: {"inference": False} if v.model_state.get("mode") is False else {"inference": True},
)
contexts.mode("torch.autograd.graph.saved_tensors_hooks", lambda m, v: {"hooks": "copy"})
contexts.mode("torch.autograd.graph.save_on_cpu", lambda m, v: {"hooks": "keep"})
contexts.mode("torch.autograd.graph.allow_mutation_on_saved_tensors", lambda m, v: {"hooks": "copy"})
contexts.mode("torch.autograd.graph.disable_saved_tensors_hooks", lambda m, v: {})


def set_grad_modes(m: Machine, v: Instance) -> dict[str, Value]:
    """`with torch.set_grad_enabled(mode)`."""
    mode = m.state.resolve(v.model_state.get("mode", True))
    return {"grad": mode if isinstance(mode, bool) else m.grad.mode["grad"]}


contexts.mode("torch.set_grad_enabled", set_grad_modes)


@method_of("torch.set_grad_enabled", "__init__")
def set_grad_enabled(m: Machine, args: Args) -> Value:
    """`torch.set_grad_enabled(mode)` takes effect at once; as a context manager it restores the mode from before."""
    self, mode = args[0], m.state.resolve(args.get(1, "mode"))
    self.model_state["before"] = {"grad": m.grad.mode["grad"]}
    self.model_state["mode"] = mode
    if isinstance(mode, bool):
        m.state.set(m.grad.mode, "grad", mode)
    return None


@method_of("torch.inference_mode", "__init__")
def inference_mode(m: Machine, args: Args) -> Value:
    """`torch.inference_mode(mode)`."""
    args[0].model_state["mode"] = args.get(1, "mode", True)
    return None


@method_of("torch.no_grad", "__init__")
@method_of("torch.enable_grad", "__init__")
@method_of("torch.autograd.graph.saved_tensors_hooks", "__init__")
@method_of("torch.autograd.graph.save_on_cpu", "__init__")
def plain_mode(m: Machine, args: Args) -> Value:
    """Context managers whose arguments don't matter."""
    return None


def decorated(name: str) -> None:
    """A mode applied to a function: `torch.no_grad()(f)`."""

    def call(m: Machine, args: Args) -> Value:
        contexts.take_back(m, args[0])
        return Wrapped(args[1], name, args[0]) if len(args.pos) > 1 else None

    method_of(name, "__call__")(call)


for _name in ("torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.set_grad_enabled"):
    decorated(_name)


@model("torch._C._set_grad_enabled")
def switch(m: Machine, args: Args) -> Value:
    """`torch._C._set_grad_enabled(mode)`, which restores nothing."""
    mode = m.state.resolve(args[0])
    if isinstance(mode, bool):
        m.state.set(m.grad.mode, "grad", mode)
    return None


@model("torch.is_grad_enabled")
def is_grad_enabled(m: Machine, args: Args) -> Value:
    """`torch.is_grad_enabled()`."""
    return m.state.resolve(m.grad.mode["grad"]) is not False and not m.grad.mode["inference"]


@model("torch.is_inference_mode_enabled")
def is_inference_mode_enabled(m: Machine, args: Args) -> Value:
    """`torch.is_inference_mode_enabled()`."""
    return bool(m.grad.mode["inference"])


# -- backward -------------------------------------------------------------------------------------------


def roots_of(m: Machine, v: Value) -> list[Value]:
    """The nodes that backward starts from."""
    return [m.grad.grad_fn(t) for t in cases.tensors_in(m, v) if m.grad.requires_grad(t) is not False]


def expected(m: Machine, v: Value) -> Expected | None:
    """The call of `v.backward()` shows that `v` requires grad; None if that is known anyway, or doesn't matter."""
    asked = m.grad.requires_grad(v) if isinstance(v, Tensor) else None
    if not isinstance(asked, frozenset):
        return None
    return Expected(asked, Cond(("backward", v.uid), "requires-grad", v.name or receiver(m), m.here.site))


def receiver(m: Machine) -> str:
    """The text of a method's object, if it is short."""
    called = m.here.node.func if isinstance(m.here.node, ir.Call) else None
    if m.here.chunk is None or m.here.in_model or not isinstance(called, ir.Attribute):
        return ""
    return m.explain.text(Site(m.here.chunk, called.value)) or ""


def begun(m: Machine, given: Value) -> Times:
    """How many times a backward's first gradient was written: the caller's, or one that is made for it."""
    given = m.state.resolve(given)
    if isinstance(given, Tensor):
        return bounds([v for _, v in m.state.alternatives(m.grad.version(given))])
    return (0, 0) if given is None else (0, None)


@method_of("torch.Tensor", "backward")
def backward(m: Machine, args: Args) -> Value:
    """`t.backward(gradient, retain_graph, create_graph)`."""

    def one(t: Value) -> Value:
        create = args.get(3, "create_graph", False) is True
        retain = m.state.resolve(args.get(2, "retain_graph"))
        keep = create if retain is None else retain is not False
        leaves = cases.tensors_in(m, args.kw.get("inputs"))
        require_graph(m, [t])
        given = begun(m, args.get(1, "gradient"))
        m.grad.backward(roots_of(m, t), keep, create, leaves, begun=given, expected=expected(m, t))
        return None

    return m.state.each(args[0], one)


def require_graph(m: Machine, values: list[Value]) -> None:
    """backward() raises if none of the tensors requires grad."""
    found = [t for v in values for t in cases.tensors_in(m, v)]
    if found and all(m.grad.requires_grad(t) is False for t in found):
        m.refuse()


@model("torch.autograd.backward")
def autograd_backward(m: Machine, args: Args) -> Value:
    """`torch.autograd.backward(tensors, grad_tensors, retain_graph, create_graph)`."""
    create = args.get(3, "create_graph", False) is True
    retain = m.state.resolve(args.get(2, "retain_graph"))
    keep = create if retain is None else retain is not False
    given = begun(m, args.get(1, "grad_tensors"))
    m.grad.backward(roots_of(m, args.get(0, "tensors")), keep, create, begun=given)
    return None


@model("torch.autograd.grad")
def grad(m: Machine, args: Args) -> Value:
    """`torch.autograd.grad(outputs, inputs, …)`: returns gradients, which have a graph with `create_graph`."""
    create = m.state.resolve(args.get(4, "create_graph", False)) is True
    retain = m.state.resolve(args.get(3, "retain_graph"))
    keep = create if retain is None else retain is not False
    outputs, inputs = args.get(0, "outputs"), args.get(1, "inputs")
    wanted = cases.tensors_in(m, inputs)
    roots = roots_of(m, outputs)
    nodes = m.grad.reached(roots, wanted)
    if wanted and not nodes and args.kw.get("allow_unused") is not True:
        m.refused("the differentiated tensors are not used in the graph")
    given = begun(m, args.get(2, "grad_outputs"))
    flow = m.grad.backward(roots, keep, create, wanted, accumulate=False, begun=given)
    made: list[Value] = []
    unused = args.kw.get("allow_unused") is True and args.kw.get("materialize_grads", False) is False
    for t in wanted:
        fn = m.grad.grad_fn(t)
        one = UNKNOWN if m.grad.stands_for_base(t) else flow.of(fn or t, m.grad.output_nr(t))
        if unused and one is None and all(fn is not root for root in roots):
            made.append(None)
            continue
        g = m.grad.gradient(t, flow, one)
        if one is None:  # zeros that `materialize_grads` asks for, a leaf
            m.require_grad(g, create or m.facts.habits.unused_require_grad)
        elif create and g.uid > flow.began and m.grad.grad_fn(g) is None:
            m.grad.set_history(g, m.grad.derived(nodes, wanted, cases.tensors_in(m, args.get(2, "grad_outputs"))))
        made.append(g)
    if not wanted:
        return Unknown("gradients")
    return tuple(made)


# -- custom functions -------------------------------------------------------------------------------------


@model("torch.autograd.Function.apply")
def apply(m: Machine, args: Args) -> Value:
    """`Function.apply(…)` (`torch/csrc/autograd/custom_function.cpp`): forward without grad, then the saving."""
    cls, inner = args[0], Args(args.pos[1:], args.kw, args.open, args.site, args.exprs)
    given = [m.state.resolve(v) for v in inner.pos]
    inner = Args([m.as_tensor(v) if isinstance(v, Unknown) and v.parameter else v for v in given], inner.kw)
    ctx = Instance(registry.class_named(m, "torch.autograd.function.FunctionCtx"), m.here.site)
    inputs = [t for v in inner.pos for t in ([v] if isinstance(v, Tensor) else [])]
    needs: Grad = False
    for t in inputs:
        needs = either(needs, m.grad.requires_grad(t))
    ctx.attributes["needs_input_grad"] = tuple(
        isinstance(v, Tensor) and m.grad.requires_grad(v) is not False for v in inner.pos
    )
    node = m.grad.node(f"{cls.name}Backward", inputs, needs)  # its edges lead to the inputs' state before forward
    before, places = contracts.keep(m, inputs), [i for i, v in enumerate(inner.pos) if isinstance(v, Tensor)]
    result = run_forward(m, cls, ctx, inner)
    if node is not None:
        outputs, taken = cases.tensors_in(m, result), None if args.open else len(inner.pos)
        node.function, node.called = cls, f"{cls.name}.apply"
        kept = Kept(node, contracts.attributes_of(m, ctx), partial(contracts.is_own, cls))
        node.run = partial(run_backward, m, cls, ctx, outputs, places, taken, kept)
        contracts.check_marked(m, cls, node, before, cases.tensors_in(m, ctx.model_state.get("dirty", ())), places)
    result = finish(m, cls, ctx, inputs, needs, node, result)
    if m.numbers is not None:
        m.numbers.differentiate(cls, ctx, inner.pos, result)
    return result


def run_forward(m: Machine, cls: ClassV, ctx: Instance, args: Args) -> Value:
    """Run forward (and setup_context) with grad mode off."""
    if m.here.node is not None:
        m.explain.applied[m.here.node] = None
    with m.grad.within(grad=False):
        setup = cls.lookup("setup_context")
        forward = attributes.get(m, cls, "forward")
        if not isinstance(setup, (StaticMethod, FunctionV)):
            return m.call(forward, args.prepend(ctx))
        result = m.call(forward, args)
        m.call(attributes.get(m, cls, "setup_context"), Args([ctx, tuple(args.pos), result]))
        return result


def finish(
    m: Machine, cls: ClassV, ctx: Instance, inputs: list[Tensor], needs: Grad, node: Node | None, result: Value
) -> Value:
    """Set the history of the outputs, check the dirty inputs, save what was passed to `save_for_backward`."""
    dirty = cases.tensors_in(m, ctx.model_state.get("dirty", ()))
    outputs = cases.tensors_in(m, result)
    plain = {t.uid for t in cases.tensors_in(m, ctx.model_state.get("non_differentiable", ()))}
    m.here.via = f"{cls.name}.apply"
    for t in dirty:
        if not any(t is i for i in inputs) or check_dirty(m, t, needs):
            m.grad.bump(t, m.here.via)
    check_returned(m, cls, dirty, outputs, result)
    found, copies = histories(m, inputs, dirty, plain, node, outputs)
    if node is not None:
        saved = cases.tensors_in(m, ctx.model_state.get("saved", ()))
        node.holds = bool(saved)
        own = [t for t in saved if m.state.pick(t.grad_fn) is node]
        for t in saved:
            m.grad.save(node, t, "saved", form="view" if t in own else "itself")
        m.state.set(ctx.model_state, "own", tuple(own))
        m.state.set(ctx.model_state, "kept", tuple(twin(m, t) for t in own))
        for copy in copies:
            copy.saved = node.saved
    return rebuilt(m, result, found)


def twin(m: Machine, t: Tensor) -> Tensor:
    """What a saved result is unpacked to: a variable of its own, with the same memory, counter and history."""
    made = m.grad.alias(t)
    made.requires_grad_, made.grad_fn, made.output_nr = t.requires_grad_, t.grad_fn, t.output_nr
    return made


def histories(
    m: Machine, inputs: list[Tensor], dirty: list[Tensor], plain: set[int], node: Node | None, outputs: list[Tensor]
) -> tuple[dict[int, Tensor], list[Node]]:
    """`_process_backward_mode_ad` for each output: what is returned for it, and the nodes of dirty views' bases.

    An input that is returned unchanged becomes a view. `plain` are those marked as not differentiable, as integers are.
    """
    made: dict[int, Tensor] = {}
    copies: list[Node] = []
    for nr, t in enumerate(outputs):
        out = t
        if t.uid in plain or (t.dtype is not None and is_integral(t.dtype)):
            continue
        if node is None and any(t is i for i in inputs) and m.grad.requires_grad(t) is not False:
            out = m.grad.alias(t)  # PyTorch leaves the input as it is, and returns a view without history
        elif any(t is d for d in dirty):
            rebased = m.grad.rebase(t, node)
            if rebased is node and node is not None and nr > 0:
                m.state.put(t, Tensor.output_nr, nr)
            copies += [rebased] if rebased is not None and rebased is not node else []
        elif any(t is i for i in inputs):
            out = m.grad.view(t, t.geometry, CUSTOM) if node is not None else m.grad.alias(t)
            m.grad.set_history(out, node, nr)
        elif isinstance(m.state.resolve(t.base), Tensor) and any(
            m.grad.storage(i) is m.grad.storage(t) for i in inputs
        ):
            m.state.put(t, Tensor.creation_meta, CUSTOM)
            m.grad.set_history(t, node, nr)
        else:
            m.grad.set_history(t, node, nr)
        made[t.uid] = out
    return made, copies


def run_backward(
    m: Machine,
    cls: ClassV,
    ctx: Instance,
    outputs: list[Tensor],
    places: list[int],
    taken: int | None,
    kept: Kept,
    gradient: Gradients,
    unpack: Callable[[], None],
) -> list[Value] | None:
    """Call the class's backward with a gradient for each output; it has to return one for each of the `taken` inputs.

    `unpack` is called before saved tensors are read; `kept` are the tensors that are kept without being saved. Returns
    the gradients of the inputs at `places`, which are the tensors, if they are known.
    """
    if cls.lookup("backward") is ABSENT:
        unpack()
        return None
    gradients: list[Value] = [gradient(t, nr) for nr, t in enumerate(outputs)]
    m.grad.unpacking[ctx.uid] = unpack
    outer, m.grad.kept = m.grad.kept, kept
    try:
        result = m.state.resolve(m.call(attributes.get(m, cls, "backward"), Args([ctx, *gradients], site=m.here.site)))
    finally:
        unread = m.grad.unpacking.pop(ctx.uid, None)
        m.grad.kept = outer
    if not (isinstance(result, (Tensor, tuple)) or result is None):
        if unread:
            unpack()
        return None
    given = result if isinstance(result, tuple) else (result,)
    if taken is not None:
        check_number(m, cls, given, taken)
    return [given[i] for i in places] if len(given) > max(places, default=0) else None


def check_number(m: Machine, cls: ClassV, given: tuple[Value, ...], taken: int) -> None:
    """`validate_outputs` and `PyNode::apply`: a gradient for each input; further ones must be None."""
    more = [m.state.resolve(v) for v in given[taken:]]
    if len(given) < taken or any(isinstance(v, Tensor) for v in more):
        m.here.via = f"{cls.name}.backward"
        detail = "gradient-count"
        m.grad.fail("other", "function", None, detail=detail, once=(detail, cls), given=len(given), taken=taken)


def check_returned(m: Machine, cls: ClassV, dirty: list[Tensor], outputs: list[Tensor], result: Value) -> None:
    """A tensor marked as dirty has to be returned (`_wrap_outputs` in custom_function.cpp), in any grad mode."""
    result = m.state.resolve(result)
    known = result if isinstance(result, tuple) else (result,)
    if all(isinstance(m.state.resolve(v), Tensor) for v in known):
        for t in dirty:
            if not any(t is out for out in outputs):
                m.grad.fail("other", "function", t, detail="dirty-lost", once=("dirty-lost", cls))


def check_dirty(m: Machine, t: Tensor, needs: Grad) -> bool:
    """A dirty input must not be a leaf, nor a view that can't be written (`_process_backward_mode_ad`)."""
    own = m.grad.requires_grad(t)
    if needs is not False and m.grad.grad_mode and own is True and m.grad.is_leaf(t):
        return not m.grad.fail("other", "function", t, detail="dirty-leaf")
    if isinstance(m.state.resolve(t.base), Tensor) and m.facts.habits.writes_views_of_leaves:
        return not m.grad.check_view(t, needs)
    return m.grad.check_inplace(t, needs)


def rebuilt(m: Machine, v: Value, made: dict[int, Tensor]) -> Value:
    """A result with some of its tensors replaced."""
    v = m.state.resolve(v)
    if isinstance(v, Tensor):
        return made.get(v.uid, v)
    if isinstance(v, tuple):
        return tuple(rebuilt(m, i, made) for i in v)
    return v


def remember(slot: str) -> Callable[[Machine, Args], Value]:
    """A method of ctx that saves tensors."""

    def run(m: Machine, args: Args) -> Value:
        m.state.set(args[0].model_state, slot, tuple(args.pos[1:]))
        return None

    return run


_CTX = "torch.autograd.function.FunctionCtx"
method_of(_CTX, "save_for_backward", "save_for_forward")(remember("saved"))
method_of(_CTX, "mark_dirty")(remember("dirty"))
method_of(_CTX, "mark_non_differentiable")(remember("non_differentiable"))
method_of(_CTX, "set_materialize_grads")(lambda m, args: None)


@registry.property_of(_CTX, "saved_tensors")
def saved_tensors(m: Machine, ctx: Instance) -> Value:
    """`ctx.saved_tensors`: a result in the memory that it had, even if its `data` is other memory by now."""
    unpack = m.grad.unpacking.pop(ctx.uid, None)
    if unpack is not None:
        unpack()
    own, kept = (cases.tensors_in(m, ctx.model_state.get(slot, ())) for slot in ("own", "kept"))
    moved = {t.uid: as_was for t, as_was in zip(own, kept, strict=True) if m.grad.storage(t) is not as_was.storage}
    return rebuilt(m, ctx.model_state.get("saved", ()), moved)


@model("torch.autograd.function.once_differentiable")
def once_differentiable(m: Machine, args: Args) -> Value:
    """`@once_differentiable`: a backward that runs without grad, even with `create_graph`."""
    return Wrapped(args[0], "torch.no_grad")


# -- checkpoint -------------------------------------------------------------------------------------------


def save_all(m: Machine, node: Node | None, inputs: list[Tensor]) -> None:
    """Make the node, if there is one, save the arguments of a checkpoint."""
    if node is not None:
        for t in inputs:
            m.grad.save(node, t, "input", form="itself")


@model("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential")
def checkpoint(m: Machine, args: Args) -> Value:
    """`checkpoint(f, *inputs)`: only the inputs are saved, and checked when backward runs `f` again."""
    skip = {"use_reentrant", "preserve_rng_state", "determinism_check", "context_fn", "debug", "early_stop"}
    f = args[0]
    inner = Args(args.pos[1:], {k: v for k, v in args.kw.items() if k not in skip}, args.open, args.site)
    reentrant = m.state.resolve(args.kw.get("use_reentrant", True)) is not False
    inputs = cases.tensors_in(m, tuple(inner.pos))
    needs: Grad = not inputs or not reentrant
    for t in inputs:
        needs = either(needs, m.grad.requires_grad(t))
    node = m.grad.node("CheckpointFunctionBackward", inputs, needs)
    before, started = len(m.grad.nodes), m.grad.order
    holds = True
    if not reentrant:
        save_all(m, node, inputs)  # before the function, which may change them, runs
    if reentrant:
        with m.grad.within(grad=False):
            result = m.call(f, inner)
    else:
        result = m.call(f, inner)
        made = m.grad.nodes[before:]
        asking = [one for one in made if one.saved or one.holds]
        for one in made:
            one.saved, one.holds = (), False
        if node is not None and asking:
            node.site = asking[0].site or node.site
        elif node is not None and made:  # no saved tensor is read, so it doesn't run again
            node.saved, holds = (), False
    if node is not None:
        node.holds = holds
    if reentrant:
        save_all(m, node, inputs)
    outputs = cases.tensors_in(m, result)
    if reentrant:
        return rebuilt(m, result, histories(m, inputs, [], set(), node, outputs)[0])
    for t in outputs:
        fn = m.state.resolve(t.grad_fn)
        inside = any(isinstance(v, Node) and v.order > started for _, v in m.state.alternatives(fn))
        if node is not None and inside and m.grad.requires_grad(t) is not False:
            node.edges = (*node.edges, fn)
            m.state.put(t, Tensor.grad_fn, node)
            node.outputs = (*node.outputs, t)
    return result


# -- other ----------------------------------------------------------------------------------------------


@model("torch.autograd.graph.increment_version")
def increment_version(m: Machine, args: Args) -> Value:
    """`increment_version(t)`."""
    for t in cases.tensors_in(m, args.get(0, "tensor")):
        m.grad.bump(t, "increment_version")
    return None


@model("torch.autograd.Variable")
def variable(m: Machine, args: Args) -> Value:
    """`Variable(t)`: the old name for a tensor, detached."""
    t = m.state.resolve(args.get(0, "data"))
    if not isinstance(t, Tensor):
        return Unknown("a tensor")
    made = m.grad.alias(t)
    made.requires_grad_ = args.kw.get("requires_grad") is True
    return made

"""Modules of `torch.nn`: construction from facts, calls with hooks, their tensors."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, TypeGuard

from ...facts.model import REQUIRED, Case, ModuleFact, Op
from .. import shapes
from ..autograd.tensors import CUSTOM, Tensor, Version
from ..domain import registry
from ..domain.values import ABSENT, Args, DictV, Instance, Phi, Property, Unbuilt, Unknown, Value, Wrapped
from ..shapes import UNKNOWN, Arg, TensorType
from . import cases, replay, results
from .types import described, geometry_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .call import Call
    from .interpreter import Interpreter

MODULE = "torch.nn.Module"


def is_module(v: Value) -> TypeGuard[Instance]:
    """Whether a value is an nn.Module."""
    return isinstance(v, Instance) and v.cls.derives(MODULE)


# -- construction -----------------------------------------------------------------------------------


@registry.by_fact(ModuleFact, "__init__")
def initialise(m: Interpreter, obj: Instance, fact: ModuleFact, args: Args) -> None:
    """Run the constructor of a module that has a fact."""
    values = {p.name: p.default for p in fact.params if p.default is not REQUIRED}
    values.update(cases.bind(fact.params, args))
    for k, v in values.items():
        if k not in fact.parameters:  # `bias=True` asks for the parameter of that name
            m.state.set(obj.attributes, k, kept(fact.name, k, m.state.resolve(v), values))
        if isinstance(m.state.pick(v), Tensor) and not k.startswith("_"):
            put(obj, "_buffers", k)
    m.state.set(obj.model_state, "ctor", values)
    make_tensors(m, obj, fact, values)


SIZED = frozenset({"kernel_size", "stride", "padding", "dilation", "output_padding"})


def kept(cls: str, option: str, value: Value, values: dict[str, Value]) -> Value:
    """What a module keeps of an option: a convolution a size for each dimension, pooling a default for its stride."""
    if "Pool" in cls and option == "stride" and value is None:
        value = values.get("kernel_size")
    sized = cls.endswith(("1d", "2d", "3d")) and ("Conv" in cls or cls.endswith(".AvgPool1d"))
    if sized and option in SIZED and isinstance(value, int):
        return (value,) * int(cls[-2])
    if cls.endswith("LayerNorm") and option == "normalized_shape" and isinstance(value, int):
        return (value,)
    return value


def make_tensors(m: Interpreter, obj: Instance, fact: ModuleFact, values: dict[str, Value]) -> None:
    """Make a module's parameters and buffers, with their shapes if the arguments determine them."""
    described_args: dict[str, Arg] = {k: described(m, v) for k, v in values.items()}
    types = shapes.module_parameters(fact.name, described_args)
    if types is None:
        names = (name for name in (*fact.parameters, *fact.buffers) if values.get(name.rsplit(".", 1)[-1]) is not False)
        types = dict.fromkeys(names, TensorType())
    buffers = {name for name in types if name.rsplit(".", 1)[-1] in BUFFERS or name in fact.buffers}
    for name in fact.parameters:
        if name not in types and values.get(name.rsplit(".", 1)[-1]) in (None, False):
            holder, short = owner(m, obj, name), name.rsplit(".", 1)[-1]
            m.state.set(holder.attributes, short, None)
            put(holder, "_buffers" if name in buffers else "_parameters", short)
    for name, type_ in types.items():
        holder, short = owner(m, obj, name), name.rsplit(".", 1)[-1]
        if isinstance(m.state.pick(values.get(name)), Tensor):
            continue
        t = m.grad.tensor(geometry_of(type_), type_.dtype or "float32", name not in buffers)
        t.is_parameter = name not in buffers
        t.label, t.owner = short, holder
        made = writes_in_construction(obj.cls.name, name, values)
        m.grad.counter(t).current = Version(made, made)
        m.state.set(holder.attributes, short, t)
        if name in buffers:
            put(holder, "_buffers", short)


def writes_in_construction(cls: str, name: str, values: dict[str, Value]) -> int:
    """How many times a module's constructor has written a tensor: `reset_parameters` does it once.

    Attention clears its output's bias once more (`torch/nn/modules/activation.py`), an embedding the row of its
    padding. A stack of layers consists of copies (`_get_clones` in transformer.py); Transformer initialises their
    matrices.
    """
    short = name.rsplit(".", 1)[-1]
    if cls.endswith("Loss") and "." not in name:
        return 0
    if cls.startswith("Transformer") and "layers." in name:
        return int(cls == "Transformer" and short.endswith("weight") and ".norm" not in name)
    if name.endswith("out_proj.bias"):
        return 2
    return 1 if values.get("padding_idx") is None else 2


BUFFERS = frozenset({"running_mean", "running_var", "num_batches_tracked", "weight_u", "weight_v"})


def owner(m: Interpreter, obj: Instance, name: str) -> Instance:
    """The module that a dotted tensor name belongs to; missing inner modules are made."""
    for part in name.split(".")[:-1]:
        inner = obj.attributes.get(part, ABSENT)
        if not isinstance(inner, Instance):
            inner = Instance(registry.class_named(m, MODULE), obj.site)
            inner.attributes["training"] = True
            inner.within = obj, f".{part}"
            m.state.set(obj.attributes, part, inner)
        obj = inner
    return obj


def put(obj: Instance, slot: str, name: str) -> None:
    """Note that a name was put into `_parameters`, `_buffers` or `_modules`."""
    obj.model_state[slot] = put_in(obj, slot) | {name}


def put_in(obj: Instance, slot: str) -> frozenset[str]:
    """The names that were put into a dict of a module, whatever they refer to now."""
    names: frozenset[str] = obj.model_state.get(slot, frozenset())
    return names


# -- their tensors ------------------------------------------------------------------------------------


def children(m: Interpreter, obj: Instance) -> Iterator[tuple[str, Instance]]:
    """The modules that are attributes of a module, by name."""
    for k, v in list(obj.attributes.items()):
        if isinstance(v, (Instance, Phi)) and isinstance(k, str):
            v = m.state.pick(v)
            if is_module(v):
                yield k, v


def named_modules(
    m: Interpreter, obj: Instance, prefix: str = "", seen: set[int] | None = None
) -> Iterator[tuple[str, Instance]]:
    """A module and all modules below it, each once."""
    seen = seen if seen is not None else set()
    obj = m.state.pick(obj)
    if not isinstance(obj, Instance) or obj.uid in seen:
        return
    seen.add(obj.uid)
    yield prefix, obj
    for k, child in children(m, obj):
        yield from named_modules(m, child, f"{prefix}.{k}" if prefix else k, seen)


def named_tensors(
    m: Interpreter, obj: Instance, parameters: bool, recurse: bool = True
) -> Iterator[tuple[str, Tensor]]:
    """The parameters (or buffers) of a module and those below it, each once."""
    seen: set[int] = set()
    for prefix, module in named_modules(m, obj) if recurse else (("", obj),):
        buffers, trained = put_in(module, "_buffers"), put_in(module, "_parameters")
        for k, v in list(module.attributes.items()):
            if not isinstance(v, (Tensor, Phi)):
                continue
            v = m.state.pick(v)
            if not isinstance(v, Tensor) or v.uid in seen or not isinstance(k, str):
                continue
            if (k in trained or bool(v.is_parameter)) is parameters and (parameters or k in buffers or v.is_buffer):
                seen.add(v.uid)
                yield (f"{prefix}.{k}" if prefix else k), v


def parameters(m: Interpreter, obj: Instance) -> list[Tensor]:
    """All parameters of a module."""
    return [t for _, t in named_tensors(m, obj, True)]


# -- calls --------------------------------------------------------------------------------------------


def call(m: Interpreter, obj: Instance, args: Args) -> Value:
    """`Module.__call__`: pre-hooks, forward, hooks (`torch/nn/modules/module.py`, `_call_impl`).

    If there are no hooks when it begins, those that its forward registers are not called.
    """
    own = (m.state.resolve(obj.model_state.get(slot, ())) for slot in ("backward_hooks", "pre_hooks", "hooks"))
    if (open_ := next((v for v in own if type(v) is Phi), None)) is not None:
        return m.state.each(open_, lambda _: call(m, obj, args))
    watched = bool(hooks(m, obj, "backward_hooks"))
    if not watched and not hooks(m, obj, "pre_hooks") and not hooks(m, obj, "hooks"):
        return forward(m, obj, args)
    for hook in hooks(m, obj, "pre_hooks"):
        args = with_inputs(m, args, run_hook(m, hook, obj, args))
    if watched:
        args = Args([hooked(m, v) for v in args.pos], args.kw, args.open, args.site, args.exprs)
    result = forward(m, obj, args)
    for hook in hooks(m, obj, "hooks"):
        changed = run_hook(m, hook, obj, args, result)
        if changed is not None and not isinstance(changed, Unknown):
            result = changed
    return hooked(m, result) if watched else result


def hooks(m: Interpreter, obj: Instance, slot: str) -> list[Value]:
    """The hooks of one kind that a module runs: those of all modules, and its own."""
    everywhere = registry.class_named(m, MODULE).attributes.get((slot,), ())
    return [*m.state.tuple_of(everywhere), *m.state.tuple_of(obj.model_state.get(slot, ()))]


def run_hook(m: Interpreter, hook: Value, obj: Instance, args: Args, *result: Value) -> Value:
    """Call a hook of a module, with the keyword arguments if it was registered `with_kwargs`."""
    given: list[Value] = [obj, tuple(args.pos)]
    if isinstance(hook, Wrapped) and hook.by == "with_kwargs":
        return m.call(hook.function, Args([*given, DictV(dict(args.kw)), *result], site=args.site))
    return m.call(hook, Args([*given, *result], site=args.site))


def with_inputs(m: Interpreter, args: Args, changed: Value) -> Args:
    """The arguments of forward after a pre-hook: those that it returned, if any (a pair if there are keywords)."""
    if not isinstance(changed, (tuple, Tensor)):
        return args
    pos, kw = changed if isinstance(changed, tuple) else (changed,), args.kw
    if len(pos) == 2 and isinstance(pos[0], tuple) and isinstance(pos[1], DictV):
        pos, kw = pos[0], {str(k): v for k, v in pos[1].items.items() if v is not ABSENT}
    return Args(list(pos), kw, args.open, args.site)


def hooked(m: Interpreter, v: Value) -> Value:
    """An input or output of a module with a full backward hook: a view by a custom Function (`BackwardHook`)."""
    if isinstance(v, tuple):
        return tuple(hooked(m, i) for i in v)
    if not isinstance(v, Tensor) or m.grad.requires_grad(v) is False or not m.grad.grad_mode:
        return v
    node = m.grad.node("BackwardHookFunctionBackward", [v], m.grad.requires_grad(v))
    view = m.grad.view(v, v.geometry, CUSTOM)
    m.grad.set_history(view, node)
    return view


def forward(m: Interpreter, obj: Instance, args: Args) -> Value:
    """A module's forward: the program's own, or its library's."""
    own = obj.attributes.get("forward", ABSENT)
    if own is ABSENT:
        own = obj.cls.lookup("forward")
        if own is not ABSENT:
            own = m.bound(own, obj)
    if own is not ABSENT:
        return m.call(own, args)
    for c in obj.cls.mro:
        model = registry.method(m, c.qualname, "forward")
        if model is not None:
            with suppress(Unbuilt):
                return model(m, args.prepend(obj))
    return Unknown(f"{obj.cls.name}(…)")


@registry.by_fact(ModuleFact, "forward")
def by_fact(m: Interpreter, obj: Instance, fact: ModuleFact, args: Args) -> Value:
    """Replay the forward of a class of `torch.nn` from its fact."""
    from . import calls_by_name

    running = became(m, fact)
    op = Op(running.name, fact.forward, running.cases)
    if calls_by_name.resolved(m, args) is None:
        read = shapes.module_inputs(fact.name)
        args = args if read is None else calls_by_name.unified(m, op, args, read)
    if calls_by_name.resolved(m, args) is None:
        return calls_by_name.split(m, args, lambda one: by_fact(m, obj, fact, one))
    call = replay.bind(m, op, args)
    call.spoken = obj.cls.name
    for name in own_tensors(fact):
        found = find_tensor(m, obj, name.removeprefix("self."))
        if found is not None:
            call.tensors[name] = [found]
    call.tensors["self"] = parameters(m, obj)
    extra = {**obj.model_state.get("ctor", {}), "training": m.state.resolve(obj.attributes.get("training", True))}
    extra = {k: m.state.resolve(v) for k, v in extra.items()}
    extra["inplace"] = m.state.resolve(obj.attributes.get("inplace", extra.get("inplace", False)))
    asked = ("inplace", *(t.param for case in running.cases for t in case.tests))
    if (open_ := next((v for name in asked if isinstance(v := extra.get(name), Phi)), None)) is not None:
        return m.state.each(open_, lambda _: by_fact(m, obj, fact, args))
    if isinstance(extra["inplace"], Unknown):
        extra["inplace"] = False  # as it is if nobody asks for it
    call.settings = extra
    if running is not fact:
        materialize(m, obj, running, call)
    if call.family.keeps is not None:
        call.kept = call.family.keeps(m, call)
    case = completed(cases.choose(m, op, call), op, call)
    given = {k: described(m, v) for k, v in call.values.items()}
    inputs: Sequence[Arg] = [given.pop(p.name) for p in takewhile(lambda p: p.name in given, op.params)] or [UNKNOWN]
    output = shapes.module_output(fact.name, {k: described(m, v) for k, v in extra.items()}, inputs, given)
    inplace = extra.get("inplace") is True
    previous, m.here.constructor = m.here.constructor, obj.site if inplace else None
    try:
        result = replay.replay(m, case, call, "inplace=True" if inplace else f"{obj.cls.name}()", flat(output))
    finally:
        m.here.constructor = previous
    return nested(output, list(result)) if isinstance(output, list) and isinstance(result, tuple) else result


def became(m: Interpreter, fact: ModuleFact) -> ModuleFact:
    """The class of a module in its forward: a lazy one has changed its own by then (`LazyModuleMixin`)."""
    other = m.facts.table.find(fact.name.replace(".Lazy", "."))
    return other if isinstance(other, ModuleFact) else fact


def materialize(m: Interpreter, obj: Instance, running: ModuleFact, call: Call) -> None:
    """Give the parameters of a lazy module the shapes that its first input tells (`initialize_parameters`)."""
    settings = {k: described(m, v) for k, v in call.settings.items()}
    given = next((described(m, v) for v in call.values.values()), UNKNOWN)
    for name, type_ in shapes.materialized(running.name, settings, given).items():
        t = find_tensor(m, obj, name)
        if t is not None and t.geometry is None:
            m.state.put(t, Tensor.geometry_, geometry_of(type_))


def completed(case: Case, op: Op, call: Call) -> Case:
    """The case, completed by other cases with tensors that its own samples were called without (`hx` of an RNN)."""
    missing = {p for p, ts in call.tensors.items() if ts and p in differentiable_inputs(op)} - case.flows
    if not missing:
        return case
    saves = {(s.what, s.when): s for c in op.cases for s in c.saves if s.what in missing}
    return replace(case, flows=case.flows | missing, saves=(*case.saves, *saves.values()))


def differentiable_inputs(op: Op) -> frozenset[str]:
    """All inputs that a gradient flows to in some case."""
    return frozenset().union(*(c.flows for c in op.cases))


def flat(types: results.Types) -> results.Types:
    """The descriptions of several results in one list, without None (an output that wasn't asked for)."""
    if not isinstance(types, list):
        return types
    return [one for t in types if t is not None for one in (flat(t) if isinstance(t, list) else [t])]  # type: ignore[union-attr]


def nested(types: Sequence[results.Types], flat_results: list[Value]) -> Value:
    """Results nested as PyTorch nests them (`LSTM` gives `output, (h, c)`)."""
    made: list[Value] = []
    for t in types:
        if isinstance(t, list):
            made.append(nested(t, flat_results))
        else:
            made.append(flat_results.pop(0) if t is not None and flat_results else None)
    return tuple(made)


def own_tensors(fact: ModuleFact) -> Iterable[str]:
    """The module's own tensors that its fact mentions (`self.weight`), in the same order in every run."""
    told = (
        name
        for case in fact.cases
        for name in (*sorted(case.flows), *(s.what for s in case.saves), *(w.what for w in case.mutates))
    )
    return dict.fromkeys(name for name in told if name.startswith("self."))


def find_tensor(m: Interpreter, obj: Instance, name: str) -> Tensor | None:
    """A module's tensor by its dotted name."""
    v: Value = obj
    for part in name.split("."):
        if not isinstance(v, Instance):
            return None
        computed = part not in v.attributes and isinstance(v.cls.lookup(part), Property)
        v = m.state.pick(m.getattr(v, part) if computed else v.attributes.get(part))
    return v if isinstance(v, Tensor) else None

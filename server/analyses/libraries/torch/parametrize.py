"""Parameters that are computed from others: `torch.nn.utils.parametrize`, weight norm, spectral norm, pruning."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...autograd.tensors import Node, Tensor, Version
from ...domain.registry import BASES, class_named, method_of, model
from ...domain.values import Args, Builtin, ClassV, Instance, Lib, Property, Unknown, Value
from ...operators import cases, modules
from ...python import attributes, contexts
from .formulas import Term, linked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine

UTILS = "torch.nn.utils."
LIST = f"{UTILS}parametrize.ParametrizationList"
MODULE = "torch.nn.Module"

WEIGHT_NORM = f"{UTILS}parametrizations._WeightNorm"
SPECTRAL_NORM = f"{UTILS}parametrizations._SpectralNorm"
ORTHOGONAL = f"{UTILS}parametrizations._Orthogonal"

for _name in (LIST, WEIGHT_NORM, SPECTRAL_NORM, ORTHOGONAL):
    BASES[_name] = (MODULE,)
BASES[f"{UTILS}parametrize.cached"] = ()
contexts.mode(f"{UTILS}parametrize.cached", lambda m, v: {"parametrized": v.uid})


def parameter(m: Machine, v: Value, label: str) -> Value:
    """`nn.Parameter(v)`, labelled with the program's name for it."""
    made = m.call(Lib("torch.nn.Parameter"), Args([v]))
    if isinstance(made, Tensor):
        made.label = label
    return made


# -- parametrizations -------------------------------------------------------------------------------------


def new_module(m: Machine, cls: str) -> Instance:
    """A module of a class of the library."""
    made = Instance(class_named(m, cls), m.here.site)
    made.attributes["training"] = True
    return made


@model("torch.nn.utils.parametrize.register_parametrization")
def register(m: Machine, args: Args) -> Value:
    """`register_parametrization(module, name, parametrization)`: from now on, the tensor is computed at each use."""
    obj, name, step = m.state.pick(args.get(0, "module")), m.state.resolve(args.get(1, "tensor_name")), m.state.pick(
        args.get(2, "parametrization")
    )  # fmt: skip
    if isinstance(obj, Instance) and isinstance(name, str):
        add(m, obj, name, step)
    return obj


def add(m: Machine, obj: Instance, name: str, step: Value) -> None:
    """Make a module's tensor a computed one, or add a further step to its computation."""
    steps = list_of(m, obj, name)
    if steps is None:
        original = m.state.pick(obj.attributes.get(name))
        steps = new_module(m, LIST)
        keep_originals(m, steps, name, original, step)
        holder = obj.attributes.get("parametrizations")
        if not isinstance(holder, Instance):
            holder = new_module(m, MODULE)
            m.state.set(obj.attributes, "parametrizations", holder)
        m.state.set(holder.attributes, name, steps)
        if name in obj.attributes:
            m.state.delete(obj.attributes, name)
        compute(m, obj, name)
    count = len([k for k in steps.attributes if isinstance(k, str) and k.isdigit()])
    m.state.set(steps.attributes, str(count), step)


def keep_originals(m: Machine, steps: Instance, name: str, original: Value, step: Value) -> None:
    """The parameters that are learned instead: the original, or those that `right_inverse` makes of it."""
    inverse = attributes.get(m, step, "right_inverse") if isinstance(step, Instance) else None
    made = None
    if inverse is not None and not isinstance(inverse, Unknown):
        with m.grad.within(grad=False):
            made = m.call(inverse, Args([original]))
    if isinstance(made, tuple):
        for i, one in enumerate(made):
            m.state.set(steps.attributes, f"original{i}", parameter(m, one, f"parametrizations.{name}.original{i}"))
    else:
        m.state.set(steps.attributes, "original", original)
        if isinstance(original, Tensor):
            m.grad.bump(original, "register_parametrization()", by="library")  # `set_` to the result of `right_inverse`


def list_of(m: Machine, obj: Instance, name: str) -> Instance | None:
    """The parametrizations of a module's tensor, if it has any."""
    holder = m.state.pick(obj.attributes.get("parametrizations"))
    steps = m.state.pick(holder.attributes.get(name)) if isinstance(holder, Instance) else None
    return steps if isinstance(steps, Instance) else None


def compute(m: Machine, obj: Instance, name: str) -> None:
    """Give the module a class of its own with a property for the tensor (`_inject_new_class`, `_inject_property`)."""
    if not obj.cls.name.startswith("Parametrized"):
        name_of_class = f"Parametrized{obj.cls.name}"
        m.state.note(obj, "cls", ClassV(name_of_class, (obj.cls,), f"torch.nn.utils.{name_of_class}"))
    computed = Property(
        Builtin(name, lambda m, args: value(m, args[0], name)),
        Builtin(name, lambda m, args: assign(m, args[0], name, args[1])),
    )
    m.state.set(obj.cls.attributes, name, computed)


def value(m: Machine, obj: Instance, name: str) -> Value:
    """The tensor, computed by its parametrizations; inside `cached()` only once."""
    steps = list_of(m, obj, name)
    if steps is None:
        return m.state.resolve(obj.attributes.get(name))
    cache = m.grad.mode.get("parametrized")
    if cache is None:
        return computed(m, steps)
    key = ("cached", cache, name)
    if key not in obj.model_state:
        m.state.set(obj.model_state, key, computed(m, steps))
    return obj.model_state[key]


def computed(m: Machine, steps: Instance) -> Value:
    """`ParametrizationList.forward`."""
    v = [m.state.resolve(t) for k, t in steps.attributes.items() if isinstance(k, str) and k.startswith("original")]
    for k, step in list(steps.attributes.items()):
        if isinstance(k, str) and k.isdigit():
            v = [m.call(step, Args(v, site=m.here.site))]
    return v[0] if v else Unknown("a parameter")


def assign(m: Machine, obj: Instance, name: str, v: Value) -> Value:
    """`module.weight = t`: passes `t` backwards through the parametrizations; writes the original under `no_grad`."""
    steps = list_of(m, obj, name)
    if steps is None:
        m.state.set(obj.attributes, name, v)
        return None
    for k, t in steps.attributes.items():
        if isinstance(k, str) and k.startswith("original") and isinstance(t, Tensor):
            m.grad.bump(t, f"{name} =", by="library")
    return None


@model("torch.nn.utils.parametrize.is_parametrized")
def is_parametrized(m: Machine, args: Args) -> Value:
    """`is_parametrized(module, name)`."""
    obj, name = m.state.pick(args.get(0, "module")), m.state.resolve(args.get(1, "tensor_name"))
    if not isinstance(obj, Instance):
        return Unknown("whether it is parametrized")
    return list_of(m, obj, name) is not None if isinstance(name, str) else "parametrizations" in obj.attributes


@model("torch.nn.utils.parametrize.remove_parametrizations")
def remove(m: Machine, args: Args) -> Value:
    """`remove_parametrizations(module, name)`: the tensor is a parameter again."""
    obj, name = m.state.pick(args.get(0, "module")), m.state.resolve(args.get(1, "tensor_name"))
    steps = list_of(m, obj, name) if isinstance(obj, Instance) and isinstance(name, str) else None
    if steps is None or not isinstance(name, str):
        return obj
    original = m.state.pick(steps.attributes.get("original"))
    if not isinstance(original, Tensor):
        with m.grad.within(grad=False):
            last = computed(m, steps)
        original = parameter(m, last, name)
    m.state.delete(obj.attributes["parametrizations"].attributes, name)
    m.state.set(obj.attributes, name, original)
    return obj


# -- those of PyTorch --------------------------------------------------------------------------------------------


def registers(cls: str) -> Callable[[Machine, Args], Value]:
    """`weight_norm(module, name="weight")` and the like: register a parametrization of the library."""

    def run(m: Machine, args: Args) -> Value:
        obj, name = m.state.pick(args.get(0, "module")), m.state.resolve(args.get(1, "name", "weight"))
        if isinstance(obj, Instance) and isinstance(name, str):
            step = new_module(m, cls)
            if cls == SPECTRAL_NORM:
                add_vectors(m, step, "_u", "_v")
            add(m, obj, name, step)
        return obj

    return run


model(f"{UTILS}parametrizations.weight_norm")(registers(WEIGHT_NORM))
model(f"{UTILS}parametrizations.spectral_norm")(registers(SPECTRAL_NORM))
model(f"{UTILS}parametrizations.orthogonal")(registers(ORTHOGONAL))


def add_vectors(m: Machine, obj: Instance, *names: str) -> None:
    """The buffers in which spectral norm keeps its estimate of the singular vectors."""
    for name in names:
        m.state.set(obj.attributes, name, m.grad.tensor(None, "float32"))
        modules.put(obj, "_buffers", name)


@method_of(WEIGHT_NORM, "right_inverse")
def split_norm(m: Machine, args: Args) -> Value:
    """The magnitude and the direction of a weight."""
    return m.grad.tensor(None, "float32"), args[1]


@method_of(WEIGHT_NORM, "forward")
def weight_norm(m: Machine, args: Args) -> Value:
    """`torch._weight_norm(v, g)`: its node saves both."""
    return normed(m, args[1], args[2])


def normed(m: Machine, g: Value, v: Value) -> Value:
    """`v * (g / norm(v))` in one node, `WeightNormInterfaceBackward0`."""
    tensors = cases.tensors_in(m, (g, v))
    made = linked(m, tensors)
    node = m.state.resolve(made.grad_fn)
    if isinstance(node, Node):
        node.name = "WeightNormInterfaceBackward0"
        for t in tensors:
            m.grad.save(node, t, "weight")
    made.geometry_ = v.geometry_ if isinstance(v, Tensor) else None
    made.dtype_ = v.dtype_ if isinstance(v, Tensor) else None
    return made


@method_of(SPECTRAL_NORM, "forward")
def spectral_norm(m: Machine, args: Args) -> Value:
    """The weight divided by its largest singular value; in training, its buffers are updated first, under `no_grad`."""
    step, weight = args[0], args[1]
    return over_norm(m, step, weight, "_u", "_v")


def over_norm(m: Machine, obj: Instance, weight: Value, *names: str) -> Value:
    """`weight / sigma`, where sigma comes from clones of the buffers."""
    if m.state.resolve(obj.attributes.get("training")) is not False:
        for t in cases.tensors_in(m, tuple(obj.attributes.get(n) for n in names)):
            m.grad.bump(t, "spectral_norm()", by="library")
    sigma = linked(m, cases.tensors_in(m, weight))
    return (Term(m, weight) / sigma).value


@method_of(ORTHOGONAL, "forward")
def orthogonal(m: Machine, args: Args) -> Value:
    """An orthogonal matrix made of the weight; its operations save only tensors of their own."""
    made = linked(m, cases.tensors_in(m, args[1]))
    made.geometry_ = getattr(m.state.pick(args[1]), "geometry", None)
    return made


# -- by a hook before forward ---------------------------------------------------------------------------------


def hooked(m: Machine, obj: Instance, name: str, make: Callable[[], Value]) -> None:
    """Compute a module's tensor now and before each forward."""

    def hook(machine: Machine, args: Args) -> Value:
        machine.state.set(obj.attributes, name, make())
        return None

    made = Builtin(f"compute {name}", hook)
    m.state.set(obj.model_state, "pre_hooks", (*m.state.tuple_of(obj.model_state.get("pre_hooks", ())), made))
    m.state.set(obj.model_state, ("computes", name), made)
    hook(m, Args())


def unhook(m: Machine, obj: Instance, name: str) -> None:
    """Stop computing the tensor."""
    made, before = obj.model_state.get(("computes", name)), m.state.tuple_of(obj.model_state.get("pre_hooks", ()))
    m.state.set(obj.model_state, "pre_hooks", tuple(h for h in before if h is not made))


@model(f"{UTILS}weight_norm")
def old_weight_norm(m: Machine, args: Args) -> Value:
    """`nn.utils.weight_norm(module, name)`: `weight_g` and `weight_v` are learned (`weight_norm.py`)."""
    obj, name = m.state.pick(args.get(0, "module")), m.state.resolve(args.get(1, "name", "weight"))
    if not isinstance(obj, Instance) or not isinstance(name, str):
        return obj
    g, v = f"{name}_g", f"{name}_v"
    m.state.set(obj.attributes, g, parameter(m, m.grad.tensor(None, "float32"), g))
    m.state.set(obj.attributes, v, parameter(m, m.state.pick(obj.attributes.get(name)), v))
    hooked(m, obj, name, lambda: normed(m, m.state.pick(obj.attributes[g]), m.state.pick(obj.attributes[v])))
    return obj


@model(f"{UTILS}spectral_norm")
def old_spectral_norm(m: Machine, args: Args) -> Value:
    """`nn.utils.spectral_norm(module, name)`: `weight_orig` is learned (`spectral_norm.py`)."""
    obj, name = m.state.pick(args.get(0, "module")), m.state.resolve(args.get(1, "name", "weight"))
    if not isinstance(obj, Instance) or not isinstance(name, str):
        return obj
    m.state.set(obj.attributes, f"{name}_orig", m.state.pick(obj.attributes.get(name)))
    vectors = (f"{name}_u", f"{name}_v")
    add_vectors(m, obj, *vectors)
    hooked(m, obj, name, lambda: over_norm(m, obj, m.state.pick(obj.attributes[f"{name}_orig"]), *vectors))
    return obj


@model(f"{UTILS}remove_weight_norm", f"{UTILS}remove_spectral_norm", f"{UTILS}prune.remove")
def remove_hook(m: Machine, args: Args) -> Value:
    """Make the tensor a parameter again."""
    obj, name = m.state.pick(args.get(0, "module")), m.state.resolve(args.get(1, "name", "weight"))
    if isinstance(obj, Instance) and isinstance(name, str) and ("computes", name) in obj.model_state:
        unhook(m, obj, name)
        with m.grad.within(grad=False):
            last = m.grad.alias(m.state.pick(obj.attributes[name]))
        m.state.set(obj.attributes, name, parameter(m, last, name))
        for part in (f"{name}_g", f"{name}_v", f"{name}_u", f"{name}_orig", f"{name}_mask"):
            if part in obj.attributes:
                m.state.delete(obj.attributes, part)
    return obj


# -- pruning --------------------------------------------------------------------------------------------------


def prune(m: Machine, args: Args, writes: int) -> Value:
    """`prune.l1_unstructured(module, name, amount)`: the weight is `weight_orig * weight_mask` (`prune.py`)."""
    obj, name = m.state.pick(args.get(0, "module")), m.state.resolve(args.get(1, "name"))
    if not isinstance(obj, Instance) or not isinstance(name, str) or f"{name}_orig" in obj.attributes:
        return obj
    original, mask = f"{name}_orig", f"{name}_mask"
    m.state.set(obj.attributes, original, m.state.pick(obj.attributes.get(name)))
    made = m.grad.tensor(getattr(obj.attributes[original], "geometry", None), "float32")
    m.grad.counter(made).current = Version(writes, writes)
    m.state.set(obj.attributes, mask, made)
    modules.put(obj, "_buffers", mask)
    hooked(
        m,
        obj,
        name,
        lambda: (Term(m, m.state.pick(obj.attributes[mask])) * m.state.pick(obj.attributes[original])).value,
    )
    return obj


MASK_WRITES = {
    "l1_unstructured": 1,
    "random_unstructured": 1,
    "ln_structured": 2,
    "random_structured": 2,
    "custom_from_mask": 0,
    "identity": 0,
}
"""How many times each method of pruning writes its new mask."""

for _name, _writes in MASK_WRITES.items():
    model(f"{UTILS}prune.{_name}")(partial(prune, writes=_writes))


@model(f"{UTILS}prune.is_pruned")
def is_pruned(m: Machine, args: Args) -> Value:
    """`prune.is_pruned(module)`."""
    return Unknown("whether it is pruned")

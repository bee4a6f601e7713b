"""`torch.nn.Module`: its methods, and the utilities for modules."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ....facts.model import ModuleFact
from ...autograd.geometry import Geometry, GeometryError, plus
from ...autograd.tensors import Storage, Tensor
from ...domain.registry import BASES, method_of, model
from ...domain.values import (
    ABSENT,
    Args,
    Instance,
    Lib,
    ListV,
    Unknown,
    Value,
)
from ...operators import attributes as tensor_attributes
from ...operators import calls_by_name, cases, modules
from ...operators.module_classes import DERIVED, FORWARDS
from ...python import attributes, sequences
from ...shapes.dtypes import is_floating
from .containers import CONTAINERS, append, keep

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine

MODULE = "torch.nn.Module"

BASES[MODULE] = ()
for _name in (
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.DataParallel",
):
    BASES[_name] = (MODULE,)
for _name in (f"torch.nn.{one}" for one in DERIVED):
    if "._" in _name and _name not in FORWARDS:  # `_Loss`, `_ConvNd`: modules with attributes that no fact describes
        BASES[_name] = (MODULE, "?")


def listed(values: list[Value]) -> ListV:
    """A list of values."""
    return ListV(tuple(values))


@method_of(MODULE, "__init__")
def init(m: Machine, args: Args) -> Value:
    """`Module.__init__`."""
    obj = m.state.resolve(args[0]) if args.pos else None
    if isinstance(obj, Instance):
        m.state.set(obj.attributes, "training", True)
    return None


# -- what a module has ------------------------------------------------------------------------------------


@method_of(MODULE, "parameters")
def parameters(m: Machine, args: Args) -> Value:
    """`module.parameters()`."""
    return unseen(m, args[0], listed([t for _, t in modules.named_tensors(m, args[0], True)]))


@method_of(MODULE, "named_parameters")
def named_parameters(m: Machine, args: Args) -> Value:
    """`module.named_parameters()`."""
    return unseen(m, args[0], listed(list(modules.named_tensors(m, args[0], True))))


@method_of(MODULE, "buffers")
def buffers(m: Machine, args: Args) -> Value:
    """`module.buffers()`."""
    return listed([t for _, t in modules.named_tensors(m, args[0], False)])


@method_of(MODULE, "named_buffers")
def named_buffers(m: Machine, args: Args) -> Value:
    """`module.named_buffers()`."""
    return listed(list(modules.named_tensors(m, args[0], False)))


def unseen(m: Machine, obj: Instance, made: ListV) -> ListV:
    """The list `made` of a module's tensors, open if it is empty and the module has unknown parts."""
    if (
        any(isinstance(m.state.pick(v), Unknown) and k not in ("training",) for k, v in obj.attributes.items())
        and not made.items
    ):
        made.open = True
    return made


@method_of(MODULE, "children")
def children(m: Machine, args: Args) -> Value:
    """`module.children()`."""
    return listed([c for _, c in modules.children(m, args[0])])


@method_of(MODULE, "named_children")
def named_children(m: Machine, args: Args) -> Value:
    """`module.named_children()`."""
    return listed(list(modules.children(m, args[0])))


@method_of(MODULE, "modules")
def all_modules(m: Machine, args: Args) -> Value:
    """`module.modules()`."""
    return listed([c for _, c in modules.named_modules(m, args[0])])


@method_of(MODULE, "named_modules")
def named_modules(m: Machine, args: Args) -> Value:
    """`module.named_modules()`."""
    return listed(list(modules.named_modules(m, args[0])))


@method_of(MODULE, "get_parameter", "get_buffer", "get_submodule")
def get_part(m: Machine, args: Args) -> Value:
    """`module.get_parameter("a.b")`."""
    v, target = args[0], m.state.resolve(args.get(1, "target"))
    if not isinstance(target, str):
        return Unknown("a part of a module")
    for part in target.split("."):
        v = attributes.get(m, v, part)
    return v


@method_of(MODULE, "register_buffer")
def register_buffer(m: Machine, args: Args) -> Value:
    """`self.register_buffer(name, tensor)`."""
    obj, name, t = args[0], m.state.resolve(args.get(1, "name")), args.get(2, "tensor")
    if isinstance(name, str):
        m.state.set(obj.attributes, name, t)
        modules.put(obj, "_buffers", name)
        if m.state.resolve(args.get(3, "persistent", True)) is False:
            modules.put(obj, "_non_persistent_buffers_set", name)
        label(m, t, name)
    return None


def label(m: Machine, t: Value, name: str) -> None:
    """Give a module's tensor its name."""
    t = m.state.pick(t)
    if isinstance(t, Tensor) and t.label is None:
        m.state.note(t, "label", f"self.{name}")


@method_of(MODULE, "register_parameter")
def register_parameter(m: Machine, args: Args) -> Value:
    """`self.register_parameter(name, parameter)`."""
    name = m.state.resolve(args.get(1, "name"))
    if isinstance(name, str):
        modules.put(args[0], "_parameters", name)
        m.state.set(args[0].attributes, name, args.get(2, "param"))
    return None


@method_of(MODULE, "add_module", "register_module")
def register_module(m: Machine, args: Args) -> Value:
    """`self.add_module(name, module)`; in an `nn.Sequential` it is one more, whatever the name is."""
    name = m.state.resolve(args.get(1, "name"))
    if isinstance(name, str) and any(map(args[0].cls.derives, CONTAINERS)):
        keep(m, args[0], name, args.get(2, "module"))
    elif isinstance(name, str):
        m.state.set(args[0].attributes, name, args.get(2, "module"))
    elif args[0].cls.derives("torch.nn.Sequential"):
        append(m, Args([args[0], args.get(2, "module")]))
    return None


# -- modes, conversions ------------------------------------------------------------------------------------


def through(m: Machine, obj: Value, name: str, args: Args, run: Callable[[Instance], object]) -> None:
    """Run something on all submodules, the inner ones first; if one overrides the method of that name, call that.

    References back to an outer module are left out: they are in `__dict__`, not in `_modules`.
    """

    def below(module: Instance, above: frozenset[int]) -> None:
        for _, child in modules.children(m, module):
            if child.uid in above:
                continue
            if child.cls.lookup(name) is not ABSENT:
                m.call(attributes.get(m, child, name), args)
            else:
                below(child, above | {child.uid})
                run(child)

    if isinstance(obj, Instance):
        below(obj, frozenset({obj.uid}))


def set_training(m: Machine, obj: Instance, mode: Value) -> None:
    """Set `training` of a module, and call `train` of its submodules, which may override it."""
    m.state.set(obj.attributes, "training", mode)
    through(
        m, obj, "train", Args([mode], site=m.here.site), lambda child: m.state.set(child.attributes, "training", mode)
    )


@method_of(MODULE, "train")
def train(m: Machine, args: Args) -> Value:
    """`module.train(mode)`."""
    set_training(m, args[0], m.state.resolve(args.get(1, "mode", True)))
    return args[0]


@method_of(MODULE, "eval")
def eval_(m: Machine, args: Args) -> Value:
    """`module.eval()`: calls `module.train(False)`."""
    return m.call(attributes.get(m, args[0], "train"), Args([False], site=args.site))


@method_of(MODULE, "requires_grad_")
def requires_grad_(m: Machine, args: Args) -> Value:
    """`module.requires_grad_(mode)`."""
    mode = m.state.resolve(args.get(1, "requires_grad", True))
    for t in modules.parameters(m, args[0]):
        m.require_grad(t, mode)
    return args[0]


@method_of(MODULE, "reset_parameters")
def reset_parameters(m: Machine, args: Args) -> Value:
    """`module.reset_parameters()` writes the parameters as the constructor of a class of `torch.nn` does."""
    obj = args[0]
    if any(isinstance(m.facts.table.find(c.qualname), ModuleFact) for c in obj.cls.mro):
        for name, t in modules.named_tensors(m, obj, True, recurse=False):
            times = modules.writes_in_construction(obj.cls.name, name, obj.model_state.get("ctor", {}))
            m.grad.bump(t, "reset_parameters()", by="library", times=times)
        reset_running_stats(m, args)
    return None


@method_of(MODULE, "reset_running_stats")
def reset_running_stats(m: Machine, args: Args) -> Value:
    """`norm.reset_running_stats()` writes each statistic."""
    for _, t in modules.named_tensors(m, args[0], False, recurse=False):
        m.grad.bump(t, "reset_running_stats()", by="library")
    return None


@method_of(MODULE, "zero_grad")
def zero_grad(m: Machine, args: Args) -> Value:
    """`module.zero_grad(set_to_none)`."""
    clear_grads(m, modules.parameters(m, args[0]), m.state.resolve(args.get(1, "set_to_none", True)))
    return None


def clear_grads(m: Machine, tensors: list[Tensor], to_none: Value) -> None:
    """Drop the gradients, or zero them in place."""
    for t in tensors:
        old = m.state.resolve(t.grad)
        if old is None:
            continue
        if to_none is False and isinstance(old, Tensor):
            m.grad.bump(old, "zero_grad()", by="library")
        else:
            m.state.put(t, Tensor.grad, None)


@method_of(MODULE, "type", "cuda", "cpu", "to_empty")
def convert(m: Machine, args: Args) -> Value:
    """`module.cuda()` and the like assign `.data`: no version moves."""
    return args[0]


def converter(name: str, dtype: str) -> None:
    """A conversion that is named after its dtype."""

    def run(m: Machine, args: Args) -> Value:
        set_dtype(m, args[0], dtype)
        return args[0]

    method_of(MODULE, name)(run)


for _name, _dtype in {"double": "float64", "float": "float32", "half": "float16", "bfloat16": "bfloat16"}.items():
    converter(_name, _dtype)


@method_of(MODULE, "to")
def to(m: Machine, args: Args) -> Value:
    """`module.to(…)`."""
    from ...operators.types import dtype_of

    for v in (*args.pos[1:], *args.kw.values()):
        dtype = dtype_of(m.state.resolve(v))
        if dtype is not None:
            set_dtype(m, args[0], dtype)
    return args[0]


def set_dtype(m: Machine, obj: Instance, dtype: str) -> None:
    """Convert all floating point tensors of a module to another dtype.

    Parameters, and their gradients, get new memory as by `.data = …`; a buffer is replaced by a new tensor.
    """
    for t in modules.parameters(m, obj):
        for one in (t, m.state.resolve(t.grad)):
            if isinstance(one, Tensor) and (one.dtype is None or is_floating(one.dtype)):
                if one.dtype not in (None, dtype):
                    m.state.put(one, Tensor.storage, Storage(m.here.site))
                m.state.put(one, Tensor.dtype_, dtype)
    for _, inner in modules.named_modules(m, obj):
        for name, t in modules.named_tensors(m, inner, False, recurse=False):
            if t.dtype is None:
                m.state.put(t, Tensor.dtype_, dtype)
            elif is_floating(t.dtype) and t.dtype != dtype:
                new = m.grad.tensor(t.geometry, dtype)
                new.label, new.owner, new.is_buffer = t.label, t.owner, t.is_buffer
                m.state.set(inner.attributes, name, new)


@method_of(MODULE, "apply")
def apply(m: Machine, args: Args) -> Value:
    """`module.apply(f)`: calls f on every module, the inner ones first."""
    f = args.get(1, "fn")

    def run(module: Instance) -> Value:
        return m.call(f, Args([module], site=args.site))

    through(m, args[0], "apply", Args([f], site=args.site), run)
    run(args[0])
    return args[0]


@method_of(MODULE, "share_memory", "compile", "extra_repr", "_get_name", "__repr__", "set_extra_state")
def nothing(m: Machine, args: Args) -> Value:
    """Methods that don't concern the history of tensors."""
    return Unknown("a value")


@method_of(MODULE, "forward")
def no_forward(m: Machine, args: Args) -> Value:
    """A module without a forward of its own."""
    return Unknown("a result")


@method_of("torch.nn.Flatten", "forward")
def flatten(m: Machine, args: Args) -> Value:
    """`Flatten`: the method, which returns the tensor itself if there is nothing to flatten."""
    bounds = {k: args[0].attributes.get(k, default) for k, default in (("start_dim", 1), ("end_dim", -1))}
    return calls_by_name.call(m, "torch.Tensor.flatten", Args([args.get(1, "input")], bounds, site=args.site))


@method_of(MODULE, "__call__", "_call_impl")
def call_module(m: Machine, args: Args) -> Value:
    """`super().__call__(…)`."""
    return modules.call(m, args[0], Args(args.pos[1:], args.kw, args.open, args.site))


# -- wrappers and utilities --------------------------------------------------------------------------------


@method_of("torch.nn.parallel.DistributedDataParallel", "__init__")
@method_of("torch.nn.DataParallel", "__init__")
def wrap(m: Machine, args: Args) -> Value:
    """`DistributedDataParallel(module)`."""
    m.state.set(args[0].attributes, "module", args.get(1, "module"))
    return None


@method_of("torch.nn.parallel.DistributedDataParallel", "forward")
@method_of("torch.nn.DataParallel", "forward")
def wrapped_forward(m: Machine, args: Args) -> Value:
    """A wrapper's forward is that of its module."""
    return m.call(args[0].attributes["module"], Args(args.pos[1:], args.kw, args.open, args.site))


@model("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_norm")
def clip_grad_norm_(m: Machine, args: Args) -> Value:
    """`clip_grad_norm_(parameters, …)` writes only the gradients, whether or not they are too large."""
    write_gradients(m, args.get(0, "parameters"), 1)
    return m.grad.tensor(None, "float32")


@model("torch.nn.utils.clip_grad_value_")
def clip_grad_value_(m: Machine, args: Args) -> Value:
    """`clip_grad_value_(parameters, …)` clamps each gradient in two writes, with `foreach=False` in one."""
    write_gradients(m, args.get(0, "parameters"), 1 if args.get(2, "foreach") is False else 2)
    return None


@model("torch.nn.utils.clip_grads_with_norm_")
def clip_grads_with_norm_(m: Machine, args: Args) -> Value:
    """`clip_grads_with_norm_(parameters, …)` is the second half of `clip_grad_norm_`."""
    write_gradients(m, args.get(0, "parameters"), 1)
    return None


def write_gradients(m: Machine, parameters: Value, times: int) -> None:
    """Change the gradients of parameters in place, this many times; each is read from `.grad`."""
    for t in cases.tensors_in(m, listed(sequences.sequence(m, parameters).known())):
        g = tensor_attributes.grad(m, t)
        if isinstance(g, Tensor):
            m.grad.bump(g, "clip_grad", by="library", times=times)


@model("torch.nn.utils.parameters_to_vector")
def parameters_to_vector(m: Machine, args: Args) -> Value:
    """`parameters_to_vector(parameters)`: the concatenation of all parameters, each flattened."""
    items = sequences.sequence(m, args.get(0, "parameters")).known()
    return m.call(
        Lib("torch.cat"), Args([tuple(calls_by_name.call(m, "torch.Tensor.view", Args([p, -1])) for p in items)])
    )


@model("torch.nn.utils.vector_to_parameters")
def vector_to_parameters(m: Machine, args: Args) -> Value:
    """`vector_to_parameters(vector, parameters)` assigns each parameter's `.data`: a view of a piece of the vector."""

    vector = m.state.resolve(args.get(0, "vec"))
    memory = m.grad.storage(vector) if isinstance(vector, Tensor) else Storage(m.here.site)
    whole = vector.geometry if isinstance(vector, Tensor) else None
    start: int | None = 0
    for t in cases.tensors_in(m, listed(sequences.sequence(m, args.get(1, "parameters")).known())):
        m.grad.show(t, memory, "vector_to_parameters()", by="library")
        if t.geometry is None:
            start = None
            continue
        shape, count = t.geometry.shape, t.geometry.numel()
        piece = None
        with suppress(GeometryError):
            piece = whole.narrow(0, start, count).view(shape) if whole is not None else None
        m.state.put(t, Tensor.geometry_, piece or Geometry.unknown(shape))
        start = plus(start, count)
    return None

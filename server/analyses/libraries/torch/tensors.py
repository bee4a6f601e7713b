"""Tensors, where facts alone don't say enough: leaves, detaching, sizes, factories with data, NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import shapes
from ...autograd.geometry import Geometry
from ...autograd.tensors import Storage, Tensor, Version
from ...domain.registry import BASES, method_of, model
from ...domain.values import Args, DictV, Instance, Lib, ListV, Phi, Unknown, Value
from ...operators import calls_by_name, conversions, layouts, replay, writes
from ...operators.cases import items_of
from ...operators.rules import copies
from ...operators.types import described, dtype_of, geometry_of, is_dtype
from ...python import attributes, conditions, opaque, operators, sequences
from ...shapes import TensorType
from ...shapes.dtypes import item_bits
from ...stories import carried

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...python.machine import Machine

BASES["torch.nn.Parameter"] = ()
BASES["torch.Generator"] = ()


def each(m: Machine, v: Value, run: object) -> Value:
    """`run` for each alternative of a value that is a tensor; unknown for all others."""
    assert callable(run)
    return m.state.each(v, lambda t: run(t) if isinstance(t, Tensor) else Unknown("a tensor"))


# -- leaves and detaching -----------------------------------------------------------------------------------


@method_of("torch.Tensor", "requires_grad_")
def requires_grad_(m: Machine, args: Args) -> Value:
    """`t.requires_grad_(mode)`: no write."""

    def one(t: Tensor) -> Value:
        m.require_grad(t, m.state.resolve(args.get(1, "requires_grad", True)))
        return t

    return each(m, args[0], one)


@method_of("torch.Tensor", "detach")
@model("torch.detach")
def detach(m: Machine, args: Args) -> Value:
    """`t.detach()`: the same memory and counter, no history; a tensor without a counter gives it a new one."""
    return each(m, args[0], lambda t: m.grad.alias(t, own_counter=not m.grad.counter(t).counts))


@method_of("torch.Tensor", "view")
def view(m: Machine, args: Args) -> Value:
    """`t.view(dtype)`: the same memory and counter with items of another type; `t.view(sizes)` is an operator."""
    asked = m.state.resolve(args.get(1, "dtype"))
    dtype = dtype_of(asked)
    if dtype is None and not (isinstance(asked, Unknown) and is_dtype(asked)):
        return calls_by_name.call(m, "torch.Tensor.view", args)

    def one(t: Tensor) -> Value:
        made = m.grad.alias(t, own_counter=not m.grad.counter(t).counts)
        if dtype is None or t.dtype is None or item_bits(t.dtype) != item_bits(dtype):
            made.geometry_ = Geometry.unknown((*t.shape[:-1], None)) if t.shape else None
        made.dtype_ = dtype
        return made

    return each(m, args[0], one)


@method_of("torch.Tensor", "detach_")
@model("torch.detach_")
def detach_(m: Machine, args: Args) -> Value:
    """`t.detach_()`: the tensor becomes a leaf that doesn't require grad; no write.

    In inference mode it has no effect.
    """

    def one(t: Tensor) -> Value:
        if m.grad.mode["inference"]:
            return t
        opaque.cut(m, t)
        m.state.put(t, Tensor.grad_fn, None)
        m.state.put(t, Tensor.requires_grad_, False)
        return t

    return each(m, args[0], one)


@method_of("torch.Tensor", "as_subclass")
def as_subclass(m: Machine, args: Args) -> Value:
    """`t.as_subclass(cls)`: a view of all of it (`alias`)."""
    return calls_by_name.call(m, "torch.Tensor.view_as", Args([args[0], args[0]], site=args.site))


@method_of("torch.Tensor", "retain_grad")
def retain_grad(m: Machine, args: Args) -> Value:
    """`t.retain_grad()`: the `.grad` of this non-leaf may be read from now on."""

    def one(t: Tensor) -> Value:
        m.grad.grad_fn(t)  # which it is asked for
        m.state.put(t, Tensor.retains_grad, True)
        return None

    return each(m, args[0], one)


CONTENT = (
    "item __bool__ __len__ __float__ __int__ data_ptr storage_offset stride element_size storage __repr__ __format__ "
    "get_device is_set_to"
)


@method_of("torch.Tensor", *CONTENT.split())
def content(m: Machine, args: Args) -> Value:
    """Methods whose result depends on a tensor's content or address."""
    return Unknown("the tensor's content", number=True)


@method_of("torch.Tensor", "share_memory_", "pin_memory", "is_shared")
def itself(m: Machine, args: Args) -> Value:
    """Methods that return the tensor and write nothing."""
    return args[0]


@method_of("torch.Tensor", "resize_")
def resize_(m: Machine, args: Args) -> Value:
    """`t.resize_(*size)`: a write, unless it has that size already."""
    size = m.state.resolve(args.get(1, "size"))
    wanted = tuple(size) if isinstance(size, tuple) else tuple(args.pos[1:])
    known = all(isinstance(n, int) for n in wanted)
    return each(m, args[0], lambda t: resized(m, t, wanted if known else None))


@method_of("torch.Tensor", "resize_as_")
@model("torch.resize_as_")
def resize_as_(m: Machine, args: Args) -> Value:
    """`t.resize_as_(other)`."""
    other = m.state.pick(args.get(1, "the_template"))
    shape = other.shape if isinstance(other, Tensor) else None
    known = shape is not None and None not in shape
    return each(m, args[0], lambda t: resized(m, t, shape if known else None))


def resized(m: Machine, t: Tensor, size: tuple[Value, ...] | None) -> Value:
    """A tensor after it was resized; None for an unknown size."""

    def write() -> Value:
        calls_by_name.call(m, "torch.Tensor.resize_", Args([t, size or ()]))
        m.state.put(t, Tensor.geometry_, Geometry.contiguous(size) if size is not None else None)
        return t

    if size is not None and t.shape is not None and None not in t.shape:
        return t if t.shape == size else write()
    return m.state.fork(conversions.guess("the size changes", t, m), write, lambda: t)


@method_of("torch.Tensor", "set_")
def set_(m: Machine, args: Args) -> Value:
    """`t.set_(source)`: moves the counter and takes the memory of another tensor; the old memory isn't written."""
    source = m.state.resolve(args.get(1, "source"))

    def one(t: Tensor) -> Value:
        taken = m.grad.storage(source) if isinstance(source, Tensor) else None
        m.state.put(t, Tensor.storage, Storage(m.here.site))
        calls_by_name.call(m, "torch.Tensor.set_", Args([t, *args.pos[1:]], args.kw, site=args.site))
        if taken:
            m.state.put(t, Tensor.storage, taken)
        m.state.put(t, Tensor.geometry_, source.geometry_ if isinstance(source, Tensor) else None)
        return t

    return each(m, args[0], one)


@method_of("torch.Tensor", "tolist")
def tolist(m: Machine, args: Args) -> Value:
    """`t.tolist()`: as many unknown numbers as there are rows."""
    t = m.state.pick(args[0])
    n = t.shape[0] if isinstance(t, Tensor) and t.shape else None
    if n is not None and n <= 64 and len(t.shape) == 1:
        return ListV(tuple(Unknown("a number", number=True) for _ in range(n)))
    if n is not None and n <= 64 and len(t.shape) == 2 and t.shape[1] is not None and t.shape[1] <= 16:
        return ListV(tuple(ListV(tuple(Unknown("a number", number=True) for _ in range(t.shape[1]))) for _ in range(n)))
    made = ListV()
    made.open = True
    return made


@method_of("torch.Tensor", "is_inference")
def is_inference(m: Machine, args: Args) -> Value:
    """`t.is_inference()`."""
    t = m.state.pick(args[0])
    return t.is_inference if isinstance(t, Tensor) else Unknown()


@method_of("torch.Tensor", "is_floating_point")
@model("torch.is_floating_point")
def is_floating_point(m: Machine, args: Args) -> Value:
    """`t.is_floating_point()`."""
    t = m.state.pick(args[0])
    if isinstance(t, Tensor) and t.dtype is not None:
        return t.dtype.startswith(("float", "bfloat"))
    return Unknown("a dtype")


@model("torch.is_tensor")
def is_tensor(m: Machine, args: Args) -> Value:
    """`torch.is_tensor(v)`."""
    return conditions.truth(m, m.call(Lib("isinstance"), Args([args[0], Lib("torch.Tensor")])))


@model("torch.nn.Buffer")
def buffer(m: Machine, args: Args) -> Value:
    """`nn.Buffer(t)`: a leaf over the same memory and counter, which modules register as a buffer."""

    def one(t: Value) -> Value:
        made = m.grad.alias(t) if isinstance(t, Tensor) else m.grad.tensor()
        made.requires_grad_ = m.grad.requires_grad(t) if isinstance(t, Tensor) else False
        made.is_buffer = True
        made.label = None
        return made

    return m.state.each(args.get(0, "data", None), one)


@model("torch.nn.Parameter")
def parameter(m: Machine, args: Args) -> Value:
    """`nn.Parameter(t)`: a leaf over the same memory and counter."""

    def one(t: Value) -> Value:
        made = m.grad.alias(t) if isinstance(t, Tensor) else m.grad.tensor()
        wanted = m.state.resolve(args.get(1, "requires_grad", True))
        made.is_parameter = True
        made.requires_grad_ = wanted is not False
        made.grad_fn = None
        made.label = None
        made.origin = m.here.site
        if wanted is not False and made.is_inference is True and not m.grad.mode["inference"]:
            m.grad.fail("inference-tensor", "direct", made, detail="required")
        if wanted is not False and made.dtype is not None and made.dtype.startswith(("int", "bool", "uint")):
            m.refuse_dtype(made)
        return made

    return m.state.each(args.get(0, "data", None), one)


# -- sizes ----------------------------------------------------------------------------------------------------


@method_of("torch.Tensor", "size")
def size(m: Machine, args: Args) -> Value:
    """`t.size()`, `t.size(dim)`."""

    def one(t: Tensor) -> Value:
        shape = attributes.get(m, t, "shape")
        dim = m.state.resolve(args.get(1, "dim"))
        return shape if dim is None else operators.get_item(m, shape, dim)

    return each(m, args[0], one)


@method_of("torch.Tensor", "dim", "ndimension")
def dim(m: Machine, args: Args) -> Value:
    """`t.dim()`."""
    return each(m, args[0], lambda t: attributes.get(m, t, "ndim"))


@method_of("torch.Tensor", "numel", "nelement")
@model("torch.numel")
def numel(m: Machine, args: Args) -> Value:
    """`t.numel()`."""

    def one(t: Tensor) -> Value:
        product: Value = 1
        if t.shape is None:
            return Unknown("a size", ("numel", t.uid), number=True)
        for n in attributes.get(m, t, "shape"):
            product = operators.binary(m, "*", product, n)
        return product

    return each(m, args[0], one)


@method_of("torch.Tensor", "is_contiguous")
def is_contiguous(m: Machine, args: Args) -> Value:
    """`t.is_contiguous()`."""
    t = m.state.pick(args[0])
    known = t.geometry.is_contiguous() if isinstance(t, Tensor) and t.geometry is not None else None
    return known if known is not None else Unknown("contiguity")


@model("torch.Size")
def torch_size(m: Machine, args: Args) -> Value:
    """`torch.Size(v)`."""
    return m.call(Lib("tuple"), args)


# -- factories ------------------------------------------------------------------------------------------------


def fresh(m: Machine, type_: object, args: Args) -> Tensor:
    """A new tensor of a described type, with the `requires_grad` that is passed."""
    t = m.grad.tensor(geometry_of(type_) if isinstance(type_, TensorType) else None,
                      type_.dtype if isinstance(type_, TensorType) else None)  # fmt: skip
    wanted = m.state.resolve(args.kw.get("requires_grad", False))
    if wanted is True:
        if t.dtype is not None and not t.dtype.startswith(("float", "bfloat", "complex")):
            m.refuse_dtype(t)
        t.requires_grad_ = True
    return t


def factory(name: str) -> None:
    """A function that makes a tensor from data, sizes, or another tensor's type."""
    model(name)(lambda m, args: made_by(m, name, args))


def made_by(m: Machine, name: str, args: Args) -> Value:
    """The tensor that a factory makes from its arguments."""
    plain = calls_by_name.resolved(m, args)
    if plain is None:
        return calls_by_name.split(m, args, lambda one: made_by(m, name, one))
    out = plain.kw.get("out")
    if isinstance(out, Tensor):
        op = m.facts.table.operator(name)
        return replay.apply(m, op, plain) if op is not None else out
    keywords = {k: described(m, v) for k, v in plain.kw.items() if k not in ("requires_grad", "device", "generator")}
    inferred = shapes.infer_call(name, [described(m, v) for v in plain.pos], keywords, m.default_dtype)
    t = fresh(m, inferred, plain)
    if name == "torch.tensor" and plain.pos:
        data = described(m, plain[0])
        many = data if isinstance(data, (list, tuple)) else (data,)
        t.numbers = data if all(type(one) is int for one in many) else None
    stride = described(m, args.get(1, "stride")) if name == "torch.empty_strided" else None
    if t.geometry is not None and isinstance(stride, (list, tuple)) and len(stride) == t.geometry.ndim:
        t.geometry_ = t.geometry.as_strided(t.geometry.shape, [s if isinstance(s, int) else None for s in stride])
    elif t.geometry is not None:
        t.geometry_ = layouts.laid_out(m, t.geometry, name, [v.geometry for v in plain.pos if isinstance(v, Tensor)])
    return t


for _name in [
    "zeros",
    "ones",
    "empty",
    "full",
    "rand",
    "randn",
    "randint",
    "randperm",
    "arange",
    "range",
    "linspace",
    "logspace",
    "eye",
    "tensor",
    "scalar_tensor",
    "zeros_like",
    "ones_like",
    "empty_like",
    "full_like",
    "rand_like",
    "randn_like",
    "randint_like",
    "empty_strided",
    "bartlett_window",
    "hann_window",
    "hamming_window",
    "blackman_window",
    "kaiser_window",
    "tril_indices",
    "triu_indices",
]:
    factory(f"torch.{_name}")


@model("torch.normal")
def normal(m: Machine, args: Args) -> Value:
    """`normal(mean, std)`: an operation on tensors; with numbers and a size, a factory."""
    if any(isinstance(m.state.pick(v), Tensor) for v in (args.get(0, "mean"), args.get(1, "std"))):
        return calls_by_name.call(m, "torch.normal", args)
    return made_by(m, "torch.normal", args)


def method_factory(name: str) -> None:
    """`t.new_zeros(…)` and the like."""

    def make(m: Machine, args: Args) -> Value:
        def one(t: Tensor) -> Value:
            keywords = {k: described(m, v) for k, v in args.kw.items() if k not in ("requires_grad", "device")}
            positional = [described(m, v) for v in (t, *args.pos[1:])]
            made = fresh(m, shapes.infer_call(f"torch.Tensor.{name}", positional, keywords, m.default_dtype), args)
            if t.is_inference is True and not m.grad.mode["inference"]:
                m.grad.counter(made).current = Version(*writes.of_inference_tensors(m, f"torch.Tensor.{name}"))
            return made

        return each(m, args[0], one)

    method_of("torch.Tensor", name)(make)


for _name in ["new_zeros", "new_ones", "new_full", "new_empty", "new_tensor", "new"]:
    method_factory(_name)


@model("torch.unique_consecutive")
def unique_consecutive(m: Machine, args: Args) -> Value:
    """`unique_consecutive(x, True)`: positional flags are misread as others, and a single one has no effect."""
    made = calls_by_name.call(m, "torch.unique_consecutive", args)
    if len(args.pos) > 1 and isinstance(made, tuple) and len(made) == 2 and isinstance(made[1], Tensor):
        m.state.put(made[1], Tensor.geometry_, Geometry.contiguous((0,)))
    return made


@model("torch.Tensor", "torch.FloatTensor", "torch.DoubleTensor", "torch.HalfTensor")
def tensor_class(m: Machine, args: Args) -> Value:
    """`torch.Tensor(…)`: sizes or data, always floating point."""
    plain = [described(m, v) for v in args.pos]
    sizes = all(isinstance(v, int) for v in plain)
    inferred = shapes.infer_call("torch.empty" if sizes else "torch.tensor", plain)
    t = fresh(m, inferred, args)
    t.dtype_ = "float32"
    return t


@model("torch.LongTensor", "torch.IntTensor", "torch.BoolTensor", "torch.ByteTensor")
def integer_tensor(m: Machine, args: Args) -> Value:
    """`torch.LongTensor(…)`."""
    plain = [described(m, v) for v in args.pos]
    sizes = all(isinstance(v, int) for v in plain)
    t = fresh(m, shapes.infer_call("torch.empty" if sizes else "torch.tensor", plain), args)
    t.dtype_ = "int64"
    return t


@model("torch.set_default_dtype", "torch.set_default_tensor_type")
def set_default_dtype(m: Machine, args: Args) -> Value:
    """`torch.set_default_dtype(d)`."""
    v = m.state.resolve(args.get(0, "d"))
    spoken = v.name if isinstance(v, Lib) else v if isinstance(v, str) else ""
    name = dtype_of(v) or ("float64" if spoken == "torch.DoubleTensor" else None)
    if name is not None:
        m.state.note(m, "default_dtype", name)
    return None


@model("torch.manual_seed", "torch.set_printoptions", "torch.set_num_threads", "torch.use_deterministic_algorithms",
       "torch.autograd.set_detect_anomaly", "torch.cuda.empty_cache", "torch.save", "torch.cuda.manual_seed_all",
       "torch.backends.cudnn.deterministic", "torch.cuda.synchronize", "torch._assert")  # fmt: skip
def nothing(m: Machine, args: Args) -> Value:
    """Functions that don't concern the history of tensors."""
    return Unknown("a value")


@model("torch.compile", "torch.jit.script", "torch.jit.ignore", "torch.jit.export", "torch.jit.unused",
       "torch.compiler.disable", "torch._dynamo.disable", "torch.jit.trace", "torch.fx.symbolic_trace")  # fmt: skip
def transparent(m: Machine, args: Args) -> Value:
    """Functions that return a callable that does the same."""
    from ...domain.values import Builtin

    if args.pos:
        return args[0]
    return Builtin("decorator", lambda machine, inner: inner[0])


# -- copies -------------------------------------------------------------------------------------------------------


@model("copy.deepcopy")
def deepcopy(m: Machine, args: Args) -> Value:
    """`copy.deepcopy(v, memo)`: copies everything; refused for a non-leaf that requires grad."""
    return Copier(m, args[0], m.state.resolve(args.get(1, "memo"))).copy(args[0])


ATOMIC = {bool, int, float, complex, str, bytes, type(None)}
"""Types whose values `copy.deepcopy` gives back as they are."""


class Copier:
    """Copies everything below `root`, each object once; `memo` has the copies that exist already, by `id()`."""

    def __init__(self, m: Machine, root: Value = None, memo: Value = None) -> None:
        self.m = m
        self.root = root
        self.memo: Mapping[Value, Value] = memo.items if isinstance(memo, DictV) else {}
        self.done: dict[int, Value] = {}

    def copy(self, v: Value) -> Value:
        """The copy of a value."""
        m = self.m
        v = m.state.resolve(v)
        if isinstance(v, Phi):
            return m.state.each(v, self.copy)
        known = self.done.get(id(v)) or self.memo.get(getattr(v, "uid", None))
        if known is not None:
            return known
        if isinstance(v, Tensor):
            return self.tensor(v)
        if isinstance(v, tuple):
            if type(v) is not tuple or ATOMIC.issuperset(map(type, v)):
                return v
            self.done[id(v)] = row = tuple(map(self.copy, v))
            return row
        if isinstance(v, ListV):
            made = ListV(kind=v.kind)
            self.done[id(v)] = made
            made.items = tuple(self.copy(i) for i in items_of(m, v))
            made.open, made.maxlen = m.state.is_open(v), v.maxlen
            return made
        if isinstance(v, DictV):
            d = DictV(kind=v.kind)
            self.done[id(v)] = d
            d.items.update({k: self.copy(v.items[k]) for k in sequences.keys(v)})
            d.open, d.default, d.counts = m.state.is_open(v), v.default, v.counts
            return d
        if isinstance(v, Instance):
            return self.instance(v)
        return v

    def tensor(self, t: Tensor) -> Tensor:
        """A copy of a leaf with its gradient; the copy of a parameter has none (`nn/parameter.py`)."""
        m = self.m
        rg = m.grad.requires_grad(t)
        if rg is True and m.grad.is_leaf(t) is False:
            layout, held = carried.layout(m, m.state.pick(self.root)), tuple(carried.graphs(m, self.root))
            m.grad.fail("deepcopy-nonleaf", "direct", t, once=t.uid, layout=layout, held=held)
        made = m.grad.tensor(t.geometry_, t.dtype_, rg if isinstance(rg, bool) else False)
        made.is_parameter, made.is_buffer, made.label = t.is_parameter, t.is_buffer, t.label
        written_when_copied(m, made)
        copies.note(m, t, made)
        self.done[id(t)] = made
        if not t.is_parameter:
            made.grad = self.copy(t.grad)
        return made

    def instance(self, v: Instance) -> Value:
        """A copy of an object with all that it holds, or the result of its class's `__deepcopy__`."""
        own = attributes.special(self.m, v, "__deepcopy__")
        if own is not None:
            return self.m.call(own, Args([DictV()]))
        made = Instance(v.cls, v.site)
        self.done[id(v)] = made
        for k, x in v.attributes.items():
            made.attributes[k] = copied = self.copy(x)
            if isinstance(x, Tensor) and x.owner is v and isinstance(copied, Tensor):
                copied.owner = made
            elif isinstance(x, (Tensor, Instance)) and type(copied) is type(x) and x.within and x.within[0] is v:
                copied.within = made, x.within[1]
        made.model_state.update({k: self.copy(x) for k, x in v.model_state.items()})
        return made


def written_when_copied(m: Machine, t: Tensor) -> None:
    """A copy starts as an empty tensor that is then set to its memory; a parameter is made at once (`_tensor.py`)."""
    if not t.is_parameter:
        m.grad.counter(t).current = Version(1, 1)


@model("copy.copy")
def shallow(m: Machine, args: Args) -> Value:
    """`copy.copy(v)`: of a tensor, a leaf over the same memory, with a counter of its own."""
    v = m.state.resolve(args[0])
    if isinstance(v, Tensor):
        twin = m.grad.alias(v, own_counter=True)
        twin.requires_grad_, twin.is_parameter = m.grad.requires_grad(v), v.is_parameter
        twin.is_inference = m.grad.mode["inference"]
        written_when_copied(m, twin)
        return twin
    if isinstance(v, (ListV, DictV)):
        return m.call(attributes.get(m, v, "copy"), Args())
    if isinstance(v, Instance):
        own = attributes.special(m, v, "__copy__")
        if own is not None:
            return m.call(own, Args())
        made = Instance(v.cls, v.site)
        made.attributes.update(v.attributes)
        made.model_state.update(v.model_state)
        return made
    return v

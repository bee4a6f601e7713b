"""NumPy: arrays may share memory with tensors, and no version counter sees what is written to them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...autograd.tensors import Counter, Storage, Tensor
from ...domain.paths import Raised
from ...domain.registry import BASES, caller, class_named, method_of, model, without_self
from ...domain.values import Args, Instance, Lib, ListV, Phi, Unknown, Value
from ...operators import arrays, calls_by_name
from ...operators.arrays import NDArray
from ...operators.types import dtype_of
from ...python import attributes, classes
from ..torch.tensors import each

if TYPE_CHECKING:
    from ...python.machine import Machine

VIEWS = frozenset(
    {
        "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "reshape", "squeeze", "expand_dims",
        "transpose", "ravel", "moveaxis", "rollaxis", "swapaxes", "broadcast_to", "atleast_1d", "atleast_2d",
        "atleast_3d", "flip", "flipud", "fliplr", "rot90", "diagonal", "real", "imag", "from_dlpack", "frombuffer",
    }
)  # fmt: skip
"""Functions that return an array over the memory of their first argument."""

PIECES = frozenset({"split", "array_split", "hsplit", "vsplit", "dsplit", "broadcast_arrays"})
"""Functions that return several such arrays."""

WRITES = frozenset({"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "shuffle", "at"})
"""Functions that change their first argument."""

OUT = {"clip": 3, "take": 3, "cumsum": 3, "cumprod": 3, "matmul": 2, "dot": 2, "round": 2}
"""The position of the `out` argument; for other functions, see UNARY and BINARY."""

UNARY = frozenset(
    {
        "abs", "absolute", "exp", "expm1", "exp2", "log", "log2", "log10", "log1p", "sqrt", "square", "sin", "cos",
        "tan", "tanh", "sinh", "cosh", "negative", "positive", "reciprocal", "sign", "floor", "ceil", "trunc", "rint",
        "logical_not", "isnan", "isfinite", "conjugate",
    }
)  # fmt: skip
BINARY = frozenset(
    {
        "add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "power", "mod", "remainder",
        "maximum", "minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp", "greater", "less", "equal",
        "logical_and", "logical_or",
    }
)  # fmt: skip

SIZE = {
    **dict.fromkeys(("rand", "randn", "random", "random_sample", "standard_normal", "standard_exponential"), 0),
    **dict.fromkeys(("choice", "exponential", "poisson", "standard_gamma"), 1),
    **dict.fromkeys(("uniform", "normal", "randint", "integers", "beta", "binomial", "gamma", "laplace"), 2),
}
"""Random functions that return one number unless a size is passed, with the position of that argument."""

RANDOM = frozenset({*SIZE, "bytes", "dirichlet", "multinomial", "permutation", "permuted", "seed", "shuffle"})
"""Functions of `numpy.random` that are also methods of its generators."""

GENERATORS = ("numpy.random.Generator", "numpy.random.RandomState")

for _name in GENERATORS:
    BASES[_name] = ("?",)


NUMBERS: dict[str, type[bool] | type[int] | type[float]] = {
    "bool_": bool,
    **{f"{sign}int{bits}": int for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **dict.fromkeys(("float16", "float32", "float64", "double"), float),
}
"""NumPy's number types, which PyTorch treats like Python's."""


# -- between tensors and arrays -----------------------------------------------------------------------------


@method_of("torch.Tensor", "numpy", "__array__")
def numpy(m: Machine, args: Args) -> Value:
    """`t.numpy()`: the same memory. Refused for a tensor that requires grad in grad mode (`tensor_numpy.cpp`)."""
    force = m.state.resolve(args.kw.get("force", False)) is True

    def one(t: Tensor) -> Value:
        if m.grad.requires_grad(t) is True and m.grad.grad_mode and not force:
            raise Raised(None, "RuntimeError")
        return NDArray(m.grad.storage(t))

    return each(m, args[0], one)


@model("torch.from_numpy", "torch.from_dlpack", "torch.utils.dlpack.from_dlpack", "torch.frombuffer")
def from_numpy(m: Machine, args: Args) -> Value:
    """A tensor over an array's memory, with a counter of its own."""
    v = m.state.resolve(next(iter(args), None))
    if isinstance(v, Tensor):
        return m.grad.alias(v, own_counter=True)
    return Tensor(v.storage if isinstance(v, NDArray) else Storage(m.here.site), Counter(), m.here.site)


@model("torch.to_dlpack", "torch.utils.dlpack.to_dlpack")
@method_of("torch.Tensor", "__dlpack__")
def to_dlpack(m: Machine, args: Args) -> Value:
    """`to_dlpack(t)`: a capsule with the same memory; refused, as `numpy()`, for a tensor that requires grad."""
    return numpy(m, Args([args.get(0, "tensor")]))


@model("torch.asarray")
def asarray(m: Machine, args: Args) -> Value:
    """`torch.asarray(obj, requires_grad=…)`: the flag is set on the result of `as_tensor`, even on `obj` itself.

    What has a history is detached instead. By default it is False in releases with the habit `asarray_detaches`.
    """
    made = as_tensor(m, Args(args.pos[:1], {k: v for k, v in args.kw.items() if k != "requires_grad"}, site=args.site))
    wanted = m.state.resolve(args.kw.get("requires_grad", False if m.facts.habits.asarray_detaches else None))
    if not isinstance(made, Tensor) or not isinstance(wanted, bool):
        return made
    if wanted:
        m.require_grad(made, True)
    elif m.grad.requires_grad(made) is not False:
        return m.call(attributes.get(m, made, "detach_" if m.grad.is_leaf(made) else "detach"), Args([]))
    return made


@model("torch.as_tensor")
def as_tensor(m: Machine, args: Args) -> Value:
    """`torch.as_tensor(v)`: the tensor itself (or a cast of it), a tensor over an array's memory, or new data."""
    v = m.state.resolve(args.get(0, "data"))
    if isinstance(v, Tensor):
        wanted = [d for d in (args.get(1, "dtype"),) if d is not None]
        return m.call(attributes.get(m, v, "to"), Args(wanted))
    if isinstance(v, NDArray):
        return from_numpy(m, Args([v]))
    if isinstance(v, (Unknown, Phi)):
        return m.grad.tensor(None, dtype_of(args.get(1, "dtype")))
    return m.call(Lib("torch.tensor"), args)


# -- functions ----------------------------------------------------------------------------------------------


@caller("numpy.")
def call(m: Machine, name: str, args: Args) -> Value:
    """A function of NumPy: it returns a fresh array, unless it shares memory or writes to it."""
    plain = calls_by_name.resolved(m, args)
    if plain is None:
        return calls_by_name.split(m, args, lambda one: call(m, name, one))
    short = name.rsplit(".", 1)[-1]
    out = out_of(m, short, plain)
    if out is not None:
        write(m, out, f"numpy.{short}")
        return out
    first = next(iter(plain.pos), None)
    if isinstance(first, Tensor):
        first = numpy(m, Args([first]))
        if short not in VIEWS and short not in WRITES:
            return arrays.fresh(m)
    if isinstance(first, NDArray):
        return of_array(m, short, first)
    if short in NUMBERS and isinstance(first, (int, float)):
        return NUMBERS[short](first)
    if short in NUMBERS and isinstance(first, Unknown) and first.number:
        return Unknown("a number", number=True)
    if short in SIZE and "size" not in plain.kw and len(plain.pos) <= SIZE[short]:
        return Unknown("a number", data=True)
    if short[:1].isupper() or short in ("seed", "load", "save", "savez", "set_printoptions", "shuffle"):
        return Unknown(f"{short}(…)")
    return arrays.fresh(m)


def of_array(m: Machine, short: str, a: NDArray) -> Value:
    """A function whose first argument is an array."""
    if short in VIEWS:
        return arrays.view(a)
    if short in PIECES:
        pieces = ListV((arrays.view(a), arrays.view(a)))
        pieces.open = True
        return pieces
    if short in WRITES:
        write(m, a, f"numpy.{short}")
        return None
    return arrays.fresh(m)


def out_of(m: Machine, short: str, args: Args) -> NDArray | None:
    """The array that is passed as `out`, by keyword or by position."""
    at = 1 if short in UNARY else 2 if short in BINARY else OUT.get(short)
    out = args.kw.get("out", args.pos[at] if at is not None and at < len(args.pos) else None)
    if isinstance(out, tuple) and out:
        out = m.state.pick(out[0])
    return out if isinstance(out, NDArray) else None


def write(m: Machine, a: NDArray, via: str) -> None:
    """Change an array's memory."""
    arrays.write(m, a, via)


@model("numpy.random.default_rng")
def default_rng(m: Machine, args: Args) -> Value:
    """`default_rng(seed)`: a generator; the argument itself if it is one."""
    given = m.state.resolve(args.get(0, "seed"))
    return given if isinstance(given, Instance) else classes.construct(m, class_named(m, GENERATORS[0]), Args())


def drawn(name: str, m: Machine, args: Args) -> Value:
    """A method of a generator, which does the same as the function of `numpy.random`."""
    return call(m, f"numpy.random.{name}", without_self(args))


for _name in RANDOM:
    for _cls in GENERATORS:
        method_of(_cls, _name)(partial(drawn, _name))


# -- methods ------------------------------------------------------------------------------------------------


@method_of("numpy.ndarray", "reshape", "ravel", "squeeze", "view", "transpose", "swapaxes", "diagonal", "__getitem__")
def array_view(m: Machine, args: Args) -> Value:
    """Methods of an array that return a view."""
    array = m.state.pick(args[0])
    return arrays.view(array) if isinstance(array, NDArray) else Unknown("an array")


@method_of("numpy.ndarray", "fill", "sort", "put", "itemset", "partition", "resize", "setfield", "byteswap")
def array_write(m: Machine, args: Args) -> Value:
    """Methods that change an array."""
    write(m, args[0], "numpy")
    return None


@method_of("numpy.ndarray", "clip", "cumsum", "cumprod", "round", "take", "dot", "sum", "mean")
def array_out(m: Machine, args: Args) -> Value:
    """Methods that return a new array, unless `out` is passed."""
    out = args.kw.get("out")
    if isinstance(out, NDArray):
        write(m, out, "numpy")
        return out
    return arrays.fresh(m)


@method_of("numpy.ndarray", "tolist", "item")
def array_content(m: Machine, args: Args) -> Value:
    """Methods whose result depends on the content."""
    return Unknown("an array's content", data=True)


@method_of("numpy.ndarray", "astype")
def astype(m: Machine, args: Args) -> Value:
    """`a.astype(t)`: a copy; with `copy=False` it may be the array itself, which isn't known here."""
    return arrays.fresh(m)

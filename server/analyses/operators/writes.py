"""How often an operator writes: its argument, or its result before it gives that, whose version begins there.

For most operators that is one number, which the table tells. Where the samples showed several, the arguments tell
which, by the rules of the operator's own code; `tests/analyses/test_inner_writes.py` holds them against real calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...facts import inference, table
from ..autograd.tensors import Tensor
from ..domain.values import ListV, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...facts.model import Mutation
    from ..autograd.geometry import Geometry
    from .call import Call
    from .interpreter import Interpreter

Times = tuple[int, int]
"""from so many times to so many"""

Bounds = tuple[int, int | None]
"""the same; None where nobody knows how many at most"""


def times(m: Interpreter, call: Call, told: Times, number: int = 0) -> Bounds:
    """How often a new result of the call, by its number, was written; `told` is what the fact says."""
    name = call.name.rsplit(".", 1)[-1]
    if not m.grad.mode["inference"] and call.all() and all(t.is_inference is True for t in call.all()):
        known = INFERENCE[name](m, call) if name in INFERENCE else None
        return known or of_inference_tensors(call.name, number)
    if copies(name) and any(t.is_inference is True for t in call.all()):
        return 1, 1
    if name in PRODUCTS:
        return _product(call.tensors) or told
    rule = DECIDING.get(name) or (RULES.get(name) if told[0] != told[1] else None)
    if rule is None or number > 0:  # rules tell of the first result
        return told
    return rule(m, call) or told


def copies(name: str) -> bool:
    """Whether an operator copies its argument, or a view of it (`view_copy`; `index_copy_` writes)."""
    return name == "clone" or (name.endswith("_copy") and table.find(f"torch.Tensor.{name}_") is None)


FEW = 3
"""so many writes are taken for a number that holds for all arguments; more may be one for each item or row"""


def of_inference_tensors(name: str, number: int = 0) -> Bounds:
    """How often a new result was written of a call which autograd sees nothing of, and of all that it does inside."""
    fact = inference.find(name)
    told = fact.written[number] if fact is not None and number < len(fact.written) else None
    return told if told is not None and told[0] == told[1] <= FEW else (0, None)


POWERS = frozenset({"pow", "__pow__", "__rpow__"})


def power(call: Call) -> tuple[Value, Value] | None:
    """The base and the exponent of a power, None of another operator."""
    name = call.name.rsplit(".", 1)[-1]
    given = tuple(call.values.values()) if name in POWERS else ()
    if len(given) != 2:
        return None
    return (given[1], given[0]) if name == "__rpow__" else (given[0], given[1])


def copied(m: Interpreter, call: Call) -> Tensor | None:
    """The base of a power that is a copy of it: outside of inference mode, the first one of an inference tensor."""
    base, exponent = power(call) or (None, None)
    if not isinstance(base, Tensor) or base.is_inference is not True or m.grad.mode["inference"]:
        return None
    return base if isinstance(exponent, (int, float)) and exponent == 1 else None


def _power(m: Interpreter, call: Call) -> Times | None:
    """A number's power goes on with a tensor of it; the powers 0 and 1 are filled and copied (`native/Pow.cpp`)."""
    base, exponent = power(call) or (None, None)
    if isinstance(exponent, (int, float)):
        return exactly(int(exponent in (0, 1)))
    return exactly(1) if isinstance(base, (int, float)) else None


def changes(m: Interpreter, call: Call, change: Mutation) -> Times:
    """How often the call moves the version of an argument that it changes."""
    rule = CHANGES.get(call.name.rsplit(".", 1)[-1])
    return (rule(m, call) if rule is not None else None) or (change.bumps, change.bumps)


def exactly(number: int) -> Times:
    """A number that is known."""
    return number, number


def decides(call: Call) -> bool:
    """Whether the arguments tell how often the call changes one, also where the table isn't certain of it."""
    return call.name.rsplit(".", 1)[-1] in CHANGES


def _given(m: Interpreter, call: Call, name: str, default: Value) -> Value:
    """An argument of the call or, for a module, of its constructor."""
    return m.state.resolve(call.values.get(name, call.settings.get(name, default)))


def _is_empty(call: Call) -> bool:
    """Whether the tensor is known to have no elements."""
    g = _layout(call)
    return g is not None and g.numel() == 0


def _layout(call: Call, name: str = "input") -> Geometry | None:
    """The layout of an argument."""
    found = call.tensors.get(name) or call.tensors.get("self") or []
    return found[0].geometry if found else None


# -- products -----------------------------------------------------------------------------------------

LINEAR = frozenset({"linear", "Linear"})
MATMUL = frozenset({"matmul", "__matmul__", "__rmatmul__"})
PRODUCTS = LINEAR | MATMUL


def _product(tensors: Mapping[str, Sequence[Tensor]]) -> Times | None:
    """A vector times a matrix is squeezed in place (`_matmul_impl`).

    `linear` adds its bias in place to the product, unless that is of a matrix, or of contiguous rows and the bias has
    a number for each (`native/Linear.cpp`).
    """
    roles = ("input", "other", "mat2", "weight", "self.weight")
    layouts = [t.geometry for given in roles for t in tensors.get(given, ())]
    biases = [t.geometry for given in ("bias", "self.bias") for t in tensors.get(given, ())]
    if not layouts:
        return None
    first = layouts[0]
    if first is None or None in layouts:
        return 0, 1 + len(biases)
    squeezed = int([g.ndim for g in layouts if g is not None] == [1, 2])
    if not biases or first.ndim == 2:
        return squeezed, squeezed
    bias, contiguous = biases[0], first.is_contiguous()
    if bias is None or contiguous is None:
        return 0, squeezed + 1
    return exactly(0 if contiguous and bias.ndim == 1 else squeezed + 1)


def _max_pool(m: Interpreter, call: Call) -> Times:
    """Without a gradient to come, a batch of one is made for a signal without a batch, and taken off in place."""
    g, given = _layout(call), call.given()
    needs = m.grad.requires_grad(given[0]) if given and m.grad.grad_mode else False
    if needs is True or _given(m, call, "return_indices", False) is True or (g is not None and g.ndim != 2):
        return 0, 0
    return (0 if g is None or needs is not False else 1), 1


# -- results ------------------------------------------------------------------------------------------


def _diff(m: Interpreter, call: Call) -> Times | None:
    """`diff` of order 0 is a copy."""
    n = _given(m, call, "n", 1)
    return exactly(int(n == 0)) if isinstance(n, int) else None


def _isclose(m: Interpreter, call: Call) -> Times | None:
    """The comparison is widened to NaNs where they are to be equal, and to the tolerance where there is one."""
    equal_nan, rtol, atol = (
        _given(m, call, name, default) for name, default in (("equal_nan", False), ("rtol", 1e-5), ("atol", 1e-8))
    )
    dtype = next((t.dtype for t in call.all()), None)
    if any(isinstance(v, Unknown) for v in (equal_nan, rtol, atol)) or (equal_nan and dtype is None):
        return None
    has_nan = bool(equal_nan) and (dtype or "").startswith(("float", "bfloat", "complex"))
    return exactly(int(has_nan) + int(not (rtol == 0 and atol == 0)))


def _cond(m: Interpreter, call: Call) -> Times | None:
    """Made of the inverse's norm, where singular matrices are looked for, or else of the singular values."""
    p = _given(m, call, "p", None)
    return None if isinstance(p, Unknown) else exactly(int(_is_empty(call) or p not in (None, 2, -2, "nuc")))


def _stft(m: Interpreter, call: Call) -> Times | None:
    """A single signal is squeezed in place in the end."""
    g = _layout(call)
    return None if g is None else exactly(2 if g.ndim == 1 else 1)


def _alpha_dropout(m: Interpreter, call: Call) -> Times | None:
    """The noise is scaled and shifted in place; there is none where all or nothing stays."""
    p = _given(m, call, "p", 0.5)
    return exactly(int(p not in (0, 1) and not _is_empty(call))) if isinstance(p, (int, float)) else None


def _full_loss(m: Interpreter, call: Call) -> Times | None:
    """A loss to which a constant is added in place where it is to be full."""
    full, reduction = _given(m, call, "full", False), _given(m, call, "reduction", "mean")
    known = isinstance(full, bool) and isinstance(reduction, str)
    return exactly(int(full is True and reduction == "none")) if known else None


def _clamped_loss(m: Interpreter, call: Call) -> Times | None:
    """A loss that is clamped in place, and then reduced to a new tensor."""
    reduction = _given(m, call, "reduction", "mean")
    return exactly(int(reduction == "none")) if isinstance(reduction, str) else None


def _circular_pad(m: Interpreter, call: Call) -> Times | None:
    """The middle is copied into the result, and then each margin."""
    pad = _given(m, call, "pad", None)
    if not isinstance(pad, tuple) or not all(isinstance(n, int) for n in pad):
        return None
    return exactly(1 + sum(isinstance(n, int) and n > 0 for n in pad))


def _vander(m: Interpreter, call: Call) -> Times | None:
    """Increasing powers are filled in: ones, then the tensor, then the products."""
    n, increasing, g = _given(m, call, "N", None), _given(m, call, "increasing", False), _layout(call, "x")
    if increasing is False:
        return exactly(0)
    if n is None and g is not None and g.ndim == 1:
        n = g.shape[0]
    return exactly({0: 0, 1: 1}.get(n, 3)) if increasing is True and isinstance(n, int) else None


def _area(m: Interpreter, call: Call) -> Times | None:
    """Below no points at all there is an area of zero, which is filled in."""
    g, dim = _layout(call, "y"), _given(m, call, "dim", -1)
    if g is None or not isinstance(dim, int) or not -g.ndim <= dim < g.ndim:
        return None
    return None if g.shape[dim] is None else exactly(int(g.shape[dim] == 0))


def _joined(m: Interpreter, call: Call) -> Times:
    """Tensors of different dtypes are copied into what they are joined to (`native/TensorShape.cpp`)."""
    dtypes = {t.dtype for t in call.all()}
    return (0, 1) if None in dtypes else exactly(int(len(dtypes) > 1))


def _quantile(m: Interpreter, call: Call) -> Times:
    """Between two ranks the result is moved in place, and a row of them brought to the front."""
    how, q = _given(m, call, "interpolation", "linear"), next(iter(call.tensors.get("q", ())), None)
    between = exactly(int(how in ("linear", "midpoint"))) if isinstance(how, str) else (0, 1)
    shape = q.shape if q is not None else ()
    rows = (0, 2) if shape is None else exactly(2 * len(shape))
    return 1 + between[0] + rows[0], 1 + between[1] + rows[1]


def _upsampled(m: Interpreter, call: Call) -> Times:
    """Of a batch of images, what comes out is put into the order of the input (`native/UpSampleNearest2d.cpp`)."""
    g = _layout(call)
    return (0, 1) if g is None else exactly(int(g.ndim == 4))


def _clusters(m: Interpreter, call: Call) -> Bounds:
    """What each cluster has found of its own labels is copied there, if there are such, and then the head's added."""
    cutoffs = _given(m, call, "cutoffs", None)
    given = m.state.tuple_of(cutoffs.items) if isinstance(cutoffs, ListV) else cutoffs
    return 1, (1 + len(given) if isinstance(given, tuple) else None)


Rule = Callable[["Interpreter", "Call"], Times | None]

RULES: dict[str, Rule] = {
    "diff": _diff,
    "isclose": _isclose,
    "stft": _stft,
    "alpha_dropout": _alpha_dropout,
    "feature_alpha_dropout": _alpha_dropout,
    "AlphaDropout": _alpha_dropout,
    "FeatureAlphaDropout": _alpha_dropout,
    "gaussian_nll_loss": _full_loss,
    "GaussianNLLLoss": _full_loss,
    "poisson_nll_loss": _full_loss,
    "PoissonNLLLoss": _full_loss,
    "margin_ranking_loss": _clamped_loss,
    "MarginRankingLoss": _clamped_loss,
    "pad": _circular_pad,
    "vander": _vander,
}

DECIDING: dict[str, Callable[[Interpreter, Call], Bounds | None]] = {
    "AdaptiveLogSoftmaxWithLoss": _clusters,
    "cond": _cond,
    "max_pool1d": _max_pool,
    "MaxPool1d": _max_pool,
    "nanquantile": _quantile,
    "quantile": _quantile,
    "trapezoid": _area,
    "trapz": _area,
}
"""rules that hold also where the samples of the table's case showed one number"""

JOINS = ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "row_stack", "dstack", "column_stack")

INFERENCE: dict[str, Rule] = {
    **dict.fromkeys(POWERS, _power),
    **dict.fromkeys(JOINS, _joined),
    "max_pool1d": _max_pool,
    "MaxPool1d": _max_pool,
    "nanquantile": _quantile,
    "quantile": _quantile,
    "UpsamplingNearest2d": _upsampled,
}
"""rules that hold of calls of which autograd sees nothing, too"""


# -- arguments ----------------------------------------------------------------------------------------


def _dirac(m: Interpreter, call: Call) -> Times | None:
    """Cleared, and a one put for each channel that has a place in its group."""
    g, groups = _layout(call, "tensor"), _given(m, call, "groups", 1)
    if g is None or g.ndim < 2 or not isinstance(groups, int):
        return None
    out, each = g.shape[:2]
    return exactly(1 + groups * min(out // groups, each)) if out is not None and each is not None else None


def _sparse(m: Interpreter, call: Call) -> Times | None:
    """Filled, and then thinned out column by column."""
    g = _layout(call, "tensor")
    return exactly(1 + g.shape[1]) if g is not None and g.ndim == 2 and g.shape[1] is not None else None


def _trunc_normal(m: Interpreter, call: Call) -> Times | None:
    """Copied to from a second draw, if the first has left the bounds."""
    return (1, 2)


BATCHES = {"dropout1d": 3, "dropout3d": 5}
"""dropouts that make a batch of a single sample, and take it off again; and how many dimensions a batch has"""


def _noise(m: Interpreter, call: Call) -> int | None:
    """How often dropout in place changes what it is given: multiplied, and shifted where the noise is `alpha`."""
    name = call.name.rsplit(".", 1)[-1].lower()
    training = _given(m, call, "training", _given(m, call, "train", True))
    p = _given(m, call, "p", 0.5)
    if not isinstance(p, (int, float)) or not isinstance(training, bool):
        return None
    return 0 if p == 0 or not training or _is_empty(call) else 1 + int("alpha" in name and p != 1)


def _dropout(m: Interpreter, call: Call) -> Times | None:
    """Multiplied with the noise; of a single sample a batch is made first."""
    name, g = call.name.rsplit(".", 1)[-1].lower(), _layout(call)
    if not name.endswith("_") and _given(m, call, "inplace", False) is not True:
        return exactly(0)
    number, batch = _noise(m, call), BATCHES.get(name)
    if number is None or batch is None:
        return None if number is None else exactly(number)
    if g is None:
        return number, number + 2
    return exactly(number if g.ndim == batch else number + 2)  # the batch's dimension comes and goes in place


def is_only_reshaped(m: Interpreter, call: Call) -> bool:
    """Whether a call in place moves the version of its argument, whose content stays as it is."""
    return call.name.rsplit(".", 1)[-1].lower() in BATCHES and _noise(m, call) == 0


CHANGES: dict[str, Rule] = {
    "dirac_": _dirac,
    "dirac": _dirac,
    "sparse_": _sparse,
    "sparse": _sparse,
    "trunc_normal_": _trunc_normal,
}
CHANGES |= dict.fromkeys(("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "dropout_"), _dropout)
CHANGES |= dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"), _dropout)
CHANGES |= dict.fromkeys(("feature_alpha_dropout", "FeatureAlphaDropout", "feature_dropout_"), _dropout)
CHANGES |= dict.fromkeys(("alpha_dropout_", "feature_alpha_dropout_"), _dropout)

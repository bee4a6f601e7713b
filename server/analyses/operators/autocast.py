"""Automatic mixed precision: which operators work on casts of their arguments (`aten/src/ATen/autocast_mode.h`).

What an operator saves under autocast is the cast, which is nobody else's: a later change of the weight is
not stale. A tensor that has the dtype already is not cast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..autograd.geometry import Geometry
from ..autograd.tensors import Tensor
from ..domain.values import ListV, Value
from .rules.names import both, functional, functions, modules, within

if TYPE_CHECKING:
    from .call import Call
    from .interpreter import Interpreter

LOWER = frozenset(
    (
        *functions("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"),
        *functional("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"),
        *modules("Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Linear LSTM MultiheadAttention"),
        *both("matmul mm bmm addmm addbmm baddbmm"),
        *functions("einsum tensordot chain_matmul sparse.addmm linalg.matmul linalg.multi_dot"),
        *functional("linear scaled_dot_product_attention multi_head_attention_forward"),
        "operator.matmul",
        "einops.einsum",
    )
)
"""Operators that cast their arguments to the lower precision, on all devices."""

LOWER_CUDA = frozenset(
    (
        *both("mv addmv addr prelu"),
        *functions("bilinear"),
        *functional("prelu bilinear"),
        *modules("PReLU Bilinear GRU RNN GRUCell LSTMCell RNNCell"),
    )
)
"""Those that do so on CUDA alone."""

LOSSES = (
    "cosine_embedding_loss ctc_loss hinge_embedding_loss kl_div margin_ranking_loss poisson_nll_loss "
    "triplet_margin_loss"
)

FULL = frozenset(
    (
        *both("prod quantile trace"),
        *functions(f"cdist masked.prod {LOSSES}"),
        *functional(f"binary_cross_entropy cross_entropy huber_loss l1_loss mse_loss multi_margin_loss {LOSSES}"),
        *functional("nll_loss smooth_l1_loss grid_sample"),
        *modules("MSELoss CrossEntropyLoss NLLLoss L1Loss SmoothL1Loss HuberLoss KLDivLoss BCELoss"),
    )
)
"""Operators that cast arguments of lower precision to float32, on all devices."""

FULL_CUDA = frozenset(
    (
        *both("exp expm1 log log10 log1p log2 pow reciprocal rsqrt sinh cosh tan acos asin erfinv softmax log_softmax"),
        *both("norm cumprod cumsum sum dist renorm logsumexp"),
        *functions("layer_norm group_norm pdist cosine_similarity binary_cross_entropy_with_logits linalg.norm"),
        *within("special", "expm1 log1p erfinv softmax log_softmax logsumexp"),
        *within("masked", "softmax log_softmax softmin norm cumprod cumsum sum logsumexp"),
        *functional("softmax log_softmax softmin layer_norm group_norm pdist cosine_similarity softplus gelu"),
        *functional("binary_cross_entropy_with_logits"),
        *modules("Softmax LogSoftmax LayerNorm GroupNorm Softplus BCEWithLogitsLoss"),
        "operator.pow",
    )
)
"""Those that do so on CUDA alone."""

LOW = ("float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class Autocast:
    """The mode: the lower precision, and whether the device is something other than the CPU."""

    dtype: str
    accelerated: bool


def target(mode: Autocast, name: str) -> str | None:
    """The dtype that an operator casts its arguments to."""
    if name in LOWER or (mode.accelerated and name in LOWER_CUDA):
        return mode.dtype
    if name in FULL or (mode.accelerated and name in FULL_CUDA):
        return "float32"
    return None


def apply(m: Interpreter, call: Call) -> str | None:
    """Replace a call's arguments by the casts that it works on. Gives the dtype of its result, if that is known."""
    mode = m.grad.mode.get("autocast")
    wanted = target(mode, call.name) if isinstance(mode, Autocast) else None
    if wanted is None:
        return None
    made: dict[int, Tensor] = {}
    for tensors in call.tensors.values():
        for t in tensors:
            if t.uid not in made:
                made[t.uid] = cast(m, t, wanted)
    call.tensors = {k: [made[t.uid] for t in tensors] for k, tensors in call.tensors.items()}
    call.values = {k: replaced(m, v, made) for k, v in call.values.items()}
    return wanted


def cast(m: Interpreter, t: Tensor, dtype: str) -> Tensor:
    """`cached_cast`: a tensor in another precision, or itself (float64 and integers are left alone)."""
    if t.dtype == dtype or not (t.dtype in LOW or t.dtype in ("float32", None)):
        return t
    if t.dtype is None and dtype == "float32":
        return t
    copy = m.grad.tensor(Geometry.contiguous(t.shape) if t.shape is not None else None, dtype)
    m.grad.set_history(copy, m.grad.node("ToCopyBackward0", [t], m.grad.requires_grad(t)))
    return copy


def replaced(m: Interpreter, v: Value, made: dict[int, Tensor]) -> Value:
    """An argument with its tensors replaced."""
    if isinstance(v, Tensor):
        return made.get(v.uid, v)
    if isinstance(v, tuple):
        return tuple(replaced(m, i, made) for i in v)
    if isinstance(v, ListV):
        copy = ListV(tuple(replaced(m, m.state.pick(i), made) for i in m.state.tuple_of(v.items)), v.kind)
        copy.open = v.open
        return copy
    return v

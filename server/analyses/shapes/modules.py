"""The classes of `torch.nn`: what calling one gives, and the tensors that it holds.

Most modules call a function of `torch.nn.functional` with their constructor's arguments and their own
tensors under the same names, so that the function's rule answers for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ..autograd.geometry import UNKNOWN, plus, times
from ..domain import budget
from .call import Call, attempt, result, results, same_dtype, same_shape, scalar
from .functional import per_dim
from .pointwise import kept, same
from .table import OPS
from .types import Arg, Output, TensorType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .types import Shape, Size

    Shapes = dict[str, Shape | None]
    Holds = Callable[[Call], Shapes]
    Gives = Callable[[Call], Output]


@dataclass(frozen=True, slots=True)
class Delegate:
    """A module that calls `op`: its `forward` takes `inputs`, `constants` are arguments it always gives."""

    op: str
    inputs: tuple[str, ...]
    constants: Mapping[str, Arg]

    def gives(self, name: str) -> Gives:
        """The function's rule, with the module's tensors among the arguments."""

        def rule(call: Call) -> Output:
            own = module_parameters(name, call.args, call.default) or {}
            if name.startswith("Lazy"):
                own = materialized(name[4:], call.args, call.get("input"), call.default)
            return OPS[self.op].rule(Call({**self.constants, **own, **call.args}, call.default))

        return rule


def materialized(name: str, ctor: Mapping[str, Arg], given: Arg, default: str = "float32") -> dict[str, TensorType]:
    """The parameters and buffers that a lazy module has once it became a `name`, in sizes that its input tells."""
    shape = given.shape if isinstance(given, TensorType) else None
    learnt: dict[str, Arg] = {"in_features": _arg(shape[-1]) if shape else UNKNOWN, "in_channels": UNKNOWN}
    return module_parameters(name, {**ctor, **learnt}, default) or {}


def delegates(modules: str, op: str, inputs: str = "input", **constants: Arg) -> dict[str, Delegate]:
    """The rows for modules that call one operation."""
    return dict.fromkeys(modules.split(), Delegate(op, tuple(inputs.split()), constants))


SAME = """
    Identity ReLU ReLU6 ELU CELU SELU GELU SiLU Mish Sigmoid Tanh LogSigmoid Softplus Softshrink Softsign Tanhshrink
    Threshold LeakyReLU RReLU PReLU Hardshrink Hardsigmoid Hardswish Hardtanh Softmax Softmin LogSoftmax Softmax2d
    Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout ChannelShuffle LocalResponseNorm
    CrossMapLRN2d BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d
    LayerNorm RMSNorm GroupNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d
    LazyInstanceNorm3d
"""
LOSSES = {
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "SoftMarginLoss": "soft_margin_loss",
    "KLDivLoss": "kl_div",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "PoissonNLLLoss": "poisson_nll_loss",
    "HingeEmbeddingLoss": "hinge_embedding_loss",
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "NLLLoss2d": "nll_loss",
    "MultiMarginLoss": "multi_margin_loss",
    "MultiLabelMarginLoss": "multilabel_margin_loss",
    "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss",
}


def ranked() -> dict[str, Delegate]:
    """The modules of one, two and three dimensions."""
    table: dict[str, Delegate] = {}
    for rank in (1, 2, 3):
        table |= {
            **delegates(f"Conv{rank}d LazyConv{rank}d", f"conv{rank}d"),
            **delegates(
                f"ConvTranspose{rank}d LazyConvTranspose{rank}d", f"conv_transpose{rank}d", "input output_size"
            ),
            **delegates(f"MaxPool{rank}d", f"max_pool{rank}d"),
            **delegates(f"AvgPool{rank}d", f"avg_pool{rank}d"),
            **delegates(f"LPPool{rank}d", f"lp_pool{rank}d"),
            **delegates(f"AdaptiveAvgPool{rank}d", f"adaptive_avg_pool{rank}d"),
            **delegates(f"AdaptiveMaxPool{rank}d", f"adaptive_max_pool{rank}d"),
            **delegates(f"FractionalMaxPool{rank}d", f"fractional_max_pool{rank}d"),
            **delegates(f"MaxUnpool{rank}d", f"max_unpool{rank}d", "input indices output_size"),
        }
    return table


DELEGATES: dict[str, Delegate] = {
    **ranked(),
    **{module: Delegate(op, ("input", "target"), {}) for module, op in LOSSES.items()},
    "LinearCrossEntropyLoss": Delegate("linear_cross_entropy", ("input", "target"), {"out_features": ()}),
    **delegates("GaussianNLLLoss", "gaussian_nll_loss", "input target var"),
    **delegates("MarginRankingLoss", "margin_ranking_loss", "input1 input2 target"),
    **delegates("CosineEmbeddingLoss", "cosine_embedding_loss", "input1 input2 target"),
    **delegates("TripletMarginLoss", "triplet_margin_loss", "anchor positive negative"),
    **delegates("TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss", "anchor positive negative"),
    **delegates("CTCLoss", "ctc_loss", "log_probs targets input_lengths target_lengths"),
    **delegates("Linear LazyLinear NonDynamicallyQuantizableLinear", "linear"),
    **delegates("Bilinear", "bilinear", "input1 input2"),
    **delegates("Embedding", "embedding"),
    **delegates("EmbeddingBag", "embedding_bag", "input offsets per_sample_weights"),
    **delegates("Flatten", "flatten", start_dim=1),
    **delegates("Unfold", "functional.unfold"),
    **delegates("Fold", "fold"),
    **delegates("Upsample UpsamplingNearest2d UpsamplingBilinear2d", "interpolate"),
    **delegates("PixelShuffle", "pixel_shuffle"),
    **delegates("PixelUnshuffle", "pixel_unshuffle"),
    **delegates("GLU", "glu"),
    **delegates("CosineSimilarity", "cosine_similarity", "x1 x2"),
    **delegates("PairwiseDistance", "pairwise_distance", "x1 x2"),
}


def module_inputs(name: str) -> Sequence[str] | None:
    """The arguments of a module's `forward` that its result's type depends on; None for an unknown class."""
    row = _row(name)
    return None if row is None else row[0]


def _row(name: str) -> tuple[Sequence[str], Gives] | None:
    bare = name.rpartition(".")[2]
    if bare in SAME.split():
        return ("input",), result(same, kept)
    if bare in DELEGATES and bare not in GIVES:
        return DELEGATES[bare].inputs, DELEGATES[bare].gives(bare)
    return GIVES.get(bare)


def module_output(
    name: str,
    ctor: Mapping[str, Arg],
    inputs: Sequence[Arg],
    keywords: Mapping[str, Arg] | None = None,
    default: str = "float32",
    own: Mapping[str, TensorType] | None = None,
) -> Output:
    """The result of a module: `name` is its class (`torch.nn.Linear` or `Linear`), `ctor` its constructor's arguments.

    `inputs` and `keywords` are the arguments of the call; `own` are the module's tensors, if they differ from those
    that the constructor made (`module.double()`). Several results are a list, nested as PyTorch nests tuples (`LSTM`:
    `[output, [h_n, c_n]]`); inside a list, None is Python's None. None alone means that the class is unknown.
    """
    row = _row(name)
    if row is None:
        return None
    params, gives = row
    settings = {param: value for param, value in ctor.items() if param not in ("device", "dtype")}
    given = dict(zip(params, inputs, strict=False)) | dict(keywords or {})
    return attempt(gives, Call({**settings, **(own or {}), **given}, default))


def module_parameters(name: str, ctor: Mapping[str, Arg], default: str = "float32") -> dict[str, TensorType] | None:
    """The parameters and buffers of a module by their dotted names; None if the class is unknown, or too little of it.

    Those that may not exist are left out, and so are those of inner modules that were passed as arguments.
    """
    bare = name.rpartition(".")[2]
    if bare in HOLDS:
        call = Call(ctor, default)
        dtype = attempt(lambda call: call.named_dtype(), call) or (None if call.get("dtype") else default)
        held = attempt(HOLDS[bare], call)
        if held is None:
            return None
        return {param: TensorType(shape, "int64" if shape == () else dtype) for param, shape in held.items()}
    if bare in LOSSES:
        return {param: value for param, value in ctor.items() if isinstance(value, TensorType)}
    return {} if bare in SAME.split() or bare in GIVES or bare in DELEGATES else None


# -- the tensors of modules -----------------------------------------------------------------------


def linear(call: Call) -> Shapes:
    """`Linear(in_features, out_features, bias)`."""
    out = call.size("out_features")
    return {"weight": (out, call.size("in_features")), **bias(call, out)}


def bias(call: Call, *shape: Size) -> Shapes:
    """The bias, unless the constructor's argument leaves it out."""
    return {"bias": shape} if call.certain("bias", True) else {}


def bilinear(call: Call) -> Shapes:
    """`Bilinear(in1_features, in2_features, out_features, bias)`."""
    out = call.size("out_features")
    return {"weight": (out, call.size("in1_features"), call.size("in2_features")), **bias(call, out)}


def convolution(rank: int, transposed: bool) -> Holds:
    """The weight of `ConvNd` is (out, in / groups, kernel), of `ConvTransposeNd` (in, out / groups, kernel)."""

    def holds(call: Call) -> Shapes:
        channels = [call.size("out_channels"), call.size("in_channels")]
        first, second = reversed(channels) if transposed else channels
        groups = call.size("groups", 1)
        per_group = None if second is None or not groups else second // groups
        kernel = attempt(lambda call: per_dim(call, "kernel_size", rank, []), call) or [None] * rank
        return {"weight": (first, per_group, *kernel), **bias(call, channels[0])}

    return holds


def embedding(call: Call) -> Shapes:
    """`Embedding(num_embeddings, embedding_dim)`, `EmbeddingBag`."""
    return {"weight": (call.size("num_embeddings"), call.size("embedding_dim"))}


def normalization(affine: bool, tracks: bool) -> Holds:
    """Batch and instance norms; these are the defaults of `affine` and `track_running_stats`."""

    def holds(call: Call) -> Shapes:
        size = (call.size("num_features"),)
        own: Shapes = {"weight": size, **bias(call, *size)} if call.usual("affine", affine) else {}
        if call.certain("track_running_stats", tracks):
            own |= {"running_mean": size, "running_var": size, "num_batches_tracked": ()}
        return own

    return holds


def layer_norm(call: Call) -> Shapes:
    """`LayerNorm(normalized_shape, eps, elementwise_affine, bias)`."""
    shape = call.sizes("normalized_shape")
    return {"weight": tuple(shape), **bias(call, *shape)} if call.usual("elementwise_affine", True) else {}


def rms_norm(call: Call) -> Shapes:
    """`RMSNorm(normalized_shape, eps, elementwise_affine)`."""
    return {"weight": tuple(call.sizes("normalized_shape"))} if call.usual("elementwise_affine", True) else {}


def group_norm(call: Call) -> Shapes:
    """`GroupNorm(num_groups, num_channels, eps, affine)`."""
    size = call.size("num_channels")
    return {"weight": (size,), **bias(call, size)} if call.usual("affine", True) else {}


def adaptive_softmax(call: Call) -> Shapes:
    """`AdaptiveLogSoftmaxWithLoss`: a head for the frequent classes and the clusters, two matrices a cluster."""
    width, cutoffs = call.size("in_features"), [*call.sizes("cutoffs"), call.size("n_classes")]
    value = call.get("div_value", 4.0)
    size = plus(cutoffs[0], len(cutoffs) - 1)
    own: Shapes = {"head.weight": (size, width)} | ({"head.bias": (size,)} if call.certain("head_bias", False) else {})
    for i, (start, stop) in enumerate(pairwise(cutoffs)):
        known = width is not None and isinstance(value, (int, float))
        hidden = int(width // value ** (i + 1)) if known else None  # type: ignore[operator]
        own |= {f"tail.{i}.0.weight": (hidden, width), f"tail.{i}.1.weight": (plus(stop, times(-1, start)), hidden)}
    return own


def linear_classifier(call: Call) -> Shapes:
    """`LinearCrossEntropyLoss(in_features, num_classes, out_features, bias, weight)`."""
    rows = times(call.size("num_classes"), *(call.sizes("out_features") if call.get("out_features") else ()))
    own: Shapes = {"linear.weight": (rows, call.size("in_features"))}
    own |= {"linear.bias": (rows,)} if call.flag("bias", False) else {}
    return own | ({"weight": call.shape("weight")} if call.get("weight") is not None else {})


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def recurrent(gates: int) -> Holds:
    """`RNN`, `GRU`, `LSTM`: four tensors a layer and direction, five with a projection."""

    def holds(call: Call) -> Shapes:
        hidden, projected = call.size("hidden_size"), call.size("proj_size", 0)
        state, ways = projected or hidden, ["", "_reverse"] if call.certain("bidirectional") else [""]
        layers = call.integer("num_layers", 1) if call.knows("num_layers", "bidirectional") else 1
        rows = times(gates, hidden)
        own: Shapes = {}
        for layer in range(min(layers, budget.LIMITS.layers)):
            width = call.size("input_size") if layer == 0 else times(len(ways), state)
            for way in ways:
                own |= {f"weight_ih_l{layer}{way}": (rows, width), f"weight_hh_l{layer}{way}": (rows, state)}
                if call.certain("bias", True):
                    own |= {f"bias_ih_l{layer}{way}": (rows,), f"bias_hh_l{layer}{way}": (rows,)}
                if projected:
                    own[f"weight_hr_l{layer}{way}"] = (projected, hidden)
        return own

    return holds


def cell(gates: int) -> Holds:
    """`RNNCell`, `GRUCell`, `LSTMCell`."""

    def holds(call: Call) -> Shapes:
        hidden = call.size("hidden_size")
        rows = times(gates, hidden)
        own: Shapes = {"weight_ih": (rows, call.size("input_size")), "weight_hh": (rows, hidden)}
        return own | ({"bias_ih": (rows,), "bias_hh": (rows,)} if call.certain("bias", True) else {})

    return holds


def attention(call: Call) -> Shapes:
    """`MultiheadAttention`: one weight for query, key and value, or three where their sizes differ."""
    width = call.size("embed_dim")
    key, value = (call.size(name) if call.given(name) else width for name in ("kdim", "vdim"))
    if width == key == value:
        own: Shapes = {"in_proj_weight": (times(3, width), width)}
    else:
        own = {"q_proj_weight": (width, width), "k_proj_weight": (width, key), "v_proj_weight": (width, value)}
    own["out_proj.weight"] = (width, width)
    if call.certain("bias", True):
        own |= {"in_proj_bias": (times(3, width),), "out_proj.bias": (width,)}
    if call.certain("add_bias_kv"):
        own |= {"bias_k": (1, 1, width), "bias_v": (1, 1, width)}
    return own


def transformer_layer(attentions: Sequence[str]) -> Holds:
    """`TransformerEncoderLayer` and `TransformerDecoderLayer`."""

    def holds(call: Call) -> Shapes:
        width, inner = call.size("d_model", 512), call.size("dim_feedforward", 2048)
        biased: dict[str, Arg] = {"bias": call.get("bias", True)}
        own: Shapes = {}
        for part in attentions:
            own |= prefixed(part, attention(Call({"embed_dim": _arg(width), **biased})))
        for part, size, other in (("linear1", inner, width), ("linear2", width, inner)):
            sizes = {"out_features": _arg(size), "in_features": _arg(other)}
            own |= prefixed(part, linear(Call({**sizes, **biased})))
        for number in range(len(attentions) + 1):
            own |= prefixed(f"norm{number + 1}", layer_norm(Call({"normalized_shape": [_arg(width)], **biased})))
        return own

    return holds


def transformer(call: Call) -> Shapes:
    """`Transformer`: an encoder and a decoder, each with a norm at its end."""
    own: Shapes = {}
    for part, count, attentions in (
        ("encoder", "num_encoder_layers", ["self_attn"]),
        ("decoder", "num_decoder_layers", ["self_attn", "multihead_attn"]),
    ):
        if call.given(f"custom_{part}"):
            continue
        for layer in range(min(call.integer(count, 6), budget.LIMITS.layers)):
            own |= prefixed(f"{part}.layers.{layer}", transformer_layer(attentions)(call))
        norm = Call({"normalized_shape": [_arg(call.size("d_model", 512))], "bias": call.get("bias", True)})
        own |= prefixed(f"{part}.norm", layer_norm(norm))
    return own


def prefixed(prefix: str, own: Shapes) -> Shapes:
    """The tensors of a module inside a module."""
    return {f"{prefix}.{name}": shape for name, shape in own.items()}


def _arg(size: Size) -> Arg:
    return UNKNOWN if size is None else size


def lazily(names: str, holds: Holds) -> dict[str, Holds]:
    """Modules that hold what their kin do, in sizes that their first input tells."""
    return dict.fromkeys(names.split(), lambda call: dict.fromkeys(holds(call)))


HOLDS: dict[str, Holds] = {
    "Linear": linear,
    "Bilinear": bilinear,
    **{f"Conv{rank}d": convolution(rank, transposed=False) for rank in (1, 2, 3)},
    **{f"ConvTranspose{rank}d": convolution(rank, transposed=True) for rank in (1, 2, 3)},
    "Embedding": embedding,
    "EmbeddingBag": embedding,
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"), normalization(True, True)),
    **dict.fromkeys(("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), normalization(False, False)),
    "LayerNorm": layer_norm,
    "RMSNorm": rms_norm,
    "GroupNorm": group_norm,
    "PReLU": lambda call: {"weight": (call.size("num_parameters", 1),)},
    **{name: recurrent(gates) for name, gates in GATES.items()},
    **{f"{name}Cell": cell(gates) for name, gates in GATES.items()},
    "MultiheadAttention": attention,
    "AdaptiveLogSoftmaxWithLoss": adaptive_softmax,
    "LinearCrossEntropyLoss": linear_classifier,
    "TransformerEncoderLayer": transformer_layer(["self_attn"]),
    "TransformerDecoderLayer": transformer_layer(["self_attn", "multihead_attn"]),
    "Transformer": transformer,
    **lazily("LazyLinear", linear),
    **lazily("LazyConv1d LazyConvTranspose1d", convolution(1, transposed=False)),
    **lazily("LazyConv2d LazyConvTranspose2d", convolution(2, transposed=False)),
    **lazily("LazyConv3d LazyConvTranspose3d", convolution(3, transposed=False)),
    **lazily("LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d", normalization(True, True)),
    **lazily("LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d", normalization(True, True)),
}


# -- the results of modules that no function stands for -------------------------------------------


def sequence(cells: bool) -> Gives:
    """`RNN`, `GRU`, `LSTM`: the output and the last state; (L, N, H), (N, L, H) or (L, H)."""

    def gives(call: Call) -> Output:
        dtype = attempt(kept, call)
        hidden, ways = call.size("hidden_size"), 2 if call.flag("bidirectional") else 1
        state_size = call.size("proj_size", 0) or hidden
        shape = attempt(same, call)
        layers = times(ways, call.size("num_layers", 1))
        output = lead = None
        if shape is not None:
            batched = len(shape) == 3
            lead = (layers, shape[0 if call.flag("batch_first") else 1]) if batched else (layers,)
            output = (*shape[:-1], times(ways, state_size))
        state = TensorType(None if lead is None else (*lead, state_size), dtype)
        memory = TensorType(None if lead is None else (*lead, hidden), dtype)
        return [TensorType(output, dtype), [state, memory] if cells else state]

    return gives


def step(cells: bool) -> Gives:
    """`RNNCell`, `GRUCell`, `LSTMCell`."""

    def gives(call: Call) -> Output:
        state = result(lambda call: (*call.shape("input")[:-1], call.size("hidden_size")), kept)(call)
        return [state, state] if cells else state

    return gives


def attended(call: Call) -> Output:
    """`MultiheadAttention(query, key, value)`: the output and the weights, or None for these."""
    dtype = attempt(same_dtype("query"), call)
    output = TensorType(attempt(same_shape("query"), call), dtype)
    if not call.flag("need_weights", True):
        return [output, None]
    return [output, TensorType(attempt(attention_weights, call), dtype)]


def attention_weights(call: Call) -> Shape:
    """(N, L, S), for each head if they are not averaged, without N if there is no batch."""
    query, key = call.shape("query"), call.shape("key")
    batched, first = len(query) == 3, call.flag("batch_first")
    place = 1 if batched and first else 0
    batch = (query[0 if first else 1],) if batched else ()
    heads = () if call.flag("average_attn_weights", True) else (call.size("num_heads"),)
    added = int(call.flag("add_bias_kv")) + int(call.flag("add_zero_attn"))
    return (*batch, *heads, query[place], plus(key[place], added))


def like(name: str) -> Gives:
    """The shape of one of the inputs."""
    return result(same_shape(name), same_dtype(name))


def unflattened(call: Call) -> Output:
    """`Unflatten(dim, unflattened_size)`."""
    sizes = call.get("unflattened_size")
    return OPS["unflatten"].rule(Call({"input": call.get("input"), "dim": call.get("dim"), "sizes": sizes}))


def padded(rank: int) -> Gives:
    """The padding modules: one number for all sides, or two numbers a dimension."""

    def gives(call: Call) -> Output:
        pads = call.sizes("padding")
        sides = [_arg(size) for size in (pads * 2 * rank if len(pads) == 1 else pads)]
        return OPS["pad"].rule(Call({"input": call.get("input"), "pad": sides}))

    return gives


STATE = ("input", "hx")
QKV = (
    "query",
    "key",
    "value",
    "key_padding_mask",
    "need_weights",
    "attn_mask",
    "average_attn_weights",
)
GIVES: dict[str, tuple[Sequence[str], Gives]] = {
    "RNN": (STATE, sequence(cells=False)),
    "GRU": (STATE, sequence(cells=False)),
    "LSTM": (STATE, sequence(cells=True)),
    "RNNCell": (STATE, step(cells=False)),
    "GRUCell": (STATE, step(cells=False)),
    "LSTMCell": (STATE, step(cells=True)),
    "MultiheadAttention": (QKV, attended),
    "AdaptiveLogSoftmaxWithLoss": (
        ("input_", "target_"),
        results((same_shape("target_"), same_dtype("input_")), (scalar, same_dtype("input_"))),
    ),
    "TransformerEncoderLayer": (("src",), like("src")),
    "TransformerEncoder": (("src",), like("src")),
    "TransformerDecoderLayer": (("tgt", "memory"), like("tgt")),
    "TransformerDecoder": (("tgt", "memory"), like("tgt")),
    "Transformer": (("src", "tgt"), like("tgt")),
    "Unflatten": (("input",), unflattened),
    **{
        f"{kind}Pad{rank}d": (("input",), padded(rank))
        for kind in ("Zero", "Constant", "Reflection", "Replication", "Circular")
        for rank in (1, 2, 3)
    },
}

"""`torch.nn.functional`: convolutions, pools, resizing, embeddings, attention, losses; and `torch.fft`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.geometry import UNKNOWN, plus, times, wrapped
from . import dtypes
from .call import Call, Op, always, broadcast, either, flattened, floating, ops, result, results, same_dtype
from .pointwise import kept, made_floating, promoted, promoted_floating, real_part_of, same, together
from .reductions import with_size, without
from .types import Undecided

if TYPE_CHECKING:
    from .call import DtypeRule, Rule, ShapeRule
    from .types import Shape, Size


def per_dim(call: Call, name: str, rank: int, otherwise: list[Size]) -> list[Size]:
    """An argument that is one number for all spatial dimensions, or one for each; None for each if it is unknown."""
    if call.get(name) is UNKNOWN:
        return [None] * rank
    sizes = call.sizes(name, otherwise)
    sizes = sizes or otherwise
    if len(sizes) == 1:
        return sizes * rank
    if len(sizes) != rank:
        raise Undecided
    return sizes


def windows(size: Size, kernel: Size, stride: Size, padding: Size, dilation: Size, up: bool = False) -> Size:
    """How many windows fit (`pooling_output_shape` of `aten/src/ATen/native/Pool.h`)."""
    if size is None or kernel is None or stride is None or padding is None or dilation is None:
        return None
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if room < 0 and not (up and room + stride > 0):
        raise Undecided
    count = (room + (stride - 1 if up else 0)) // stride + 1
    if up and (count - 1) * stride >= size + padding:
        count -= 1
    return count


def convolved(rank: int) -> ShapeRule:
    """`conv1d` …: (N, C, spatial) or (C, spatial)."""

    def rule(call: Call) -> Shape:
        shape, weight = call.shape("input"), call.shape("weight")
        lead, spatial = _lead(shape, rank)
        kernel = weight[2:]
        stride = per_dim(call, "stride", rank, [1] * rank)
        dilation = per_dim(call, "dilation", rank, [1] * rank)
        if call.get("padding") == "same":
            sizes = list(spatial)
        else:
            none = call.get("padding") == "valid"
            padding = [0] * rank if none else per_dim(call, "padding", rank, [0] * rank)
            sizes = [windows(*row) for row in zip(spatial, kernel, stride, padding, dilation, strict=True)]
        return (*lead, weight[0], *sizes)

    return rule


def _lead(shape: Shape, rank: int) -> tuple[Shape, Shape]:
    """The batch dimension, if there is one, and the spatial dimensions, without the channels."""
    if len(shape) not in (rank + 1, rank + 2):
        raise Undecided
    return shape[: len(shape) - rank - 1], shape[len(shape) - rank :]


def convolved_back(rank: int) -> ShapeRule:
    """`conv_transpose1d` …."""

    def rule(call: Call) -> Shape:
        shape, weight = call.shape("input"), call.shape("weight")
        lead, spatial = _lead(shape, rank)
        arguments = [
            spatial,
            weight[2:],
            per_dim(call, "stride", rank, [1] * rank),
            per_dim(call, "padding", rank, [0] * rank),
            per_dim(call, "output_padding", rank, [0] * rank),
            per_dim(call, "dilation", rank, [1] * rank),
        ]
        if call.given("output_size"):
            sizes = call.sizes("output_size")[-rank:]
        else:
            sizes = [transposed_size(*row) for row in zip(*arguments, strict=True)]
        return (*lead, times(weight[1], call.size("groups", 1)), *sizes)

    return rule


def transposed_size(size: Size, kernel: Size, stride: Size, padding: Size, extra: Size, dilation: Size) -> Size:
    """The size that a transposed convolution gives."""
    steps = times(plus(size, -1), stride)
    return plus(steps, times(-2, padding), times(dilation, plus(kernel, -1)), extra, 1)


def pooled(rank: int) -> ShapeRule:
    """`max_pool1d`, `avg_pool1d`, `lp_pool1d` …: the default stride is the kernel's size."""

    def rule(call: Call) -> Shape:
        shape = call.shape("input")
        _lead(shape, rank)
        kernel = per_dim(call, "kernel_size", rank, [])
        stride = per_dim(call, "stride", rank, kernel)
        padding = per_dim(call, "padding", rank, [0])
        dilation = per_dim(call, "dilation", rank, [1])
        up = call.flag("ceil_mode")
        rows = zip(shape[len(shape) - rank :], kernel, stride, padding, dilation, strict=True)
        return (*shape[: len(shape) - rank], *(windows(*row, up=up) for row in rows))

    return rule


def adaptive(rank: int) -> ShapeRule:
    """`adaptive_avg_pool1d` …: the size that is asked for, None keeps one."""

    def rule(call: Call) -> Shape:
        shape = call.shape("input")
        _lead(shape, rank)
        wanted = call.get("output_size")
        listed = list(wanted) if isinstance(wanted, (list, tuple)) else [wanted] * rank
        listed = listed * rank if len(listed) == 1 else listed
        spatial = shape[len(shape) - rank :]
        sizes = [
            own if goal is None else Call({"n": goal}).size("n") for own, goal in zip(spatial, listed, strict=True)
        ]
        return (*shape[: len(shape) - rank], *sizes)

    return rule


def fractional(rank: int) -> ShapeRule:
    """`fractional_max_pool2d` …: a size, or a part of the input's."""

    def rule(call: Call) -> Shape:
        shape = call.shape("input")
        if call.given("output_size"):
            return adaptive(rank)(call)
        ratios = flattened(call.get("output_ratio"))
        ratios = ratios * rank if len(ratios) == 1 else ratios
        sizes = [
            int(size * ratio) if size is not None and isinstance(ratio, float) else None
            for size, ratio in zip(shape[len(shape) - rank :], ratios, strict=True)
        ]
        return (*shape[: len(shape) - rank], *sizes)

    return rule


def unpooled(rank: int) -> ShapeRule:
    """`max_unpool1d` …."""

    def rule(call: Call) -> Shape:
        shape = call.shape("input")
        front = shape[: len(shape) - rank]
        if call.given("output_size"):
            return (*front, *call.sizes("output_size")[-rank:])
        kernel = per_dim(call, "kernel_size", rank, [])
        rows = zip(
            shape[len(shape) - rank :],
            kernel,
            per_dim(call, "stride", rank, kernel),
            per_dim(call, "padding", rank, [0]),
            strict=True,
        )
        return (*front, *(plus(times(plus(n, -1), s), times(-2, p), k) for n, k, s, p in rows))

    return rule


def with_indices(shape: ShapeRule) -> Rule:
    """A pool that may give the indices too."""
    return either(
        lambda call: call.flag("return_indices"),
        results((shape, kept), (shape, always("int64"))),
        result(shape, kept),
    )


def unfolded(call: Call) -> Shape:
    """`unfold(input, kernel_size, dilation, padding, stride)`: columns of patches."""
    shape = call.shape("input")
    lead, spatial = _lead(shape, 2)
    kernel = per_dim(call, "kernel_size", 2, [])
    arguments = [per_dim(call, "stride", 2, [1]), per_dim(call, "padding", 2, [0]), per_dim(call, "dilation", 2, [1])]
    counts = [windows(*row) for row in zip(spatial, kernel, *arguments, strict=True)]
    return (*lead, times(shape[-3], *kernel), times(*counts))


def folded(call: Call) -> Shape:
    """`fold(input, output_size, kernel_size)`."""
    *lead, columns, _ = call.shape("input")
    kernel = times(*per_dim(call, "kernel_size", 2, []))
    channels = None if columns is None or kernel is None else columns // kernel
    return (*lead, channels, *per_dim(call, "output_size", 2, []))


def resized(call: Call) -> Shape:
    """`interpolate(input, size, scale_factor)`."""
    shape = call.shape("input")
    rank = len(shape) - 2
    if call.given("size"):
        return (*shape[:2], *per_dim(call, "size", rank, []))
    factors = call.get("scale_factor")
    listed = list(factors) if isinstance(factors, (list, tuple)) else [factors] * rank
    sizes: list[Size] = [
        int(size * factor) if size is not None and isinstance(factor, (int, float)) else None
        for size, factor in zip(shape[2:], listed, strict=True)
    ]
    return (*shape[:2], *sizes)


def shuffled(call: Call) -> Shape:
    """`pixel_shuffle(input, upscale_factor)`."""
    *lead, channels, height, width = call.shape("input")
    factor = call.size("upscale_factor")
    area = times(factor, factor)
    fewer = None if channels is None or not area else channels // area
    return (*lead, fewer, times(height, factor), times(width, factor))


def unshuffled(call: Call) -> Shape:
    """`pixel_unshuffle(input, downscale_factor)`."""
    *lead, channels, height, width = call.shape("input")
    factor = call.size("downscale_factor")
    smaller = [None if size is None or not factor else size // factor for size in (height, width)]
    return (*lead, times(channels, factor, factor), *smaller)


def halved(call: Call) -> Shape:
    """`glu(input, dim)`."""
    shape, dim = call.shape("input"), call.integer("dim", -1)
    size = shape[dim]
    return with_size(dim, None if size is None else size // 2, shape)


def embedded(call: Call) -> Shape:
    """`embedding(input, weight)`."""
    return (*call.shape("input"), call.shape("weight")[1])


def bagged(call: Call) -> Shape:
    """`embedding_bag(input, weight, offsets)`."""
    shape, width = call.shape("input"), call.shape("weight")[1]
    if len(shape) == 2:
        return (shape[0], width)
    bags = call.shape("offsets")[0]
    return (plus(bags, -1) if call.flag("include_last_offset") else bags, width)


def one_hot(call: Call) -> Shape:
    """`one_hot(tensor, num_classes)`."""
    classes = call.size("num_classes", -1)
    return (*call.shape("tensor"), None if classes == -1 else classes)


def attended(call: Call) -> Shape:
    """`scaled_dot_product_attention(query, key, value)`."""
    query, value = call.shape("query"), call.shape("value")
    if call.flag("enable_gqa"):
        return (*query[:-1], value[-1])
    return (*broadcast(query[:-2], value[:-2]), query[-2], value[-1])


def sampled(call: Call) -> Shape:
    """`grid_sample(input, grid)`."""
    return (*call.shape("input")[:2], *call.shape("grid")[1:-1])


def affine_grid(call: Call) -> Shape:
    """`affine_grid(theta, size)`."""
    count, _, *spatial = call.sizes("size")
    return (count, *spatial, len(spatial))


def compared(call: Call) -> Shape:
    """`cosine_similarity(x1, x2, dim)`."""
    shape = broadcast(call.shape("x1"), call.shape("x2"))
    return without(shape, {wrapped(call.integer("dim", 1), len(shape))}, False)


def pairwise(call: Call) -> Shape:
    """`pairwise_distance(x1, x2, p, eps, keepdim)`."""
    shape = broadcast(call.shape("x1"), call.shape("x2"))
    return without(shape, {len(shape) - 1}, call.flag("keepdim"))


# -- losses ---------------------------------------------------------------------------------------


def loss(each: ShapeRule) -> ShapeRule:
    """A loss: one number, or with `reduction="none"` one for each sample."""

    def rule(call: Call) -> Shape:
        old_style = [call.get("size_average"), call.get("reduce")]
        if old_style != [None, None]:
            return each(call) if call.get("reduce") is False else _reduced(call)
        mode = call.get("reduction", "mean")
        if not isinstance(mode, (str, int)):
            raise Undecided
        return each(call) if mode in ("none", NO_REDUCTION) else ()

    return rule


NO_REDUCTION = 0
"""how the functions behind `torch.nn.functional` spell `"none"` (`at::Reduction`)"""


def _reduced(call: Call) -> Shape:
    if call.get("reduce") in (None, True):
        return ()
    raise Undecided


def classified(call: Call) -> Shape:
    """`cross_entropy`, `nll_loss`: the classes are dimension 1, or the only one."""
    shape = call.shape("input")
    return without(shape, {1 if len(shape) > 1 else 0}, False)


def linearly_classified(call: Call) -> Shape:
    """`linear_cross_entropy`: the classes are the weight's first dimension; a module gets others as an argument."""
    told = call.get("out_features") is not None
    return (*call.shape("input")[:-1], *(call.sizes("out_features") if told else call.shape("linear_weight")[1:-1]))


def per_row(call: Call) -> Shape:
    """One number a sample: all dimensions but the last."""
    return call.shape("input")[:-1]


def ranked(call: Call) -> Shape:
    """`margin_ranking_loss`: three tensors that broadcast."""
    return together("input1", "input2", "target")(call)


def triplets(call: Call) -> Shape:
    """`triplet_margin_loss`: distances of rows."""
    return broadcast(call.shape("anchor"), call.shape("positive"), call.shape("negative"))[:-1]


def cosine_embedded(call: Call) -> Shape:
    """`cosine_embedding_loss`: one number a target."""
    return call.shape("target")


def aligned(call: Call) -> Shape:
    """`ctc_loss(log_probs, …)`: one number a sequence."""
    shape = call.shape("log_probs")
    return shape[1:2]


def losses(names: str, params: str, each: ShapeRule, first: str = "input") -> dict[str, Op]:
    """The rows of losses of one kind."""
    return ops(names, params, result(loss(each), loss_dtype(first)))


def loss_dtype(name: str) -> DtypeRule:
    """A loss is a real number, in the precision of its input."""
    return lambda call: dtypes.real_of(floating(call.dtype(name), call.default))


def several_losses() -> dict[str, Op]:
    """All losses of `torch.nn.functional`."""
    old = "size_average reduce reduction"
    pair = together("input", "target")
    both = real_part_of(promoted("input", "target"))
    return {
        **ops("mse_loss l1_loss", f"input target {old}", result(loss(pair), both)),
        **ops("smooth_l1_loss", f"input target {old} beta", result(loss(pair), both)),
        **ops("huber_loss", "input target reduction delta", result(loss(pair), both)),
        **losses("soft_margin_loss", f"input target {old}", pair),
        **losses("kl_div", f"input target {old}", pair),
        **losses("binary_cross_entropy", f"input target weight {old}", pair),
        **losses("binary_cross_entropy_with_logits", f"input target weight {old} pos_weight", pair),
        **losses("poisson_nll_loss", "input target log_input full size_average eps reduce reduction", pair),
        **losses("gaussian_nll_loss", "input target var full eps reduction", pair),
        **losses("hinge_embedding_loss", f"input target margin {old}", pair),
        **losses("cross_entropy", "input target weight size_average ignore_index reduce reduction", classified),
        **losses("nll_loss", "input target weight size_average ignore_index reduce reduction", classified),
        **losses(
            "linear_cross_entropy",
            "input linear_weight target linear_bias weight reduction ignore_index label_smoothing options",
            linearly_classified,
        ),
        **losses("multi_margin_loss", f"input target p margin weight {old}", per_row),
        **losses("multilabel_margin_loss", f"input target {old}", per_row),
        **losses("multilabel_soft_margin_loss", f"input target weight {old}", per_row),
        **losses(
            "margin_ranking_loss",
            f"input1 input2 target margin {old}",
            together("input1", "input2", "target"),
            "input1",
        ),
        **losses("triplet_margin_loss", f"anchor positive negative margin p eps swap {old}", triplets, "anchor"),
        **losses("triplet_margin_with_distance_loss", "anchor positive negative", triplets, "anchor"),
        **losses("cosine_embedding_loss", f"input1 input2 target margin {old}", cosine_embedded, "input1"),
        **losses("ctc_loss", "log_probs targets input_lengths target_lengths blank reduction", aligned, "log_probs"),
    }


# -- torch.fft ------------------------------------------------------------------------------------


def transformed(last: str) -> ShapeRule:
    """One-dimensional transforms: `n` points; `last` says how many a real transform keeps or gives."""

    def rule(call: Call) -> Shape:
        shape, dim = call.shape("input"), call.integer("dim", -1)
        size = shape[wrapped(dim, len(shape))]
        points = call.size("n") if call.given("n") else (times(2, plus(size, -1)) if last == "whole" else size)
        return with_size(dim, _half(points) if last == "half" else points, shape)

    return rule


def _half(points: Size) -> Size:
    return None if points is None else points // 2 + 1


def transformed_all(last: str, usual: list[int]) -> ShapeRule:
    """Transforms of several dimensions, by default the last two or all."""

    def rule(call: Call) -> Shape:
        shape = call.shape("input")
        asked = call.sizes("s") if call.given("s") else None
        first = range(len(shape) - len(asked), len(shape)) if asked else range(len(shape))
        dims = call.ints("dim", usual or list(first))
        goals: list[Size] = [-1] * len(dims) if asked is None else asked
        for place, (dim, goal) in enumerate(zip(dims, goals, strict=True)):
            size = shape[wrapped(dim, len(shape))] if goal == -1 else goal
            if place == len(dims) - 1 and last == "whole" and goal == -1:
                size = times(2, plus(size, -1))
            shape = with_size(dim, _half(size) if place == len(dims) - 1 and last == "half" else size, shape)
        return shape

    return rule


def complexed(call: Call) -> str:
    """The complex dtype of a spectrum."""
    return dtypes.complex_of(made_floating(call))


def real_parts(call: Call) -> str:
    """The dtype of a real signal."""
    return dtypes.real_of(made_floating(call))


def transforms() -> dict[str, Op]:
    """`torch.fft`'s functions by name, in one, two and all dimensions."""
    table: dict[str, Op] = {}
    for names, last, dtype in (
        ("fft ifft", "same", complexed),
        ("rfft ihfft", "half", complexed),
        ("irfft hfft", "whole", real_parts),
    ):
        for name in names.split():
            table |= ops(f"fft.{name}", "input n dim", result(transformed(last), dtype))
            table |= ops(f"fft.{name}2", "input s dim", result(transformed_all(last, [-2, -1]), dtype))
            table |= ops(f"fft.{name}n", "input s dim", result(transformed_all(last, []), dtype))
    return table


def convolutions() -> dict[str, Op]:
    """Convolutions and pools of one, two and three dimensions."""
    table: dict[str, Op] = {}
    for rank in (1, 2, 3):
        pool = "input kernel_size stride padding"
        table |= {
            **ops(f"conv{rank}d", "input weight bias stride padding dilation groups", result(convolved(rank), kept)),
            **ops(
                f"conv_transpose{rank}d",
                "input weight bias stride padding output_padding groups dilation",
                result(convolved_back(rank), kept),
            ),
            **ops(f"max_pool{rank}d", f"{pool} dilation ceil_mode return_indices", with_indices(pooled(rank))),
            **ops(f"avg_pool{rank}d", f"{pool} ceil_mode", result(pooled(rank), kept)),
            **ops(
                f"max_pool{rank}d_with_indices",
                f"{pool} dilation ceil_mode",
                results((pooled(rank), kept), (pooled(rank), always("int64"))),
            ),
            **ops(
                f"adaptive_max_pool{rank}d_with_indices",
                "input output_size",
                results((adaptive(rank), kept), (adaptive(rank), always("int64"))),
            ),
            **ops(f"lp_pool{rank}d", "input norm_type kernel_size stride ceil_mode", result(pooled(rank), kept)),
            **ops(f"adaptive_avg_pool{rank}d", "input output_size", result(adaptive(rank), kept)),
            **ops(f"adaptive_max_pool{rank}d", "input output_size return_indices", with_indices(adaptive(rank))),
            **ops(
                f"fractional_max_pool{rank}d",
                "input kernel_size output_size output_ratio return_indices",
                with_indices(fractional(rank)),
            ),
            **ops(
                f"max_unpool{rank}d",
                "input indices kernel_size stride padding output_size",
                result(unpooled(rank), kept),
            ),
        }
    return table


NORMS = {
    "batch_norm": "input running_mean running_var weight bias training momentum eps",
    "layer_norm": "input normalized_shape weight bias eps",
    "rms_norm": "input normalized_shape weight eps",
    "group_norm": "input num_groups weight bias eps",
    "instance_norm": "input running_mean running_var weight bias",
    "normalize": "input p dim eps",
}


def groups(call: Call) -> Shape:
    """The statistics of `native_group_norm`: a mean and a deviation of each group."""
    return call.size("N"), call.size("group")


def statistics(call: Call) -> Shape:
    """The statistics of `native_layer_norm`: the dimensions that it normalizes have size 1."""
    shape, over = call.shape("input"), len(call.sizes("normalized_shape"))
    return (*shape[: len(shape) - over], *(1 for _ in range(over)))


OPS: dict[str, Op] = {
    **ops(
        "native_group_norm",
        "input weight bias N C HxW group eps",
        results((same, kept), (groups, kept), (groups, kept)),
    ),
    **ops("native_layer_norm", NORMS["layer_norm"], results((same, kept), (statistics, kept), (statistics, kept))),
    **{name: op for name, params in NORMS.items() for op in ops(name, params, result(same, kept)).values()},
    **convolutions(),
    **several_losses(),
    **transforms(),
    **ops("fft.fftshift fft.ifftshift", "input dim", result(same, kept)),
    **ops("unfold functional.unfold", "input kernel_size dilation padding stride", result(unfolded, kept)),
    **ops("fold", "input output_size kernel_size dilation padding stride", result(folded, kept)),
    **ops(
        "interpolate upsample upsample_nearest upsample_bilinear", "input size scale_factor mode", result(resized, kept)
    ),
    **ops(
        "torch.adaptive_max_pool1d",
        "input output_size",
        results((adaptive(1), kept), (adaptive(1), always("int64"))),
    ),
    **ops("pixel_shuffle", "input upscale_factor", result(shuffled, kept)),
    **ops("pixel_unshuffle", "input downscale_factor", result(unshuffled, kept)),
    **ops("glu", "input dim", result(halved, kept)),
    **ops("embedding", "input weight", result(embedded, same_dtype("weight"))),
    **ops(
        "embedding_bag",
        "input weight offsets max_norm norm_type scale_grad_by_freq mode sparse per_sample_weights include_last_offset",
        result(bagged, same_dtype("weight")),
    ),
    **ops("torch.embedding", "weight input|indices", result(embedded, same_dtype("weight"))),
    **ops("torch.embedding_bag", "weight input|indices offsets", result(bagged, same_dtype("weight"))),
    **ops("one_hot", "tensor|input|self num_classes", result(one_hot, always("int64"))),
    **ops("scaled_dot_product_attention", "query key value attn_mask", result(attended, same_dtype("query"))),
    **ops("grid_sample grid_sampler grid_sampler_2d grid_sampler_3d", "input grid", result(sampled, kept)),
    **ops("affine_grid", "theta size", result(affine_grid, same_dtype("theta"))),
    **ops("cosine_similarity", "x1 x2 dim", result(compared, promoted_floating("x1", "x2"))),
    **ops("pairwise_distance", "x1 x2 p eps keepdim", result(pairwise, real_part_of(promoted_floating("x1", "x2")))),
}

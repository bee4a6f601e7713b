"""Samples of the classes of `torch.nn` that PyTorch's `module_db` lacks: how to construct and how to call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Written = tuple[str, dict[str, Any], dict[str, Any]]


def written(device: str) -> list[Written]:
    """Return for each sample the name of the class, the constructor's arguments, and those of `forward`."""

    def rand(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, device=device) + 0.1

    row, image, volume = rand(4, 6), rand(2, 4, 6, 6), rand(2, 4, 4, 4, 4)
    words = torch.tensor([[0, 2, 1], [1, 3, 0]], device=device)
    dropouts = [
        *(("Dropout", row), ("AlphaDropout", row), ("Dropout1d", rand(2, 4, 6)), ("Dropout2d", image)),
        *(("Dropout3d", volume), ("FeatureAlphaDropout", image), ("RReLU", row)),
    ]
    return [
        *_recurrent(rand),
        *_attentions(rand),
        *((name, {}, {"input": x}) for name, x in dropouts),
        ("Identity", {}, {"input": row}),
        ("Flatten", {}, {"input": image}),
        ("Unflatten", {"dim": 1, "unflattened_size": (2, 3)}, {"input": row}),
        ("Hardsigmoid", {}, {"input": row}),
        ("PixelShuffle", {"upscale_factor": 2}, {"input": image}),
        ("PixelUnshuffle", {"downscale_factor": 2}, {"input": image}),
        ("ChannelShuffle", {"groups": 2}, {"input": image}),
        *(
            ("Upsample", {"scale_factor": 2, "mode": mode}, {"input": image})
            for mode in ("nearest", "bilinear", "bicubic")
        ),
        ("UpsamplingNearest2d", {"scale_factor": 2}, {"input": image}),
        ("UpsamplingBilinear2d", {"scale_factor": 2}, {"input": image}),
        ("Fold", {"output_size": (4, 4), "kernel_size": 2}, {"input": rand(1, 8, 9)}),
        ("Unfold", {"kernel_size": 2}, {"input": image}),
        ("CosineSimilarity", {}, {"x1": row, "x2": rand(4, 6)}),
        ("PairwiseDistance", {}, {"x1": row, "x2": rand(4, 6)}),
        ("TripletMarginLoss", {}, {"anchor": row, "positive": rand(4, 6), "negative": rand(4, 6)}),
        ("TripletMarginWithDistanceLoss", {}, {"anchor": row, "positive": rand(4, 6), "negative": rand(4, 6)}),
        ("CrossMapLRN2d", {"size": 2}, {"input": image}),
        *(
            ("EmbeddingBag", {"num_embeddings": 5, "embedding_dim": 3, "mode": mode}, {"input": words})
            for mode in ("mean", "sum", "max")
        ),
        ("LazyLinear", {"out_features": 3}, {"input": row}),
        ("LazyBatchNorm1d", {}, {"input": row}),
        ("LazyBatchNorm2d", {}, {"input": image}),
        ("LazyBatchNorm3d", {}, {"input": volume}),
        ("LazyInstanceNorm2d", {}, {"input": image}),
        ("FractionalMaxPool2d", {"kernel_size": 2, "output_size": 2}, {"input": image}),
        ("FractionalMaxPool3d", {"kernel_size": 2, "output_size": 2}, {"input": volume}),
        ("MaxUnpool2d", {"kernel_size": 2}, _pooled(image)),
        (
            "TransformerDecoder",
            {"decoder_layer": torch.nn.TransformerDecoderLayer(4, 2, 8, device=device), "num_layers": 1},
            {"tgt": rand(3, 2, 4), "memory": rand(3, 2, 4)},
        ),
        (
            "AdaptiveLogSoftmaxWithLoss",
            {"in_features": 6, "n_classes": 8, "cutoffs": [3, 5]},
            {"input_": row, "target_": torch.tensor([0, 3, 5, 7], device=device)},
        ),
    ]


def _pooled(image: torch.Tensor) -> dict[str, torch.Tensor]:
    values, indices = torch.nn.functional.max_pool2d(image, 2, return_indices=True)
    return {"input": values, "indices": indices}


def _recurrent(rand: Callable[..., torch.Tensor]) -> Iterator[Written]:
    for name in ("RNN", "GRU", "LSTM"):
        for options in ({}, {"batch_first": True}, {"bidirectional": True}, {"num_layers": 2, "dropout": 0.5}):
            constructor = {"input_size": 6, "hidden_size": 5, **options}
            layers = (2 if "bidirectional" in options else 1) * (2 if "num_layers" in options else 1)
            state = rand(layers, 4 if "batch_first" not in options else 3, 5)
            yield name, constructor, {"input": rand(3, 4, 6)}
            yield name, constructor, {"input": rand(3, 4, 6), "hx": (state, state.clone()) if name == "LSTM" else state}


def _attentions(rand: Callable[..., torch.Tensor]) -> Iterator[Written]:
    """Yield attentions that return a weight for each head: these are the very tensor that their product saves."""
    for options in ({}, {"bias": False}, {"kdim": 6, "vdim": 3}, {"add_bias_kv": True}):
        widths = (4, options.get("kdim", 4), options.get("vdim", 4))
        inputs = {name: rand(3, 1, width) for name, width in zip(("query", "key", "value"), widths, strict=True)}
        constructor = {"embed_dim": 4, "num_heads": 2, **options}
        yield "MultiheadAttention", constructor, {**inputs, "average_attn_weights": False}

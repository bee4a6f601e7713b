"""Sample arguments written by hand, where `op_db` has none or too few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch.nn.utils.rnn import pack_sequence

Written = Mapping[str, Sequence[dict[str, Any]]]


def of(name: str, device: str) -> Iterator[dict[str, Any]]:
    """Yield the arguments, by parameter, of each hand-written sample of a callable."""
    torch.manual_seed(0)
    for written in (_indexing, _conversions, _functions, _utilities, _initializers):
        yield from written(device).get(name, ())


@lru_cache
def _indexing(device: str) -> Written:
    x = torch.rand(4, 3, device=device) + 0.5
    mask, index = x > 0.9, torch.tensor([0, 2], device=device)
    basic: list[Any] = [0, slice(1, 3), None, ..., (0, 1), (slice(None), 0), (..., None)]
    advanced: list[Any] = [
        mask,
        index,
        [0, 2],
        True,
        (index, slice(None)),
        (slice(None), index),
        (index, index),
        (slice(None), [0, 1]),
    ]
    read: list[dict[str, Any]] = [{"self": x, "index": i} for i in (*basic, *advanced)]
    write = [{**r, "value": v} for r in read for v in (1.0, x[r["index"]].detach().clone())]
    return {
        "torch.Tensor.__getitem__": read,
        "torch.Tensor.__setitem__": write,
        "operator.getitem": [{"a": r["self"], "b": r["index"]} for r in read],
        "operator.setitem": [{"a": w["self"], "b": w["index"], "c": w["value"]} for w in write],
    }


@lru_cache
def _conversions(device: str) -> Written:
    x = torch.rand(4, 3, device=device)
    array = np.ones((2, 3), dtype=np.float32)
    sources: list[Any] = [x, [1.0, 2.0], 1, array]
    dtypes = (torch.float32, torch.float64)
    pairs = [{"self": x}, {"self": torch.complex(x, x)}]
    return {
        **{f"torch.Tensor.{name}": pairs for name in ("conj", "conj_physical", "real")},
        **{f"torch.{name}": [{"input": p["self"]} for p in pairs] for name in ("conj", "conj_physical", "real")},
        "torch.Tensor.sum_to_size": [{"self": x, "size": size} for size in ((4, 3), (1, 3))],
        "torch.Tensor.to": [
            *({"self": x, "dtype": dtype} for dtype in dtypes),
            *({"self": x, "device": first} for first in (device, torch.float64, x)),
            *(
                {"self": x, "device": device, "dtype": dtype, "copy": copy}
                for dtype in dtypes
                for copy in (False, True)
            ),
        ],
        "torch.Tensor.type": [{"self": x, "dtype": dtype} for dtype in dtypes],
        "torch.Tensor.type_as": [{"self": x, "other": x.to(dtype)} for dtype in dtypes],
        "torch.Tensor.stride": [{"self": x}],
        "torch.Tensor.numpy": [{"self": x}],
        "torch.Tensor.new_tensor": [{"self": x, "data": data} for data in sources],
        "torch.Tensor.apply_": [{"self": torch.rand(3), "callable": abs}],
        "torch.Tensor.map_": [{"self": torch.zeros(3), "tensor": torch.ones(3), "callable": max}],
        "torch.Tensor.set_": [{"self": x, "source": torch.rand(2, device=device)}],
        "torch.Tensor.resize_": [{"self": x, "size": (2, 2)}, {"self": x, "size": (4, 3)}],
        "torch.Tensor.resize_as_": [{"self": x, "the_template": torch.rand(2, device=device)}],
        "torch.Tensor.copy_": [{"self": x, "src": torch.rand(4, 3, device=device)}],
        "torch.Tensor.__deepcopy__": [{"self": x, "memo": {}}],
        "torch.tensor": [{"data": data} for data in sources],
        "torch.as_tensor": [*({"data": d} for d in sources), *({"data": x, "dtype": dtype} for dtype in dtypes)],
        "torch.asarray": [*({"obj": d} for d in sources), *({"obj": x, "dtype": dtype} for dtype in dtypes)],
        "torch.from_numpy": [{"ndarray": array}],
        "torch.frombuffer": [{"buffer": bytearray(8), "dtype": torch.float32}],
        "torch.from_dlpack": [{"ext_tensor": x}],
    }


@lru_cache
def _functions(device: str) -> Written:
    def rand(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, device=device) + 0.1

    rows, image, pool = rand(2, 3, 8), rand(2, 3, 4, 4), {"norm_type": 2.0, "kernel_size": 2}
    query, key, value = rand(2, 2, 5, 8), rand(2, 2, 5, 8), rand(2, 2, 5, 8)
    attention = {"query": query, "key": key, "value": value}
    words = torch.tensor([[0, 2], [1, 3]], device=device)
    weighted = {"weight": rand(3)}
    tall, square = rand(2, 4, 3), rand(2, 4, 4)
    scores = {"input": rand(4, 3), "target": torch.tensor([0, 2, 1, 1], device=device)}
    norm = {"input": image, "running_mean": rand(3), "running_var": rand(3), "weight": rand(3), "bias": rand(3)}
    return {
        "torch.where": [{"condition": rand(3) > 0.5}],
        **{f"torch.{name}": [{"input": rand(4, 3), "mat2": rand(3, 2)}] for name in ("spmm", "dsmm")},
        "torch.linalg.solve_triangular": [
            {"input": rand(*batch, 3, 3), "B": rand(3, 2), "upper": True} for batch in ((), (2,))
        ],
        "torch.nn.functional.scaled_dot_product_attention": [
            attention,
            {**attention, "is_causal": True},
            {**attention, "scale": 0.5},
            {**attention, "is_causal": True, "scale": 0.5},
            {"query": rand(2, 3, 4, 8), "key": rand(2, 3, 6, 8), "value": rand(2, 3, 6, 8)},
            {**attention, "attn_mask": torch.ones(5, 5, dtype=torch.bool, device=device)},
            {**attention, "attn_mask": rand(5, 5)},
            {**attention, "dropout_p": 0.5},
        ],
        "torch.nn.functional.embedding": [
            {"input": words, "weight": rand(5, 3)},
            {"input": words, "weight": rand(5, 3), "max_norm": 0.1},
            {"input": words, "weight": rand(5, 3), "sparse": True},
        ],
        "torch.nn.functional.batch_norm": [norm, {**norm, "training": True}],
        "torch.batch_norm": [
            {**norm, "training": training, "momentum": 0.1, "eps": 1e-5, "cudnn_enabled": False}
            for training in (True, False)
        ],
        "torch.nn.functional.instance_norm": [norm, {**norm, "use_input_stats": False}],
        "torch.nn.functional.dropout1d": [
            {"input": signal, "p": p, "training": training, "inplace": inplace}
            for signal in (rows, rows[0].clone())
            for p in (0.5, 0.0)
            for training in (True, False)
            for inplace in (False, True)
        ],
        "torch.svd": [{"input": tall}, {"input": tall, "compute_uv": False}],
        "torch.Tensor.svd": [{"self": tall}, {"self": tall, "compute_uv": False}],
        "torch.triangular_solve": [{"input": tall, "A": square}],
        "torch.Tensor.triangular_solve": [{"self": tall, "A": square}],
        "torch.einsum": [
            {"equation": "ij,jk->ik", "operands": (rand(2, 3), rand(3, 4))},
            {"equation": "bij,bjk->bik", "operands": (rand(2, 3, 4), rand(2, 4, 3))},
            {"equation": "bij,jk->bik", "operands": (rand(2, 3, 4), rand(4, 3))},
            {"equation": "bhid,bhjd->bhij", "operands": (rand(2, 2, 3, 4), rand(2, 2, 5, 4))},
            {"equation": "i,j->ij", "operands": (rand(2), rand(3))},
            {"equation": "...ij,...jk", "operands": (rand(2, 3, 4), rand(2, 4, 3))},
        ],
        "torch.nn.functional.cross_entropy": [
            {**scores, **options} for options in ({}, weighted, {"label_smoothing": 0.1})
        ],
        "torch.nn.functional.nll_loss": [{**scores, **options} for options in ({}, weighted)],
        "torch.nn.functional.binary_cross_entropy_with_logits": [
            {"input": rand(4, 3), "target": rand(4, 3), **options}
            for options in ({}, {"weight": rand(3)}, {"pos_weight": rand(3)})
        ],
        "torch.nn.functional.ctc_loss": [
            {
                "log_probs": rand(6, 2, 4).log_softmax(2),
                "targets": torch.tensor([[1, 2, 3], [3, 1, 2]], device=device),
                "input_lengths": torch.tensor([6, 6]),
                "target_lengths": torch.tensor([3, 3]),
            }
        ],
        "torch.nn.functional.lp_pool1d": [{"input": rows, **pool}],
        "torch.nn.functional.lp_pool2d": [{"input": image, **pool}],
        "torch.nn.functional.lp_pool3d": [{"input": rand(2, 3, 4, 4, 4), **pool}],
        "torch.nn.functional.fold": [{"input": rand(1, 8, 9), "output_size": (4, 4), "kernel_size": 2}],
        "torch.nn.functional.affine_grid": [{"theta": rand(2, 2, 3), "size": (2, 3, 4, 4)}],
        "torch.nn.functional.upsample": [{"input": image, "scale_factor": 2}],
        "torch.nn.functional.adaptive_max_pool1d_with_indices": [{"input": rows, "output_size": 2}],
        "torch.nn.functional.adaptive_max_pool2d_with_indices": [{"input": image, "output_size": 2}],
        "torch.nn.functional.max_pool1d_with_indices": [{"input": rows, "kernel_size": 2}],
        "torch.nn.functional.max_pool3d_with_indices": [{"input": rand(2, 3, 4, 4, 4), "kernel_size": 2}],
        "torch.nn.functional.gumbel_softmax": [{"logits": rand(2, 3)}],
        "torch.lstm_cell": [
            {"input": rand(2, 3), "hx": (rand(2, 4), rand(2, 4)), "w_ih": rand(16, 3), "w_hh": rand(16, 4)},
        ],
        "torch.gru_cell": [{"input": rand(2, 3), "hx": rand(2, 4), "w_ih": rand(12, 3), "w_hh": rand(12, 4)}],
        "torch.nn.functional.max_pool2d_with_indices": [{"input": image, "kernel_size": 2}],
        "torch.grid_sampler": [
            {
                "input": image,
                "grid": rand(2, 4, 4, 2),
                "interpolation_mode": 0,
                "padding_mode": 0,
                "align_corners": False,
            }
        ],
        "torch.convolution": [
            {
                "input": image,
                "weight": rand(2, 3, 2, 2),
                "bias": rand(2),
                "stride": (1, 1),
                "padding": (0, 0),
                "dilation": (1, 1),
                "transposed": False,
                "output_padding": (0, 0),
                "groups": 1,
            }
        ],
    }


@lru_cache
def _utilities(device: str) -> Written:
    weight, bias = torch.rand(3, 2, device=device), torch.rand(3, device=device)
    weight.grad, bias.grad = torch.rand(3, 2, device=device), torch.rand(3, device=device)
    clipped = {"parameters": [weight, bias]}
    long, short = torch.rand(4, 3, device=device), torch.rand(2, 3, device=device)
    rows, image = torch.rand(4, 6, device=device), torch.rand(2, 3, 4, device=device)
    normed = [{"module": torch.nn.Linear(3, 2, device=device)}]
    return {
        "torch.nn.utils.spectral_norm": normed,
        "torch.nn.utils.weight_norm": normed,
        "torch.nn.utils.parametrizations.orthogonal": normed,
        "torch.nn.utils.parametrizations.spectral_norm": normed,
        "torch.nn.utils.parametrizations.weight_norm": normed,
        "torch.nn.utils.clip_grad_norm_": [{**clipped, "max_norm": 0.1}, {**clipped, "max_norm": 100.0}],
        "torch.nn.utils.clip_grad_value_": [{**clipped, "clip_value": 0.1}],
        "torch.nn.utils.clip_grads_with_norm_": [
            {**clipped, "max_norm": 0.1, "total_norm": torch.tensor(2.0, device=device)}
        ],
        "torch.nn.utils.get_total_norm": [{"tensors": [long, short]}],
        "torch.nn.utils.parameters_to_vector": [{"parameters": [long, short]}],
        "torch.nn.utils.vector_to_parameters": [
            {"vec": torch.rand(9, device=device), "parameters": [weight.detach(), bias.detach()]}
        ],
        "torch.nn.utils.rnn.pack_sequence": [{"sequences": [long, short]}],
        "torch.nn.utils.rnn.pad_sequence": [{"sequences": [long, short]}],
        "torch.nn.utils.rnn.pack_padded_sequence": [{"input": torch.rand(4, 2, 3, device=device), "lengths": [4, 2]}],
        "torch.nn.utils.rnn.pad_packed_sequence": [{"sequence": pack_sequence([long, short])}],
        "torch.nn.utils.rnn.unpack_sequence": [{"packed_sequences": pack_sequence([long, short])}],
        "torch.nn.utils.rnn.unpad_sequence": [
            {"padded_sequences": torch.rand(4, 2, 3, device=device), "lengths": torch.tensor([4, 2])}
        ],
        "einops.rearrange": [
            {"tensor": rows, "pattern": p} for p in ("a b -> b a", "a b -> (a b)", "a b -> a b", "a b -> a 1 b")
        ]
        + [{"tensor": image, "pattern": "a b c -> a (c b)"}, {"tensor": [rows, rows], "pattern": "n a b -> a n b"}],
        "einops.repeat": [{"tensor": rows, "pattern": "a b -> (2 a) b"}],
        "einops.reduce": [
            {"tensor": rows, "pattern": "a b -> a", "reduction": how} for how in ("mean", "sum", "max", "min", "prod")
        ],
        "einops.einsum": [{"tensors_and_pattern": (rows, rows, "a b, c b -> a c")}],
        "einops.pack": [{"tensors": [rows, rows], "pattern": "* b"}],
        "einops.unpack": [{"tensor": rows, "packed_shapes": [[2], [2]], "pattern": "* b"}],
        "einops.asnumpy": [{"tensor": rows}],
    }


@lru_cache
def _initializers(device: str) -> Written:
    weight, kernel = torch.rand(4, 3, device=device), torch.rand(4, 3, 2, device=device)
    return {
        "torch.nn.init.constant_": [{"tensor": weight, "val": 0.5}],
        "torch.nn.init.sparse_": [{"tensor": weight, "sparsity": 0.5}],
        "torch.nn.init.dirac_": [{"tensor": kernel}],
        "torch.nn.init.dirac": [{"tensor": kernel}],
        "torch.nn.init.constant": [{"tensor": weight, "val": 0.5}],
        "torch.nn.init.sparse": [{"tensor": weight, "sparsity": 0.5}],
    }

"""Inferred shapes and dtypes, held against what PyTorch gives for the samples of its own test suite."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import islice
from typing import Any

import pytest
import torch
from gradguard.analyses.shapes import UNKNOWN, TensorType, find, infer_call
from torch.testing._internal.common_methods_invocations import op_db

torch.set_num_threads(1)

DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.bfloat16)
SAMPLES = 12


def described(value: Any) -> Any:
    """A real value as the analysis would know it."""
    if isinstance(value, torch.Tensor):
        return TensorType(tuple(value.shape), str(value.dtype).removeprefix("torch."))
    if isinstance(value, (torch.dtype, torch.device)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(described, value)) if type(value) in (list, tuple) else [described(v) for v in value]
    if isinstance(value, (int, float, complex, str, slice, type(None), type(...))):
        return value
    return UNKNOWN


def listed(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [item for item in value if isinstance(item, torch.Tensor)] if isinstance(value, (list, tuple)) else []


def verdict(answer: Any, real: Any) -> str:
    """`exact`, `partly`, `unknown`, or what is wrong."""
    if answer is None:
        return "unknown"
    answers = answer if isinstance(answer, list) else [answer]
    tensors = listed(real)
    if len(answers) != len(tensors):
        return f"{len(answers)} results for {len(tensors)}"
    whole = True
    for ours, tensor in zip(answers, tensors, strict=True):
        theirs = described(tensor)
        if ours.dtype not in (None, theirs.dtype):
            return f"{ours.dtype} for {theirs.dtype}"
        if ours.shape is not None and (
            len(ours.shape) != len(theirs.shape)
            or any(a not in (None, b) for a, b in zip(ours.shape, theirs.shape, strict=True))
        ):
            return f"{ours.shape} for {theirs.shape}"
        whole = whole and ours == theirs
    return "exact" if whole else "partly"


def calls(info: Any) -> Any:
    """Samples of an operation that run, with what they give."""
    for dtype in DTYPES:
        if dtype not in info.supported_dtypes("cpu"):
            continue
        for sample in islice(info.sample_inputs("cpu", dtype), SAMPLES):
            args = [sample.input, *sample.args]
            try:
                yield args, sample.kwargs, info.op(*args, **sample.kwargs)
            except (RuntimeError, IndexError, TypeError, ValueError):
                continue


def name_of(info: Any) -> str:
    return f"torch.{METHODS.get(info.name, info.name)}"


METHODS = {"unfold": "Tensor.unfold"}
SWAPPED = {"einsum", "polygamma", "special.polygamma", "nn.functional.embedding", "nn.functional.embedding_bag"}
"""the test suite gives the first two arguments the other way round"""


def as_called(info: Any, args: list[Any]) -> list[Any]:
    if info.name not in SWAPPED:
        return args
    first, second, *rest = args
    return [second, *first, *rest] if info.name == "einsum" else [second, first, *rest]


KNOWN = [info for info in op_db if find(name_of(info)) and info.variant_test_name != "singular"]


@pytest.mark.parametrize("info", KNOWN, ids=lambda info: f"{info.name}.{info.variant_test_name}".strip("."))
def test_samples_of_pytorch(info: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for args, keywords, real in calls(info):
            ours = described(as_called(info, args)), {name: described(value) for name, value in keywords.items()}
            answer = infer_call(name_of(info), *ours)
            assert verdict(answer, real) in ("exact", "partly", "unknown"), (ours, answer)

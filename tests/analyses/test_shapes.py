"""Inferred shapes and dtypes, held against what PyTorch gives for the samples of its own test suite."""

from __future__ import annotations

import inspect
import random
import warnings
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
import torch
from gradguard.analyses.autograd.geometry import Geometry
from gradguard.analyses.shapes import (
    UNKNOWN,
    TensorType,
    find,
    infer,
    infer_call,
    module_output,
    module_parameters,
    view_of,
)
from gradguard.analyses.shapes.call import bind
from gradguard.analyses.shapes.views import RULES
from gradguard.facts.model import Op
from gradguard.facts.releases import BASE
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db

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


def calls(info: Any, dtypes: tuple[torch.dtype, ...] = DTYPES, most: int = SAMPLES) -> Any:
    """Samples of an operation that run, with what they give.

    They come from the function behind `info.sample_inputs`, which would inspect the stack for each.
    """
    torch.default_generator.manual_seed(0)
    for dtype in dtypes:
        if dtype not in info.supported_dtypes("cpu"):
            continue
        for sample in islice(info.sample_inputs_func(info, "cpu", dtype, False), most):
            args = [sample.input, *sample.args]
            try:
                yield args, sample.kwargs, info.op(*args, **sample.kwargs)
            except (RuntimeError, IndexError, TypeError, ValueError):
                continue


def name_of(info: Any) -> str:
    return f"torch.{METHODS.get(info.name, info.name)}"


METHODS = {"unfold": "Tensor.unfold", "where": "Tensor.where"}
SWAPPED = {"einsum", "polygamma", "special.polygamma", "nn.functional.embedding", "nn.functional.embedding_bag"}
"""the test suite gives the first two arguments the other way round"""


def as_called(info: Any, args: list[Any]) -> list[Any]:
    if info.name not in SWAPPED:
        return args
    first, second, *rest = args
    return [second, *first, *rest] if info.name == "einsum" else [second, first, *rest]


KNOWN = [info for info in op_db if find(name_of(info)) and info.variant_test_name != "singular"]


def test_most_operations_are_known() -> None:
    assert len(KNOWN) >= 620


@pytest.mark.parametrize("info", KNOWN, ids=lambda info: f"{info.name}.{info.variant_test_name}".strip("."))
def test_samples_of_pytorch(info: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for args, keywords, real in calls(info):
            ours = described(as_called(info, args)), {name: described(value) for name, value in keywords.items()}
            answer = infer_call(name_of(info), *ours)
            assert verdict(answer, real) in ("exact", "partly", "unknown"), (ours, answer)


def bound_by_facts(fact: Op, args: list[Any], keywords: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments as the replay binds them; None where the signature doesn't take them."""
    params = [param for param in fact.params if not param.keyword_only]
    bound = {}
    for position, param in enumerate(params):
        if param.variadic:
            rest = args[position:]
            alone = len(rest) == 1 and isinstance(rest[0], (list, tuple))
            return bound | ({param.name: rest[0] if alone else tuple(rest)} if rest else {}) | keywords
        if position < len(args):
            bound[param.name] = args[position]
    known = {param.name for param in fact.params}
    return bound | keywords if len(args) <= len(params) and known >= keywords.keys() else None


MEASURED = [
    (info, fact)
    for info in KNOWN
    for name in sorted({name_of(info), f"torch.Tensor.{info.name}"})
    for fact in [BASE.table.find(name)]
    if isinstance(fact, Op) and info.name not in SWAPPED
]


@pytest.mark.parametrize(
    ("info", "fact"), MEASURED, ids=[f"{fact.name}.{info.variant_test_name}".strip(".") for info, fact in MEASURED]
)
def test_parameters_are_named_as_in_the_facts(info: Any, fact: Op) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for args, keywords, real in calls(info, (torch.float32,), 6):
            named = {name: described(value) for name, value in keywords.items()}
            positional = described(args)
            bound = bound_by_facts(fact, positional, named)
            if bound is not None:
                answer = infer(fact.name, bound)
                expected = verdict(infer_call(name_of(info), positional, named), real)
                assert verdict(answer, real) == expected, (bound, answer)


def hidden(value: Any, chance: random.Random) -> Any:
    """The same argument, less well known; sizes of 0 stay, because an unknown size is taken for none."""
    if isinstance(value, TensorType) and value.shape is not None and chance.random() < 0.95:
        shape = tuple(None if size and chance.random() < 0.3 else size for size in value.shape)
        dtype = None if chance.random() < 0.1 else value.dtype
        return TensorType(None if 0 not in shape and chance.random() < 0.1 else shape, dtype)
    if isinstance(value, (list, tuple)) and chance.random() < 0.9:
        return type(value)(hidden(item, chance) for item in value)
    return UNKNOWN if chance.random() < 0.1 else value


@pytest.mark.parametrize("info", KNOWN, ids=lambda info: f"{info.name}.{info.variant_test_name}".strip("."))
def test_what_is_said_of_less_known_samples_is_true(info: Any) -> None:
    if info.name == "chunk":
        pytest.skip("the pieces of an unknown size are taken to be as many as asked for")
    chance = random.Random(info.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for args, keywords, real in calls(info, (torch.float32, torch.int64), 8):
            ours = described(as_called(info, args)), {name: described(value) for name, value in keywords.items()}
            for _ in range(3):
                less = hidden(ours[0], chance), {name: hidden(value, chance) for name, value in ours[1].items()}
                if isinstance(less[0], list):
                    answer = infer_call(name_of(info), *less)
                    assert verdict(answer, real) in ("exact", "partly", "unknown"), (less, answer)


VIEWING = [info for info in KNOWN if (name_of(info).split(".", 1)[1] in RULES or info.name in RULES)]


@pytest.mark.parametrize("info", VIEWING, ids=lambda info: info.name)
def test_geometry_of_views(info: Any) -> None:
    for args, keywords, real in calls(info, (torch.float32, torch.complex64)):
        if not isinstance(args[0], torch.Tensor) or info.name.endswith("_copy"):
            continue
        ours = described(args), {name: described(value) for name, value in keywords.items()}
        made = view_of(name_of(info), geometry(args[0]), bind(find(name_of(info)), *ours))
        pieces = made if isinstance(made, list) else [made]
        assert made is None or len(pieces) == len(listed(real))
        for piece, tensor in zip(pieces, listed(real), strict=False):
            shared = tensor.untyped_storage().data_ptr() == args[0].untyped_storage().data_ptr()
            assert piece is None or piece.shape == tuple(tensor.shape)
            if shared and piece is not None and info.name not in ("contiguous", "clone"):
                exact = geometry(tensor)
                assert piece in (exact, replace(exact, offset=None)), (ours, piece)


def geometry(tensor: torch.Tensor) -> Geometry:
    return Geometry(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())


# -- indexing and promotion, by chance ------------------------------------------------------------


sizes = st.integers(1, 4)
indices = st.one_of(
    st.none(),
    st.just(...),
    st.booleans(),
    st.integers(-2, 1),
    st.builds(slice, st.none() | st.integers(-3, 3), st.none() | st.integers(-3, 3)),
    st.lists(st.integers(0, 0), min_size=1, max_size=3),
    st.sampled_from([(), (1,), (2,), (1, 3), (2, 1)]).map(lambda shape: torch.zeros(shape, dtype=torch.int64)),
    st.sampled_from([(2,), (3,), (2, 3)]).map(lambda shape: torch.ones(shape, dtype=torch.bool)),
)


@settings(max_examples=250, deadline=None)
@given(st.lists(st.integers(2, 3), max_size=4), st.lists(indices, max_size=4).map(tuple), st.booleans())
def test_indices(shape: list[int], index: tuple[Any, ...], alone: bool) -> None:
    key = index[0] if alone and len(index) == 1 else index
    tensor = torch.zeros(shape)
    answer = infer("__getitem__", {"self": described(tensor), "index": described(key)})
    try:
        real = tensor[key]
    except (IndexError, RuntimeError, TypeError):
        return
    assert isinstance(answer, TensorType)
    rare = sum(item is ... for item in index) > 1
    if rare or any(isinstance(item, bool) or getattr(item, "dtype", None) is torch.bool for item in index):
        assert verdict(answer, real) in ("exact", "partly"), answer
    else:
        assert verdict(answer, real) == "exact", answer


NUMBERS = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
operands = st.one_of(
    st.sampled_from([True, 2, 2.5, 1j]),
    st.tuples(
        st.sampled_from([(), (2,)]),
        st.sampled_from(NUMBERS.split()),
    ).map(lambda pair: torch.zeros(pair[0], dtype=getattr(torch, pair[1]))),
)


@settings(max_examples=400, deadline=None)
@given(operands, operands, st.sampled_from([torch.float32, torch.float64, torch.bfloat16]))
def test_promotion(first: Any, second: Any, default: torch.dtype) -> None:
    usual = torch.get_default_dtype()
    torch.set_default_dtype(default)
    try:
        real = str(torch.result_type(first, second)).removeprefix("torch.")
    finally:
        torch.set_default_dtype(usual)
    if any(isinstance(operand, torch.Tensor) for operand in (first, second)):
        answer = infer("mul", {"self": described(first), "other": described(second)}, described(default)[6:])
        assert isinstance(answer, TensorType)
        assert answer.dtype == real


# -- modules --------------------------------------------------------------------------------------


RECURRENT = ("input_size", "hidden_size", "num_layers")


def constructor(info: Any, sample: Any) -> dict[str, Any]:
    given = sample.constructor_input
    if issubclass(info.module_cls, torch.nn.RNNBase):
        bound = dict(zip(RECURRENT, given.args, strict=False)) | given.kwargs
    else:
        bound = inspect.signature(info.module_cls).bind(*given.args, **given.kwargs).arguments
        bound |= bound.pop("kwargs", {})
    return {name: described(value) for name, value in bound.items()}


def flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, (list, tuple)) else [value]


def module_samples(info: Any) -> Any:
    for dtype in (torch.float32, torch.float64):
        for training in (True, False) if info.train_and_eval_differ else (True,):
            samples = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=False, training=training)
            for sample in islice(samples, 24):
                given = sample.constructor_input
                module = info.module_cls(*given.args, **given.kwargs).to(dtype).train(training)
                call = sample.forward_input
                try:
                    yield sample, module, module(*call.args, **call.kwargs)
                except (RuntimeError, ValueError, AttributeError):
                    continue


def judged(answer: Any, real: Any) -> str:
    ours, theirs = flat(answer), flat(real)
    if answer is None or len(ours) != len(theirs):
        return "unknown" if answer is None else f"{len(ours)} results for {len(theirs)}"
    verdicts = {
        verdict(a, b) if isinstance(b, torch.Tensor) else ("exact" if a is b else f"{a} for {b}")
        for a, b in zip(ours, theirs, strict=True)
    }
    return min(verdicts - {"exact"}, default="exact")


@pytest.mark.parametrize("info", module_db, ids=lambda info: info.name)
def test_modules_of_pytorch(info: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample, module, real in module_samples(info):
            ctor, call = constructor(info, sample), sample.forward_input
            inputs = [described(value) for value in call.args]
            keywords = {name: described(value) for name, value in call.kwargs.items()}
            theirs = {name: described(tensor) for name, tensor in module.state_dict(keep_vars=True).items()}
            answer = module_output(info.name, ctor, inputs, keywords, own=theirs)
            assert judged(answer, real) in ("exact", "partly", "unknown"), (ctor, inputs, answer)


HIDDEN = ("nn.TransformerEncoder",)
"""modules whose tensors are those of an argument"""


@pytest.mark.parametrize("info", module_db, ids=lambda info: info.name)
def test_tensors_of_modules(info: Any) -> None:
    for sample, module, _ in module_samples(info):
        held = module_parameters(info.name, constructor(info, sample))
        theirs = {name: tuple(tensor.shape) for name, tensor in module.state_dict(keep_vars=True).items()}
        theirs.pop("_random_samples", None)
        if info.name.startswith("nn.Lazy"):
            assert held is not None
            assert set(held) == set(theirs)
        elif info.name not in HIDDEN:
            assert held is not None
            assert {name: type_.shape for name, type_ in held.items()} == theirs

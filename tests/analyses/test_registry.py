"""The names under which models of libraries are registered: each is given once, and means something in that library."""

from __future__ import annotations

import builtins
import collections.abc
import importlib
import types
from functools import cache, reduce
from typing import Any

import pytest
from gradguard.analyses import replay
from gradguard.analyses.domain import registry
from gradguard.analyses.domain.values import Unknown
from gradguard.analyses.libraries import load_models
from gradguard.syntax.chunks import parse

from .replaying import Alone, replayed

load_models()

OURS: dict[str, Any] = {"iterator": collections.abc.Iterator, "generator": types.GeneratorType}
"""Names that the replay gives to types of Python that have none in any module."""

BY_FUNCTION = (
    "torch.autograd.graph.allow_mutation_on_saved_tensors",
    "torch.autograd.graph.disable_saved_tensors_hooks",
)
"""Functions that make context managers, of which the replay makes classes."""

EXCEPT = {
    **dict.fromkeys(("dict.most_common", "dict.move_to_end", "dict.subtract"), "of dicts in collections"),
    **dict.fromkeys(("tuple._asdict", "tuple._replace"), "of named tuples"),
    "tuple.numel": "of torch.Size",
    "iterator.close": "of generators and files",
    **dict.fromkeys(
        (f"{name}.{method}" for name in BY_FUNCTION for method in ("__enter__", "__exit__")), "of what it returns"
    ),
    "itertools.batched": "since Python 3.12",
    "numpy.ndarray.itemset": "until NumPy 1",
    "object.__getattr__": "of classes that define it",
    **dict.fromkeys(("Scalar", "Tensor", "default", "dim", "int", "out"), "overloads of an operator"),
    **dict.fromkeys(
        ("_buffers", "_forward_pre_hooks", "_modules", "_parameters"), "set by the constructor of torch.nn.Module"
    ),
    **dict.fromkeys(("reset_parameters", "reset_running_stats"), "of the modules that have parameters"),
    "torch.autograd.function.FunctionCtx.saved_tensors": "of the context in C++",
    "?": "an unknown base",
}
"""Names that mean something where Python's `getattr` can't see it, and why."""

GENERATORS = ("numpy.random.Generator.", "numpy.random.RandomState.")
"""Both are given the functions of `numpy.random`, of which each has most."""

NOT_INSTALLED = ("alive_progress", "gradguard.", "tqdm")
"""What the tests don't import, and what models of libraries alone can."""


def registered() -> set[str]:
    return {
        *registry.FUNCTIONS,
        *registry.BASES,
        *registry.MODES,
        *registry.ITERATORS,
        *registry.STREAMS,
        *registry.LENGTHS,
        *(f"{cls}.{name}" for cls, name in (*registry.METHODS, *registry.PROPERTIES)),
    }


@cache
def module(name: str) -> types.ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def meaning(name: str) -> Any:
    """What a dotted name means; raises AttributeError where it means nothing."""
    parts = name.split(".")
    if parts[0] in OURS:
        return reduce(getattr, parts[1:], OURS[parts[0]])
    for end in range(len(parts), 0, -1):
        found = module(".".join(parts[:end]))
        if found is not None:
            return reduce(getattr, parts[end:], found)
    return reduce(getattr, parts, builtins)


@pytest.mark.filterwarnings("ignore")
def test_every_registered_name_means_something() -> None:
    missing = []
    for name in sorted(registered()):
        if name in EXCEPT or name.rpartition(".")[2] in EXCEPT or name.startswith((*GENERATORS, *NOT_INSTALLED)):
            continue
        try:
            meaning(name)
        except AttributeError:
            missing.append(name)
    assert missing == []


def test_a_name_that_means_nothing_is_seen() -> None:
    for name in ("torch.nn.NoSuchModule", "torch.Tensor.no_such_method", "no_such_function", "torch.nosuch.f"):
        with pytest.raises(AttributeError):
            meaning(name)


def test_a_name_is_registered_once() -> None:
    table: registry.Register[str, int] = registry.Register()
    table["torch.f"] = 1
    with pytest.raises(ValueError, match=r"torch\.f"):
        table["torch.f"] = 2
    assert table == {"torch.f": 1}


@pytest.mark.parametrize(
    "call",
    [
        "itertools.islice()",
        "slice()",
        "itertools.chain.from_iterable()",  # asks among its arguments
        "operator.itemgetter(0)()",  # in a function of its own
        "futures.ThreadPoolExecutor().submit()",  # in what it calls
    ],
)
def test_a_call_with_too_few_arguments_is_refused_wherever_the_model_asks(call: str) -> None:
    text = f"import itertools, operator\nfrom concurrent import futures\nx = {call}\n"
    assert replay([parse(text, "main.py")], Alone()).errors == ["a call with too few arguments"]
    assert isinstance(replayed(text).names["x"], Unknown)


@pytest.mark.parametrize("first", ["3", "[]", "int", "Other()", "unknown(1)"])
def test_a_method_that_is_called_by_its_class_takes_whatever_comes(first: str) -> None:
    methods = sorted(registry.METHODS)
    libraries = sorted({cls.partition(".")[0] for cls, _ in methods if "." in cls})
    calls = (f"def f{i}():\n    {cls}.{name}({first}, {first}, {first})\n" for i, (cls, name) in enumerate(methods))
    start = f"import {', '.join(libraries)}\nfrom somewhere import unknown\nclass Other: pass\n"
    assert len(methods) > 400
    assert replay([parse(start + "".join(calls), "main.py")], Alone()).problems == []

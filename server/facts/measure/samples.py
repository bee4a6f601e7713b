"""Samples of a callable's arguments: PyTorch's own (`op_db`), those written by hand, or guesses from its schema.

A sample has the arguments by the names of the parameters: plain values, and tensors that don't require grad.
"""

from __future__ import annotations

import contextlib
import inspect
import random
import sys
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from unittest import mock

import torch
from torch.testing._internal.common_methods_invocations import op_db

from ..model import REQUIRED, Param
from . import extras
from .signatures import overloads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .catalogue import Entry

Arguments = dict[str, Any]

TENSORS = frozenset({"self", "input", "tensor", "other", "target", "tensors", "parameters", "A"})
"""names of parameters that take a tensor"""

NUMERIC = frozenset({"p", "n", "dropout_p", "ord", "exponent", "beta", "alpha", "value", "dropout", "other", "lambd"})
"""parameters whose number may select another formula; the numbers of others are sizes and positions"""

RANKS = {"torch.nn.functional.scaled_dot_product_attention": 4}
"""the usual rank of tensors for callables that do something else with others: attention without heads isn't fused"""

OPERATOR_INFOS = {
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "invert": "bitwise_not",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "pos": "positive",
    "mod": "remainder",
    "truediv": "div",
    "floordiv": "floor_divide",
    "rtruediv": "__rdiv__",
    "rfloordiv": "floor_divide",
    **{name: name for name in ("add", "sub", "mul", "pow", "matmul")},
}
"""the names of the OpInfos for Python's operators, by their names without the `i` for in-place"""

DTYPES = (torch.float32, torch.complex64, torch.int64, torch.bool)


@lru_cache
def by_name() -> Mapping[str, Sequence[Any]]:
    """Return the OpInfos by name and alias, and by the last part of each, with a dot before it."""
    found: dict[str, list[Any]] = defaultdict(list)
    for info in op_db:
        for name in (info.name, *(alias.name for alias in info.aliases)):
            for key in dict.fromkeys((name, "." + name.rpartition(".")[2])):
                found[key].append(info)
    return found


def full_name(info: Any) -> str:
    """Return the unique name of an OpInfo: its own and that of its variant. Older releases have no attribute for it."""
    return ".".join(filter(None, (info.name, info.variant_test_name)))


def infos(entry: Entry) -> Sequence[Any]:
    """Return the OpInfos whose samples fit the callable."""
    home, _, last = entry.name.rpartition(".")
    name = entry.basename
    if home == "operator" or last.startswith("__"):
        name = OPERATOR_INFOS.get(name.removeprefix("i"), OPERATOR_INFOS.get(name, name))
    names = by_name()
    keys = (f"{home.removeprefix('torch.')}.{name}", last, name, f"__{name}__", f"_{name}", f".{name}")
    return next((names[key] for key in keys if key in names), ())


def of_entry(entry: Entry, device: str, limit: int) -> Iterator[tuple[str, Arguments]]:
    """Yield samples of the callable, each with its source: `extra`, or the OpInfo's full name."""
    for arguments in extras.of(entry.name, device):
        yield "extra", arguments
    for info in infos(entry):
        for arguments in of_info(info, entry, device, limit):
            yield full_name(info), arguments


def of_info(info: Any, entry: Entry, device: str, limit: int) -> Iterator[Arguments]:
    """Yield samples of an OpInfo without empty tensors: at most `limit`, which differ in more than sizes."""
    supported = info.supported_dtypes(torch.device(device).type)
    dtype = next((d for d in DTYPES if d in supported), None)
    if dtype is None:
        return
    torch.manual_seed(0)
    random.seed(0)
    seen: set[object] = set()
    # not `info.sample_inputs`, which inspects the stack for each sample
    for sample in info.sample_inputs_func(info, device, dtype, False):
        args, kwargs = _as_called(info, entry, (sample.input, *sample.args), sample.kwargs)
        bound = bind(entry.params, args, kwargs)
        if bound is None or not _is_usual(entry, bound) or situation(bound) in seen:
            continue
        seen.add(situation(bound))
        yield bound
        if len(seen) == limit:
            return


def _as_called(info: Any, entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Return the arguments that reach the callable: some OpInfos wrap it, and pass them on in another order."""
    home, _, name = entry.name.rpartition(".")
    module = sys.modules.get(home)
    if module is None or info.op is entry.call or not inspect.isfunction(info.op):
        return args, kwargs
    with mock.patch.object(module, name, wraps=entry.call) as recorder, contextlib.suppress(Exception):
        info.op(*args, **kwargs)
    return recorder.call_args if recorder.call_args is not None else (args, kwargs)


def situation(value: object) -> object:
    """Return a key that is equal for arguments that differ only in sizes and contents."""
    if isinstance(value, torch.Tensor):
        return value.dtype, value.ndim, value.layout == torch.strided and value.is_contiguous()
    if isinstance(value, dict):
        return tuple((key, _telling(key, item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return type(value).__name__, tuple(map(situation, value))
    return value if isinstance(value, (bool, str, torch.dtype)) else type(value).__name__


def _telling(name: str, value: object) -> object:
    return value if name in NUMERIC and isinstance(value, (int, float)) else situation(value)


def bind(params: Sequence[Param], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments | None:
    """Return the arguments by parameter; None if the parameters don't take them."""
    bound: Arguments = {}
    places = [p for p in params if not p.keyword_only]
    for i, value in enumerate(args):
        if i < len(places) and places[i].variadic and len(args) > i + 1:
            bound[places[i].name] = tuple(args[i:])
            break
        if i >= len(places):
            return None
        bound[places[i].name] = value
    names = {name: p.name for p in params for name in (*p.aliases, p.name)}
    if any(key not in names for key in kwargs):
        return None
    return bound | {names[key]: value for key, value in kwargs.items()}


def call(entry: Entry, arguments: Arguments) -> Any:
    """Make the call and return what it returns. The arguments are passed by position as far as none is missing."""
    args: list[Any] = []
    rest = dict(arguments)
    for p in entry.params:
        if p.keyword_only or p.name not in rest:
            break
        value = rest.pop(p.name)
        if p.variadic and isinstance(value, (tuple, list)):
            args.extend(value)
        else:
            args.append(value)
    return entry.call(*args, **rest)


def guessed(entry: Entry, device: str) -> Iterator[Arguments]:
    """Yield arguments that are guessed from the types in the native schemas, or from the parameters' names."""
    required = [p.name for p in entry.params if p.default is REQUIRED or p.variadic]
    if set(required) <= TENSORS:
        yield {name: torch.rand(2, 2, device=device) for name in required}
    for function in overloads(entry.name):
        arguments = function.func.arguments
        needed = [a for a in arguments.flat_all if a.default is None]
        values = {
            ("input" if a.name == "self" and entry.params[0].name != "self" else a.name): str(a.type) for a in needed
        }
        names = {name: p.name for p in entry.params for name in (*p.aliases, p.name)}
        names.setdefault("self", "input")
        for integral in (False, True):
            yield {names[n]: _value(t, device, integral=integral) for n, t in values.items() if n in names}


def _value(kind: str, device: str, *, integral: bool) -> Any:
    tensor = torch.ones(2, 2, dtype=torch.int64, device=device) if integral else torch.rand(2, 2, device=device)
    plain = {"Scalar": 1, "int": 1, "SymInt": 1, "float": 0.5, "bool": True, "str": "mean", "ScalarType": torch.float32}
    if kind.startswith("Tensor"):
        return [tensor, tensor.clone()] if "[" in kind else tensor
    if "[" in kind:
        return (1, 1)
    return plain.get(kind.rstrip("?"))


def _is_usual(entry: Entry, arguments: Arguments) -> bool:
    """Whether no tensor is empty, and the first has the rank that users pass."""
    given = [t for value in arguments.values() for t in tensors(value)]
    rank = RANKS.get(entry.name)
    return all(t.numel() > 0 for t in given) and (rank is None or given[0].ndim == rank)


def tensors(value: object) -> list[torch.Tensor]:
    """Return the tensors in the value, however nested."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors(item)]
    return []

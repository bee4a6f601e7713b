"""Sample arguments for a callable: PyTorch's own (`op_db`), written by hand, or guessed from its schema.

Sample arguments are a dictionary by parameter name, of plain values and detached tensors.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from ..model import REQUIRED, Param
from . import extras
from .catalogue import Entry
from .signatures import overloads

Arguments = dict[str, Any]

DTYPES = (torch.float32, torch.complex64, torch.int64, torch.bool)


@lru_cache
def by_name() -> Mapping[str, Sequence[Any]]:
    """Return the OpInfos by full name, by last part of the name, and by the names of their aliases."""
    found: dict[str, list[Any]] = defaultdict(list)
    for info in op_db:
        for name in (info.name, *(alias.name for alias in info.aliases)):
            for key in dict.fromkeys((name, "." + name.rpartition(".")[2])):
                found[key].append(info)
    return found


def infos(entry: Entry) -> Sequence[Any]:
    """Return the OpInfos whose samples fit the callable."""
    home = entry.name.removeprefix("torch.").rpartition(".")[0]
    name = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}.get(entry.basename, entry.basename)
    names = by_name()
    return names.get(f"{home}.{name}") or names.get(name) or names.get(f"__{name}__") or names.get(f".{name}") or ()


def of_entry(entry: Entry, device: str, limit: int) -> Iterator[tuple[str, Arguments]]:
    """Yield sample arguments for the callable and where they come from."""
    for arguments in extras.of(entry.name, device):
        yield "extra", arguments
    for info in infos(entry):
        for arguments in of_info(info, entry.params, device, limit):
            yield info.full_name, arguments


def of_info(info: Any, params: Sequence[Param], device: str, limit: int) -> Iterator[Arguments]:
    """Yield at most `limit` of the OpInfo's samples that have elements, bound to the parameters."""
    supported = info.supported_dtypes(torch.device(device).type)
    dtype = next((d for d in DTYPES if d in supported), None)
    if dtype is None:
        return
    torch.manual_seed(0)
    random.seed(0)
    samples = info.sample_inputs(device, dtype, requires_grad=False)
    bound = (bind(params, (s.input, *s.args), s.kwargs) for s in samples)
    yield from itertools.islice((a for a in bound if a is not None and _has_elements(a)), limit)


def bind(params: Sequence[Param], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments | None:
    """Return the arguments by parameter, or None where the parameters don't take them."""
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
    """Call with the arguments, by position as far as there is one for each place."""
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
    """Yield arguments made up from the types in the native schemas."""
    for function in overloads(entry.name):
        arguments = function.func.arguments
        needed = [a for a in arguments.flat_all if a.default is None]
        values = {("input" if a.name == "self" and entry.params[0].name != "self" else a.name): str(a.type) for a in needed}
        names = {name: p.name for p in entry.params for name in (*p.aliases, p.name)}
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


def _has_elements(arguments: Arguments) -> bool:
    return all(t.numel() > 0 for value in arguments.values() for t in tensors(value))


def tensors(value: object) -> list[torch.Tensor]:
    """Return the tensors in the value, however nested."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors(item)]
    return []


def defaults(params: Sequence[Param]) -> Arguments:
    """Return the default of each parameter that has one."""
    return {p.name: p.default for p in params if p.default is not REQUIRED}

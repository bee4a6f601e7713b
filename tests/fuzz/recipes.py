"""The vocabulary: how each measured callable may be called, made of the samples that the table is measured with.

Nothing here is picked by hand: `calls()` covers every function, method and operator of the table that some sample
runs with arguments that a program's text can spell, `modules()` every class of `torch.nn`.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from gradguard.facts.measure import catalogue, samples
from gradguard.facts.measure import modules as measured_modules
from gradguard.facts.model import Op

from ..installed import FACTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SAMPLES = 5
"""samples a callable, at most"""
BIG = 2_000
"""elements of the largest tensor that an argument may be"""
SPELLED = 16
"""elements of the largest tensor whose content is spelled out"""

CRASHING = frozenset({"torch.native_batch_norm"})
"""callables that end the process on some arguments"""

ELSEWHERE = re.compile(r"backward|hook|requires_grad|retain_grad|record_stream|__|seed|cuda|share_memory")
"""methods that the generator has statements of their own for, or that are about processes and devices"""

INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
PREFIX = {"neg": "-", "invert": "~", "pos": "+"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a tensor. `text` is an expression that makes one that fits."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    text: str


Argument = Any
"""a `Slot`, a text to be spelled as it is (`Spelled`), or a tuple or list of them"""


@dataclass(frozen=True, slots=True)
class Spelled:
    """An argument whose text is known."""

    text: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to call something: `template` has a `{}` for each argument."""

    name: str
    template: str
    arguments: tuple[Argument, ...]
    kind: str
    """`inplace`, `view`, or `plain`"""
    flags: tuple[str, ...] = ()
    """arguments that turn a flag over which the sample leaves at its default"""
    accepts_out: bool = False


@dataclass(frozen=True, slots=True)
class ModuleRecipe:
    """One way to make a module of `torch.nn` and to call it."""

    name: str
    construct: str
    arguments: tuple[Argument, ...]
    call: str
    inplace: bool
    """whether it can be told to write its input"""


@cache
def calls() -> dict[str, list[Recipe]]:
    """The recipes of all functions, methods and operators, by name."""
    found: dict[str, list[Recipe]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for entry in catalogue.entries():
            fact = FACTS.table.find(entry.name)
            if isinstance(fact, Op) and fact.measured and entry.name not in CRASHING and _is_called(entry.name):
                found[entry.name] = list(_recipes(entry, _kind(fact), fact.accepts_out))
    return {name: some for name, some in found.items() if some}


@cache
def modules() -> dict[str, list[ModuleRecipe]]:
    """The recipes of the classes of `torch.nn`, by name."""
    found: dict[str, list[ModuleRecipe]] = {}
    for name, known in measured_modules.calls("cpu", 3).items():
        for call in known:
            constructor = {key: _argument(value) for key, value in call.constructor.items()}
            forward = {key: _argument(value) for key, value in call.forward.items()}
            if FACTS.table.find(name) and None not in [*constructor.values(), *forward.values()] and call.training:
                given = ", ".join(f"{key}={_text(value)}" for key, value in constructor.items())
                holes = ", ".join(["{}"] * len(forward))
                inplace = any(p.name == "inplace" for p in measured_modules.constructor_params(call.cls))
                recipe = ModuleRecipe(name, f"{name}({given})", tuple(forward.values()), holes, inplace)
                found.setdefault(name, []).append(recipe)
    return found


def _is_called(name: str) -> bool:
    _home, _, last = name.rpartition(".")
    return last.startswith("__") or not ELSEWHERE.search(last)


def _kind(fact: Op) -> str:
    if any(case.mutates for case in fact.cases):
        return "inplace"
    views = any(r.kind != "new" for case in fact.cases for r in case.results)
    return "view" if views else "plain"


def _recipes(entry: catalogue.Entry, kind: str, accepts_out: bool) -> Iterator[Recipe]:
    template = _operator(entry.name)
    for _, given in samples.of_entry(entry, "cpu", SAMPLES):
        if template is not None:
            arguments = [_argument(value) for value in given.values()]
            if None not in arguments and template.count("{}") == len(arguments):
                yield Recipe(entry.name, template, tuple(arguments), kind)
        elif not entry.name.rpartition(".")[2].startswith("__") and not entry.name.startswith("operator."):
            recipe = _called(entry, given, kind, accepts_out)
            if recipe is not None:
                yield recipe


def _called(entry: catalogue.Entry, given: samples.Arguments, kind: str, accepts_out: bool) -> Recipe | None:
    """A function or a method, called by position as far as that goes and else by keyword."""
    parts: list[tuple[str, Argument]] = []
    rest = dict(given)
    for param in entry.params:
        if param.keyword_only or param.name not in rest:
            break
        value = rest.pop(param.name)
        spread = param.variadic and isinstance(value, (tuple, list))
        parts += [("{}", _argument(item)) for item in (value if spread else [value])]
    parts += [(f"{key}={{}}", _argument(value)) for key, value in rest.items()]
    arguments = tuple(argument for _, argument in parts)
    if None in arguments:
        return None
    flags = tuple(
        f"{p.name}={not p.default}" for p in entry.params if isinstance(p.default, bool) and p.name not in given
    )
    if not entry.name.startswith("torch.Tensor."):
        template = f"{entry.name}({', '.join(hole for hole, _ in parts)})"
        return Recipe(entry.name, template, arguments, kind, flags, accepts_out)
    last = entry.name.rpartition(".")[2]
    if not parts or not isinstance(arguments[0], Slot):
        return None
    if last in catalogue.PROPERTIES:
        return Recipe(entry.name, f"{{}}.{last}", arguments, kind)
    return Recipe(entry.name, f"{{}}.{last}({', '.join(hole for hole, _ in parts[1:])})", arguments, kind, flags)


def _operator(name: str) -> str | None:
    """What Python's syntax for an operator is, by the name of the function or method behind it."""
    home, _, last = name.rpartition(".")
    base = last.strip("_")
    if home != "operator" and not last.startswith("__"):
        return None
    if base in INFIX:
        return f"({{}} {INFIX[base]} {{}})"
    if base in PREFIX:
        return f"({PREFIX[base]}{{}})"
    if base.startswith("i") and base[1:] in INFIX:
        return f"{{}} {INFIX[base[1:]]}= {{}}"
    return {"getitem": "{}[{}]", "setitem": "{}[{}] = {}", "abs": "abs({})"}.get(base)


def _argument(value: object) -> Argument | None:
    """A sample's argument as a recipe has it; None where it can't be spelled."""
    if isinstance(value, torch.Tensor):
        return _slot(value)
    if value is None or isinstance(value, (bool, int, float, complex, str, torch.dtype, torch.memory_format)):
        return Spelled(f'float("{value}")' if isinstance(value, float) and not math.isfinite(value) else repr(value))
    if isinstance(value, (list, tuple)):
        items = [_argument(item) for item in value]
        if None in items:
            return None
        return items if type(value) is list else tuple(items)
    if isinstance(value, slice):
        return Spelled(":".join("" if bound is None else repr(bound) for bound in (value.start, value.stop)))
    return Spelled("...") if value is ... else None


def _slot(tensor: torch.Tensor) -> Slot | None:
    if tensor.layout != torch.strided or tensor.numel() > BIG or tensor.is_quantized:
        return None
    shape = tuple(tensor.shape)
    size = "()" if not shape else ", ".join(map(str, shape))
    if tensor.dtype in (torch.float32, torch.float64):
        kind = "" if tensor.dtype is torch.float32 else ", dtype=torch.float64"
        return Slot(shape, tensor.dtype, f"torch.rand({size}{kind})")
    if tensor.dtype.is_complex:
        return Slot(shape, tensor.dtype, f"torch.randn({size}, dtype={tensor.dtype})")
    if tensor.numel() > SPELLED:
        return None
    kind = "" if tensor.dtype in (torch.int64, torch.bool) else f", dtype={tensor.dtype}"
    return Slot(shape, tensor.dtype, f"torch.tensor({tensor.tolist()}{kind})")


def _text(argument: Argument) -> str:
    """The text of an argument with the tensors spelled out in place."""
    return spell(argument, lambda slot: slot.text)


def spell(argument: Argument, tensor: Any) -> str:
    """The text of an argument, where `tensor` tells an expression for each slot."""
    if isinstance(argument, Slot):
        return str(tensor(argument))
    if isinstance(argument, Spelled):
        return argument.text
    parts: Sequence[str] = [spell(item, tensor) for item in argument]
    if isinstance(argument, list):
        return f"[{', '.join(parts)}]"
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"

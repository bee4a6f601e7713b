"""Facts as JSON and back. What is empty or has its default is left out, and a signature is one readable text:

Op("torch.neg", (Param("input", REQUIRED),), (Case((), frozenset({"input"}), …),), …)
{"params": "input", "cases": [{"flows": ["input"], "results": [{"kind": "new"}], "node": "NegBackward0"}], …}
"""

from __future__ import annotations

import ast
import math
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from .model import REQUIRED, Case, Fact, Grads, ModuleFact, Mutation, Op, OptimizerFact, Param, Result, Save, Test

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Plain = dict[str, Any]

KINDS = {Op: "op", ModuleFact: "module", OptimizerFact: "optimizer"}


def encode(fact: Fact) -> Plain:
    """Return the fact as plain data for `json.dumps`, without its name, under which the table keeps it."""
    plain: Plain = {} if isinstance(fact, Op) else {"kind": KINDS[type(fact)]}
    plain |= _plain(fact)
    del plain["name"]
    return plain


def decode(name: str, plain: Plain) -> Fact:
    """Return the fact of this name from the plain data that `encode` made of it."""
    params = read_params(plain)
    kind = plain.get("kind", "op")
    if kind == "op":
        keys = ("inplace_of", "accepts_out", "out_graph", "out_early", "overlapping", "as_out", "measured", "doc")
        known = {key: plain[key] for key in keys if key in plain}
        known |= {key: tuple(plain[key]) for key in ("out_bumps", "out_resized") if key in plain}
        apart, loose = (frozenset(plain.get(key, ())) for key in ("apart", "loose"))
        return Op(name, params, _cases(plain), apart=apart, loose=loose, **known)
    if kind == "module":
        tensors = (tuple(plain.get("parameters", ())), tuple(plain.get("buffers", ())))
        return ModuleFact(name, params, *tensors, read_params(plain, "forward"), _cases(plain))
    silent = tuple(Test(**t) for t in plain.get("silent_when", ()))
    exact, closure = plain.get("exact", False), plain.get("needs_closure", False)
    return OptimizerFact(name, params, plain.get("bumps", 0), exact, silent, closure)


# -- parameters: a signature as text --------------------------------------------------------------


def write_params(params: Iterable[Param]) -> str:
    """Return the parameters as in a `def`: `input, dim=None, *, dtype=None`."""
    parts, starred = [], False
    for p in params:
        if p.keyword_only and not starred:
            parts.append("*")
        starred = starred or p.keyword_only or p.variadic
        default = "" if p.default is REQUIRED or p.variadic else "=" + _written(p.default)
        parts.append("*" * p.variadic + p.name + default)
    return ", ".join(parts)


def _written(default: object) -> str:
    return (
        repr(default).replace("inf", "1e999") if isinstance(default, float) and math.isinf(default) else repr(default)
    )


def read_params(plain: Plain, key: str = "params") -> tuple[Param, ...]:
    """Return the parameters that are written as text under the key; their aliases stand under `aliases`."""
    arguments = ast.parse(f"def f({plain.get(key, '')}): ...").body[0].args  # type: ignore[attr-defined]
    aliases = {name: tuple(names) for name, names in plain.get("aliases", {}).items()}
    required: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults))
    params = [
        Param(a.arg, _value(d), aliases=aliases.get(a.arg, ()))
        for a, d in zip(arguments.args, [*required, *arguments.defaults], strict=True)
    ]
    if arguments.vararg is not None:
        name = arguments.vararg.arg
        params.append(Param(name, None, variadic=True, aliases=aliases.get(name, ())))
    for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        params.append(Param(a.arg, _value(d), keyword_only=True, aliases=aliases.get(a.arg, ())))
    return tuple(params)


def _value(node: ast.expr | None) -> object:
    return REQUIRED if node is None else ast.literal_eval(node)


# -- cases -----------------------------------------------------------------------------------------


def _cases(plain: Plain) -> tuple[Case, ...]:
    return tuple(map(_case, plain.get("cases", ())))


def _case(plain: Plain) -> Case:
    return Case(
        tests=tuple(Test(**t) for t in plain.get("tests", ())),
        flows=frozenset(plain.get("flows", ())),
        saves=tuple(Save(s["what"], _grads(s["when"]), s.get("certain", True)) for s in plain.get("saves", ())),
        frees=_grads(plain.get("frees", ())),
        mutates=tuple(Mutation(**m) for m in plain.get("mutates", ())),
        results=tuple(map(_result, plain.get("results", ()))),
        sequence=plain.get("sequence", False),
        node=plain.get("node"),
    )


def _result(plain: Plain) -> Result:
    low, high = plain.get("version", (0, 0))
    return Result(**{**plain, "version": (low, high)})


def _grads(plain: Sequence[Sequence[str]]) -> Grads:
    return tuple(map(frozenset, plain))


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if not is_dataclass(value):
        return value
    plain: Plain = {}
    for field in fields(value):
        item = getattr(value, field.name)
        if field.name in ("params", "forward"):
            plain[field.name] = write_params(item)
            if aliases := {p.name: list(p.aliases) for p in item if p.aliases}:
                plain["aliases"] = aliases
        elif item != field.default and (item not in ((), frozenset(), None) or field.default is not MISSING):
            plain[field.name] = _plain(item)
    return plain

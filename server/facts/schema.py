"""The JSON schema of what `gradguard facts --output-format json` writes, made from the classes of `model.py`.

cases: tuple[Case, ...]  →  "cases": {"type": "array", "items": {"$ref": "#/definitions/Case"}}
certain: bool = True     →  "certain": {"type": "boolean", "default": true}, which may be left out
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from . import model
from .encoding import KINDS
from .model import Case, Mutation, OptimizerFact, Result, Save, Test
from .releases import OF_CALLABLES

FORMAT = 1
"""the version of the JSON; it changes when programs that read it might no longer understand it"""

SCALARS: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", type(None): "null"}

SIGNATURES = ("params", "forward")
"""fields that are written as a signature, `input, dim=None`; other names of parameters stand under `aliases`"""

PARTS = (Case, Save, Mutation, Result, Test)

Schema = dict[str, Any]


def schema() -> Schema:
    """Return the schema, of draft 7."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "What PyTorch's callables save, change and return",
        **_object(
            {
                "format": {"const": FORMAT},
                "torch": {"type": "string", "description": "the release that was asked for"},
                "measured": {"type": "string", "description": "the release whose facts these are"},
                "facts": {
                    "type": "object",
                    "description": "by the callable's name, as programs write it",
                    "additionalProperties": {"anyOf": [_ref(kind) for kind in KINDS]},
                },
            },
            required=("format", "torch", "measured", "facts"),
        ),
        "definitions": {
            **{part.__name__: _object(_fields(part), _needed(part)) for part in PARTS},
            **{kind.__name__: _fact(kind, name) for kind, name in KINDS.items()},
        },
    }


def _fact(kind: type[Any], name: str) -> Schema:
    """The schema of a kind of callable. What was measured apart from the table stands beside what that holds."""
    own = _fields(kind)
    del own["name"]
    more: Schema = {other: {"description": f"as server/facts/{other}.py reads it"} for other in OF_CALLABLES[1:]}
    if kind is not OptimizerFact:
        more["aliases"] = {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}
    is_function = name == KINDS[model.Op]
    if not is_function:
        more["kind"] = {"const": name}
    return _object({**own, **more}, required=() if is_function else ("kind",))


def _object(properties: Schema, required: tuple[str, ...]) -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": properties,
    }


def _fields(of: type[Any]) -> Schema:
    hints = get_type_hints(of, vars(model))
    return {
        field.name: {
            **({"type": "string"} if field.name in SIGNATURES else _typed(hints[field.name])),
            **({} if field.default is MISSING else {"default": _plain(field.default)}),
        }
        for field in fields(of)
    }


def _plain(default: object) -> object:
    """A default as JSON has it: `()` and `frozenset()` are `[]`."""
    return list(default) if isinstance(default, (tuple, frozenset)) else default


def _needed(of: type[Any]) -> tuple[str, ...]:
    """The fields that are always written: those without a default that can't be empty."""
    hints = get_type_hints(of, vars(model))
    return tuple(
        field.name
        for field in fields(of)
        if field.default is MISSING and get_origin(hints[field.name]) not in (tuple, frozenset)
    )


def _typed(hint: Any) -> Schema:
    """The schema of a type: of scalars, of collections, of a part, or any of several."""
    if is_dataclass(hint):
        return {"$ref": f"#/definitions/{hint.__name__}"}  # type: ignore[union-attr]
    origin, given = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(given)}
    if origin in (Union, UnionType):
        return {"anyOf": [_typed(one) for one in given]}
    if origin is frozenset or (origin is tuple and given[-1] is ...):
        return {"type": "array", "items": _typed(given[0])}
    if origin is tuple:
        return {"type": "array", "items": [_typed(one) for one in given], "minItems": len(given)}
    return {"type": SCALARS[hint]} if hint in SCALARS else {}


def _ref(kind: type[Any]) -> Schema:
    return {"$ref": f"#/definitions/{kind.__name__}"}

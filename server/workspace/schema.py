"""The settings of a project as a JSON schema, for TOML editors that support schemas."""

from __future__ import annotations

import ast
import inspect
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from ..rules import RULES
from .config import FOUND, SEVERITIES, Config, OwnOp

if TYPE_CHECKING:
    from collections.abc import Iterator

STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}


def schema() -> dict[str, Any]:
    """The schema of a gradguard.toml, and of the table `[tool.gradguard]` in a pyproject.toml."""
    settings = [setting for setting in documented(Config) if setting[0] not in FOUND]
    kinds = _kinds()
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "GradGuard",
        "description": "The settings of GradGuard: a gradguard.toml, or [tool.gradguard] in a pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name.replace("_", "-"): _setting(kinds[name], default, what) for name, default, what in settings
        },
    }


def documented(of: type[Any]) -> Iterator[tuple[str, object, str]]:
    """The fields of a dataclass, each with its default and the words under it."""
    (class_,) = ast.parse(inspect.getsource(of)).body
    assert isinstance(class_, ast.ClassDef)
    told: dict[str, str] = {}
    for field, after in zip(class_.body, class_.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            told[ast.unparse(field.target)] = " ".join(str(after.value.value).split())
    for one in fields(of):
        default = one.default_factory() if one.default_factory is not MISSING else one.default
        yield one.name, default, told.get(one.name, "")


def _setting(kind: dict[str, Any], default: object, what: str) -> dict[str, Any]:
    shown = list(default) if isinstance(default, tuple) else default
    return {**kind, "description": what, **({} if shown is None else {"default": shown})}


def _kinds() -> dict[str, dict[str, Any]]:
    """What each setting may hold."""
    operator = {name: _setting(STRINGS, default, what) for name, default, what in documented(OwnOp)}
    rules = {"type": "array", "items": {"enum": _selectors()}}
    return {
        "select": rules,
        "ignore": rules,
        "min_severity": {"enum": list(SEVERITIES)},
        "exclude": STRINGS,
        "extend_exclude": STRINGS,
        "per_file_ignores": {"type": "object", "additionalProperties": rules},
        "src": STRINGS,
        "torch": {"type": "string", "pattern": r"^\d+\.\d+"},
        "models": STRINGS,
        "ops": {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": False, "properties": operator},
        },
    }


def _selectors() -> list[str]:
    """All selectors of rules: codes and names first, then prefixes of codes."""
    whole = ["ALL", *RULES, *(rule.name for rule in RULES.values())]
    return [*whole, *sorted({code[:length] for code in RULES for length in range(1, len(code))})]

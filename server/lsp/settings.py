"""What the user has set in the editor: read, and checked."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from ..rules.nearest import nearest
from ..workspace.config import known_selectors, unknown_selector

if TYPE_CHECKING:
    from .texts import Texts

SEVERITIES = ("error", "warning", "information", "hint")
CHOICES = {
    "inlay_hints": ("off", "changed", "saved", "all"),
    "highlight": ("off", "operators", "all"),
    "diagnostic_mode": ("openFilesOnly", "workspace"),
    "min_severity": SEVERITIES,
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user has set in the editor; what is None is left to the project's configuration file.

    The words under each setting are those of the documentation.
    """

    diagnostic_mode: Literal["openFilesOnly", "workspace"] = "openFilesOnly"
    """whose problems are told: those of the programs that open files belong to, or of all files of the `workspace`"""
    inlay_hints: Literal["off", "changed", "saved", "all"] = "changed"
    """which versions are shown behind lines: `changed` those of tensors that the program changes in place after an
    operation saved them, `saved` of all that an operation saved, `all` of all that change"""
    highlight: Literal["off", "operators", "all"] = "operators"
    """where the cursor highlights all places of a tensor: on `operators` that use it and methods that change it, or in
    `all` places, instead of the highlights of its name"""
    hover_lessons: bool = True
    """whether hovers tell what an operator saves, and set myths right"""
    fix_all: bool = True
    """whether to offer all safe fixes of a file in one action"""
    min_severity: str | None = None
    """the least severity that is shown"""
    select: tuple[str, ...] | None = None
    """only these rules"""
    ignore: tuple[str, ...] | None = None
    """not these rules, on top of those that the project ignores"""
    configuration: str | None = None
    """a configuration file to use in place of the nearest one"""
    python: str | None = None
    """the Python that the project runs in, as the editor has chosen it: which release of PyTorch it has counts"""


@dataclass(slots=True)
class Reading:
    """Settings as far as they could be read, and a line for each wrong one."""

    settings: Settings
    problems: list[str] = field(default_factory=list)


def read(value: object, texts: Texts) -> Reading:
    """Read settings as an editor sends them, in camel case; wrong and unknown ones are left out and named."""
    if value is None:
        return Reading(Settings())
    if not isinstance(value, dict):
        return Reading(Settings(), [texts("settings-no-object", value=repr(value))])
    good: dict[str, Any] = {}
    problems: list[str] = []
    for name, given in value.items():
        key = _KEYS.get(name)
        if key is None:
            meant = nearest(name, _KEYS)
            unknown = texts("setting-unknown", name=name, known=", ".join(_KEYS))
            problems.append(unknown if meant is None else texts("setting-mistyped", name=name, meant=meant))
        elif given is not None:
            expected = _complaint(key, given)
            if expected is not None:
                problems.append(texts("setting-value", name=name, expected=expected, value=repr(given)))
            elif isinstance(given, list) and (selector := unknown_selector(given)) is not None:
                problems.append(_no_rule(name, selector, texts))
            else:
                good[key] = tuple(given) if isinstance(given, list) else given
    return Reading(Settings(**good), problems)


def _no_rule(name: str, selector: str, texts: Texts) -> str:
    """Say that a selector fits no rule, and which one was probably meant."""
    meant = nearest(selector, known_selectors())
    if meant is None:
        return texts("setting-rule", name=name, selector=selector)
    return texts("setting-rule-mistyped", name=name, selector=selector, meant=meant)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


_KEYS = {_camel(one.name): one.name for one in fields(Settings)}


def _complaint(key: str, value: object) -> str | None:
    """Return what a setting has to be, or None if `value` is that."""
    match key:
        case "hover_lessons" | "fix_all":
            return None if isinstance(value, bool) else "true | false"
        case _ if key in CHOICES:
            return None if value in CHOICES[key] else _one_of(CHOICES[key])
        case "configuration" | "python":
            return None if isinstance(value, str) else "string"
        case _:
            strings = isinstance(value, list) and all(isinstance(one, str) for one in value)
            return None if strings else '["GG101", …]'


def _one_of(values: tuple[str, ...]) -> str:
    return " | ".join(f'"{value}"' for value in values)


# -- the protocol ---------------------------------------------------------------------------------

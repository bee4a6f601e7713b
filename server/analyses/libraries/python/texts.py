"""Functions of the standard library on texts and numbers: if the arguments are known, Python computes them."""

from __future__ import annotations

import bisect
import fnmatch
import json
import math
import posixpath
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from ...domain import budget, registry
from ...domain.registry import BASES, method_of, model
from ...domain.values import Args, Instance, Unknown, Value
from ...python import constants, spellings
from .builtins import unknown_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine

FUNCTIONS: dict[str, Callable[..., Value]] = {
    "json.loads": json.loads,
    "json.dumps": json.dumps,
    "bisect.bisect": bisect.bisect,
    "bisect.bisect_left": bisect.bisect_left,
    "bisect.bisect_right": bisect.bisect_right,
    "fnmatch.fnmatch": fnmatch.fnmatchcase,
    "fnmatch.fnmatchcase": fnmatch.fnmatchcase,
    "os.path.basename": posixpath.basename,
    "os.path.dirname": posixpath.dirname,
    "os.path.join": posixpath.join,
    "os.path.splitext": posixpath.splitext,
    "math.prod": math.prod,
    "math.isclose": math.isclose,
}

if sys.version_info >= (3, 11):
    import tomllib

    FUNCTIONS["tomllib.loads"] = tomllib.loads


def computed(name: str, f: Callable[..., Value]) -> None:
    """A function that Python computes if all its arguments are known."""

    def run(m: Machine, args: Args) -> Value:
        if not args.open:
            with suppress(constants.NotPlain):
                return constants.compute(m, f, args.pos, args.kw)
        return unknown_of(name, args, number=name.startswith("math."))

    model(name)(run)


@method_of("str", "format")
def format_(m: Machine, args: Args) -> Value:
    """`template.format(…)`, known in part where its values aren't."""
    if args.open:
        return unknown_of("str.format", args)
    with suppress(constants.NotPlain):
        return constants.compute(m, str.format, args.pos, args.kw)
    template, given = m.state.resolve(args[0]), Args(args.pos[1:], args.kw)
    found = spellings.formatted(template, given) if isinstance(template, str) else None
    return unknown_of("str.format", args) if found is None else found


for _name, _f in FUNCTIONS.items():
    computed(_name, _f)


# -- patterns -----------------------------------------------------------------------------------------------

PATTERN, MATCH = "re.Pattern", "re.Match"
BASES[PATTERN] = BASES[MATCH] = ()


def is_quick(pattern: Value, text: Value) -> bool:
    """Whether searching a text for a pattern takes a bounded time."""
    if not isinstance(pattern, str) or not isinstance(text, str) or len(pattern) + len(text) > budget.LIMITS.searched:
        return False
    return not re.search(r"\)[*+?{]|\\\d", pattern) and len(re.findall(r"[*+?{]", pattern)) <= budget.LIMITS.repeats


def search(name: str) -> Callable[[Machine, Args], Value]:
    """`re.match(pattern, text)` and its kin."""
    f = getattr(re, name)

    def run(m: Machine, args: Args) -> Value:
        given = [m.state.resolve(v) for v in args.pos]
        where = 2 if name == "sub" else 1
        if args.kw or args.open or len(given) != where + 1 or not is_quick(given[0], given[where]):
            return unknown_of(f"re.{name}", args)
        try:
            with suppress(constants.NotPlain):
                found = constants.called(f, given, {})
                return match(m, found) if isinstance(found, re.Match) else constants.value(found)
        except re.error:
            pass
        return unknown_of(f"re.{name}", args)

    return run


def match(m: Machine, found: re.Match[str]) -> Instance:
    """The match that a search has found."""
    made = Instance(registry.class_named(m, MATCH), m.here.site)
    made.model_state["match"] = found
    return made


def of_match(name: str) -> Callable[[Machine, Args], Value]:
    """A method of a match."""

    def run(m: Machine, args: Args) -> Value:
        found = args[0].model_state["match"]
        with suppress(constants.NotPlain):
            return constants.compute(m, getattr(found, name), args.pos[1:], args.kw)
        return Unknown(name)

    return run


@model("re.compile")
def compile_(m: Machine, args: Args) -> Value:
    """`re.compile(pattern)`."""
    made = Instance(registry.class_named(m, PATTERN), m.here.site)
    made.model_state["given"] = args
    return made


def of_pattern(name: str) -> Callable[[Machine, Args], Value]:
    """A method of a compiled pattern: the function of that name."""
    run = search(name)
    return lambda m, args: run(m, Args([*args[0].model_state["given"], *args.pos[1:]], args.kw, args.open, args.site))


for _name in ("match", "search", "fullmatch", "findall", "split", "sub"):
    model(f"re.{_name}")(search(_name))
    method_of(PATTERN, _name)(of_pattern(_name))
for _name in ("group", "groups", "groupdict", "start", "end", "span", "__getitem__"):
    method_of(MATCH, _name)(of_match(_name))

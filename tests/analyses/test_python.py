"""Programs without tensors: what the replay knows of their names is what CPython computes.

The documents in `python/` are the programs. A comment `# unknown: a, b` names what the replay is allowed
not to know in the end; everything else it must know, and nothing that it knows may be wrong.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gradguard.analyses.domain.values import ABSENT, ClassV, DictV, FunctionV, Instance, ListV, Phi, Unknown

from .documents import Block, cases
from .replaying import replayed

if TYPE_CHECKING:
    from gradguard.analyses.python.machine import Machine

DOCUMENTS = Path(__file__).parent / "python"
SAME, OPEN = "the same", "unknown"


def held_against(m: Machine, ours: Any, real: Any, depth: int = 0) -> str:
    """`SAME`, `OPEN` where something of the value isn't known, or what is wrong."""
    ours = m.state.resolve(ours)
    if isinstance(ours, Unknown) or depth > 6:
        return OPEN
    if isinstance(ours, Phi):
        sides = [held_against(m, one, real, depth + 1) for _, one in m.state.alternatives(ours)]
        return OPEN if SAME in sides or OPEN in sides else f"none of {ours!r} is {real!r}"
    if isinstance(ours, (ListV, DictV)) and m.state.pick(ours.open):
        return OPEN
    if isinstance(ours, ListV):
        kinds = {"list": list, "tuple": tuple}
        if ours.kind in kinds and type(real) is not kinds[ours.kind]:
            return f"a {ours.kind} for {real!r}"
        return all_against(m, ours.items, list(real), depth)
    if isinstance(ours, DictV) and ours.kind == "set":
        keys = [k for k, v in ours.items.items() if v is not ABSENT]
        return SAME if set(keys) == real else f"{keys} for {real!r}"
    if isinstance(ours, DictV):
        held = {k: v for k, v in ours.items.items() if v is not ABSENT}
        if list(held) != list(real):
            return f"keys {list(held)} for {list(real)}"
        return all_against(m, tuple(held.values()), list(real.values()), depth)
    if isinstance(ours, Instance) and ours.model_state.keys() - {"contents"}:
        return OPEN  # an object of a library, which keeps its state elsewhere
    if isinstance(ours, Instance):
        if ours.cls.name == "object" and not hasattr(real, "__dict__"):
            return OPEN  # a marker, which may have a type of its own
        if ours.cls.name != type(real).__name__:
            return f"{ours!r} for {real!r}"
        theirs = getattr(real, "__dict__", None) or {k: getattr(real, k, ...) for k in ours.attributes}
        if ... in theirs.values():
            return OPEN  # written in C, and in Python here
        if ours.attributes.keys() != theirs.keys():
            return f"attributes {list(ours.attributes)} for {list(theirs)}"
        return all_against(m, tuple(ours.attributes[k] for k in theirs), list(theirs.values()), depth)
    if isinstance(ours, tuple):
        return all_against(m, ours, list(real), depth) if isinstance(real, tuple) else f"{ours!r} for {real!r}"
    if isinstance(ours, (FunctionV, ClassV)):
        return SAME if ours.name == real.__name__ else f"{ours!r} for {real!r}"
    if isinstance(ours, (int, float, str, bytes, complex, range, type(None), type(...))):
        same = type(ours) is type(real) and (ours == real or ours != ours)
        return SAME if same else f"{ours!r} for {real!r}"
    return OPEN


def all_against(m: Machine, ours: Any, real: list[Any], depth: int) -> str:
    ours = m.state.resolve(ours)
    if isinstance(ours, Phi):
        return OPEN
    if len(ours) != len(real):
        return f"{ours!r} for {real!r}"
    found = [held_against(m, a, b, depth + 1) for a, b in zip(ours, real, strict=True)]
    return next((f for f in found if f not in (SAME, OPEN)), OPEN if OPEN in found else SAME)


def compared(text: str) -> dict[str, str]:
    """What the replay makes of each name that a program leaves behind."""
    real: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "main.py", "exec", dont_inherit=True), real)
    result = replayed(text)
    return {
        name: held_against(result.machine, result.names.get(name, Unknown("never bound")), value)
        for name, value in real.items()
        if not name.startswith("__") and not callable(value) and not isinstance(value, ModuleType)
    }


@pytest.mark.parametrize("block", cases(DOCUMENTS))
def test_names_are_what_cpython_computes(block: Block) -> None:
    found = compared(block.text)
    assert found
    allowed = {name for names in re.findall(r"# unknown: (.*)", block.text) for name in names.split(", ")}
    assert {name: what for name, what in found.items() if what != SAME} == dict.fromkeys(allowed, OPEN)


def test_what_every_module_has_is_known() -> None:
    names = [name for name in dir(torch.nn.Module()) if not name.startswith("__")]
    asked = "".join(f"\n    {name!r}: hasattr(net, {name!r})," for name in names)
    text = "from torch import nn\nclass Net(nn.Module): pass\nnet = Net()\nother = hasattr(net, 'x')\n"
    found = replayed(f"{text}has = {{{asked}\n}}\n").names
    assert {found["has"].items[name] for name in names} == {True}
    assert found["other"] is False

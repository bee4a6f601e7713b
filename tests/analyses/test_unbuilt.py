"""Objects of library classes that the library's constructor never saw: a subclass has one of its own, or an annotation
alone says what an argument is. Their models ask for what isn't there; what they give is unknown, and nothing fails."""

from __future__ import annotations

import pytest
from gradguard.analyses import replay
from gradguard.analyses.domain import registry
from gradguard.analyses.libraries import load_models
from gradguard.syntax.chunks import parse

from .replaying import Alone

load_models()

CLASSES = sorted(name for name in registry.BASES if "." in name)

USES = {
    "length": "len(o)",
    "items": "list(o)",
    "truth": "bool(o)",
    "call": "o(1)",
    "manager": "with o: pass",
}

PROGRAM = """\
import {home}


class Own({name}):
    def __init__(self):
        pass


o = Own()
{uses}


def use(o: {name}):
{inner}
"""


@pytest.mark.parametrize("name", CLASSES)
def test_whatever_is_done_with_it(name: str) -> None:
    methods = [f"o.{short}()" for cls, short in registry.METHODS if cls == name and short != "__init__"]
    attributes = [f"o.{short}" for cls, short in registry.PROPERTIES if cls == name]
    uses = [*USES.values(), *methods, *attributes]
    text = PROGRAM.format(
        home=name.rpartition(".")[0],
        name=name,
        uses="\n".join(uses),
        inner="\n".join(f"    {use}" for use in uses),
    )
    assert not replay([parse(text, "main.py")], Alone()).problems

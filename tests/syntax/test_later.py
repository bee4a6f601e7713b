"""Bodies that are lowered when they are asked for are what they would have been from the start."""

from __future__ import annotations

import random
from importlib.util import find_spec
from pathlib import Path

import pytest
from gradguard.syntax import ir
from gradguard.syntax.chunks import Source, parse, whole

from .test_chunks import TEXTS, edited, shape

TORCH = Path(find_spec("torch").origin).parent
FILES = (
    "nn/modules/rnn.py",
    "nn/modules/module.py",
    "nn/functional.py",
    "optim/lbfgs.py",
    "overrides.py",
    "_tensor.py",
)

FUNCTIONS = """\
import torch

@decorated(by=[
    1])
# why
async def scale(
    x: torch.Tensor = torch.ones(2),  # a tensor
):
    # how

    def inner():
        return x
    return inner()  # and so on
    # the end

def short(x): return x

def generate(n):
    '''Documented.'''
    global total
    total = yield n

def continued(x) \\
        -> int:
    return x

def on_one_line(x): y = x; return (
    y)

class Net:
    def __init__(self):
        self.a = 1
    b = 2

    @property
    def last(self):
        return self.a
        # nothing more

def\tspaced  ( a ,\tb = 1 ) :
\treturn a
"""


def left(source: Source) -> list[str]:
    """The functions whose bodies are not lowered yet."""
    return [chunk.body[0].name for chunk in source.chunks if chunk.is_left()]


def read(source: Source) -> Source:
    """A file after all of its functions have been asked for, each by its own."""
    for chunk in source.chunks:
        for statement in chunk.body:
            if isinstance(statement, ir.FunctionDef):
                assert statement.scope is not None
    return source


def test_bodies_are_left_for_later() -> None:
    source = parse(FUNCTIONS, "a.py", later=True)
    assert left(source) == ["scale", "generate", "continued", "__init__", "last", "spaced"]
    generate = next(one for one in source.body if isinstance(one, ir.FunctionDef) and one.name == "generate")
    body = generate.body
    assert generate.body is body and generate.scope.is_generator and generate.doc == "Documented."
    assert left(source) == ["scale", "continued", "__init__", "last", "spaced"]
    with pytest.raises(AttributeError):
        generate.nobody


@pytest.mark.parametrize("text", [FUNCTIONS, *TEXTS.values(), *((TORCH / name).read_text("utf-8") for name in FILES)])
def test_what_was_left_is_what_it_would_have_been(text: str) -> None:
    fresh = shape(parse(text, "a.py"))
    assert shape(whole(parse(text, "a.py", later=True))) == fresh
    assert shape(read(parse(text, "a.py", later=True))) == fresh


@pytest.mark.parametrize("seed", range(60))
def test_broken_files_are_what_they_would_have_been(seed: int) -> None:
    """What is wrong inside of a function shows when a whole file is wanted."""
    rng, text = random.Random(seed), FUNCTIONS
    for _ in range(3):
        at = rng.randrange(len(text))
        text = edited(
            text[:at] + rng.choice(["(", "'", ")", "    ", "\n", ":", "if x", '"""', "def g(", "\\"]) + text[at:], rng
        )
    assert shape(whole(parse(text, "a.py", later=True))) == shape(parse(text, "a.py"))


@pytest.mark.parametrize("seed", range(20))
def test_an_edited_file_is_what_a_fresh_parse_gives(seed: int) -> None:
    rng, text = random.Random(seed), FUNCTIONS
    source = parse(text, "a.py", later=True)
    for _ in range(10):
        text = f"x = {rng.random()}\n" + text.replace("return", rng.choice(["return", "yield"]), rng.randrange(3))
        source = parse(text, "a.py", source, later=rng.random() < 0.5)
        if rng.random() < 0.3:
            read(source)
    assert shape(whole(source)) == shape(parse(text, "a.py"))


def test_a_broken_body_is_empty_when_it_is_asked_for() -> None:
    source = parse("def f(x):\n    'unclosed\n    ]\n", "a.py", later=True)
    (function,) = source.body
    assert not source.problems
    assert isinstance(function, ir.FunctionDef) and all(isinstance(one, ir.Pass) for one in function.body)
    assert source.problems

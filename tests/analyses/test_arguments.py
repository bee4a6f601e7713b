"""What the replay takes an unknown argument for: by its annotation, and by the names of what is asked of it."""

from __future__ import annotations

import numpy
import pytest
import torch
from gradguard.analyses import replay
from gradguard.analyses.domain import registry
from gradguard.analyses.python.guesses import OF_ARRAYS, OF_OTHERS
from gradguard.facts.releases import BASE
from gradguard.rules.diagnostic import diagnose
from gradguard.syntax.chunks import parse

from .replaying import Alone

FUNCTION = """\
import torch
from torch import Tensor
from typing import Annotated, Optional, Union
from jaxtyping import Float, Int

def f(x{annotation}):
    y = {read}
    y += 1
    y.sum().backward()
"""


def told(read: str, annotation: str = "") -> list[str]:
    return messages(FUNCTION.format(annotation=f": {annotation}" if annotation else "", read=read))


def messages(text: str) -> list[str]:
    report = replay([parse(text, "main.py")], Alone())
    assert not report.problems
    return [diagnostic.message for diagnostic in diagnose(report)]


@pytest.mark.parametrize(
    "annotation",
    ["torch.Tensor", "Tensor", '"Tensor"', '"torch.Tensor"', "torch.FloatTensor", 'Annotated[Tensor, "n"]',
     'Float[Tensor, "batch n"]'],
)  # fmt: skip
def test_an_annotated_tensor(annotation: str) -> None:
    """`sum` alone would not tell: arrays have it as well."""
    (message,) = told("(x.sum() * 2).exp()", annotation)
    assert ". If `x` requires grad, " in message and "the backward in line 9 reads it again" in message


@pytest.mark.parametrize("annotation", ["torch.LongTensor", "torch.BoolTensor", 'Int[Tensor, "batch"]'])
def test_integers_require_no_grad(annotation: str) -> None:
    assert told("x.exp()", annotation) == []


@pytest.mark.parametrize(
    "annotation",
    ["int", "float", "int | float", "Union[int, float]", "str", "dict", "Optional[int]", "Unheard[Of]", "x[", "'a b'",
     "tuple[()]"],
)  # fmt: skip
def test_what_is_no_tensor(annotation: str) -> None:
    assert told("torch.ones(3) * x", annotation) == []


@pytest.mark.parametrize("read", ["x.exp()", "x.unsqueeze(0).sigmoid()", "x.contiguous().tanh()"])
def test_names_that_tensors_alone_have(read: str) -> None:
    (message,) = told(read)
    assert "If `x` requires grad" in message


def test_names_of_arrays_tell_nothing_outside_of_forward() -> None:
    assert told("x.reshape(-1).exp()") == []


def test_what_goes_into_forward_is_no_array() -> None:
    (message,) = messages(
        "import torch\n"
        "class M(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        y = x.reshape(-1).exp()\n"
        "        y += 1\n"
        "        return y\n"
    )
    assert "If `x` requires grad and `M` is trained" in message


def test_no_name_of_an_array_is_one_of_tensors_alone() -> None:
    """Names of tensors that NumPy's arrays have, too."""
    methods = {name.rpartition(".")[2] for name in BASE.table.names() if name.startswith("torch.Tensor.")}
    assert {name for name in methods if hasattr(numpy.ndarray, name) and name[0] != "_"} <= OF_ARRAYS | OF_OTHERS


@pytest.mark.parametrize(
    "other",
    [dict, list, tuple, str, set, int, float, complex, torch.nn.Module, torch.optim.Optimizer,
     torch.distributions.Distribution, torch.distributions.Normal],
)  # fmt: skip
def test_no_name_of_something_else_is_one_of_tensors_alone(other: type) -> None:
    methods = {name.rpartition(".")[2] for name in BASE.table.names() if name.startswith("torch.Tensor.")}
    assert {name for name in methods if hasattr(other, name) and name[0] != "_"} <= OF_OTHERS


def test_an_index_cannot_require_grad() -> None:
    text = "import torch\ndef f(mask: torch.Tensor, index: torch.Tensor):\n    y = {}\n    y += 1\n    return y\n"
    assert messages(text.format("torch.index_select(mask > 0, 0, index).exp()")) == []
    (message,) = messages(text.format("torch.mul(mask, 2).exp()"))
    assert "If `mask` requires grad" in message


def test_a_container_that_its_constructor_refuses_is_entered_all_the_same() -> None:
    report = replay([parse(UNBUILT, "main.py")], Alone())
    assert not report.problems


UNBUILT = """\
import torch

class Named(dict):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.largest = max(len(name) for name in self)
        raise ValueError("no names")

    def total(self):
        return sum(torch.exp(value) for name, value in self.items())

    def same(self):
        made = dict.__new__(type(self))
        return [(name, value) for name, value in made.items()]
"""


def test_an_attribute_is_asked_by_a_name_that_a_loop_may_find() -> None:
    report = replay([parse(NAMED_BY_A_LOOP, "main.py")], Alone())
    assert not report.problems


NAMED_BY_A_LOOP = """\
import importlib

def load(config):
    found = None
    for name in config.names:
        if "Model" in name:
            found = name
            break
    return getattr(importlib.import_module("library"), found, None)
"""


def test_a_class_is_made_by_who_knows_which_arguments() -> None:
    report = replay([parse(METACLASS, "main.py")], Alone())
    assert not report.problems


METACLASS = """\
class Meta(type):
    def __new__(cls, name, bases, *args, **kwargs):
        return super().__new__(cls, name, bases, *args, **kwargs)
"""


def test_a_queue_is_filled_on_either_side_of_a_branch() -> None:
    report = replay([parse(QUEUED, "main.py")], Alone())
    assert not report.problems


QUEUED = """\
import queue

class Server:
    def __init__(self):
        self.replies = queue.Queue()

    def reply(self, failed, value):
        if failed:
            self.replies.put((0, failed))
        else:
            self.replies.put((1, value))
        return self.replies.get()
"""


CLASSES = """\
import torch

class Graph:
    def clone(self):
        return Graph()

class Nodes(torch.Tensor):
    pass

def f(x: {annotation}):
    y = x.{name}.exp()
    y += 1
    y.sum().backward()
"""


@pytest.mark.parametrize(("annotation", "told"), [("Graph", False), ('"Graph"', False), ("Nodes", True), ("Any", True)])
def test_an_object_of_an_own_class_is_no_tensor(annotation: str, told: bool) -> None:
    found = messages(CLASSES.format(annotation=annotation, name="clone()"))
    assert any("requires grad" in message for message in found) is told


def test_what_an_object_of_an_own_class_keeps_may_be_one() -> None:
    assert any(
        "requires grad" in message for message in messages(CLASSES.format(annotation="Graph", name="nodes.sin()"))
    )


HEAP = """\
import heapq
import torch

def f(own, given, item):
    heap = [torch.ones(1)] if own else given
    {call}
    y = (torch.stack([torch.ones(3, requires_grad=True)]) * 2).exp()
    y += 1
    y.sum().backward()
"""


@pytest.mark.parametrize("items", ["heap, item", "given, item", "heap", "*given", "(1, item), item"])
@pytest.mark.parametrize("name", ["heappush", "heappop", "heappushpop", "heapreplace", "heapify"])
def test_a_heap_may_be_one_of_several_or_unknown(name: str, items: str) -> None:
    assert len(messages(HEAP.format(call=f"heapq.{name}({items})"))) == 1


@pytest.mark.parametrize("module", ["asyncio", "builtins", "heapq", "itertools"])
def test_a_call_that_is_not_written_to_its_end_yet_costs_nothing(module: str) -> None:
    own = sorted(name for name in registry.FUNCTIONS if (name.rpartition(".")[0] or "builtins") == module)
    calls = "".join(
        f"def f{n}_{given}(x):\n    for one in {name}({'x' * given}):\n        print(one)\n\n"
        for n, name in enumerate(own)
        for given in (0, 1)
    )
    assert messages(f"import asyncio, heapq, itertools, torch\n\n{calls}") == []


NUMBER = """\
import math
import numpy as np
import torch

def f(x: torch.Tensor, n, training: bool):
    y = torch.zeros(3)
    z = y * ({number})
    y += 1
    z.sum().backward()
"""


@pytest.mark.parametrize(
    "number",
    [
        "x.shape[-1]",
        "x.shape[0] / (x.shape[1] - 2)",
        "x.shape[1:][0]",
        "x.shape.numel()",
        "math.prod(x.shape[1:])",
        "max(x.shape)",
        "sum(size for size in x.shape)",
        "0.5 if training else x.shape[0]",
        "np.random.randint(low=0, high=n)",
        "np.ones(3)",
        "np.ones(n).size",
        "np.arange(n).max().item()",
    ],
)
def test_numbers_require_no_grad(number: str) -> None:
    assert messages(NUMBER.format(number=number)) == []


SETTINGS = """\
import torch
from dataclasses import dataclass
from typing import Optional

class Base:
    rate: float = 0.1

@dataclass
class Settings(Base):
    weight: torch.Tensor
    width: int = 3

class Net(torch.nn.Module):
    def __init__(self, settings: {annotation}):
        super().__init__()
        self.settings = settings

    def forward(self, x):
        y = torch.zeros(3)
        z = y * self.settings.{name}
        y += 1
        return z
"""


@pytest.mark.parametrize("annotation", ["Settings", "Settings | dict", "None | Settings", "Optional[Settings]"])
@pytest.mark.parametrize(("name", "expected"), [("rate", 0), ("width", 0), ("weight", 1)])
def test_a_class_tells_what_of_it_is_a_number(annotation: str, name: str, expected: int) -> None:
    assert len(messages(SETTINGS.format(annotation=annotation, name=name))) == expected


def test_what_may_be_of_another_class_is_not_taken_for_one() -> None:
    assert messages(SETTINGS.format(annotation="Settings | Other", name="weight")) == []


CHOSEN = """\
import torch

def f({parameters}, mask):
    pool = [torch.rand(3), torch.rand(3)]
    chosen = [pool[i] for i in {chosen}]
    for one in chosen:
        one[mask] = 0.0
        one.requires_grad_()
"""


@pytest.mark.parametrize(("parameters", "chosen", "guessed"), [("places", "places", True), ("i, j", "(i, j)", False)])
def test_two_items_of_one_argument_are_not_taken_for_the_same(parameters: str, chosen: str, guessed: bool) -> None:
    """What was chosen by one of them and by another would else be one tensor, which was made a leaf before."""
    (message,) = messages(CHOSEN.format(parameters=parameters, chosen=chosen))
    assert ("two items are the same" in message) is guessed

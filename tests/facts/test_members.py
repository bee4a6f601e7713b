"""What PyTorch's modules hold, and programs that look through them."""

from __future__ import annotations

import pytest
from gradguard.analyses import replay
from gradguard.analyses.domain.values import Unknown
from gradguard.facts.releases import BASE
from gradguard.rules.diagnostic import Severity, diagnose
from gradguard.syntax.chunks import parse

from ..analyses.replaying import Alone, replayed
from ..installed import FACTS

torch = pytest.importorskip("torch")

from gradguard.facts.measure import members  # noqa: E402


def test_the_rows_are_what_pytorch_has() -> None:
    assert members.measure() == FACTS.rows("members").all()


def test_names_stand_in_the_order_of_the_module() -> None:
    activations = BASE.members.of("torch.nn.modules.activation")
    assert activations[:3] == ("Threshold", "ReLU", "RReLU")
    assert "Tanh" in BASE.members.of("torch.nn")


def test_of_a_module_that_was_not_measured_nothing_is_known() -> None:
    assert BASE.members.of("torch.nn.nothing") == ()


LOOKED_UP = {
    "vars": "[one for name, one in vars(torch.nn.modules.activation).items() if name == 'Sigmoid'][0]()",
    "dict": "torch.nn.__dict__['Sigmoid']()",
    "functions": "vars(torch.nn.functional)['sigmoid']",
    "members": "dict(inspect.getmembers(torch.nn, inspect.isclass))['Sigmoid']()",
}


@pytest.mark.parametrize("name", LOOKED_UP)
def test_what_a_program_looks_up_in_a_module_is_known(name: str) -> None:
    text = f"""\
import inspect

import torch

act = {LOOKED_UP[name]}
y = act(torch.ones(2, requires_grad=True))
y += 1
y.sum().backward()
"""
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(text, {})
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.ERROR


def test_a_name_that_was_not_measured_may_be_there() -> None:
    names = replayed("import torch\nheld = vars(torch.nn)\nthere, other = 'ReLU' in held, '_something' in held\n").names
    assert names["there"] is True
    assert isinstance(names["other"], Unknown)

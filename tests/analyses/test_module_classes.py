"""`isinstance` of modules is what PyTorch's own classes say."""

from __future__ import annotations

import pytest
from gradguard.analyses.module_classes import DERIVED
from gradguard.facts import table
from gradguard.facts.model import ModuleFact
from torch import nn

from .replaying import replayed

CLASSES = [name for name in dir(nn) if isinstance(table.find(f"torch.nn.{name}"), ModuleFact)]


def above(name: str) -> set[str]:
    """The classes between one of `torch.nn` and Module, by the names that follow `torch.nn.`."""
    found = [c for c in getattr(nn, name).__mro__[1:] if issubclass(c, nn.Module) and c is not nn.Module]
    return {
        c.__name__ if getattr(nn, c.__name__, None) is c else f"{c.__module__.removeprefix('torch.nn.')}.{c.__name__}"
        for c in found
    }


def test_the_table_is_whole() -> None:
    assert {name: {base for base, names in DERIVED.items() if name in names.split()} for name in CLASSES} == {
        name: above(name) for name in CLASSES
    }


@pytest.mark.parametrize(
    "asked",
    [
        "isinstance(nn.BatchNorm1d(2), nn.modules.batchnorm._BatchNorm)",
        "isinstance(nn.Conv2d(1, 1, 1), (nn.Linear, nn.modules.conv._ConvNd))",
        "isinstance(nn.Conv2d(1, 1, 1), nn.modules.conv._ConvTransposeNd)",
        "isinstance(nn.LSTM(1, 1), nn.RNNBase) and not isinstance(nn.LSTM(1, 1), nn.GRU)",
        "isinstance(Mine(), nn.modules.dropout._DropoutNd)",
        "issubclass(Mine, nn.modules.dropout._DropoutNd)",
        "issubclass(nn.ReLU6, nn.Hardtanh) and not issubclass(nn.ReLU6, nn.ReLU)",
    ],
)
def test_what_modules_are(asked: str) -> None:
    text = f"from torch import nn\n\n\nclass Mine(nn.Dropout):\n    pass\n\n\nanswer = {asked}\n"
    real: dict[str, object] = {}
    exec(text, real)
    assert replayed(text).names["answer"] is real["answer"]

"""`isinstance` of modules, optimizers, tensors and types is what PyTorch's own classes say."""

from __future__ import annotations

import pytest
from gradguard.analyses.operators.module_classes import ABOVE, DERIVED
from gradguard.facts.model import ModuleFact
from gradguard.facts.releases import BASE
from torch import nn, optim

from .replaying import replayed

CLASSES = [name for name in dir(nn) if isinstance(BASE.table.find(f"torch.nn.{name}"), ModuleFact)]


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


def test_optimizers_that_derive_from_another_are_known() -> None:
    kinds = [c for c in vars(optim).values() if isinstance(c, type) and issubclass(c, optim.Optimizer)]
    known = {f"torch.optim.{c.__name__}": {f"torch.optim.{b.__name__}" for b in c.__bases__} for c in kinds}
    plain = {"torch.optim.Optimizer"}
    assert {name: bases for name, bases in known.items() if bases != plain and name not in plain} == {
        name: bases for name, bases in ABOVE.items() if name.startswith("torch.optim.")
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
        "isinstance(torch.optim.AdamW(Own().parameters()), torch.optim.Adam)",
        "isinstance(torch.optim.Adam(Own().parameters()), (torch.optim.AdamW, torch.optim.SGD))",
        "isinstance(torch.ones(1, dtype=torch.long), torch.FloatTensor)",
        "isinstance(torch.ones(1).double(), (torch.HalfTensor, torch.FloatTensor, torch.BoolTensor))",
        "isinstance(torch.ones(1).dtype, torch.dtype) and isinstance(torch.bool, torch.dtype)",
        "isinstance('float32', torch.dtype) or isinstance(torch.ones(1), torch.dtype)",
        "type(nn.Parameter(torch.ones(1))) is nn.Parameter and type(torch.ones(1)) is torch.Tensor",
        "type(Own().weight) in (torch.Tensor, nn.Linear)",
    ],
)
def test_what_modules_are(asked: str) -> None:
    classes = "class Mine(nn.Dropout):\n    pass\n\n\nclass Own(nn.Linear):\n    def __init__(self):\n"
    text = f"import torch\nfrom torch import nn\n\n\n{classes}        super().__init__(1, 1)\n\n\nanswer = {asked}\n"
    real: dict[str, object] = {}
    exec(text, real)
    assert replayed(text).names["answer"] is real["answer"]

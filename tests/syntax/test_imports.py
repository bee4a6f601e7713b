import pytest
from gradguard.syntax.chunks import parse
from gradguard.syntax.imports import Import, import_table, mentions_torch


def table(text):
    return import_table(parse(text))


@pytest.mark.parametrize(
    ("text", "name", "dotted"),
    [
        ("import torch", "torch", "torch"),
        ("import torch.nn.functional", "torch", "torch"),
        ("import torch.nn as nn", "nn", "torch.nn"),
        ("from torch import nn as N", "N", "torch.nn"),
        ("from torch.nn import functional as F", "F", "torch.nn.functional"),
        ("from . import a", "a", ".a"),
        ("from .. import a as b", "b", "..a"),
        ("from ..c.d import a", "a", "..c.d.a"),
        ("try:\n    import a\nexcept ImportError:\n    import b as a", "a", "b"),
        ("if x:\n    pass\nelse:\n    with y:\n        from a import b", "b", "a.b"),
        ("import a\nfrom b import a", "a", "b.a"),
    ],
)
def test_what_a_name_stands_for(text, name, dotted):
    found = table(text + "\n")
    assert found.names[name].dotted == dotted
    assert found.resolve(f"{name}.x.y") == f"{dotted}.x.y"


def test_names_that_are_not_imported():
    found = table("def f():\n    import a\nclass C:\n    import b\nc = 1\n")
    assert found.names == {}
    assert found.resolve("a.b") is None


def test_star_imports_and_modules_are_listed_in_order():
    found = table("from torch import *\nimport a.b, c\nfrom ..d import e, f\nfrom . import *\n")
    assert found.stars == [Import("torch"), Import("", None, 1)]
    assert [module.dotted for module in found.modules] == ["torch", "a.b", "c", "..d", "."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch", True),
        ("from pytorch_lightning import Trainer", True),
        ("import lightning as L", True),
        ("import torchvision.models", True),
        ("import numpy as np\ntorchlight", True),
        ("import numpy", False),
        ("retorch = 1", False),
        ("", False),
    ],
)
def test_files_that_can_matter(text, expected):
    assert mentions_torch(text) is expected

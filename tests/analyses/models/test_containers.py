"""Containers of modules, as PyTorch has them: what they hold, how many there are, what may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

FAILS = """
y = torch.rand(3, requires_grad=True).exp()
y += 1
y.sum().backward()
"""

HELD = {
    "None among modules": "m = nn.ModuleList([nn.ReLU(), None])\na, b = m\nassert b is None and len(m) == 2",
    "None by its place": "m = nn.ModuleList([None, nn.ReLU()])\nassert m[0] is None and m[1](torch.rand(3)).shape",
    "None is appended": "m = nn.ModuleList()\nm.append(None)\nassert m[0] is None and len(m) == 1",
    "None is no child": "m = nn.ModuleList([nn.ReLU(), None])\nassert len(list(m.children())) == 1 and len(m) == 2",
    "None in a dict": "m = nn.ModuleDict({'a': None})\nassert list(m) == ['a'] and m['a'] is None",
    "conversions": "m = nn.ModuleList([nn.Linear(3, 3), None])\nm.eval().train().double().apply(lambda one: None)",
    "copies": "m = nn.ModuleList([None])\nk = copy.deepcopy(m)\nk.append(None)\nassert (len(m), len(k)) == (1, 2)",
    "None for a list": "m = nn.ModuleList(None)\nm.append(nn.ReLU())\nassert len(m) == 1 and m[0](torch.rand(3)).shape",
    "None for a dict": "m = nn.ModuleDict(None)\nm['a'] = nn.ReLU()\nassert list(m) == ['a']",
    "modules by their name": "m = nn.ModuleList(modules=[nn.ReLU()])\nd = nn.ModuleDict(modules={'a': m[0]})\n"
    "assert len(m) == len(d) == 1",
    "slices": "m = nn.ModuleList([nn.ReLU(), None, nn.ReLU()])\nassert len(m[1:]) == 2 and m[1:][0] is None",
}


@pytest.mark.parametrize("name", HELD)
def test_what_they_hold(name: str, tmp_path: Path) -> None:
    program = f"import copy\nimport torch\nfrom torch import nn\n{HELD[name]}{FAILS}"
    assert assert_agreement(tmp_path, program) == {"stale-saved"}


OF_A_BASE = """
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self, init_cfg=None):
        super().__init__()
        self.init_cfg = init_cfg

class Rows(Base, nn.ModuleList):
    def __init__(self, modules=None, init_cfg=None):
        Base.__init__(self, init_cfg)
        nn.ModuleList.__init__(self, modules)

rows = Rows()
rows.append(nn.Linear(3, 3))
y = [layer(torch.rand(3)).exp() for layer in rows]
y[0] += 1
y[0].sum().backward()
"""


def test_a_list_of_modules_with_a_base_beside_it(tmp_path: Path) -> None:
    assert assert_agreement(tmp_path, OF_A_BASE) == {"stale-saved"}


NORMS = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        norms = [nn.ModuleList([nn.LayerNorm(3), None, nn.LayerNorm(3) if {last} else None]) for _ in range(2)]
        self.layers = nn.ModuleList([nn.ModuleList([norm, nn.Linear(3, 3)]) for norm in norms])

    def forward(self, x):
        for (before, between, behind), layer in self.layers:
            x = torch.sigmoid(layer(before(x)))
            if between is not None:
                x = between(x)
            if behind is not None:
                x = behind(x)
        x += 1
        return x

Net()(torch.rand(2, 3)).sum().backward()
"""


@pytest.mark.parametrize(("last", "kinds"), [(True, set()), (False, {"stale-saved"})])
def test_layers_that_may_be_missing(last: bool, kinds: set[str], tmp_path: Path) -> None:
    assert assert_agreement(tmp_path, NORMS.format(last=last)) == kinds


@pytest.mark.parametrize("asked", ["len(stack) == 1", "all(isinstance(one, nn.Linear) for one in stack)"])
def test_a_parameter_of_a_list_of_modules_is_no_member(tmp_path: Path, asked: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        f"""
        import torch
        from torch import nn

        class Stack(nn.ModuleList):
            def __init__(self):
                super().__init__([nn.Linear(3, 3)])
                self.scale = nn.Parameter(torch.ones(3))

        stack = Stack()
        y = stack.scale.exp()
        if {asked}:
            y.mul_(2)
        y.sum().backward()
        """,
    )
    assert kinds == {"stale-saved"}

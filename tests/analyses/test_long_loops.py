"""Rows that a loop fills, which is too long to be replayed turn by turn: the program goes on behind it.

Each of these programs uses the row as it really is, and then fails in backward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.analyses import replay
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse

from .models.agreement import happens
from .replaying import Alone

if TYPE_CHECKING:
    from pathlib import Path

BUSY = "    n = n + 1; n = n - 1; n = n + 1; n = n - 1; n = n + 1; n = n - 1; n = n + 1; n = n - 1\n" * 6
START = f"""import collections
import torch
from torch import nn

def busy(n):
{BUSY}    return n

w = torch.rand(3, requires_grad=True)
y = w.exp()
"""
FAILS = """
y += 1
y.sum().backward()
"""

LAYER, PARAMETER = "nn.Linear(busy(3), 3)", "nn.Parameter(torch.rand(busy(3)))"
LOOP = "for i in range(12):\n    "
ROWS = {
    "append": f"r = []\n{LOOP}r.append(busy(i))\nr[9]",
    "from the end": f"r = []\n{LOOP}r.append(busy(i))\nr[-9]",
    "length": f"r = []\n{LOOP}r.append(busy(i))\nif len(r) != 12:\n    raise ValueError",
    "unpacked": f"r = []\n{LOOP}r.append(busy(i))\na, *b, c = r\nb[9]",
    "all unpacked": f"r = []\n{LOOP}r.append(busy(i))\na, b, c, d, e, f, g, h, j, k, l, o = r",
    "taken": f"r = []\n{LOOP}r.append(busy(i))\n{LOOP}r.pop()\nassert not r",
    "taken while another grows": f"r, s = [0] * 12, []\n{LOOP}s.append(busy(r.pop()))\ns[9]\nassert not r",
    "looked for": f"r = []\n{LOOP}r.append(busy(i))\nr.index(9)\nr.remove(9)",
    "+=": f"r = []\n{LOOP}r += [busy(i)]\nr[9]",
    "a new list": f"r = []\n{LOOP}r = r + [busy(i)]\nr[9]",
    "extend": f"r = []\n{LOOP}r.extend([busy(i)])\nr[9]",
    "insert": f"r = []\n{LOOP}r.insert(0, busy(i))\nr[9]",
    "a tuple": f"r = ()\n{LOOP}r += (busy(1),)\nr[9]",
    "a text": f"r = ''\n{LOOP}r += str(busy(1))\nr[9]",
    "deque": f"r = collections.deque()\n{LOOP}r.append(busy(i))\nr[9]",
    "attribute": f"r = nn.Module()\nr.row = []\n{LOOP}r.row.append(busy(i))\nr.row[9]",
    "in a dict": f"r = collections.defaultdict(list)\n{LOOP}r['a'].append(busy(i))\nr['a'][9]",
    "dict": f"r = {{}}\n{LOOP}r[i] = busy(i)\nr[9]",
    "dict of names": f"r = {{}}\n{LOOP}r[f'l{{i}}'] = busy(i)\nr['l9']",
    "set": f"r = set()\n{LOOP}r.add(busy(i))\nassert 9 in r",
    "while": "r, i = [], 0\nwhile i < 12:\n    r.append(busy(i))\n    i += 1\nr[9]",
    "stacked": f"r = []\n{LOOP}r.append(y.detach() * busy(i))\ntorch.stack(r)[9]\nassert len(torch.stack(r)) == 12",
    "comprehension": "r = [busy(i) for i in range(12)]\nr[9]",
    "dict comprehension": "r = {i: busy(i) for i in range(12)}\nr[9]",
    "set comprehension": "r = {busy(i) for i in range(12)}\nassert 9 in r",
    "list of a generator": "r = list(busy(i) for i in range(12))\nr[9]",
    "tuple of a generator": "r = tuple(busy(i) for i in range(12))\nr[9]",
    "sorted": "r = sorted([busy(i) for i in range(12)])\nr[9]",
    "zip": "r = list(zip(range(12), [busy(i) for i in range(12)]))\nr[9]",
    "ModuleList": f"r = nn.ModuleList([{LAYER} for i in range(12)])\nr[9](w)\nassert len(r) == 12",
    "ModuleList, appended": f"r = nn.ModuleList()\n{LOOP}r.append({LAYER})\nr[9](w)",
    "ModuleList, extended": f"r = nn.ModuleList()\nr.extend([{LAYER} for i in range(12)])\nr[9](w)",
    "ModuleList +=": f"r = nn.ModuleList()\nr += [{LAYER} for i in range(12)]\nr[9](w)",
    "part of a ModuleList": f"r = nn.ModuleList([{LAYER} for i in range(12)])\nr[6:][3](w)",
    "Sequential": f"r = nn.Sequential(*[{LAYER} for i in range(12)])\nr[9](w)",
    "Sequential, appended": f"r = nn.Sequential()\n{LOOP}r.append({LAYER})\nr[9](w)",
    "Sequential, by number": f"r = nn.Sequential()\n{LOOP}r.add_module(str(i), {LAYER})\nr[9](w)",
    "Sequential, by name": f"r = nn.Sequential()\n{LOOP}r.add_module(f'l{{i}}', {LAYER})\nr.l9(w)",
    "setattr": f"r = nn.Module()\n{LOOP}setattr(r, f'l{{i}}', {LAYER})\nr.l9(w)\ngetattr(r, 'l8')(w)",
    "ModuleDict": f"r = nn.ModuleDict()\n{LOOP}r[f'l{{i}}'] = {LAYER}\nr['l9'](w)",
    "ParameterList": f"r = nn.ParameterList([{PARAMETER} for i in range(12)])\nr[9] + w",
    "ParameterList, appended": f"r = nn.ParameterList()\n{LOOP}r.append({PARAMETER})\nr[9] + w",
}


@pytest.mark.parametrize("name", ROWS)
def test_the_program_goes_on(name: str, tmp_path: Path) -> None:
    text = START + ROWS[name] + FAILS
    assert happens(tmp_path, text) == {"stale-saved"}
    found = diagnose(replay([parse(text, "main.py")], Alone()))
    assert [one.severity for one in found] == [Severity.ERROR]


def test_what_the_row_really_lacks_ends_the_program(tmp_path: Path) -> None:
    """A row that a short loop fills is known: no backward is reached."""
    text = START + "r = []\nfor i in range(3):\n    r.append(i)\nr[9]" + FAILS
    assert not diagnose(replay([parse(text, "main.py")], Alone()))


MANY = """
net = nn.Sequential(*[layer for i in range(12) for layer in (nn.Conv2d(3, 3, 1), nn.ReLU())], nn.Linear(3, 3))
named, count = [], 0
for name, m in net.named_modules():
    busy(1)
    named.append(m)
    if isinstance(m, nn.Conv2d):
        nn.init.ones_(m.weight)
    elif isinstance(m, nn.Linear):
        {line}
{then}
"""


@pytest.mark.parametrize(
    ("line", "then"),
    [
        ("m.bias.zero_()", ""),
        ("count += 1", "if count:\n    w.zero_()"),
        ("break", "w.zero_()"),
    ],
)
def test_an_item_of_another_class_has_a_turn_of_its_own(line: str, then: str, tmp_path: Path) -> None:
    text = START + MANY.format(line=line, then=then)
    assert happens(tmp_path, text) == {"leaf-inplace"}
    found = diagnose(replay([parse(text, "main.py")], Alone()))
    assert [one.rule.name for one in found] == ["leaf-inplace"]


def test_where_such_an_item_stands_in_a_row_is_unknown(tmp_path: Path) -> None:
    text = START + MANY.format(
        line="pass", then="assert isinstance(named[4], nn.ReLU), isinstance(named[3], nn.Conv2d)"
    )
    text += FAILS
    assert happens(tmp_path, text) == {"stale-saved"}
    assert [one.severity for one in diagnose(replay([parse(text, "main.py")], Alone()))] == [Severity.ERROR]


DEEP = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.value, self.norm = nn.Linear(size, size), nn.LayerNorm(size)

    def forward(self, q, k):
        q = self.norm(q)
        return q, k + self.value(q)


class Net(nn.Module):
    def __init__(self, depth, size):
        super().__init__()
        self.layers = nn.ModuleList({filled})
        for _ in range({later}):
            self.layers.append(Block(size))
        self.last = nn.Linear(size, size)

    def forward(self, q, k):
        for layer in self.layers:
            q, k = layer(q, k)
        q {written}
        return q + k
"""


@pytest.mark.parametrize(("filled", "later"), [("", "depth"), ("[Block(size) for _ in range(depth)]", "0")])
@pytest.mark.parametrize(("written", "fails"), [("+= self.last(k)", True), ("= q + self.last(k)", False)])
def test_layers_of_an_unknown_number_are_all_alike(
    filled: str, later: str, written: str, fails: bool, tmp_path: Path
) -> None:
    text = DEEP.format(filled=filled, later=later, written=written)
    call = "Net(3, 4)(torch.rand(2, 4), torch.rand(2, 4)).sum().backward()\n"
    assert happens(tmp_path, text + call) == ({"stale-saved"} if fails else set())
    found = diagnose(replay([parse(text, "main.py")], Alone()))
    assert [one.severity for one in found] == [Severity.WARNING] * fails

"""A change that something else sees is not taken for one that a new tensor can replace; PyTorch tells what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .folder import Folder
from .proof import proven

if TYPE_CHECKING:
    from pathlib import Path

START = """\
import copy
from functools import partial
from types import SimpleNamespace

import torch
from torch import nn

store = []


def keep(tensor):
    store.append(tensor[1:])


class Holder:
    pass


w = torch.rand(3, requires_grad=True)
x = w * 1
"""

HELD = {
    "d = dict(a=x)": 'print(d["a"])',
    "d = {'a': x}": 'print({**d}["a"])',
    "d = {}\nd['a'] = x.view(-1)": 'print(d["a"])',
    "d = SimpleNamespace(a=x)": "print(d.a)",
    "d = [x for _ in range(2)]": "print(d[1])",
    "d = (x, x)": "print(d)",
    "d = torch.broadcast_tensors(x, x)": "print(d)",
    "d = iter([x])": "print(next(d))",
    "d = max([x], key=len)": "print(d)",
    "add = partial(torch.add, x)": "print(add(1))",
    "array = x.detach().numpy()": "print(array)",
    "keep(x)": "print(store)",
    "if (z := x) is not None: pass": "print(z)",
    "x.retain_grad()": "",
    "module = nn.Module()\nmodule.register_buffer('b', x.detach())": "print(module.b)",
    "def made():\n    h = x\n    return lambda: print(h)\nshow = made()": "show()",
}
"""What else holds `x`, and how that is read after `x += 1`."""

ALONE = {
    "": "print(x)",
    "n = x.shape[0]": "print(n)",
    "n = x.sum().item()": "print(n)",
    "copied = x.detach().clone().numpy()": "print(copied)",
    "both = torch.stack([x, x])": "print(both)",
    "def show(): print(x)": "show()",
}
"""What does not."""


def written(text: str, folder: Path) -> Folder:
    (folder / "program").mkdir()
    (folder / "program" / "main.py").write_text(text, "utf-8")
    return Folder(folder / "program")


def changed(held: str, read: str) -> str:
    grad = "print(x.grad)" if "retain_grad" in held else ""
    return f"{START}{held}\ny = x.square()\nx += 1\n{read}\n(y.sum() + x.sum()).backward()\n{grad}\n"


def safe_lines(program: Folder) -> set[str]:
    """The lines that fixes which keep every value bring."""
    report = program.replay()
    fixes = [fix for fix in program.offered(report) if fix.safety == "safe"]
    texts = [text for fix in fixes for text in program.mended(fix).values()]
    return {line for text in texts for line in text.splitlines()} - set(program.main.text.splitlines())


@pytest.mark.parametrize("held", HELD)
def test_what_else_holds_a_tensor_sees_its_change(held: str, tmp_path: Path) -> None:
    program = written(changed(held, HELD[held]), tmp_path)
    assert safe_lines(program) == {"y = x.clone().square()"}
    assert not list(proven(program, tmp_path / "each"))


@pytest.mark.parametrize("held", ALONE)
def test_a_tensor_that_nothing_else_holds_may_be_a_new_one(held: str, tmp_path: Path) -> None:
    program = written(changed(held, ALONE[held]), tmp_path)
    assert safe_lines(program) == {"x = x + 1", "y = x.clone().square()", "x = x.clone()"}
    assert not list(proven(program, tmp_path / "each"))


OTHERS = {
    "a name of another function": """\
def step():
    return x.mul_(2)
y = x.square()
z = step()
(y.sum() + x.sum() + z.sum()).backward()
""",
    "finally": """\
y = x.square()
try:
    z = x.add_(1)
finally:
    print(x)
(z.sum() + y.sum()).backward()
""",
    "else of a loop": """\
y = x.square()
for _ in range(1):
    z = x.add_(1)
else:
    print(x)
(z.sum() + y.sum()).backward()
""",
    "another dtype": """\
y = x.square()
x *= torch.full((3,), 0.1, dtype=torch.float64)
print(x)
y.sum().backward()
""",
    "a leaf under no_grad": """\
y = w.square()
with torch.no_grad():
    w *= 2
(y.sum() + (w * 2).sum()).backward()
""",
    "a result under no_grad": """\
y = x.square()
with torch.no_grad():
    x.relu_()
(y.sum() + (x * 2).sum()).backward()
""",
    "another object's attribute": """\
a, b = Holder(), Holder()
a.h = x
b.h = a.h
y = a.h.square()
a.h += 1
print(b.h)
y.sum().backward()
""",
    "a copy of an object": """\
a = Holder()
a.h = w * 1
b = copy.copy(a)
y = a.h.square()
a.h += 1
print(b.h)
y.sum().backward()
""",
    "a name of the module": """\
def change():
    z = x
    y = z.square()
    z += 1
    return y
y = change()
print(x)
y.sum().backward()
""",
    "a module that changes what is read again": """\
act = nn.Threshold(0.6, 0.0, inplace=True)
x = w.sigmoid()
z = act(x)
(z.sum() + x.sum()).backward()
""",
    "a module whose result nobody takes": """\
act = nn.Threshold(0.6, 0.0, inplace=True)
x = w.sigmoid()
act(x)
x.sum().backward()
""",
    "a module that is called at two places": """\
act = nn.Threshold(0.6, 0.0, inplace=True)
a = w * 2
act(a)
x = w.sigmoid()
x = act(x)
(x.sum() + a.sum()).backward()
""",
    "an attribute of a tensor": """\
x.tag = "one"
y = x.square()
x += 1
print(x.tag)
y.sum().backward()
""",
    "a function of torch.nn.init": """\
y = w.square()
with torch.no_grad():
    nn.init.zeros_(w)
y.sum().backward()
""",
}


@pytest.mark.parametrize("case", OTHERS)
def test_safe_fixes_keep_what_is_read(case: str, tmp_path: Path) -> None:
    program = written(START + OTHERS[case], tmp_path)
    assert any(".clone()" in line for line in safe_lines(program))
    assert not list(proven(program, tmp_path / "each"))


ENCLOSING = {
    "global": """\
y = x.square()
def step():
    \"\"\"Another step.\"\"\"
    x.mul_(2)
step()
(y.sum() + x.sum()).backward()
""",
    "nonlocal": """\
def train(w):
    x = w * 1
    y = x.square()
    def step():
        x.mul_(2)
    step()
    (y.sum() + x.sum()).backward()
train(w)
""",
}


@pytest.mark.parametrize("how", ENCLOSING)
def test_a_variable_from_outside_is_declared_where_it_gets_a_new_tensor(how: str, tmp_path: Path) -> None:
    program = written(START + ENCLOSING[how], tmp_path)
    lines = {line.strip() for line in safe_lines(program)}
    assert lines == {f"{how} x", "x = x.mul(2)", "x = x.clone()", "y = x.clone().square()"}
    assert not list(proven(program, tmp_path / "each"))


ELSEWHERE = {
    "by another name": "z = x\n{step}step()\nprint(z)\n",
    "by a view": "z = x[1:]\n{step}step()\nprint(z)\n",
    "by what the function returns": "{step}    return x\nz = step()\nstep()\nprint(z)\n",
    "in a container": "z = [x]\n{step}step()\nprint(z)\n",
    "in another function": "def show(z=x): print(z)\n{step}step()\nshow()\n",
}


@pytest.mark.parametrize("where", ELSEWHERE)
def test_a_variable_from_outside_may_be_seen_elsewhere(where: str, tmp_path: Path) -> None:
    change = ELSEWHERE[where].format(step="def step():\n    x.mul_(2)\n")
    program = written(f"{START}y = x.square()\n{change}(y.sum() + x.sum()).backward()\n", tmp_path)
    assert safe_lines(program) == {"y = x.clone().square()"}
    assert not list(proven(program, tmp_path / "each"))


def test_an_indexed_write_to_what_is_expanded_has_changed_that(tmp_path: Path) -> None:
    program = written(START + "y = x.expand(2, 3)\ny[[0]] = 0.5\n(x * 2).sum().backward()\n", tmp_path)
    assert not safe_lines(program)
    assert not list(proven(program, tmp_path / "each"))


ITSELF = ["held[0].tanh_()", "torch.tanh_(held[0])", "held.copy().pop(0).tanh_()", "(+held[0]).tanh_()"]


@pytest.mark.parametrize("made", ITSELF)
def test_an_item_that_is_changed_in_place_stays_one(made: str, tmp_path: Path) -> None:
    """The result of an in-place method is the item itself, by one more name."""
    text = START + f"held = [x * 2, x]\ny = {made}\ny[::2] = 2\n(held[0].sum() + y.sum()).backward()\n"
    program = written(text, tmp_path)
    assert not {line for line in safe_lines(program) if line.startswith("y = y")}
    assert not list(proven(program, tmp_path / "each"))


@pytest.mark.parametrize("act", ["nn.functional.selu(x, inplace=True)", "nn.SELU(inplace=True)(x)", "torch.selu_(x)"])
def test_a_result_that_is_the_operand_is_not_copied_for_its_saver_alone(act: str, tmp_path: Path) -> None:
    program = written(START + f"y = {act}\ny += 1\n(x.sum() + y.mean()).backward()\n", tmp_path)
    assert not safe_lines(program)
    assert not list(proven(program, tmp_path / "each"))


@pytest.mark.parametrize("read", ["r.values", "r[0]", "+r[0]", "r[0] if len(r) else x"])
def test_what_is_read_of_several_results_stays_theirs(read: str, tmp_path: Path) -> None:
    text = f"r = torch.sort(x)\nv = {read}\ny = v.sin()\nv.exp2_()\n(y.sum() + r[0].mean()).backward()\n"
    program = written(START + text, tmp_path)
    assert safe_lines(program) == {"y = v.clone().sin()"}
    assert not list(proven(program, tmp_path / "each"))

"""Making tensors, computing with them, and changing them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from .. import recipes
from ..scope import floating

if TYPE_CHECKING:
    from ..chooser import Chooser
    from ..program import Drawn
    from ..recipes import Recipe, Slot


SHAPES = ("3", "2, 3", "3, 3", "2, 2, 3", "4", "()", "5, 5", "1, 3", "4, 2")


def start(c: Chooser) -> Drawn:
    shape = c.chance.choice(SHAPES)
    return [f"{c.name('x')} = torch.rand({shape}, requires_grad=True)", f"{c.name('x')} = torch.rand({shape})"]


def leaf(c: Chooser) -> Drawn:
    known = c.pick()
    size = ", ".join(map(str, known[1].shape)) or "()" if known and c.likely(0.7) else c.chance.choice(SHAPES)
    form = c.chance.choice(
        (
            *["torch.rand({}, requires_grad=True)"] * 5,
            *["torch.rand({})"] * 2,
            "torch.zeros({})",
            "torch.ones({}, requires_grad=True)",
            "nn.Parameter(torch.rand({}))",
            "torch.rand({}).requires_grad_()",
            "torch.rand({}, dtype=torch.float64, requires_grad=True)",
            "torch.rand({}) > 0.5",
            "torch.zeros({}, dtype=torch.int64)",
            "torch.tensor([0.5, 1.5, 2.5], requires_grad=True)",
            "torch.arange(3)",
            "torch.arange(3.0)",
        )
    )
    return f"{c.name('x')} = {form.format(size)}"


def operation(c: Chooser) -> Drawn:
    return called(c, c.chance.choice(_named("plain")))


def view(c: Chooser) -> Drawn:
    if c.likely(0.45) and (known := c.pick()):
        return f"{c.result()} = {known[0]}[{c.index(known[1])}]"
    return called(c, c.chance.choice(_named("view")))


def change(c: Chooser) -> Drawn:
    return called(c, c.chance.choice(_named("inplace")))


def called(c: Chooser, name: str) -> Drawn:
    """A call of the vocabulary, with operands from the scope where they fit."""
    recipe: Recipe = c.chance.choice(recipes.calls()[name])
    c.used.add(name)
    before: list[Any] = []
    strict = c.likely(0.5)
    chosen: list[str] = []

    def tensor(slot: Slot) -> str:
        if recipe.kind == "inplace" and not chosen and c.likely(0.8):
            alike = [lambda t: t.dtype == slot.dtype, lambda t: not strict or t.shape == slot.shape]
            target = c.target(*alike)
            if target:
                chosen.append(target[0])
                return target[0]
        chosen.append(c.operand(slot, before, strict))
        return chosen[-1]

    texts = [recipes.spell(argument, tensor) for argument in recipe.arguments]
    if "[{}]" in recipe.template:
        texts[1] = re.sub(r"^\((.*?),?\)$", r"\1", texts[1]) or "()"
    text = recipe.template.format(*texts)
    if recipe.flags and text.endswith(")") and c.likely(0.25):
        text = f"{text[:-1]}, {c.chance.choice(recipe.flags)})"
    if recipe.accepts_out and c.likely(0.05) and (known := c.pick(floating)):
        text = f"{text[:-1]}, out={known[0]})"
    if "= {}" in recipe.template or (recipe.kind == "inplace" and c.likely(0.7)):
        return [*before, text]
    return [*before, f"{c.result()} = {text.removeprefix('(').removesuffix(')') if text[0] == '(' else text}"]


def augmented(c: Chooser) -> Drawn:
    known = c.target()
    if known is None:
        return None
    target, tensor = known
    if c.likely(0.35):
        index = c.index(tensor)
        try:
            tensor = eval(f"tensor[{index}]", {"tensor": tensor.detach(), **dict(c.scope.tensors), "torch": torch})
        except Exception:
            return None
        target = f"{target}[{index}]"
    operator = c.chance.choice(("+", "+", "*", "*", "-", "/", "**", "//", "%"))
    return f"{target} {operator}= {c.value(tensor)}"


def assigned(c: Chooser) -> Drawn:
    known = c.target()
    if known is None:
        return None
    return f"{known[0]}[{c.index(known[1])}] = {c.value(known[1])}"


def unpacked(c: Chooser) -> Drawn:
    known = c.pick(lambda t: t.ndim > 0 and 1 < t.shape[0] < 5)
    if known is None:
        return None
    names = ", ".join(c.name("x") for _ in range(known[1].shape[0]))
    form = c.chance.choice(("{}", "{}.unbind()", "{}.chunk({n})", "{}.split(1)", "{}.unbind(0)"))
    return f"{names} = {form.format(known[0], n=known[1].shape[0])}"


def alias(c: Chooser) -> Drawn:
    known = c.pick()
    if known is None:
        return None
    forms = ["{}", "{}.detach()", "{}.data", "{}.clone()", "copy.copy({})", "copy.deepcopy({})", "{}.detach().clone()"]
    forms += ["{}.requires_grad_()", "{}.contiguous()", "{}.expand(2, *{}.shape)", "{}.float()", "{}.double()"]
    return f"{c.result()} = {c.chance.choice(forms).replace('{}', known[0])}"


def bridge(c: Chooser) -> Drawn:
    if c.scope.arrays and c.likely(0.6):
        array = c.chance.choice(c.scope.arrays)
        return c.chance.choice((f"{array} += 1", f"{array}[0] = 2", f"{c.name('x')} = torch.from_numpy({array})"))
    known = c.pick()
    return known and f"{c.name('a')} = {known[0]}.{c.chance.choice(('numpy()', 'detach().numpy()', 'data.numpy()'))}"


def silent(c: Chooser) -> Drawn:
    known = c.pick(floating)
    forms = ("{}.data.mul_(2)", "{}.data += 1", "{}.data[0] = 3", "{}.data = {}.data + 1", "{}.detach().add_(1)")
    return known and c.chance.choice(forms).replace("{}", known[0])


def setting(c: Chooser) -> Drawn:
    known = c.pick()
    forms = (
        "{}.requires_grad_(False)",
        "{}.detach_()",
        "{}.retain_grad()",
        "{}.requires_grad = True",
        "{}.grad = None",
    )
    return known and c.chance.choice(forms).format(known[0])


@cache
def _named(kind: str) -> list[str]:
    """The callables of a kind."""
    return [name for name, found in recipes.calls().items() if found[0].kind == kind]

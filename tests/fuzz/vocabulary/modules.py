"""Modules, optimizers and the steps of a training."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from .. import recipes
from ..program import Block
from ..scope import floating, is_leaf

if TYPE_CHECKING:
    from ..chooser import Chooser
    from ..program import Drawn


def module(c: Chooser) -> Drawn:
    if c.scope.modules and c.likely(0.4):
        name, _ = c.chance.choice(c.scope.modules)
        known = c.pick(floating)
        return known and f"{c.result()} = {name}({known[0]})"
    recipe = c.chance.choice(recipes.modules()[c.chance.choice(_classes())])
    c.used.add(recipe.name)
    before: list[Any] = []
    strict = c.likely(0.6)
    given = [recipes.spell(argument, lambda slot: c.operand(slot, before, strict)) for argument in recipe.arguments]
    name = c.name("m")
    made = recipe.construct
    if recipe.inplace and c.likely(0.5):
        made = f"{made[:-1]}{', ' * (not made.endswith('('))}inplace=True)"
    return [*before, f"{name} = {made}", f"{c.result()} = {name}({recipe.call.format(*given)})"]


ACTIVATIONS = ("nn.ReLU()", "nn.ReLU(inplace=True)", "nn.Sigmoid()", "nn.Tanh()", "nn.Dropout(0.5, inplace=True)")
ACTIVATIONS += (
    "nn.ELU(inplace=True)",
    "nn.SiLU(inplace=True)",
    "nn.LeakyReLU(inplace=True)",
    "nn.Hardtanh(inplace=True)",
)


def sequential(c: Chooser) -> Drawn:
    known = c.pick(lambda t: t.dtype == torch.float32 and t.ndim == 2)
    if known is None:
        return None
    size, layers = known[1].shape[1], []
    for _ in range(c.chance.randint(1, 3)):
        layers += [f"nn.Linear({size}, {size})"] if c.likely(0.6) else [f"nn.BatchNorm1d({size})"]
        layers += [c.chance.choice(ACTIVATIONS)] if c.likely(0.8) else []
    name = c.name("m")
    return [f"{name} = nn.Sequential({', '.join(layers)})", f"{c.result()} = {name}({known[0]})"]


def own_module(c: Chooser) -> Drawn:
    known = c.pick(lambda t: t.dtype == torch.float32 and t.ndim > 0 and 0 < t.shape[-1] < 21)
    if known is None:
        return None
    cls, name, size = c.name("Net"), c.name("m"), known[1].shape[-1]
    attributes = ["super().__init__()"]
    attributes += [f"self.layer = nn.Linear({size}, {size})"] if c.likely(0.7) else []
    attributes += [f"self.act = {c.chance.choice(ACTIVATIONS)}"] if c.likely(0.5) else []
    attributes += [f"self.weight = nn.Parameter(torch.rand({size}))"] if c.likely(0.5) else []
    attributes += [f'self.register_buffer("buffer", torch.zeros({size}))'] if c.likely(0.4) else []
    attributes += ["self.seen = []"] if c.likely(0.2) else []
    first = "x0 = self.layer(a)" if "self.layer" in str(attributes) else "x0 = a * 2"
    forward = Block("def forward(self, a)", [first, "return x0"], c.chance.randint(1, 4))
    whole = Block(f"class {cls}(nn.Module)", [Block("def __init__(self)", [*attributes]), forward])
    calls = [f"{c.name('x')} = {name}({known[0]})" for _ in range(c.chance.choice((1, 1, 2)))]
    return [whole, f"{name} = {cls}()", *calls]


OPTIMIZERS = ("SGD({}, lr=0.1)", "SGD({}, lr=0.1, momentum=0.9)", "Adam({})", "AdamW({})", "RMSprop({})", "Adagrad({})")
OPTIMIZERS += ("NAdam({})", "Adamax({})", "RAdam({})", "Adadelta({})", "Rprop({})", "ASGD({})", "Adam({}, fused=True)")


def optimizer(c: Chooser) -> Drawn:
    if c.scope.optimizers:
        name = c.chance.choice(c.scope.optimizers)
        return c.chance.choice((f"{name}.step()", f"{name}.step()", f"{name}.zero_grad()"))
    name, made = c.name("opt"), c.chance.choice(OPTIMIZERS)
    modules = [text for text, m in c.scope.modules if any(p.requires_grad for p in m.parameters())]
    if modules and c.likely(0.6):
        return f"{name} = torch.optim.{made.format(c.chance.choice(modules) + '.parameters()')}"
    known = c.pick(floating, lambda t: is_leaf(t) and t.requires_grad)
    return known and f"{name} = torch.optim.{made.format(f'[{known[0]}]')}"


def updated(c: Chooser) -> Drawn:
    known = c.pick(floating, lambda t: is_leaf(t) and t.requires_grad)
    forms = ("{}.add_(0.1)", "{} -= 0.1", "{}.mul_(0.9)", "{}.copy_({} * 2)", "nn.init.zeros_({})", "{}[0] = 0")
    return known and [Block("with torch.no_grad()", [c.chance.choice(forms).replace("{}", known[0])])]


def training(c: Chooser) -> Drawn:
    modules = [text for text, m in c.scope.modules if any(p.requires_grad for p in m.parameters())]
    known = c.pick(floating)
    if not modules or known is None:
        return None
    name, opt, out = c.chance.choice(modules), c.name("opt"), c.name("x")
    steps: list[Any] = [f"{opt}.zero_grad()", f"{out} = {name}({known[0]})", f"{out}.sum().backward()", f"{opt}.step()"]
    if c.likely(0.3):
        c.chance.shuffle(steps)
    made = f"{opt} = torch.optim.{c.chance.choice(OPTIMIZERS).format(name + '.parameters()')}"
    return [made, Block(f"for {c.name('i')} in range(2)", steps, 1 if c.likely(0.5) else 0)]


def module_setting(c: Chooser) -> Drawn:
    if not c.scope.modules:
        return None
    name, _ = c.chance.choice(c.scope.modules)
    forms = ("{}.eval()", "{}.train()", "{}.zero_grad()", "{}.requires_grad_(False)", "{}.double()", "{}.float()")
    forms += ("{0}.load_state_dict({0}.state_dict())", "torch.nn.utils.clip_grad_norm_({}.parameters(), 1.0)")
    forms += ("{}.register_forward_hook(lambda module, given, made: made.mul_(2))",)
    forms += ("{}.register_forward_pre_hook(lambda module, given: (given[0] * 2,))",)
    return c.chance.choice(forms).format(name)


@cache
def _classes() -> list[str]:
    return list(recipes.modules())

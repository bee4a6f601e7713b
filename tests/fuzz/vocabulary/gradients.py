"""Losses and backwards, and what takes part in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..program import Block
from ..scope import floating, is_leaf, with_grad

if TYPE_CHECKING:
    from ..chooser import Chooser
    from ..program import Drawn


def loss(c: Chooser) -> str | None:
    """An expression of a number that depends on some of the tensors."""
    reachable = [(text, t) for text, t in c.scope.tensors if t.requires_grad and not is_leaf(t)]
    reachable = reachable or [(text, t) for text, t in c.scope.tensors if t.requires_grad]
    if not reachable:
        return None
    chosen = {reachable[-1], *c.chance.sample(reachable, min(len(reachable), c.chance.randint(1, 6)))}
    terms = []
    for text, tensor in sorted(chosen, key=reachable.index):
        form = "{}.abs().sum()" if tensor.is_complex() else c.chance.choice(("{}.sum()", "{}.sum()", "{}.mean()"))
        terms.append(form.format(text))
    return " + ".join(terms)


def closing(c: Chooser) -> Drawn:
    total = loss(c)
    if total is None:
        return None
    end = [f"loss = {total}", "loss.backward()"] if c.likely(0.5) else [f"({total}).backward()"]
    if c.scope.optimizers and c.likely(0.5):
        end.append(f"{c.scope.optimizers[-1]}.step()")
    return end


def backward(c: Chooser) -> Drawn:
    total = loss(c)
    options = c.chance.choice(("", "retain_graph=True", "retain_graph=True", "create_graph=True"))
    return total and f"({total}).backward({options})"


def gradient(c: Chooser) -> Drawn:
    known, total = c.pick(with_grad), loss(c)
    if known is None or total is None:
        return None
    options = c.chance.choice(
        (", allow_unused=True", ", retain_graph=True", ", create_graph=True", ", materialize_grads=True")
    )
    name = c.name("x")
    target = f"{name}, = " if c.likely(0.5) else f"{name} = "
    return f"{target}torch.autograd.grad({total}, {known[0]}{options}){'' if ', =' in target else '[0]'}"


def hook(c: Chooser) -> Drawn:
    known = c.pick(with_grad)
    forms = ("{}.register_hook(lambda grad: grad * 2)", "{}.register_hook(lambda grad: grad.mul_(2))")
    return known and c.chance.choice(forms).format(known[0])


def function_class(c: Chooser) -> Drawn:
    known = c.pick(with_grad, floating)
    if known is None:
        return None
    name = c.name("Op")
    saved, work, back = c.chance.choice(
        (
            ("a", "b = a * 2", "saved * grad"),
            ("b", "b = a.exp()", "saved * grad"),
            ("a, b", "b = a.clone()", "saved * grad"),
            ("a", "b = a.clone()\n        b.mul_(3)", "saved * grad"),
            ("b", "b = a.sin_()\n        ctx.mark_dirty(a)", "saved * grad"),
            ("a", "b = a.sin()\n        a.add_(1)", "grad"),
        )
    )
    first = "saved, *_ = ctx.saved_tensors"
    lines = ["@staticmethod", "def forward(ctx, a):", f"    {work.replace(chr(10) + '    ', chr(10))}"]
    lines += [f"    ctx.save_for_backward({saved})", "    return b", "@staticmethod", "def backward(ctx, grad):"]
    lines += [f"    {first}", f"    return {back}"]
    return [
        Block(f"class {name}(torch.autograd.Function)", ["\n".join(lines)]),
        f"{c.name('x')} = {name}.apply({known[0]})",
    ]

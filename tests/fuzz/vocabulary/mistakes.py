"""What programs seldom do by chance and fail for: a draw for each such kind of failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..scope import floating, inner, is_leaf, with_grad
from .gradients import loss

if TYPE_CHECKING:
    import torch

    from ..chooser import Chooser
    from ..program import Drawn


def made(tensor: torch.Tensor) -> bool:
    """Whether an operation made it that autograd knows."""
    return with_grad(tensor) and inner(tensor)


def again(c: Chooser) -> Drawn:
    """Two backwards through one graph, which the first may free."""
    first, second = loss(c), loss(c)
    if first is None or second is None:
        return None
    name = c.name("x")
    forms = (
        [f"{name} = {first}", f"{name}.backward()", f"{name}.backward()"],
        [f"({first}).backward()", f"({second}).backward()"],
        [f"{name} = {first}", f"{name}.backward(retain_graph=True)", f"({name} * 2).backward()"],
        [f"for {c.name('i')} in range(2):\n    ({first}).backward()"],
    )
    return c.chance.choice(forms)


def lost_gradient(c: Chooser) -> Drawn:
    """Reading the gradient of what is not a leaf."""
    known = c.pick(made, floating)
    name = c.name("x")
    forms = (f"{name} = {{}}.grad", "print({}.grad)", f"{name} = {{}}.grad is None", "{}.grad = None")
    return known and c.chance.choice(forms).format(known[0])


def written_out(c: Chooser) -> Drawn:
    """`out=` with something that requires grad."""
    known, given = c.pick(floating), c.pick(floating, with_grad)
    forms = ("torch.exp({}, out={})", "torch.add({}, 1, out={})", "torch.mul({}, {0}, out={})", "torch.neg({}, out={})")
    text = c.chance.choice(forms).replace("{0}", given[0] if given else "")
    return known and given and text.format(*c.chance.sample((given[0], known[0]), 2))


def of_integers(c: Chooser) -> Drawn:
    """Asking for the gradient of what has none."""
    known = c.pick(lambda t: not t.is_floating_point() and not t.is_complex())
    name = c.name("x")
    forms = ["torch.tensor([1, 2, 3], requires_grad=True)", "torch.arange(4, requires_grad=True)"]
    forms += ["torch.zeros(2, dtype=torch.int64, requires_grad=True)", "torch.ones(3).long().requires_grad_()"]
    forms += [f"{known[0]}.requires_grad_()", f"nn.Parameter({known[0]})"] * 2 if known else []
    return f"{name} = {c.chance.choice(forms)}"


def copied_deeply(c: Chooser) -> Drawn:
    """A deep copy of a result, or of what holds one."""
    known = c.pick(made)
    forms = ("copy.deepcopy({})", "copy.deepcopy([{}])", 'copy.deepcopy({{"a": {}}})', "copy.deepcopy({}.detach())")
    return known and f"{c.name('x')} = {c.chance.choice(forms).format(known[0])}"


def inferred(c: Chooser) -> Drawn:
    """A tensor made in inference mode, and used where autograd is on."""
    known, other = c.pick(floating), c.pick(floating, made)
    if known is None or other is None:
        return None
    name, made_of_it = c.name("x"), c.name("x")
    uses = (f"{made_of_it} = {other[0]} * {name}", f"{name}.add_(1)", f"{name}.requires_grad_()")
    uses += (f"{made_of_it} = {name}.clone() * {other[0]}", f"{made_of_it} = {other[0]} + {name}")
    return [f"with torch.inference_mode():\n    {name} = {known[0]} * 2", c.chance.choice(uses)]


def checked(c: Chooser) -> Drawn:
    """A numerical check of gradients, which needs double precision."""
    known = c.pick(floating, with_grad, is_leaf, lambda t: 0 < t.numel() < 10)
    forms = ("t.sin()", "t.exp()", "t * 3", "(t * t).sum()")
    given = ("{}", "({},)", "({}.detach().double().requires_grad_(),)")
    given_text = c.chance.choice(given).format(known[0]) if known else ""
    return known and f"torch.autograd.gradcheck(lambda t: {c.chance.choice(forms)}, {given_text})"


def unseen(c: Chooser) -> Drawn:
    """A change that the counter of what was saved does not see."""
    known = c.pick(floating, with_grad)
    if known is None:
        return None
    saving = f"{c.name('x')} = {known[0]}{c.chance.choice(('.exp()', '.sin()', ' * {0}', '.pow(2)'))}".format(known[0])
    forms = ("{}.data.mul_(2)", "{}.data += 1", "{}.data[..., :1] = 3", "{}.data.copy_({}.data * 2 + 1)")
    return [saving, c.chance.choice(forms).replace("{}", known[0])]

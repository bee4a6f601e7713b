"""The choices that a statement is made of: names, operands, indices and values that fit at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .scope import Scope, inner, with_grad

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from .recipes import Slot


class Chooser:
    """Chooses for one program, by what is in scope where the next statement goes."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.scope = Scope()
        self.counts: dict[str, int] = {}
        self.used: set[str] = set()
        """the names of the vocabulary that were chosen"""
        self.around: list[str] = []
        """the heads of the blocks around the place"""

    def name(self, prefix: str) -> str:
        """A name that nothing has yet."""
        self.counts[prefix] = self.counts.get(prefix, 0) + 1
        return f"{prefix}{self.counts[prefix]}"

    def result(self) -> str:
        """A name for a result: a new one, now and then one that stood for something else."""
        known = [text for text, _ in self.scope.tensors if text.isidentifier()]
        return self.chance.choice(known) if known and self.chance.random() < 0.12 else self.name("x")

    def likely(self, probability: float) -> bool:
        return self.chance.random() < probability

    def target(self, *fits: Callable[[torch.Tensor], bool]) -> tuple[str, torch.Tensor] | None:
        """A tensor to change: most often one that may be changed and is a part of the graph."""
        made = self.pick(*fits, with_grad, inner) if self.likely(0.7) else None
        return made or (self.pick(*fits, inner) if self.likely(0.9) else self.pick(*fits))

    def pick(self, *fits: Callable[[torch.Tensor], bool]) -> tuple[str, torch.Tensor] | None:
        """A tensor in scope that fits, the later ones more often."""
        known = [(text, t) for text, t in self.scope.tensors if all(fit(t) for fit in fits)]
        if not known:
            return None
        return known[-1 - int(len(known) * self.chance.random() ** 2)]

    def operand(self, slot: Slot, before: list[Any], strict: bool) -> str:
        """An expression for a tensor: one in scope, or one made for it by statements in `before`."""
        fits: list[Callable[[torch.Tensor], bool]] = [lambda t: t.dtype == slot.dtype]
        fits += [lambda t: t.shape == slot.shape] if strict else []
        known = self.pick(*fits) if self.likely(0.85) else None
        if known:
            return known[0]
        if not slot.dtype.is_floating_point and not slot.dtype.is_complex and self.likely(0.3):
            return slot.text
        name = self.name("x")
        grad = slot.dtype.is_floating_point and self.likely(0.6)
        before.append(f"{name} = {slot.text[:-1]}, requires_grad=True)" if grad else f"{name} = {slot.text}")
        if grad and self.likely(0.5):
            leaf, name = name, self.name("x")
            before.append(f"{name} = {leaf}{self.chance.choice([' * 2', ' + 1', '.clone()', '.sin()', '.exp()'])}")
        return name

    def index(self, tensor: torch.Tensor) -> str:
        """An index that a tensor of this shape takes."""
        if not tensor.ndim:
            return "..."
        size = tensor.shape[0]
        texts = ["0", "-1", "1:", ":1", "...", "..., 0", ":", "::2", "[0]", f"[{size - 1}, 0]", "torch.tensor([0])"]
        texts += [":, 0", "0, 0", ":, 1:", ":, [0]", "None, 0", "0:1, :1"] if tensor.ndim > 1 else ["None"]
        same = self.pick(lambda t: t.dtype == torch.bool and t.shape == tensor.shape)
        if same:
            texts += [same[0]] * 4
        whole = self.pick(lambda t: t.dtype == torch.int64 and t.ndim < 2 and t.numel() < 9)
        if whole:
            texts += [whole[0]] * 3
        return self.chance.choice(texts)

    def value(self, like: torch.Tensor, floats: bool = True) -> str:
        """An expression that broadcasts to a tensor: a number or another one."""
        other = self.pick(
            lambda t: t.dtype == like.dtype and (t.shape == like.shape or t.ndim == 0 or t.shape == like.shape[1:])
        )
        if other and self.likely(0.7):
            return self.chance.choice(["{}", "{}", "{}", "{} * 2", "{}.detach()", "{}.sin()"]).format(other[0])
        return self.chance.choice(["1.5", "0.5", "2"] if like.dtype.is_floating_point else ["1", "2"])

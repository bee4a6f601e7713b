"""LoRA fine-tuning where the adapter is folded into the base weight for quick validation."""

from __future__ import annotations

import contextlib
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, n_in: int, n_out: int, rank: int = 2, alpha: float = 4.0):
        super().__init__(n_in, n_out)
        self.weight.requires_grad_(False)
        self.bias.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(rank, n_in))
        self.B = nn.Parameter(torch.zeros(n_out, rank))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scaling = alpha / rank
        self.merged = False

    def delta(self) -> torch.Tensor:
        return self.B @ self.A * self.scaling

    @torch.no_grad()
    def merge(self, sign: int = 1) -> None:
        self.weight.add_(self.delta(), alpha=sign)
        self.merged = sign > 0

    def forward(self, x):
        y = super().forward(x)
        if not self.merged:
            y = y + F.linear(F.linear(x, self.A), self.B) * self.scaling
        return y


class Model(nn.Module):
    def __init__(self, width: int = 10, depth: int = 2, classes: int = 3):
        super().__init__()
        self.layers = nn.ModuleList([LoRALinear(width, width) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(depth)])
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        for layer, norm in zip(self.layers, self.norms):
            x = x + F.gelu(layer(norm(x)))
        return self.head(x)


@contextlib.contextmanager
def merged(model: nn.Module):
    adapters = [m for m in model.modules() if isinstance(m, LoRALinear)]
    for m in adapters:
        m.merge()
    try:
        yield model
    finally:
        for m in adapters:
            m.merge(-1)


class Finetuner:
    def __init__(self, model, lr=1e-2, eval_every=2):
        self.model = model
        self.opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=lr)
        self.eval_every = eval_every
        self.history: list[float] = []

    @torch.no_grad()
    def validate(self, batch):
        x, y = batch
        with merged(self.model) as m:
            return (m(x).argmax(-1) == y).float().mean().item()

    def run(self, batches, held_out):
        for i, (x, y) in enumerate(batches):
            loss = F.cross_entropy(self.model(x), y)
            if i % self.eval_every == 1:
                self.history.append(self.validate(held_out))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


def data(n=16, width=10):
    x = torch.randn(n, width)
    return x, (x[:, :3].argmax(-1))


if __name__ == "__main__":
    torch.manual_seed(3)
    tuner = Finetuner(Model(), eval_every=1)
    tuner.run([data() for _ in range(4)], data(40))
    print(tuner.history)

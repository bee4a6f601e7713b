"""Optimizers, and how their rates change."""

import math

import torch
from torch import nn

from .config import Config


def parameter_groups(model: nn.Module, weight_decay: float) -> list[dict]:
    """Biases and the weights of normalizations do not decay."""
    decayed, free = [], []
    for parameter in model.parameters():
        if parameter.requires_grad:
            (decayed if parameter.ndim > 1 else free).append(parameter)
    return [{"params": decayed, "weight_decay": weight_decay}, {"params": free, "weight_decay": 0.0}]


def make_optimizer(model: nn.Module, config: Config) -> torch.optim.Optimizer:
    groups = parameter_groups(model, config.weight_decay)
    return torch.optim.AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.99))


class WarmupCosine:
    """Raises the rate linearly, then lowers it along a cosine."""

    def __init__(self, optimizer: torch.optim.Optimizer, warmup: int, steps: int, floor: float = 0.01):
        self.optimizer = optimizer
        self.warmup = warmup
        self.steps = steps
        self.floor = floor
        self.count = 0
        self.rates = [group["lr"] for group in optimizer.param_groups]

    def factor(self) -> float:
        if self.count < self.warmup:
            return (self.count + 1) / self.warmup
        done = (self.count - self.warmup) / max(self.steps - self.warmup, 1)
        return self.floor + (1 - self.floor) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))

    def step(self) -> None:
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * self.factor()
        self.count += 1

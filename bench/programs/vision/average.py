"""A moving average of a network's weights, and checkpoints."""

import copy

import torch
from torch import nn


class MovingAverage:
    def __init__(self, model: nn.Module, decay: float = 0.999):
        self.model = copy.deepcopy(model).eval()
        self.decay = decay
        self.updates = 0
        for parameter in self.model.parameters():
            parameter.requires_grad_(False)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        for mean, parameter in zip(self.model.parameters(), model.parameters(), strict=True):
            mean.mul_(decay).add_(parameter, alpha=1 - decay)
        for mean, buffer in zip(self.model.buffers(), model.buffers(), strict=True):
            mean.copy_(buffer)


class EarlyStopping:
    def __init__(self, patience: int = 10):
        self.patience = patience
        self.best = float("-inf")
        self.waited = 0

    def update(self, score: float) -> bool:
        """Note a score; whether it is the best so far."""
        better = score > self.best
        self.best = max(score, self.best)
        self.waited = 0 if better else self.waited + 1
        return better

    @property
    def over(self) -> bool:
        return self.waited >= self.patience


def save_checkpoint(path: str, model: nn.Module, optimizer: torch.optim.Optimizer, epoch: int) -> None:
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path)


def load_checkpoint(path: str, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1

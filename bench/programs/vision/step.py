"""One step of training, and what a network comes to on other images."""

from collections.abc import Iterable

import torch
from torch import nn

from .average import MovingAverage
from .config import Config
from .data import mix
from .losses import mixed_loss
from .metrics import Confusion, Mean, gradient_norm, top_k
from .schedule import WarmupCosine


def train_step(
    model: nn.Module,
    criterion: nn.Module,
    optimizer: torch.optim.Optimizer,
    schedule: WarmupCosine,
    average: MovingAverage,
    images: torch.Tensor,
    labels: torch.Tensor,
    config: Config,
) -> tuple[float, float]:
    """Train on one batch; its loss, and the norm of the gradients."""
    model.train()
    images, others, share = mix(images, labels, config.mixup)
    logits = model(images)
    loss = mixed_loss(criterion, logits, labels, others, share)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = gradient_norm(model)
    nn.utils.clip_grad_norm_(model.parameters(), config.clip)
    optimizer.step()
    schedule.step()
    average.update(model)
    return loss.item(), norm


@torch.no_grad()
def evaluate(
    model: nn.Module, criterion: nn.Module, loader: Iterable[tuple[torch.Tensor, torch.Tensor]], config: Config
) -> dict[str, float]:
    model.eval()
    losses, best = Mean(), Mean()
    confusion = Confusion(config.classes)
    for images, labels in loader:
        images, labels = images.to(config.device), labels.to(config.device)
        logits = model(images)
        losses.update(criterion(logits, labels).item(), len(labels))
        best.update(top_k(logits, labels), len(labels))
        confusion.update(logits, labels)
    return {
        "loss": losses.compute(),
        "accuracy": confusion.accuracy(),
        "top 5": best.compute(),
        "f1": confusion.f1(),
    }

"""Several residual networks, trained for a while, beside each other."""

import torch

from .average import MovingAverage
from .config import Config
from .data import make_loaders
from .losses import FocalLoss
from .residual import residual_base, residual_small
from .schedule import WarmupCosine, make_optimizer
from .step import evaluate, train_step


def residual_experiment(config: Config) -> dict[str, float]:
    torch.manual_seed(config.seed)
    train_loader, valid_loader = make_loaders(config)
    criterion = FocalLoss()
    accuracy = {}
    for build in (residual_small, residual_base):
        model = build(config.classes, drop=config.drop).to(config.device)
        optimizer = make_optimizer(model, config)
        schedule = WarmupCosine(optimizer, config.warmup, config.steps)
        average = MovingAverage(model, config.decay)
        for images, labels in train_loader:
            train_step(model, criterion, optimizer, schedule, average, images, labels, config)
        accuracy[build.__name__] = evaluate(average.model, criterion, valid_loader, config)["accuracy"]
    return accuracy


if __name__ == "__main__":
    print(residual_experiment(Config(epochs=1, samples=1000)))

"""Trains a network."""

import torch

from .average import EarlyStopping, MovingAverage, save_checkpoint
from .config import describe, parse_config
from .data import make_loaders
from .losses import SmoothedCrossEntropy
from .metrics import Mean, Throughput
from .residual import ResidualNet
from .schedule import WarmupCosine, make_optimizer
from .step import evaluate, train_step

config = parse_config()
print(describe(config))
torch.manual_seed(config.seed)

train_loader, valid_loader = make_loaders(config)
model = ResidualNet(config.classes, config.width, config.depth, config.drop).to(config.device)
criterion = SmoothedCrossEntropy(config.smoothing)
optimizer = make_optimizer(model, config)
schedule = WarmupCosine(optimizer, config.warmup, config.steps)
average = MovingAverage(model, config.decay)
stopping = EarlyStopping()
print(f"{sum(parameter.numel() for parameter in model.parameters()):,} parameters")

for epoch in range(config.epochs):
    losses, throughput = Mean(), Throughput()
    for number, (images, labels) in enumerate(train_loader):
        images, labels = images.to(config.device), labels.to(config.device)
        loss, norm = train_step(model, criterion, optimizer, schedule, average, images, labels, config)
        losses.update(loss, len(labels))
        throughput.update(len(labels))
        if number % config.log_every == 0:
            print(f"{epoch:3} {number:5} loss {losses.compute():.4f} gradient {norm:.2f} {throughput.compute():.0f}/s")
    scores = evaluate(average.model, criterion, valid_loader, config)
    print(f"{epoch:3} " + " ".join(f"{name} {value:.4f}" for name, value in scores.items()))
    if stopping.update(scores["accuracy"]):
        save_checkpoint(config.checkpoint, average.model, optimizer, epoch)
    if stopping.over:
        break

print(f"best accuracy {stopping.best:.4f}")

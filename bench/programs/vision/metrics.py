"""What is measured while a network is trained."""

import time

import torch


class Mean:
    """The mean of what it was given, weighted."""

    def __init__(self) -> None:
        self.total = 0.0
        self.weight = 0.0

    def update(self, value: float, weight: float = 1.0) -> None:
        self.total += value * weight
        self.weight += weight

    def compute(self) -> float:
        return self.total / max(self.weight, 1e-12)


class Confusion:
    """How often each class is taken for each other."""

    def __init__(self, classes: int):
        self.classes = classes
        self.counts = torch.zeros(classes, classes, dtype=torch.long)

    @torch.no_grad()
    def update(self, logits: torch.Tensor, labels: torch.Tensor) -> None:
        pairs = labels.cpu() * self.classes + logits.argmax(dim=-1).cpu()
        self.counts += torch.bincount(pairs, minlength=self.classes**2).view(self.classes, self.classes)

    def accuracy(self) -> float:
        return float(self.counts.diagonal().sum() / self.counts.sum().clamp(min=1))

    def recall(self) -> torch.Tensor:
        return self.counts.diagonal() / self.counts.sum(dim=1).clamp(min=1)

    def precision(self) -> torch.Tensor:
        return self.counts.diagonal() / self.counts.sum(dim=0).clamp(min=1)

    def f1(self) -> float:
        precision, recall = self.precision(), self.recall()
        return float((2 * precision * recall / (precision + recall).clamp(min=1e-12)).mean())


class Throughput:
    """Samples a second."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.samples = 0

    def update(self, samples: int) -> None:
        self.samples += samples

    def compute(self) -> float:
        return self.samples / (time.perf_counter() - self.began)


@torch.no_grad()
def top_k(logits: torch.Tensor, labels: torch.Tensor, k: int = 5) -> float:
    best = logits.topk(k, dim=-1).indices
    return float((best == labels[:, None]).any(dim=-1).float().mean())


@torch.no_grad()
def gradient_norm(module: torch.nn.Module) -> float:
    norms = [parameter.grad.norm() for parameter in module.parameters() if parameter.grad is not None]
    return float(torch.stack(norms).norm()) if norms else 0.0

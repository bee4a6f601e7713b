"""What is minimized."""

import torch
import torch.nn.functional as F
from torch import nn


class SmoothedCrossEntropy(nn.Module):
    """Cross entropy with targets that are a little uncertain."""

    def __init__(self, smoothing: float = 0.1):
        super().__init__()
        self.smoothing = smoothing

    def forward(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        logs = F.log_softmax(logits, dim=-1)
        hit = -logs.gather(-1, labels[:, None]).squeeze(-1)
        spread = -logs.mean(dim=-1)
        return ((1 - self.smoothing) * hit + self.smoothing * spread).mean()


class FocalLoss(nn.Module):
    """Cross entropy in which samples that are well classified count less."""

    def __init__(self, gamma: float = 2.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        entropy = F.cross_entropy(logits, labels, reduction="none")
        right = torch.exp(-entropy)
        return ((1 - right) ** self.gamma * entropy).mean()


class DistillationLoss(nn.Module):
    """How far a student is from its teacher."""

    def __init__(self, temperature: float = 4.0):
        super().__init__()
        self.temperature = temperature

    def forward(self, student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
        target = F.softmax(teacher.detach() / self.temperature, dim=-1)
        logs = F.log_softmax(student / self.temperature, dim=-1)
        return F.kl_div(logs, target, reduction="batchmean") * self.temperature**2


def mixed_loss(
    criterion: nn.Module, logits: torch.Tensor, labels: torch.Tensor, others: torch.Tensor, share: float
) -> torch.Tensor:
    return share * criterion(logits, labels) + (1 - share) * criterion(logits, others)

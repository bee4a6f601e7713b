"""Tide-gauge alarm: a score per station, relative to a threshold."""
import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self, sensors, hidden=6):
        super().__init__()
        self.body = nn.Linear(sensors, hidden)
        self.head = nn.Linear(hidden, 1)

    def squash(self, level):
        return torch.sigmoid(level)  # saved

    def forward(self, readings):
        return self.squash(self.head(torch.relu(self.body(readings))))


class LinearScorer(Scorer):
    def squash(self, level):
        return level + 0.5


class Alarm(Scorer):
    def __init__(self, sensors, threshold):
        super().__init__(sensors)
        self.threshold = threshold

    def forward(self, readings):
        score = super().forward(readings)
        score -= self.threshold  # changed
        return score


torch.manual_seed(1)
alarm = Alarm(sensors=4, threshold=0.3)
optimizer = torch.optim.SGD(alarm.parameters(), lr=0.1)
for _ in range(2):
    margin = alarm(torch.randn(8, 4))
    loss = torch.relu(0.2 - margin).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

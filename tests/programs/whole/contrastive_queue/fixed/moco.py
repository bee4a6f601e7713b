import copy

import torch
from torch import nn
import torch.nn.functional as F


class Contrast(nn.Module):
    def __init__(self, make, bands, width, length, momentum=0.99, temperature=0.2):
        super().__init__()
        self.online = make(bands, width)
        self.slow = copy.deepcopy(self.online).requires_grad_(False)
        self.momentum, self.temperature = momentum, temperature
        self.register_buffer("queue", F.normalize(torch.randn(width, length), dim=0))
        self.register_buffer("place", torch.zeros(1, dtype=torch.long))
        self.waiting = None

    @torch.no_grad()
    def enqueue(self, keys):
        start, size = int(self.place), len(keys)
        self.queue[:, start : start + size] = keys.t()
        self.place[0] = (start + size) % self.queue.size(1)

    @torch.no_grad()
    def follow(self):
        for slow, fast in zip(self.slow.parameters(), self.online.parameters()):
            slow.data = self.momentum * slow.data + (1 - self.momentum) * fast.data
        if self.waiting is not None:
            self.enqueue(self.waiting)

    def forward(self, one, other):
        queries = F.normalize(self.online(one), dim=1)
        with torch.no_grad():
            keys = F.normalize(self.slow(other), dim=1)
        positive = (queries * keys).sum(dim=1, keepdim=True)
        negative = queries @ self.queue
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        self.waiting = keys
        return logits, torch.zeros(len(logits), dtype=torch.long)

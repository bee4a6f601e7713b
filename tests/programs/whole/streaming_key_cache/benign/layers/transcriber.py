import torch
from torch import nn

from .cache import make_cache


class Transcriber(nn.Module):
    CACHE = "growing"

    def __init__(self, bands, width, notes, longest):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(bands, width) for _ in range(3))
        self.read = nn.Linear(width, notes)
        self.longest, self.width = longest, width
        self.keys = self.values = None

    def reset(self, batch):
        self.keys = make_cache(self.CACHE, batch, self.longest, self.width)
        self.values = make_cache(self.CACHE, batch, self.longest, self.width)

    def step(self, frame):
        keys, values = self.keys.append(self.key(frame)), self.values.append(self.value(frame))
        scores = torch.einsum("bd,btd->bt", self.query(frame), keys) / self.width**0.5
        mixed = torch.einsum("bt,btd->bd", scores.softmax(dim=-1), values)
        return self.read(mixed)

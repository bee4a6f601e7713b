import math

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, features, width, words, longest):
        super().__init__()
        self.start = nn.Linear(features, width)
        self.embed = nn.Embedding(words, width)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.read = nn.Linear(2 * width, words)
        self.longest, self.width = longest, width

    def closed(self, batch):
        """Nothing may be looked at yet."""
        shape = (batch, self.longest)
        return torch.ones(shape, dtype=torch.bool)

    def attend(self, query, keys, closed):
        scores = torch.einsum("bd,btd->bt", self.query(query), keys) / math.sqrt(self.width)
        scores = scores.masked_fill(closed, -math.inf)
        return scores.softmax(dim=-1).unsqueeze(1).bmm(keys).squeeze(1)

    def forward(self, light, steps):
        state, closed = self.start(light), self.closed(len(light))
        past = [torch.zeros_like(state)] * self.longest
        logits, said = [], []
        for step in range(steps):
            past = [*past[:step], state, *past[step + 1 :]]
            closed = closed.clone()
            closed[:, step] = 0
            keys = self.key(torch.stack(past, dim=1))
            context = self.attend(state, keys, closed)
            logits.append(self.read(torch.cat([state, context], dim=-1)))
            said.append(logits[-1].argmax(dim=-1))
            state = torch.tanh(self.embed(said[-1]) + context)
        return torch.stack(logits, dim=1), torch.stack(said, dim=1)

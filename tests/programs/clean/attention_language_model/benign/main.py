import math

import torch
import torch.nn.functional as F

from model import LanguageModel, detached

torch.manual_seed(0)
tokens = torch.randint(0, 7, (40,)).view(2, 20)
model = LanguageModel(words=7, width=6)
rate, best = 0.5, None


def chunk(start, length=5):
    end = min(start + length, tokens.size(1) - 1)
    return tokens[:, start:end], tokens[:, start + 1 : end + 1]


def evaluate():
    model.eval()
    total, state = 0.0, None
    with torch.no_grad():
        for start in range(0, tokens.size(1) - 1, 5):
            data, following = chunk(start)
            out, state = model(data, state)
            total += len(data) * F.cross_entropy(out.flatten(0, 1), following.flatten()).item()
    return total


for epoch in range(2):
    model.train()
    total, state = torch.zeros(1), None
    for start in range(0, tokens.size(1) - 1, 5):
        data, following = chunk(start)
        model.zero_grad()
        out, state = model(data, detached(state))
        loss = F.cross_entropy(out.flatten(0, 1), following.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-rate)
        total += loss.data
    seen = evaluate()
    if best is None or seen < best:
        best = seen
    else:
        rate /= 4.0
    print(epoch, round(math.exp(total.item() / 4), 3), rate)

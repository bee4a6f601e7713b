"""Waiting times at ski lifts: adapt to one lift from a few observations."""
import torch

from adapt import adapt
from model import QueueModel


def lift(seed, count=8):
    generator = torch.Generator().manual_seed(seed)
    skiers = torch.rand(count, 2, generator=generator)
    waiting = skiers @ torch.rand(2, 1, generator=generator) + 0.3
    return (skiers[:4], waiting[:4]), (skiers[4:], waiting[4:])


def main():
    torch.manual_seed(0)
    model = QueueModel(width=5)
    meta = torch.optim.Adam(model.parameters(), lr=1e-3)
    for episode in range(2):
        meta.zero_grad()
        total = 0.0
        for seed in (episode, episode + 10):
            support, query = lift(seed)
            fast = adapt(model, support, steps=2, rate=0.05)
            total = total + model.error(query, fast)
        total.backward()
        meta.step()
        print(episode, total.item())


main()

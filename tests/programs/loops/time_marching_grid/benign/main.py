"""Logistic growth with a trainable rate, by explicit Euler."""
import torch


def march(rate, start, steps):
    rows = [start]
    for _ in range(steps):
        rows.append(rows[-1] + rate * rows[-1] * (1 - rows[-1]))
    grid = torch.stack(rows)
    grid[0] = 0.0
    return grid


rate = torch.tensor(0.3, requires_grad=True)
path = march(rate, torch.tensor([0.1, 0.4]), steps=4)
loss = (path[-1] - 0.9).square().sum()
loss.backward()
print(rate.grad)

"""Logistic growth with a trainable rate, by explicit Euler."""
import torch


def march(rate, start, steps):
    grid = torch.zeros(steps + 1, len(start))
    grid[0] = start
    for t in range(steps):
        grid[t + 1] = grid[t] + rate * grid[t] * (1 - grid[t])  # saved, changed
    return grid


rate = torch.tensor(0.3, requires_grad=True)
path = march(rate, torch.tensor([0.1, 0.4]), steps=4)
loss = (path[-1] - 0.9).square().sum()
loss.backward()
print(rate.grad)

"""Slices of a wooden beam from few X-ray angles, by unrolled gradient descent."""
import torch

from physics import Scanner
from unrolled import Unrolled


def beams(count, size):
    wood = torch.ones(count, size, size)
    for i in range(count):
        wood[i, i + 1 : i + 3, 1:3] = 0.2
    return wood


def main():
    torch.manual_seed(0)
    scanner = Scanner(size=4)
    net = Unrolled(scanner, iterations=3)
    optimizer = torch.optim.Adamax(net.parameters(), lr=1e-2)
    truth = beams(2, 4)
    for epoch in range(2):
        measured = scanner.project(truth)
        measured += 0.01 * torch.randn_like(measured)
        loss = (net(measured) - truth).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, round(loss.item(), 5))


main()

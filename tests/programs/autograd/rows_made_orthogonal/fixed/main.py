"""Completes learnt probe directions to a basis, row by row of the identity."""
import torch

torch.manual_seed(0)


def completed(directions):
    known = [d / d.norm() for d in directions]
    added = []
    for row in torch.eye(directions.shape[1]):
        for other in known + added:
            row = row - torch.dot(row, other) * other
        if row.norm() > 1e-3:
            added.append(row / row.norm())
    return torch.stack(known + added)


probes = torch.randn(2, 4, requires_grad=True)
basis = completed(probes)
(basis @ torch.randn(4)).square().sum().backward()
print(probes.grad)

"""A loop over a tensor gives views of it, which are changed in place."""

import torch


def orthogonal(vectors: torch.Tensor) -> torch.Tensor:
    base = [v / v.norm() for v in vectors]
    for row in torch.eye(vectors.shape[1]):
        for other in base:
            row -= torch.dot(row, other) * other
        base.append(row / row.norm())
    return torch.stack(base)


vectors = torch.rand(1, 3, requires_grad=True)
orthogonal(vectors).sum().backward()

import torch


def as_positions(points, copy):
    points = points.float()
    return points.clone() if copy else points


def fold(points, length, copy=False):
    """Positions in a periodic box, with the origin at its centre."""
    points = as_positions(points, copy)
    points -= length / 2
    return points


atoms = torch.tensor([[0.5, 1.5], [3.0, 2.0]], requires_grad=True)
relative = fold(atoms, length=4.0, copy=True)
energy = (relative[0] - relative[1]).square().sum() + relative.square().sum()
energy.backward()
print(atoms.grad)

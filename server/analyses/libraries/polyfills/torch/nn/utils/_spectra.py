"""The largest singular value of a weight, as both kinds of spectral norm estimate it."""

import torch
from gradguard import linked
from torch.nn.functional import normalize


def random_vector(weight, dim, axis, eps):
    """A vector of norm 1 with as many elements as the weight, as a matrix, has rows (columns)."""

    def made():
        size = as_matrix(weight, dim).size(axis)
        return normalize(weight.new_empty(size, requires_grad=False).normal_(0, 1), dim=0, eps=eps)

    return linked(real=made)


@torch.no_grad()
def power_method(matrix, u, v, times, eps):
    """Bring two vectors closer to those that belong to the largest singular value."""
    for _ in range(times):
        normalize(torch.mv(matrix, v), dim=0, eps=eps, out=u)
        normalize(torch.mv(matrix.H, u), dim=0, eps=eps, out=v)


def largest(weight, dim, u, v):
    """The largest singular value; PyTorch computes it of copies of the vectors, which it goes on to change."""
    return linked(weight, real=lambda: torch.vdot(u.clone(), torch.mv(as_matrix(weight, dim), v.clone())))


def as_matrix(weight, dim):
    """A weight as a matrix with a row for each index along `dim`."""
    return weight.movedim(dim, 0).flatten(1)


def dim_of_outputs(module):
    """The dimension of a module's weight that numbers its outputs."""
    transposed = (torch.nn.ConvTranspose1d, torch.nn.ConvTranspose2d, torch.nn.ConvTranspose3d)
    return 1 if isinstance(module, transposed) else 0

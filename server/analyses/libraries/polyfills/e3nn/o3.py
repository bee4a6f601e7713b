"""Irreps and the operations on them, as in e3nn 0.6: a product saves its operands, not its result.

If one side has scalars alone, the order of the contraction decides which operand is saved, and which is copied first.
"""

import torch
from gradguard import known, linked, unknown
from torch import nn


class Irreps:
    """A row of irreducible representations, whose parts aren't followed."""

    def __init__(self, irreps=None):
        self.irreps = irreps

    @staticmethod
    def spherical_harmonics(lmax, p=-1):
        return Irreps("0e + 1o" if known(lmax) and lmax > 0 else None)

    @property
    def dim(self):
        return unknown("irreps.dim")

    @property
    def num_irreps(self):
        return unknown("irreps.num_irreps")

    @property
    def lmax(self):
        return unknown("irreps.lmax")

    def simplify(self):
        return self

    def sort(self):
        return self, None, None

    def __add__(self, other):
        return Irreps()

    def __mul__(self, n):
        return Irreps()

    def __rmul__(self, n):
        return Irreps()

    def randn(self, *size, **kwargs):
        return torch.randn(unknown("size"))


def has_vectors(irreps):
    """Whether the row has more in it than scalars; False if that is unknown."""
    text = irreps.irreps if isinstance(irreps, Irreps) else irreps
    if not known(text) or not isinstance(text, str):
        return False
    return any(not one.split("x")[-1].strip().startswith("0") for one in text.split("+"))


def Irrep(*args):
    return unknown("irrep")


class Linear(nn.Module):
    def __init__(self, irreps_in, irreps_out, *, internal_weights=None, shared_weights=None, biases=False, **kwargs):
        super().__init__()
        self.irreps_in = irreps_in
        self.irreps_out = irreps_out
        self.weight = nn.Parameter(torch.randn(unknown("weight_numel")))
        self.bias = nn.Parameter(torch.zeros(unknown("bias_numel"))) if biases else None

    def forward(self, features, weight=None, bias=None):
        if weight is None:
            weight = self.weight
        return linked(features, weight, self.bias if bias is None else bias, saves=[features, weight])


class TensorProduct(nn.Module):
    def __init__(self, irreps_in1, irreps_in2, irreps_out=None, *args, shared_weights=True, **kwargs):
        super().__init__()
        self.irreps_in1 = irreps_in1
        self.irreps_in2 = irreps_in2
        self.irreps_out = irreps_out
        self.weight_numel = unknown("weight_numel")
        self.weight = nn.Parameter(torch.randn(self.weight_numel))

    def forward(self, x, y, weight=None):
        if weight is None:
            weight = self.weight
        if has_vectors(self.irreps_in1) and has_vectors(self.irreps_in2):
            return linked(x, y, weight, saves=[x, y, weight])
        if unknown("the contraction keeps what it is given"):
            return linked(x, y, weight, saves=[x, y, weight])
        return linked(x, y, weight)


class FullyConnectedTensorProduct(TensorProduct):
    pass


class ElementwiseTensorProduct(TensorProduct):
    pass


class FullTensorProduct(TensorProduct):
    pass


class TensorSquare(nn.Module):
    def __init__(self, irreps_in, irreps_out=None, *args, **kwargs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(unknown("weight_numel")))

    def forward(self, x, weight=None):
        return linked(x, self.weight, saves=[x, self.weight])


class Norm(nn.Module):
    def __init__(self, irreps_in, squared=False):
        super().__init__()

    def forward(self, features):
        return linked(features, saves=[features])


def spherical_harmonics(l, x, normalize, normalization="integral"):
    return linked(x, saves=[x])


class SphericalHarmonics(nn.Module):
    def __init__(self, irreps_out, normalize, normalization="integral", irreps_in=None):
        super().__init__()

    def forward(self, x):
        return linked(x, saves=[x])

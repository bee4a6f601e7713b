"""The parametrizations that PyTorch brings along: weight norm, spectral norm, orthogonal matrices."""

import torch
from gradguard import known, linked, written
from torch.nn import Module
from torch.nn.functional import normalize
from torch.nn.utils import parametrize
from torch.nn.utils._spectra import as_matrix, dim_of_outputs, largest, power_method, random_vector


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return torch._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return torch.norm_except_dim(weight, 2, self.dim), weight


class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.n_power_iterations = n_power_iterations
        self.of_vector = known(weight.ndim) and weight.ndim == 1
        if not self.of_vector:
            self.register_buffer("_u", random_vector(weight, dim, 0, eps))
            self.register_buffer("_v", random_vector(weight, dim, 1, eps))
            self._power_method(weight, 15)

    def _power_method(self, weight, times):
        written(self._u, "spectral_norm()", real=lambda: self._iterate(weight, times))
        written(self._v, "spectral_norm()")

    def _iterate(self, weight, times):
        power_method(as_matrix(weight, self.dim), self._u, self._v, times, self.eps)

    def forward(self, weight):
        if self.of_vector:
            return normalize(weight, dim=0, eps=self.eps)
        if self.training:
            self._power_method(weight, self.n_power_iterations)
        return weight / largest(weight, self.dim, self._u, self._v)

    def right_inverse(self, value):
        return value


class _Orthogonal(Module):
    """What it computes is left out: its operations save only tensors of their own."""

    def __init__(self, use_trivialization=True):
        super().__init__()
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x):
        return linked(x, like=x)

    def right_inverse(self, weight):
        if "base" in self._buffers:
            self.base = linked(like=weight)
        return linked(like=weight)


def weight_norm(module, name="weight", dim=0):
    return parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    dim = dim_of_outputs(module) if dim is None else dim
    step = _SpectralNorm(getattr(module, name), n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, step)


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    return parametrize.register_parametrization(module, name, _Orthogonal(use_trivialization), unsafe=True)

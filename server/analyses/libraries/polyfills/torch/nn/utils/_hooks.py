"""Tensors of a module that a hook computes before each forward: weight norm and spectral norm of the older kind."""

import torch
from gradguard import known, named, written
from torch.nn import Parameter
from torch.nn.utils._spectra import as_matrix, dim_of_outputs, largest, power_method, random_vector


class WeightNorm:
    def __init__(self, name, dim):
        self.name = name
        self.dim = -1 if dim is None else dim

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))

    def compute_weight(self, module):
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return torch._weight_norm(v, g, self.dim)

    def begin(self, module):
        weight = getattr(module, self.name)
        delattr(module, self.name)
        norm = torch.norm_except_dim(weight, 2, self.dim)
        for part, t in ((f"{self.name}_g", norm), (f"{self.name}_v", weight)):
            module.register_parameter(part, named(Parameter(t.data), part))
        self(module, ())

    def end(self, module):
        _replace(module, self.name, self.compute_weight(module).data, "_g", "_v")


class SpectralNorm:
    def __init__(self, name, n_power_iterations, dim, eps):
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, module.training))

    def compute_weight(self, module, do_power_iteration):
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        if do_power_iteration:
            written(v, "spectral_norm()", real=lambda: self._iterate(weight, u, v))
            written(u, "spectral_norm()")
        return weight / largest(weight, self.dim, u, v)

    def _iterate(self, weight, u, v):
        power_method(as_matrix(weight, self.dim).t(), v, u, self.n_power_iterations, self.eps)

    def begin(self, module):
        weight = getattr(module, self.name)
        vectors = [random_vector(weight, self.dim, axis, self.eps) for axis in (0, 1)]
        delattr(module, self.name)
        module.register_parameter(f"{self.name}_orig", weight)
        setattr(module, self.name, weight.data)
        for part, t in zip(("u", "v"), vectors):
            module.register_buffer(f"{self.name}_{part}", t)

    def end(self, module):
        with torch.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        _replace(module, self.name, weight, "_u", "_v", "_orig")


def _replace(module, name, last, *parts):
    """Make a parameter of a computed tensor, in the place of those that it was computed from."""
    for part in ("", *parts):
        delattr(module, name + part)
    module.register_parameter(name, named(Parameter(last), name))


def _begin(module, hook):
    if known(module) and known(hook.name):
        hook.begin(module)
        hook.handle = module.register_forward_pre_hook(hook)
    return module


def _end(module, kind, name):
    for hook in list(module._forward_pre_hooks.values()):
        if isinstance(hook, kind) and hook.name == name:
            hook.end(module)
            hook.handle.remove()
    return module


def weight_norm(module, name, dim):
    return _begin(module, WeightNorm(name, dim))


def spectral_norm(module, name, n_power_iterations, eps, dim):
    dim = dim_of_outputs(module) if dim is None else dim
    return _begin(module, SpectralNorm(name, n_power_iterations, dim, eps))


def remove_weight_norm(module, name):
    return _end(module, WeightNorm, name)


def remove_spectral_norm(module, name):
    return _end(module, SpectralNorm, name)

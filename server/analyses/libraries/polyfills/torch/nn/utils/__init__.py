"""What normalizes a module's weight by a hook; the other names of this package, which programs use more, are native."""


def weight_norm(module, name="weight", dim=0):
    from torch.nn.utils import _hooks

    return _hooks.weight_norm(module, name, dim)


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    from torch.nn.utils import _hooks

    return _hooks.spectral_norm(module, name, n_power_iterations, eps, dim)


def remove_weight_norm(module, name="weight"):
    from torch.nn.utils import _hooks

    return _hooks.remove_weight_norm(module, name)


def remove_spectral_norm(module, name="weight"):
    from torch.nn.utils import _hooks

    return _hooks.remove_spectral_norm(module, name)

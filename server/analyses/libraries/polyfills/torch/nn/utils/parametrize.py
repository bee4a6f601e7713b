"""Tensors of a module that are computed from others at each use."""

from contextlib import contextmanager, suppress

import torch
from gradguard import known, named
from torch.nn import Module, ModuleDict, ModuleList, Parameter

_cache_enabled = 0
_cache = {}
"""what was computed within `cached()`, by module and name"""


@contextmanager
def cached():
    global _cache, _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache = {}


class ParametrizationList(ModuleList):
    def __init__(self, modules, original, unsafe=False):
        super().__init__(modules)
        self.unsafe = unsafe
        with torch.no_grad():
            new = self._inverse(original)
        self.is_tensor = not (known(new) and isinstance(new, (tuple, list)))
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            with torch.no_grad():
                original.set_(new)
            _register(self, "original", original)
        else:
            for i, one in enumerate(new):
                _register(self, f"original{i}", _like(original, one))
        if not unsafe:
            self()  # to see whether it keeps the shape and the dtype

    def _inverse(self, value):
        """What the parametrizations would compute a value from, as far as they tell."""
        for module in reversed(list(self)):
            if hasattr(module, "right_inverse"):
                with suppress(NotImplementedError):
                    value = module.right_inverse(value)
        return value

    def right_inverse(self, value):
        with torch.no_grad():
            for module in reversed(list(self)):
                value = module.right_inverse(value)
            for original, one in zip(self._originals(), [value] if self.is_tensor else value):
                original.set_(one)

    def forward(self):
        x = self[0](self.original) if self.is_tensor else self[0](*self._originals())
        for i in range(1, len(self)):
            x = self[i](x)
        return x

    def _originals(self):
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]


def _register(module, name, t):
    if isinstance(t, Parameter):
        module.register_parameter(name, t)
    else:
        module.register_buffer(name, t)


def _like(original, t):
    """One of several tensors that are learned instead of a parameter, or kept instead of a buffer."""
    return Parameter(t, original.requires_grad) if isinstance(original, Parameter) else t


def _computed(name):
    """The property that a tensor becomes."""

    def compute(module):
        steps = module.parametrizations[name]
        if not _cache_enabled:
            return steps()
        key = (id(module), name)
        if key not in _cache:
            _cache[key] = steps()
        return _cache[key]

    def assign(module, value):
        module.parametrizations[name].right_inverse(value)

    return property(compute, assign)


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    if not (known(module) and known(tensor_name)):
        return module
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _try(parametrization, getattr(module, tensor_name))
        module.parametrizations[tensor_name].append(parametrization)
        return module
    steps = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    for part, t in steps.named_parameters(recurse=False):
        named(t, f"parametrizations.{tensor_name}.{part}")
    delattr(module, tensor_name)
    if not is_parametrized(module):
        cls = module.__class__
        module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), {})
        module.parametrizations = ModuleDict()
    setattr(module.__class__, tensor_name, _computed(tensor_name))
    module.parametrizations[tensor_name] = steps
    return module


def _try(parametrization, value):
    """Call a further parametrization and its inverse once, to see whether they keep the shape and the dtype."""
    made = parametrization(value)
    if hasattr(parametrization, "right_inverse"):
        with suppress(NotImplementedError):
            parametrization.right_inverse(made)


def is_parametrized(module, tensor_name=None):
    if "parametrizations" not in module._modules:
        return False
    if tensor_name is None:
        return len(module.parametrizations) > 0
    return tensor_name in module.parametrizations


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    if not (known(module) and known(tensor_name)):
        return module
    steps = module.parametrizations[tensor_name]
    if not steps.is_tensor:
        last = getattr(module, tensor_name)
        original = Parameter(last) if last.requires_grad else last
        named(original, tensor_name)
    else:
        original = steps.original
        if leave_parametrized:
            with torch.no_grad():
                original.set_(getattr(module, tensor_name))
    delattr(module.__class__, tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = module.__class__.__bases__[0]
    return module


def type_before_parametrizations(module):
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for step in from_module.parametrizations[name]:
            register_parametrization(to_module, name, step)
        theirs, ours = from_module.parametrizations[name], to_module.parametrizations[name]
        for part, _ in theirs.named_parameters(recurse=False):
            setattr(ours, part, getattr(theirs, part))
    return to_module

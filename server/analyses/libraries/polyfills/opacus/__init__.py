"""Opacus 1.x: hooks on every layer with parameters, so that its output is a view made by a custom Function."""

from torch import nn


def capture(module, grad_input, grad_output):
    pass


class GradSampleModule(nn.Module):
    def __init__(self, m, **kwargs):
        super().__init__()
        self._module = m
        for module in m.modules():
            if list(module.parameters(recurse=False)):
                module.register_full_backward_hook(capture)

    def forward(self, *args, **kwargs):
        return self._module(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._module, name)


class PrivacyEngine:
    def __init__(self, *, accountant="prv", secure_mode=False):
        pass

    def make_private(self, *, module, optimizer, data_loader, **kwargs):
        return GradSampleModule(module), optimizer, data_loader

    def make_private_with_epsilon(self, *, module, optimizer, data_loader, **kwargs):
        return GradSampleModule(module), optimizer, data_loader

    def get_epsilon(self, delta):
        return 0.0

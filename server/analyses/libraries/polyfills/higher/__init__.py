"""higher 0.2: a model whose weights are computed by an optimizer's steps, so that backward goes through the steps."""

import copy
from contextlib import contextmanager

import torch
from gradguard import linked
from torch import nn


class FunctionalModel(nn.Module):
    """Runs a module with other tensors in place of its parameters."""

    def __init__(self, module, copy_initial_weights, track_higher_grads):
        super().__init__()
        self.boxed = module
        self.names = [name for name, _ in module.named_parameters()]
        self.track_higher_grads = track_higher_grads
        if copy_initial_weights:
            self.fast_params = [p.clone().detach().requires_grad_() for p in module.parameters()]
        else:
            self.fast_params = [p.clone() for p in module.parameters()]

    def forward(self, *args, params=None, **kwargs):
        if params is not None:
            self.fast_params = list(params)
        given = dict(zip(self.names, self.fast_params))
        return torch.func.functional_call(self.boxed, given, args, kwargs)

    def parameters(self, recurse=True, time=-1):
        return list(self.fast_params)

    def update_params(self, params):
        self.fast_params = list(params)


def monkeypatch(module, device=None, copy_initial_weights=True, track_higher_grads=True):
    return FunctionalModel(module, copy_initial_weights, track_higher_grads)


class DifferentiableOptimizer:
    def __init__(self, fmodel, track_higher_grads):
        self.fmodel = fmodel
        self.track_higher_grads = track_higher_grads

    def step(self, loss, params=None, override=None, grad_callback=None, **kwargs):
        before = self.fmodel.fast_params if params is None else list(params)
        grads = torch.autograd.grad(loss, before, create_graph=self.track_higher_grads, allow_unused=True)
        after = []
        for param, grad in zip(before, grads):
            stepped = param if grad is None else param - 0.1 * grad
            after.append(stepped if self.track_higher_grads else stepped.detach().requires_grad_())
        self.fmodel.update_params(after)
        return after


def get_diff_optim(opt, reference_params, fmodel=None, device=None, override=None, track_higher_grads=True, **kwargs):
    return DifferentiableOptimizer(fmodel, track_higher_grads)


@contextmanager
def innerloop_ctx(model, opt, device=None, copy_initial_weights=True, override=None, track_higher_grads=True):
    fmodel = monkeypatch(model, device, copy_initial_weights, track_higher_grads)
    yield fmodel, DifferentiableOptimizer(fmodel, track_higher_grads)

"""Stochastic variational inference: guide, model, backward, step (`pyro/infer/svi.py`, `pyro/infer/trace_elbo.py`)."""

import pyro
import torch
from gradguard import linked
from torch import nn


class ELBO:
    def __init__(self, num_particles=1, **kwargs):
        self.num_particles = num_particles

    def differentiable_loss(self, model, guide, *args, **kwargs):
        pyro.SITES.clear()
        pyro.VALUES.clear()
        guide(*args, **kwargs)
        model(*args, **kwargs)
        terms = []
        for fn, value in pyro.SITES:  # the densities are computed once both have run
            terms.append(fn.log_prob(value) if hasattr(fn, "log_prob") else fn)
        return linked(*terms, *pyro.STORE.values())

    def loss(self, model, guide, *args, **kwargs):
        with torch.no_grad():
            self.differentiable_loss(model, guide, *args, **kwargs)
        return 0.0

    def loss_and_grads(self, model, guide, *args, **kwargs):
        loss = self.differentiable_loss(model, guide, *args, **kwargs)
        loss.backward()
        return loss.item()

    def __call__(self, model, guide):
        return lambda *args, **kwargs: self.differentiable_loss(model, guide, *args, **kwargs)


JitTrace_ELBO = JitTraceEnum_ELBO = JitTraceGraph_ELBO = JitTraceMeanField_ELBO = RenyiELBO = ELBO
TraceEnum_ELBO = TraceGraph_ELBO = TraceMeanField_ELBO = TraceTailAdaptive_ELBO = Trace_ELBO = ELBO


class SVI:
    def __init__(self, model, guide, optim, loss, loss_and_grads=None, num_samples=0, num_steps=0, **kwargs):
        self.model = model
        self.guide = guide
        self.optim = optim
        self.objective = loss

    def step(self, *args, **kwargs):
        loss = self.objective.loss_and_grads(self.model, self.guide, *args, **kwargs)
        params = list(pyro.STORE.values())
        for one in (self.model, self.guide):
            if isinstance(one, nn.Module):
                params = [*params, *one.parameters()]
        self.optim(params)
        for one in params:
            one.grad = torch.zeros_like(one)
        return loss

    def evaluate_loss(self, *args, **kwargs):
        return self.objective.loss(self.model, self.guide, *args, **kwargs)

import pyro
import pyro.distributions as dist
import torch
from pyro.distributions.torch_transform import TransformModule
from pyro.infer import SVI, Trace_ELBO
from pyro.optim import Adam
from torch import nn
from torch.distributions import constraints


class Planar(TransformModule):
    domain = constraints.real_vector
    codomain = constraints.real_vector
    bijective = True

    def __init__(self, size):
        super().__init__(cache_size=1)
        self.w = nn.Parameter(0.1 * torch.randn(size))
        self.u = nn.Parameter(0.1 * torch.randn(size))
        self.act = None

    def _call(self, x):
        self.act = torch.tanh((self.w * x).sum(-1, keepdim=True))
        return x + self.u * self.act

    def log_abs_det_jacobian(self, x, y):
        slope = 1 - self.act.square() * self.w
        return (slope * self.u).sum(-1).abs().add(1e-3).log()


def model():
    pyro.sample("z", dist.Normal(torch.zeros(3), torch.ones(3)).to_event(1))


flow = Planar(3)


def guide():
    pyro.module("flow", flow)
    base = dist.Normal(torch.zeros(3), torch.ones(3)).to_event(1)
    pyro.sample("z", dist.TransformedDistribution(base, [flow]))


if __name__ == "__main__":
    svi = SVI(model, guide, Adam({"lr": 0.01}), Trace_ELBO())
    for _ in range(2):
        svi.step()

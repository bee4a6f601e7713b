import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
from pyro.nn import PyroModule, PyroSample
from torch import nn


class Regression(PyroModule):
    def __init__(self):
        super().__init__()
        self.lin = PyroModule[nn.Linear](3, 1)
        self.noise = PyroSample(dist.LogNormal(0.0, 1.0))

    def forward(self, x, y=None):
        mean = torch.tanh(self.lin(x).squeeze(-1))
        mean = mean * 2.0
        with pyro.plate("data", x.shape[0]):
            pyro.sample("obs", dist.Normal(mean, self.noise), obs=y)
        return mean


if __name__ == "__main__":
    net = Regression()
    svi = SVI(net, AutoNormal(net), pyro.optim.Adam({"lr": 0.01}), Trace_ELBO())
    for _ in range(2):
        svi.step(torch.randn(5, 3), torch.randn(5))

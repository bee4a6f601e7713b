import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.optim import ClippedAdam


def model(counts):
    log_rate = pyro.param("log_rate", torch.zeros(3))
    rate = log_rate.exp()
    rate = rate + 0.1
    with pyro.plate("bins", len(counts)):
        pyro.sample("obs", dist.Poisson(rate), obs=counts)


def guide(counts):
    pass


if __name__ == "__main__":
    svi = SVI(model, guide, ClippedAdam({"lr": 0.01}), Trace_ELBO())
    for _ in range(2):
        svi.step(torch.tensor([1.0, 2.0, 0.0]))

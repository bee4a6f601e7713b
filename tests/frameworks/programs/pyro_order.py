import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.optim import Adam


def model(x):
    scale = pyro.param("scale", torch.ones(()), constraint=dist.constraints.positive)
    z = pyro.sample("z", dist.Normal(torch.zeros(()), 1.0))
    print("TRACE", "model", torch.is_grad_enabled(), z.requires_grad, scale.is_leaf)
    seen = pyro.sample("obs", dist.Normal(z, scale), obs=x)
    print("TRACE", "observed", seen is x)


def guide(x):
    loc = pyro.param("loc", torch.zeros(()))
    z = pyro.sample("z", dist.Normal(loc, 1.0))
    print("TRACE", "guide", torch.is_grad_enabled(), z.requires_grad, loc.is_leaf, loc.requires_grad)


if __name__ == "__main__":
    svi = SVI(model, guide, Adam({"lr": 0.1}), Trace_ELBO())
    x = torch.ones(())
    svi.step(x)
    print("TRACE", pyro.param("loc")._version > 0)
    svi.evaluate_loss(x)

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.optim import Adam
from torch import nn


class Encoder(nn.Module):
    def __init__(self, z_dim=2, hidden=8):
        super().__init__()
        self.fc = nn.Linear(6, hidden)
        self.loc = nn.Linear(hidden, z_dim)
        self.scale = nn.Linear(hidden, z_dim)

    def forward(self, x):
        h = nn.functional.softplus(self.fc(x))
        z_scale = torch.exp(self.scale(h))
        z_scale = z_scale + 1e-6
        return self.loc(h), z_scale


class VAE(nn.Module):
    def __init__(self, z_dim=2):
        super().__init__()
        self.z_dim = z_dim
        self.encoder = Encoder(z_dim)
        self.decoder = nn.Sequential(nn.Linear(z_dim, 8), nn.Softplus(), nn.Linear(8, 6), nn.Sigmoid())

    def model(self, x):
        pyro.module("decoder", self.decoder)
        with pyro.plate("data", x.shape[0]):
            z = pyro.sample("latent", dist.Normal(torch.zeros(x.shape[0], self.z_dim), torch.ones(x.shape[0], self.z_dim)).to_event(1))
            pyro.sample("obs", dist.Bernoulli(self.decoder(z)).to_event(1), obs=x)

    def guide(self, x):
        pyro.module("encoder", self.encoder)
        with pyro.plate("data", x.shape[0]):
            z_loc, z_scale = self.encoder(x)
            pyro.sample("latent", dist.Normal(z_loc, z_scale).to_event(1))


pyro.clear_param_store()
vae = VAE()
svi = SVI(vae.model, vae.guide, Adam({"lr": 1e-3}), loss=Trace_ELBO())
for epoch in range(2):
    loss = svi.step(torch.rand(5, 6).round())

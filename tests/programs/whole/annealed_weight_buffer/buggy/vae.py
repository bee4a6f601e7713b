import torch
from torch import nn
import torch.nn.functional as F


class Ripening(nn.Module):
    """A small variational autoencoder of ripening curves."""

    def __init__(self, bands, code):
        super().__init__()
        self.encode = nn.Linear(bands, 2 * code)
        self.decode = nn.Sequential(nn.Linear(code, 6), nn.ELU(inplace=True), nn.Linear(6, bands))
        self.register_buffer("beta", torch.zeros(()))

    def sample(self, mean, logvar):
        noise = torch.randn_like(mean)
        return noise.mul_(torch.exp(0.5 * logvar)).add_(mean)

    def loss(self, batch):
        mean, logvar = self.encode(batch).chunk(2, dim=-1)
        rebuilt = self.decode(self.sample(mean, logvar))
        parts = {
            "rebuilt": F.mse_loss(rebuilt, batch),
            "divergence": -0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum(dim=1).mean(),
        }
        return parts["rebuilt"] + self.beta * parts["divergence"], parts  # saved

import torch
from captum.attr import IntegratedGradients, LayerIntegratedGradients
from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, x):
        x -= self.mean  # here
        return self.net(x)


model = Scorer().eval()
ig = IntegratedGradients(model)
inputs = torch.randn(2, 4)
attributions, delta = ig.attribute(inputs, baselines=inputs * 0, target=1, n_steps=4, return_convergence_delta=True)

import gpytorch
import torch
from gpytorch.models import ApproximateGP
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from torch import nn


class Extractor(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2), nn.Sigmoid())


class SVGP(ApproximateGP):
    def __init__(self, inducing):
        distribution = CholeskyVariationalDistribution(inducing.size(0))
        super().__init__(VariationalStrategy(self, inducing, distribution, learn_inducing_locations=True))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


extractor, model, likelihood = Extractor(), SVGP(torch.rand(6, 2)), gpytorch.likelihoods.GaussianLikelihood()
mll = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=20)
optimizer = torch.optim.Adam([*extractor.parameters(), *model.parameters(), *likelihood.parameters()], lr=0.01)
x, y = torch.randn(20, 4), torch.randn(20)
for _ in range(2):
    optimizer.zero_grad()
    features = extractor(x)
    features = features - features.min(0)[0]
    loss = -mll(model(features), y)
    loss.backward()
    optimizer.step()

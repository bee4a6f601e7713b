import gpytorch
import torch


class RationalKernel(gpytorch.kernels.Kernel):
    has_lengthscale = True

    def forward(self, x1, x2, diag=False, **params):
        a, b = x1.div(self.lengthscale), x2.div(self.lengthscale)
        dist = torch.cdist(a, b)
        dist += 1e-4  # here
        return dist.add(1).reciprocal()


class Regressor(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(RationalKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


train_x = torch.linspace(0, 1, 10).unsqueeze(-1)
train_y = torch.sin(train_x * 6).squeeze(-1)
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Regressor(train_x, train_y, likelihood)
model.train()
likelihood.train()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for _ in range(2):
    optimizer.zero_grad()
    loss = -mll(model(train_x), train_y)
    loss.backward()
    optimizer.step()

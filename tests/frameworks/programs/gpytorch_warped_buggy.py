import gpytorch
import torch


class GP(gpytorch.models.ExactGP):
    def __init__(self, x, y, lik):
        super().__init__(x, y, lik)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())
        self.warp = torch.nn.Linear(1, 1)

    def forward(self, x):
        x = torch.sigmoid(self.warp(x))
        x *= 2  # here
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


x = torch.linspace(0, 1, 20)
y = torch.sin(x)
lik = gpytorch.likelihoods.GaussianLikelihood()
model = GP(x, y, lik)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(lik, model)
opt = torch.optim.Adam(model.parameters(), lr=0.1)
model.train(), lik.train()
for _ in range(2):
    opt.zero_grad()
    loss = -mll(model(x), y)
    loss.backward()
    opt.step()
model.eval(), lik.eval()
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    pred = lik(model(torch.linspace(0, 1, 5)))
    print(pred.mean, pred.confidence_region()[0])

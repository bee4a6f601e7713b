import torch
from torch import nn
from torchdiffeq import odeint_adjoint as odeint


class CNF(nn.Module):
    def __init__(self, dim=2, hidden=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, dim))

    def forward(self, t, states):
        z = states[0]
        with torch.set_grad_enabled(True):
            z.requires_grad_(True)
            dz = self.net(z)
            trace = sum(torch.autograd.grad(dz[:, i].sum(), z, create_graph=True)[0][:, i] for i in range(z.shape[1]))
        return dz, -trace.view(-1, 1)


func = CNF()
optimizer = torch.optim.Adam(func.parameters(), lr=1e-3)
prior = torch.distributions.MultivariateNormal(torch.zeros(2), 0.1 * torch.eye(2))
for _ in range(2):
    optimizer.zero_grad()
    x = torch.randn(4, 2)
    z_t, logp_t = odeint(func, (x, torch.zeros(4, 1)), torch.tensor([1.0, 0.0]), atol=1e-3, rtol=1e-3, method="dopri5")
    z0, logp0 = z_t[-1], logp_t[-1]
    z0 -= z0.mean(0)  # here
    loss = -(prior.log_prob(z0) - logp0.view(-1)).mean()
    loss.backward()
    optimizer.step()

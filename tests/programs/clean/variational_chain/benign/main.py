import torch
from torch import nn
import torch.nn.functional as F


class Coder(nn.Module):
    def __init__(self, inputs=6, width=8, code=2):
        super().__init__()
        self.inner = nn.Linear(inputs, width)
        self.mean, self.logvar = nn.Linear(width, code), nn.Linear(width, code)
        self.outer = nn.Sequential(nn.Linear(code, width), nn.ELU(inplace=True), nn.Linear(width, inputs))

    def encode(self, x):
        hidden = F.relu(self.inner(x), inplace=True)
        return self.mean(hidden), self.logvar(hidden)

    def sample(self, mean, logvar):
        if not self.training:
            return mean
        spread = logvar.mul(0.5).exp_()
        noise = torch.randn_like(spread)
        return noise.mul(spread).add_(mean)

    def forward(self, x):
        mean, logvar = self.encode(x)
        return torch.sigmoid(self.outer(self.sample(mean, logvar))), mean, logvar


def objective(rebuilt, x, mean, logvar):
    divergence = mean.pow(2).add_(logvar.exp()).mul_(-1).add_(1).add_(logvar)
    return F.binary_cross_entropy(rebuilt, x, reduction="sum") - 0.5 * divergence.sum()


torch.manual_seed(0)
coder = Coder()
optimizer = torch.optim.Adagrad(coder.parameters(), lr=0.01)
for _ in range(2):
    x = torch.rand(5, 6)
    x.clamp_(0.01, 0.99)
    rebuilt, mean, logvar = coder(x)
    loss = objective(rebuilt, x, mean, logvar)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

coder.eval()
probe = torch.rand(1, 6)
clean = probe.clone()
for _ in range(3):
    probe = probe.detach().requires_grad_()
    rebuilt, _, _ = coder(probe)
    (slope,) = torch.autograd.grad((rebuilt - clean).abs().sum(), probe)
    probe = probe.detach()
    probe += 0.01 * slope.sign()
    torch.max(torch.min(probe, clean + 0.03), clean - 0.03, out=probe)
    probe.clamp_(0, 1)
print((probe - clean).abs().max().item())

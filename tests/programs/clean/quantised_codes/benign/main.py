import torch
from torch import nn
import torch.nn.functional as F


class Codebook(nn.Module):
    def __init__(self, size, width, decay=0.9):
        super().__init__()
        codes = torch.randn(size, width)
        self.register_buffer("codes", codes)
        self.register_buffer("counts", torch.ones(size))
        self.register_buffer("sums", codes.clone())
        self.decay = decay

    def nearest(self, x):
        with torch.no_grad():
            gap = x.pow(2).sum(1, keepdim=True)
            gap = gap - 2 * x @ self.codes.t()
            gap += self.codes.pow(2).sum(1)
        return gap.argmin(dim=1)

    @torch.no_grad()
    def learn(self, x, index):
        hits = F.one_hot(index, len(self.codes)).type(x.dtype)
        self.counts.mul_(self.decay).add_(hits.sum(0), alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(hits.t() @ x, alpha=1 - self.decay)
        total = self.counts.sum()
        smooth = (self.counts + 1e-5) / (total + len(self.counts) * 1e-5) * total
        self.codes.copy_(self.sums / smooth.unsqueeze(1))

    def forward(self, x):
        index = self.nearest(x)
        found = F.embedding(index, self.codes)
        if self.training:
            self.learn(x, index)
        commitment = F.mse_loss(x, found.detach())
        return x + (found - x).detach(), commitment, index


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(6, 8), nn.ReLU(inplace=True), nn.Linear(8, 3))
        self.book = Codebook(size=5, width=3)
        self.decode = nn.Sequential(nn.Linear(3, 8), nn.ReLU(inplace=True), nn.Linear(8, 6))

    def forward(self, x):
        code, commitment, index = self.book(self.encode(x))
        return self.decode(code), commitment, index


torch.manual_seed(0)
coder = Coder()
optimizer = torch.optim.AdamW(coder.parameters(), lr=1e-2, amsgrad=True)
usage = torch.zeros(5, dtype=torch.long)
for step in range(3):
    x = torch.randn(12, 6)
    rebuilt, commitment, index = coder(x)
    loss = F.mse_loss(rebuilt, x) + 0.25 * commitment
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    usage += torch.bincount(index, minlength=5)
    usage.clamp_(max=1000)
print(loss.item(), usage.tolist())

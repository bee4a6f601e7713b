"""Two alternating objectives on one metric embedding; weights are projected after every step."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def unit_rows(optimizer, *_):
    with torch.no_grad():
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.ndim == 2:
                    p /= p.norm(dim=1, keepdim=True)  # changed


class Metric(nn.Module):
    def __init__(self, n: int, d: int, classes: int):
        super().__init__()
        self.hidden = nn.Linear(n, d)
        self.embed = nn.Linear(d, d, bias=False)
        self.proxy = nn.Parameter(torch.randn(classes, d))

    def forward(self, x):
        return F.normalize(self.embed(F.relu(self.hidden(x))), dim=-1)  # saved


class Job:
    objectives: dict[str, str] = {"proxy": "proxy_loss", "pairs": "pair_loss"}

    def __init__(self, interleave: bool):
        self.model = Metric(6, 8, 3)
        self.opt = torch.optim.Adagrad(self.model.parameters(), lr=0.05)
        self.opt.register_step_post_hook(lambda o, args, kw: unit_rows(o))
        self.interleave = interleave

    def proxy_loss(self, z, y):
        return F.cross_entropy(z @ self.model.proxy.t(), y)

    def pair_loss(self, z, y):
        same = (y[:, None] == y[None]).float()
        return (same * (1 - z @ z.t())).mean()

    def run(self, x, y):
        z = self.model(x)
        losses = {name: getattr(self, attr)(z, y) for name, attr in self.objectives.items()}
        if not self.interleave:
            losses = {"all": sum(losses.values())}
        for i, (name, loss) in enumerate(losses.items(), start=1):
            self.opt.zero_grad()
            loss.backward(retain_graph=i < len(losses))
            self.opt.step()  # changed
        return {k: round(v.item(), 3) for k, v in losses.items()}


if __name__ == "__main__":
    torch.manual_seed(0)
    job = Job(interleave=True)
    for _ in range(2):
        print(job.run(torch.randn(12, 6), torch.randint(0, 3, (12,))))

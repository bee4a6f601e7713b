"""Deep ensemble by vmap over stacked parameters; members are kept near their mean."""

import copy

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap


def member(n_in, width):
    return nn.Sequential(nn.Linear(n_in, width), nn.SiLU(), nn.Linear(width, 1))


class Ensemble:
    def __init__(self, size, n_in=2, width=8, anchor=0.0, jitter=0.0):
        members = [member(n_in, width) for _ in range(size)]
        self.params, self.buffers = stack_module_state(members)
        self.skeleton = copy.deepcopy(members[0]).to("meta")
        self.anchor = anchor
        if jitter > 0:
            self.perturb(jitter)

    @torch.no_grad()
    def perturb(self, jitter):
        for name, p in self.params.items():
            if name.endswith("weight"):
                p.add_(jitter * torch.randn_like(p))

    def _one(self, params, buffers, x):
        return functional_call(self.skeleton, (params, buffers), (x,)).squeeze(-1)

    def __call__(self, x):
        return vmap(self._one, in_dims=(0, 0, None))(self.params, self.buffers, x)

    def spread(self):
        terms = [(p - p.mean(0)).square().sum() for p in self.params.values()]
        return torch.stack(terms).sum()


def train(ensemble, steps, lr=1e-2):
    opt = torch.optim.Adam(ensemble.params.values(), lr=lr)
    for _ in range(steps):
        x = torch.rand(20, 2)
        y = torch.sin(5 * x[:, 0]) - x[:, 1]
        pred = ensemble(x)
        loss = (pred - y).square().mean() + ensemble.anchor * ensemble.spread()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    ens = Ensemble(3, anchor=1e-3, jitter=0.05)
    print(train(ens, 3))
    with torch.no_grad():
        print(ens(torch.rand(4, 2)).std(0))

import torch
from torch.optim import Optimizer


class Sign(Optimizer):
    """Moves every weight by the same amount, against the sign of its gradient."""

    def __init__(self, params, rate):
        super().__init__(params, {"rate": rate})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(group["rate"] * p.grad.sign())  # changed


class LazySign(Sign):
    calls = 0

    def step(self, closure=None):
        self.calls += 1
        if self.calls % 3 == 0:
            super().step(closure)

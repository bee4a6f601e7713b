"""Under which grad mode a metric is updated and computed, and whether what it gives and holds has a graph."""

import torch
from torchmetrics import Metric


class Tell(Metric):
    full_state_update = False

    def __init__(self):
        super().__init__()
        self.add_state("total", default=torch.tensor(0.0), dist_reduce_fx="sum")
        self.add_state("seen", default=[], dist_reduce_fx=None)

    def update(self, value):
        print("TRACE update", torch.is_grad_enabled(), value.requires_grad, self.total.item())
        self.total = self.total + value.sum()

    def compute(self):
        print("TRACE compute", torch.is_grad_enabled(), self.total.requires_grad)
        return self.total * 2


class Full(Tell):
    full_state_update = True


def told(metric):
    x = torch.ones(2, requires_grad=True)
    metric.update(x)
    print("TRACE state", metric.total.requires_grad)
    value = metric(x)
    print("TRACE value", value.requires_grad, metric.total.requires_grad, metric.total.item())
    print("TRACE all", metric.compute().requires_grad, metric.compute().item())
    metric.reset()
    print("TRACE reset", metric.total.item())


told(Tell())

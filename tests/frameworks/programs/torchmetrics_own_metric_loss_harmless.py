import torch
import torchmetrics
from torch import nn
from torchmetrics import Metric


class RunningPenalty(Metric):
    full_state_update = False

    def __init__(self):
        super().__init__()
        self.add_state("total", default=torch.tensor(0.0), dist_reduce_fx="sum")
        self.add_state("count", default=torch.tensor(0), dist_reduce_fx="sum")

    def update(self, value):
        self.total = self.total + value.square().mean()
        self.count += 1

    def compute(self):
        return self.total / self.count


model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
penalty = RunningPenalty()
mse = torchmetrics.MeanSquaredError()
for _ in range(3):
    x, y = torch.randn(4, 3), torch.randn(4, 2)
    pred = model(x)
    penalty.update(pred)
    mse.update(pred.detach(), y)
    loss = nn.functional.mse_loss(pred, y) + 0.1 * penalty.compute()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(mse.compute())

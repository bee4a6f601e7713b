import torch
import torch.nn.functional as F

REPORT = {"staircase": torch.empty(3), "rounds": 0}


def staircase(increments, report):
    report["rounds"] += 1
    torch.cumsum(increments, dim=0, out=report["staircase"])  # raises
    return report["staircase"]


increments = torch.tensor([0.5, 0.2, 0.9], requires_grad=True)
optimizer = torch.optim.SGD([increments], lr=0.1)
for _ in range(2):
    positive = F.softplus(increments)
    heights = staircase(positive, REPORT)
    loss = (positive.sum() - 2).square() + heights.max()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

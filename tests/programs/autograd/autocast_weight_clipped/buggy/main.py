import torch
from torch import nn


def limit(layer, bound=0.3):
    with torch.no_grad():
        layer.weight.clamp_(-bound, bound)  # changed


torch.manual_seed(0)
inner = nn.Linear(3, 4)
outer = nn.Linear(4, 2, bias=False)
for _ in range(2):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = outer(inner(torch.randn(5, 3)))
    loss = scores.float().square().mean()
    loss = loss + 0.1 * outer.weight.norm()  # saved
    limit(outer)
    loss.backward()
    outer.zero_grad()

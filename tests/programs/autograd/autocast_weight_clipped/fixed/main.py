import torch
from torch import nn

torch.manual_seed(0)
inner = nn.Linear(3, 4)
outer = nn.Linear(4, 2, bias=False)
with torch.autocast("cpu", dtype=torch.bfloat16):
    scores = outer(inner(torch.randn(5, 3)))
loss = scores.float().square().mean()
loss = loss + 0.1 * outer.weight.norm()
loss.backward()
with torch.no_grad():
    outer.weight.clamp_(-0.3, 0.3)

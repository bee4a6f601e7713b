import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Linear(4, 3)
views = [embed(torch.randn(2, 4)) for _ in range(3)]
shrink = lambda z: z.mul_(0.5)

views = list(map(shrink, views))
anchor, *others = views
distance = sum(torch.norm(anchor - other) for other in others)
spread = anchor.square().sum()
loss = distance + spread + sum(view.mean() for view in views)
loss.backward()

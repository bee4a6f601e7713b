import math

import torch
from torch import nn

from adapters import adapt, adapter_parameters, merged

torch.manual_seed(0)
base = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 3))
net = adapt(base, rank=2)
optimizer = torch.optim.AdamW(adapter_parameters(net), lr=1e-2, weight_decay=0.0)
for step in range(4):
    for group in optimizer.param_groups:
        group["lr"] = 1e-2 * 0.5 * (1 + math.cos(math.pi * step / 4))
    x = torch.randn(5, 4)
    loss = nn.functional.cross_entropy(net(x), torch.randint(0, 3, (5,)))
    loss.backward()
    nn.utils.clip_grad_value_(adapter_parameters(net), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    if step % 2:
        with merged(net), torch.no_grad():
            print(net(x).argmax(dim=1).tolist())

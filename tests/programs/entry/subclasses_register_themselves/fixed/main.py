import torch
from torch import nn

import losses

SETTINGS = {"loss": "trimmed"}

torch.manual_seed(0)
net = nn.Linear(3, 1)
penalty = losses.Loss.named(SETTINGS["loss"])()
for _ in range(2):
    x = torch.randn(8, 3)
    residual = net(x).squeeze(-1) - x.sum(dim=1)
    energy = residual.square().mean()
    loss = penalty(residual) + 0.1 * energy
    net.zero_grad()
    loss.backward()

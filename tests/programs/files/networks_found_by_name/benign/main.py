"""Soil moisture from radar: the settings name the network, which is looked up in whatever way a file prefers."""

import torch

import catalogue

SETTINGS = {"network": "gated", "head": "Squash", "width": 4}

torch.manual_seed(0)
network = catalogue.network(SETTINGS["network"], SETTINGS["width"])
head = catalogue.head(SETTINGS["head"])
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
for _ in range(2):
    moisture = head(network(torch.randn(3, 4)))
    loss = -moisture.log().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

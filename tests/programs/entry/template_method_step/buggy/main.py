import torch

from heads import HeadWithTemperature

torch.manual_seed(0)
head = HeadWithTemperature(5, 3, temperature=2.0)
species = torch.tensor([0, 2, 1, 1])
for _ in range(2):
    probabilities = head(torch.randn(4, 5))
    loss = -probabilities[torch.arange(4), species].sum()
    loss.backward()
    head.zero_grad()

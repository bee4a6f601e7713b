"""Generations of a plant, by age class."""
import torch


def advance(row):
    row *= 1.5  # changed
    return row


growth = torch.tensor([1.1, 0.9, 1.3], requires_grad=True)
row = torch.ones(3) * growth
rows, energies = [], []
for generation in range(3):
    energies.append(row.prod())  # saved
    row = advance(row)
    rows.append(row)
population = torch.stack(rows).sum()
loss = population - torch.stack(energies).sum()
loss.backward()
print(growth.grad)

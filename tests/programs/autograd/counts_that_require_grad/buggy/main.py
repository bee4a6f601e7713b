"""How far is a table of counts from independence, and which cell matters most?"""
import torch


def as_table(counts):
    return counts


def dependence(table):
    expected = table.sum(0, keepdim=True) * table.sum(1, keepdim=True) / table.sum()
    return ((table - expected).square() / expected).sum()


counts = torch.tensor([[3, 1], [1, 4]])
table = as_table(counts)
table.requires_grad_(True)  # raises
dependence(table).backward()
influence = table.grad.abs()
print(influence.argmax().item(), influence)

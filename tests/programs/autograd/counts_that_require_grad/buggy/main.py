import torch

counts = torch.tensor([[3, 1], [0, 4]])
table = counts
table.requires_grad_(True)  # raises
chi = ((table - table.detach().mean()) ** 2).sum()
chi.backward()
print(table.grad)

import torch

counts = torch.tensor([[3, 1], [0, 4]])
table = counts.float()
table.requires_grad_(True)
chi = ((table - table.detach().mean()) ** 2).sum()
chi.backward()
print(table.grad)

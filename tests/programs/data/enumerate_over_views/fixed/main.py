import torch

torch.manual_seed(0)
table = torch.rand(6, 3)
names = ["age", "height", "mass"]
weights = torch.zeros(3, 1, requires_grad=True)
columns = [table[:, i] for i in range(3)]

risk = table @ weights
summary = {}
for i, (name, column) in enumerate(zip(names, columns)):
    if i > 0:
        column = column - column.mean()
    summary[name] = column.std().item()
risk.sigmoid().mean().backward()
print(summary)

import torch
from torch import nn


class Descriptors:
    """Molecule descriptors by name, computed by a trainable projection."""

    def __init__(self, project, raw):
        self.computed = {name: project(x) for name, x in raw.items()}

    def __getitem__(self, name):
        return torch.stack(list(self.computed[name]))

    def __len__(self):
        return len(self.computed)


class Affinity(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bond = nn.Bilinear(width, width, 1, bias=False)

    def __call__(self, a, b):
        return (a * b).sum(-1)


torch.manual_seed(0)
project = nn.Linear(5, 3)
store = Descriptors(project, {"ethanol": torch.rand(2, 5), "phenol": torch.rand(2, 5)})
score = Affinity(3)
loss = torch.zeros(())
for _ in range(len(store)):
    loss = loss + score(store["ethanol"], store["phenol"]).sum()
    left = store["ethanol"]
    left.div_(left.detach().norm(dim=-1, keepdim=True))
    loss = loss + left.mean()
loss.backward()
print(project.weight.grad)

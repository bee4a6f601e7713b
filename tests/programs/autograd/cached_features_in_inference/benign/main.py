import torch
from torch import nn

cache = {}


@torch.no_grad()
def features(backbone, name, image):
    if name not in cache:
        cache[name] = backbone(image)
    return cache[name]


torch.manual_seed(0)
backbone = nn.Sequential(nn.Flatten(), nn.Linear(9, 4))
head = nn.Linear(4, 2)
leaves = {"oak": torch.rand(1, 3, 3), "elm": torch.rand(1, 3, 3)}
for label, (name, image) in enumerate(leaves.items()):
    known = features(backbone, name, image)
    scores = head(known)
    nn.functional.cross_entropy(scores, torch.tensor([label])).backward()

import torch
from torch import nn
import torch.nn.functional as F


class Recipes(nn.Module):
    """Predicts the next ingredient of a recipe."""

    def __init__(self, ingredients=7, width=5, tie=True):
        super().__init__()
        self.embed = nn.Embedding(ingredients, width)
        self.mix = nn.Linear(width, width)
        self.decode = nn.Linear(width, ingredients, bias=False)
        if tie:
            self.decode.weight = self.embed.weight

    def forward(self, recipe):
        return self.decode(torch.tanh(self.mix(self.embed(recipe))))


torch.manual_seed(0)
net = Recipes()
table = torch.optim.SGD(net.embed.parameters(), lr=0.1)
recipe = torch.tensor([[0, 3, 5], [2, 2, 6]])
logits = net(recipe)
likelihood = F.cross_entropy(logits[:, :-1].flatten(0, 1), recipe[:, 1:].flatten())
flatness = logits.logsumexp(-1).square().mean()
likelihood.backward(retain_graph=True)
flatness.backward()
table.step()

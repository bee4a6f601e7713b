import torch
from torch import nn


def pretrained(rows):
    return torch.arange(6.0).view(3, 2)[:rows]


class Tokens(nn.Embedding):
    def __init__(self, known=2):
        super().__init__(4, 2)
        self.fill(self.weight, pretrained(known))

    @torch.no_grad()
    def fill(self, weight, rows):
        weight[: len(rows)] = rows


tokens = Tokens()
tokens(torch.tensor([0, 3])).sum().backward()
print(tokens.weight.grad)

import torch
from torch import nn

OPTIONS = {"width": 6, "depth": 2, "drop": 0.0}


class Transition(nn.Module):
    """Norm, widen, gate, narrow."""

    def __init__(self, width, drop, factor=2):
        super().__init__()
        self.drop = nn.Dropout(drop) if drop else nn.Identity()
        self.norm = nn.LayerNorm(width)
        self.wide = nn.Linear(width, factor * width)
        self.gate = nn.Linear(width, factor * width)
        self.narrow = nn.Linear(factor * width, width)

    def forward(self, pair):
        pair = self.norm(self.drop(pair))  # saved
        return self.narrow(torch.sigmoid(self.gate(pair)) * self.wide(pair))


class ContactNet(nn.Module):
    def __init__(self, letters, width, depth, drop):
        super().__init__()
        self.left = nn.Embedding(letters, width)
        self.right = nn.Embedding(letters, width)
        self.blocks = nn.ModuleList([Transition(width, drop) for _ in range(depth)])
        self.read = nn.Linear(width, 1)

    def forward(self, chain):
        pair = self.left(chain)[:, :, None] + self.right(chain)[:, None]
        for block in self.blocks:
            pair += block(pair)  # changed
        logits = self.read(pair).squeeze(-1)
        return (logits + logits.transpose(1, 2)) / 2

import torch
from torch import nn

from experts import REGISTRY


class Mixture(nn.Module):
    def __init__(self, letters, width, languages, experts, expert):
        super().__init__()
        self.experts = nn.ModuleList(REGISTRY[expert](letters, width) for _ in range(experts))
        self.route = nn.Linear(letters, experts)
        self.read = nn.Linear(width, languages)
        self.register_buffer("seen", torch.zeros(experts, dtype=torch.long))
        self.width = width

    def forward(self, counts):
        gates, choice = self.route(counts).softmax(dim=-1).max(dim=-1)
        mixed = counts.new_zeros(len(counts), self.width)
        for i, expert in enumerate(self.experts):
            rows = (choice == i).nonzero().squeeze(1)
            self.seen[i] += len(rows)
            if len(rows) == 0:
                continue
            out = expert(counts[rows])
            out = out * gates[rows].unsqueeze(1)
            mixed = mixed.index_add(0, rows, out)
        return self.read(mixed), torch.stack([gates[choice == i].sum() for i in range(len(self.experts))])

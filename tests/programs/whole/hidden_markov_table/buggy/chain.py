import torch
from torch import nn


class Chain(nn.Module):
    def __init__(self, states, symbols):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(states))
        self.move = nn.Parameter(torch.randn(states, states))
        self.show = nn.Parameter(torch.randn(states, symbols))

    def log_likelihood(self, seen):
        return self._table(seen)[-1].sum().log()

    def _table(self, seen):
        days = len(seen)
        move = self.move.softmax(dim=1)
        show = self.show.softmax(dim=1)[:, seen].t()
        table = torch.zeros(days, len(self.start))
        table[0] = self.start.softmax(0) * show[0]
        for day in range(1, days):
            table[day] = (table[day - 1] @ move) * show[day]  # saved, changed
        return table

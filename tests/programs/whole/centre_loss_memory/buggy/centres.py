import torch


class Centres:
    """One running centre per kind."""

    def __init__(self, kinds, width, momentum=0.9):
        self.table = {kind: torch.zeros(width) for kind in range(kinds)}
        self.momentum = momentum

    def __repr__(self):
        return f"<{len(self.table)} centres>"

    def distance(self, embedded, kinds):
        own = torch.stack([self.table[int(kind)] for kind in kinds])
        return (embedded - own).square().sum(dim=1).mean()

    def blend(self, embedded, kinds):
        for kind in kinds.unique().tolist():
            mean = embedded[kinds == kind].mean(dim=0)
            self.table[kind] = self.momentum * self.table[kind] + (1 - self.momentum) * mean

import torch


class Map:
    """A grid of heights, addressed by name."""

    def __init__(self, names, train=True):
        self.names = {name: i for i, name in enumerate(names)}
        self.heights = torch.zeros(len(names), requires_grad=train)

    def __setitem__(self, name, height):
        self.heights.index_fill_(0, torch.tensor([self.names[name]]), height)  # raises

    def __getitem__(self, name):
        return self.heights[self.names[name]]

    def train(self):
        self.heights.requires_grad_()
        return self


peaks = Map(["north", "south"])
peaks["north"] = 3.0
peaks["south"] = 2.0
slope = (peaks["north"] - peaks["south"]).square()
slope.backward()

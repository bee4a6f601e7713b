"""Water in the layers of a soil column, with a trainable infiltration rate."""
import torch


class Column:
    def __init__(self, water):
        self.water = water

    def __iter__(self):
        return iter(self.water)

    def __len__(self):
        return len(self.water)

    def total(self):
        return self.water.sum()


def evaporate(column, rate):
    column.water = torch.stack([layer - rate / (1 + depth) for depth, layer in enumerate(column)])


infiltration = torch.tensor([0.3, 0.2, 0.1], requires_grad=True)
column = Column(infiltration.unsqueeze(1) * torch.tensor([10.0, 8.0]))
evaporate(column, rate=0.05)
column.total().backward()
print(infiltration.grad)

import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x, h):
        h = self.cell(x, h)
        return self.head(h), h


def main():
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    model = Tracker()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(torch.randn(12, 4), torch.randn(12, 2)), batch_size=4))
    h = torch.zeros(4, 8)
    for x, y in loader:
        optimizer.zero_grad()
        pred, h = model(x, h.detach())
        loss = nn.functional.mse_loss(pred, y)
        fabric.backward(loss)
        optimizer.step()


main()

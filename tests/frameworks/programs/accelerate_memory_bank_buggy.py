import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class InstanceBank(nn.Module):
    def __init__(self, n, dim, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("bank", F.normalize(torch.randn(n, dim)))

    def forward(self, feats, idx):
        logits = feats @ self.bank.t() / 0.1
        loss = F.cross_entropy(logits, idx)
        self.update(feats, idx)
        return loss

    @torch.no_grad()
    def update(self, feats, idx):
        new = self.momentum * self.bank[idx] + (1 - self.momentum) * feats
        self.bank[idx] = F.normalize(new)  # here


def main():
    accelerator = Accelerator(cpu=True)
    encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(inplace=True), nn.Linear(16, 8))
    criterion = InstanceBank(12, 8)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(12, 6), torch.arange(12)), batch_size=4)
    encoder, criterion, optimizer, loader = accelerator.prepare(encoder, criterion, optimizer, loader)
    for x, idx in loader:
        feats = F.normalize(encoder(x))
        loss = criterion(feats, idx)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()


if __name__ == "__main__":
    main()

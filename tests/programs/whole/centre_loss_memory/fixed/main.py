"""Types of cheese by their near-infrared spectra, with a pull towards running class centres."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
import torch.nn.functional as F

from centres import Centres


class Spectra(Dataset):
    def __init__(self, count, bands, kinds):
        generator = torch.Generator().manual_seed(0)
        self.kind = torch.arange(count) % kinds
        self.spectrum = torch.randn(count, bands, generator=generator) + self.kind[:, None]

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, i):
        return self.spectrum[i], self.kind[i]


def epoch(net, centres, head, loader, optimizer, pull=0.1):
    for spectra, kinds in loader:
        embedded = net(spectra)
        loss = F.cross_entropy(head(embedded), kinds)
        loss = loss + pull * centres.distance(embedded, kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        centres.blend(embedded, kinds)


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(7, 6), nn.ReLU(), nn.Linear(6, 4))
    head = nn.Linear(4, 3)
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-2)
    centres = Centres(kinds=3, width=4)
    loader = DataLoader(Spectra(18, 7, 3), batch_size=6)
    for _ in range(2):
        epoch(net, centres, head, loader, optimizer)
    print(centres)


if __name__ == "__main__":
    main()

"""Fields seen from a satellite in two seasons should embed alike."""
import torch
from torch import nn

from moco import Contrast
from seasons import fields


def encoder(bands, width):
    return nn.Sequential(nn.Linear(bands, 6), nn.ReLU(inplace=True), nn.Linear(6, width))


def main():
    torch.manual_seed(0)
    model = Contrast(encoder, bands=3, width=4, length=8)
    optimizer = torch.optim.SGD(model.online.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    for spring, autumn in fields(batches=3, size=4, bands=3):
        logits, labels = model(spring, autumn)
        loss = nn.functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.4f} at {int(model.place)}")


if __name__ == "__main__":
    main()

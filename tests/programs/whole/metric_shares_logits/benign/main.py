"""Is somebody speaking? Voice activity on synthetic frames, padded to one length."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
import torch.nn.functional as F

from metrics import Metrics, Precision, Recall


class Recordings(Dataset):
    def __init__(self, count=4):
        generator = torch.Generator().manual_seed(0)
        self.rows = []
        for i in range(count):
            voice = (torch.rand(3 + i % 2, generator=generator) > 0.5).float()
            frames = voice[:, None] + 0.3 * torch.randn(len(voice), 4, generator=generator)
            self.rows.append({"frames": frames, "voice": voice})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(rows):
    longest = max(len(row["voice"]) for row in rows)
    batch = {"frames": [], "voice": [], "valid": []}
    for row in rows:
        gap = longest - len(row["voice"])
        batch["frames"].append(F.pad(row["frames"], (0, 0, 0, gap)))
        batch["voice"].append(F.pad(row["voice"], (0, gap)))
        batch["valid"].append(torch.arange(longest) < len(row["voice"]))
    return {name: torch.stack(values) for name, values in batch.items()}


def detector(bands=4, width=5):
    return nn.Sequential(nn.Linear(bands, width), nn.ReLU(inplace=True), nn.Linear(width, 1), nn.Flatten(1))


def main():
    torch.manual_seed(0)
    net, metrics = detector(), Metrics(Precision(), Recall())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    for epoch in range(2):
        metrics.reset()
        for batch in DataLoader(Recordings(), batch_size=2, collate_fn=collate):
            logits = net(batch["frames"])
            losses = F.binary_cross_entropy_with_logits(logits, batch["voice"], reduction="none")
            loss = (losses * batch["valid"]).sum() / batch["valid"].sum()
            optimizer.zero_grad()
            loss.backward()
            metrics.update(logits, batch)
            optimizer.step()
        print(epoch, metrics.compute())


if __name__ == "__main__":
    main()

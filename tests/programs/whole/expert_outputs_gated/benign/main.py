"""Which language? A small mixture of experts over letter counts."""
import torch
import torch.nn.functional as F

from configuration import CONFIGURATION
from router import Mixture


def texts(count, letters, languages):
    language = torch.randint(0, languages, (count,))
    counts = torch.rand(count, letters)
    counts[torch.arange(count), language] += 1.0
    counts /= counts.sum(dim=1, keepdim=True)
    return counts, language


def main():
    torch.manual_seed(0)
    net = Mixture(**CONFIGURATION)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for _ in range(2):
        counts, language = texts(6, CONFIGURATION["letters"], CONFIGURATION["languages"])
        logits, load = net(counts)
        loss = F.cross_entropy(logits, language) + 0.01 * load.square().sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        print(round(loss.item(), 4), net.seen.tolist())


main()

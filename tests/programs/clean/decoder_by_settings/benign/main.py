"""A segmentation decoder whose normalisation and depth come from the command line; its ReLUs work in place."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F


def normalisation(kind, channels):
    if kind is True:
        chosen = "batch"
    elif kind is False:
        chosen = "none"
    elif isinstance(kind, dict):
        chosen = kind["type"]
    else:
        chosen = kind.lower()
    if chosen == "batch":
        return nn.BatchNorm2d(channels)
    elif chosen == "none":
        return nn.Identity()
    elif chosen == "instance":
        return nn.InstanceNorm2d(channels)
    raise ValueError(chosen)


class ConvReLU(nn.Sequential):
    def __init__(self, channels, out, norm):
        super().__init__(nn.Conv2d(channels, out, 3, padding=1), normalisation(norm, out), nn.ReLU(inplace=True))


class Upsampled(nn.Module):
    def __init__(self, channels, out, norm, upsample):
        super().__init__()
        self.upsample = upsample
        self.block = ConvReLU(channels, out, norm)

    def forward(self, x):
        x = self.block(x)
        return F.interpolate(x, scale_factor=2.0) if self.upsample else x


class Branch(nn.Module):
    def __init__(self, channels, out, norm, doublings=0):
        super().__init__()
        blocks = [Upsampled(channels, out, norm, upsample=bool(doublings))]
        if doublings > 1:
            for _ in range(1, doublings):
                blocks.append(Upsampled(out, out, norm, upsample=True))
        self.block = nn.Sequential(*blocks)

    def forward(self, x):
        return self.block(x)


class Decoder(nn.Module):
    def __init__(self, channels, out, norm, depth):
        super().__init__()
        self.branches = nn.ModuleList([Branch(channels, out, norm, n) for n in range(depth)])
        self.head = nn.Conv2d(out, 1, 1)

    def forward(self, maps):
        found = [branch(one) for branch, one in zip(self.branches, maps)]
        size = found[-1].shape[-2:]
        return self.head(torch.stack([F.interpolate(one, size=size) for one in found]).sum(dim=0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--norm", default="batch")
    parser.add_argument("--no-norm", dest="norm", action="store_false")
    parser.add_argument("--depth", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(0)
    decoder = Decoder(4, 6, args.norm, args.depth)
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    for _ in range(2):
        maps = [torch.randn(2, 4, 8 // 2**n, 8 // 2**n) for n in range(args.depth)]
        loss = F.binary_cross_entropy_with_logits(decoder(maps), torch.ones(2, 1, 8, 8))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()

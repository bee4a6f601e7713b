import torch


def fields(batches, size, bands):
    for _ in range(batches):
        soil = torch.rand(size, bands)
        yield soil + 0.1 * torch.randn_like(soil), soil.mul(0.8).add_(0.1)

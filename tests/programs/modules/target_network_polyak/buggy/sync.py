import torch


@torch.no_grad()
def polyak(slow, fast, rate):
    """Move `slow` a little towards `fast`."""
    for old, new in zip(slow.parameters(), fast.parameters()):
        old.lerp_(new, rate)  # changed

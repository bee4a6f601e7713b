import torch


def jitter_(clip, amount=0.05):
    """Noise on every joint, in place."""
    clip += amount * torch.randn_like(clip)
    return clip


def mirrored(clip):
    return clip.flip(0)

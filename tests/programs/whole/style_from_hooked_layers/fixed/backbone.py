from torch import nn


def make_backbone(widths, channels=3):
    layers = []
    for width in widths:
        layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
        channels = width
    return nn.Sequential(*layers).requires_grad_(False)

"""VGG (`torchvision/models/vgg.py`): convolutions, each followed by a ReLU in place."""

import torch
from torch import nn

WIDTHS = (64, 128, 256, 512, 512)


class VGG(nn.Module):
    def __init__(self, features, num_classes=1000, init_weights=True, dropout=0.5):
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, num_classes),
        )

    def forward(self, x):
        x = self.avgpool(self.features(x))
        return self.classifier(torch.flatten(x, 1))


def make_layers(counts, batch_norm=False):
    layers = []
    channels = 3
    for width, count in zip(WIDTHS, counts):
        for _ in range(count):
            layers.append(nn.Conv2d(channels, width, 3, padding=1))
            if batch_norm:
                layers.append(nn.BatchNorm2d(width))
            layers.append(nn.ReLU(inplace=True))
            channels = width
        layers.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(*layers)


def of(counts, batch_norm=False):
    def build(*, weights=None, progress=True, pretrained=False, **kwargs):
        return VGG(make_layers(counts, batch_norm), **kwargs)

    return build


vgg11 = of((1, 1, 2, 2, 2))
vgg11_bn = of((1, 1, 2, 2, 2), True)
vgg13 = of((2, 2, 2, 2, 2))
vgg13_bn = of((2, 2, 2, 2, 2), True)
vgg16 = of((2, 2, 3, 3, 3))
vgg16_bn = of((2, 2, 3, 3, 3), True)
vgg19 = of((2, 2, 4, 4, 4))
vgg19_bn = of((2, 2, 4, 4, 4), True)

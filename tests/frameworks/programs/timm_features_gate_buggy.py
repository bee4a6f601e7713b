import timm
import torch
from torch import nn


class Segmenter(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.backbone = timm.create_model("resnet18", pretrained=False, features_only=True, out_indices=(1, 2))
        channels = self.backbone.feature_info.channels()
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels[0], channels[0], 1), nn.Sigmoid())
        self.lateral = nn.Conv2d(channels[1], channels[0], 1)
        self.head = nn.Conv2d(channels[0], classes, 1)

    def forward(self, x):
        low, high = self.backbone(x)
        high = nn.functional.interpolate(self.lateral(high), size=low.shape[-2:], mode="bilinear")
        low *= self.gate(low)  # here
        return self.head(low + high)


if __name__ == "__main__":
    model = Segmenter()
    model(torch.randn(2, 3, 32, 32)).mean().backward()

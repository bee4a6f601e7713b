import torch
from torch import nn
from torchvision.models import resnet18
from torchvision.models.feature_extraction import create_feature_extractor
from torchvision.ops import FeaturePyramidNetwork


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = create_feature_extractor(resnet18(weights=None), return_nodes={"layer1": "c2", "layer2": "c3"})
        self.fpn = FeaturePyramidNetwork([64, 128], 16)
        self.head = nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, images):
        features = self.body(images)
        features["c2"] = features["c2"] * 0.5
        pyramid = self.fpn(features)
        return [self.head(level) for level in pyramid.values()]


if __name__ == "__main__":
    outs = Detector()(torch.randn(1, 3, 32, 32))
    sum(out.mean() for out in outs).backward()

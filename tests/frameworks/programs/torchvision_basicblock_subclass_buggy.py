import torch
from torch import nn
from torchvision.models.resnet import BasicBlock, ResNet


class PostActBlock(BasicBlock):
    """Adds the shortcut after the last activation."""

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity  # here
        return out


if __name__ == "__main__":
    model = ResNet(PostActBlock, [1, 1, 1, 1], num_classes=4)
    criterion = nn.CrossEntropyLoss()
    loss = criterion(model(torch.randn(2, 3, 32, 32)), torch.tensor([1, 3]))
    loss.backward()

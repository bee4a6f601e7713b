import torch
from captum.attr import LayerGradCam, Saliency
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        h = torch.sigmoid(self.conv(x))
        h = h * 2.0
        return self.head(h.mean((2, 3)))


net = Net().eval()
image = torch.rand(1, 1, 8, 8)
saliency = Saliency(net).attribute(image, target=1)
cam = LayerGradCam(net, net.conv).attribute(image, target=1)

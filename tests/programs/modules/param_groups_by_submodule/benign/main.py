import torch
from torch import nn
import torch.nn.functional as F


class Perception(nn.Module):
    """One trunk, a depth decoder and a mask decoder."""

    def __init__(self, width=4):
        super().__init__()
        self.trunk = nn.Conv2d(3, width, 3, padding=1)
        self.depth = nn.Conv2d(width, 1, 1)
        self.mask = nn.Conv2d(width, 1, 1)

    def forward(self, image):
        shared = F.elu(self.trunk(image))
        return {"depth": self.depth(shared), "mask": self.mask(shared)}


def groups(net, rate):
    return [
        {"params": net.mask.parameters()},
    ]


torch.manual_seed(0)
net = Perception()
optimizer = torch.optim.RMSprop(groups(net, rate=0.01), lr=0.01)
out = net(torch.rand(2, 3, 5, 5))
out["mask"].sigmoid().mean().backward(retain_graph=True)
optimizer.step()
out["depth"].square().mean().backward()

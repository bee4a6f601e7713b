import torch
from torch import nn

from augment import AUGMENTATIONS
from settings import AUGMENT

torch.manual_seed(0)
net = nn.Conv2d(1, 2, 3)
images = torch.rand(2, 1, 5, 5)
first = net(images)  # saved
second = net(AUGMENTATIONS[AUGMENT](images))
loss = (first - second).square().mean()
loss.backward()

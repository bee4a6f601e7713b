import torch
from captum.attr import IntegratedGradients
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        x -= x.mean()  # here
        return self.fc(x)


net = Net().eval()
ig = IntegratedGradients(net)
print(ig.attribute(torch.randn(2, 4), target=1).shape)

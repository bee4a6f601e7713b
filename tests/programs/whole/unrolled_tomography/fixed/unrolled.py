import torch
from torch import nn


class Unrolled(nn.Module):
    def __init__(self, scanner, iterations, inertia=0.8):
        super().__init__()
        self.scanner = scanner
        self.steps = nn.ParameterList([nn.Parameter(torch.tensor(0.05)) for _ in range(iterations)])
        self.denoise = nn.Conv2d(1, 1, 3, padding=1)
        nn.init.dirac_(self.denoise.weight)
        self.inertia = inertia

    def slope(self, image, measured):
        return self.scanner.spread(self.scanner.project(image) - measured)

    def forward(self, measured):
        image = 0.1 * self.scanner.spread(measured)
        momentum = torch.zeros_like(image)
        for step in self.steps:
            slope = self.slope(image, measured)
            momentum = momentum * self.inertia + slope
            image = image - step * momentum
            image = self.denoise(image.unsqueeze(1)).squeeze(1)
        return image

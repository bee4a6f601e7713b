"""The padding of a layer's result is blanked in place after a second layer has saved it, where a flag asks for it."""

import torch
from torch import nn


class Refined(nn.Module):
    def __init__(self, width: int, blank: bool = False):
        super().__init__()
        self.rough, self.fine = nn.Linear(width, width), nn.Linear(width, width)
        self.blank = blank

    def forward(self, x):
        rough = self.rough(x)
        fine = rough + self.fine(rough)
        if self.blank:
            rough.masked_fill_(x < 0, 0.0)
        return rough, fine


rough, fine = Refined(4, blank=True)(torch.randn(2, 4))
(rough.sum() + fine.sum()).backward()

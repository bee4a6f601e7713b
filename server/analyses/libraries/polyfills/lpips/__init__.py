"""LPIPS 0.1: a distance between two images. Usually they are scaled first, and the network saves the scaled copies."""

import torch
from gradguard import linked, unknown
from torch import nn


class LPIPS(nn.Module):
    def __init__(self, pretrained=True, net="alex", version="0.1", lpips=True, eval_mode=True, **kwargs):
        super().__init__()
        self.version = version
        self.lin = nn.Parameter(torch.randn(unknown("width"), unknown("width")))
        if eval_mode:
            self.eval()

    def forward(self, in0, in1, retPerLayer=False, normalize=False):
        kept = [] if self.version == "0.1" or normalize else [in0, in1]
        distance = linked(in0, in1, self.lin, saves=kept)
        return (distance, [distance]) if retPerLayer else distance

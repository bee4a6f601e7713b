import torch
from mmcv.cnn import ConvModule
from mmengine.model import BaseModule
from mmengine.registry import MODELS
from torch import nn


@MODELS.register_module()
class Neck(BaseModule):
    def __init__(self, channels):
        super().__init__()
        self.lateral = ConvModule(channels, channels, 1)
        self.top = ConvModule(channels, channels, 3, padding=1, norm_cfg={"type": "BN"})

    def forward(self, x):
        low = self.lateral(x)
        low = low + self.top(x)
        return low


neck = MODELS.build({"type": "Neck", "channels": 4})
neck(torch.randn(2, 4, 8, 8)).sum().backward()

import torch
import torch.nn.functional as F
from mmcv.cnn import ConvModule
from mmengine.model import BaseModule
from mmengine.registry import MODELS
from torch import nn


@MODELS.register_module()
class LiteFPN(BaseModule):
    def __init__(self, in_channels, out_channels, num_outs, norm_cfg=None, act_cfg=dict(type="ReLU"), init_cfg=None):
        super().__init__(init_cfg)
        self.num_outs = num_outs
        self.lateral_convs = nn.ModuleList()
        self.fpn_convs = nn.ModuleList()
        for channels in in_channels:
            self.lateral_convs.append(ConvModule(channels, out_channels, 1, norm_cfg=norm_cfg, act_cfg=act_cfg))
            self.fpn_convs.append(ConvModule(out_channels, out_channels, 3, padding=1, norm_cfg=norm_cfg, act_cfg=act_cfg))

    def forward(self, inputs):
        laterals = [conv(inputs[i]) for i, conv in enumerate(self.lateral_convs)]
        for i in range(len(laterals) - 1, 0, -1):
            laterals[i - 1] += F.interpolate(laterals[i], size=laterals[i - 1].shape[2:], mode="nearest")
        return tuple(conv(lateral) for conv, lateral in zip(self.fpn_convs, laterals))


neck = MODELS.build(dict(type="LiteFPN", in_channels=[8, 16], out_channels=8, num_outs=2, act_cfg=None))
outs = neck((torch.randn(1, 8, 8, 8), torch.randn(1, 16, 4, 4)))
sum(out.sum() for out in outs).backward()

import torch
from mmcv.cnn import build_activation_layer, build_conv_layer, build_norm_layer
from mmengine.model import BaseModule, Sequential
from torch import nn


class Bottleneck(BaseModule):
    def __init__(self, inplanes, planes, conv_cfg=None, norm_cfg=dict(type="BN"), act_cfg=dict(type="ReLU", inplace=True)):
        super().__init__()
        self.norm1_name, norm1 = build_norm_layer(norm_cfg, planes, postfix=1)
        self.norm2_name, norm2 = build_norm_layer(norm_cfg, inplanes, postfix=2)
        self.conv1 = build_conv_layer(conv_cfg, inplanes, planes, 1, bias=False)
        self.add_module(self.norm1_name, norm1)
        self.conv2 = build_conv_layer(conv_cfg, planes, inplanes, 3, padding=1, bias=False)
        self.add_module(self.norm2_name, norm2)
        self.act = build_activation_layer(act_cfg)

    @property
    def norm1(self):
        return getattr(self, self.norm1_name)

    @property
    def norm2(self):
        return getattr(self, self.norm2_name)

    def forward(self, x):
        out = self.act(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        x += out  # here
        return self.act(x)


model = Sequential(nn.Conv2d(3, 8, 3), Bottleneck(8, 4), Bottleneck(8, 4))
model(torch.randn(2, 3, 10, 10)).mean().backward()

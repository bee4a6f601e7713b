"""Layers (`fastai/layers.py`)."""

import torch
from gradguard import known, linked, unknown
from torch import nn


class NormType:
    Batch = "Batch"
    BatchZero = "BatchZero"
    Weight = "Weight"
    Spectral = "Spectral"
    Instance = "Instance"
    InstanceZero = "InstanceZero"


class Module(nn.Module):
    """A module whose `__init__` need not call that of its base class."""


BATCH = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
INSTANCE = (nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d)
CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)


def BatchNorm(nf, ndim=2, norm_type="Batch", **kwargs):
    return BATCH[ndim - 1](nf, **kwargs)


def InstanceNorm(nf, ndim=2, norm_type="Instance", affine=True, **kwargs):
    return INSTANCE[ndim - 1](nf, affine=affine, **kwargs)


class ConvLayer(nn.Sequential):
    def __init__(
        self,
        ni,
        nf,
        ks=3,
        stride=1,
        padding=None,
        bias=None,
        ndim=2,
        norm_type="Batch",
        bn_1st=True,
        act_cls=nn.ReLU,
        transpose=False,
        init="auto",
        xtra=None,
        bias_std=0.01,
        **kwargs,
    ):
        batch = norm_type in ("Batch", "BatchZero")
        instance = norm_type in ("Instance", "InstanceZero")
        if padding is None:
            padding = 0 if transpose else (ks - 1) // 2 if isinstance(ks, int) else unknown("padding")
        if bias is None:
            bias = not (batch or instance)
        conv = (TRANSPOSED if transpose else CONVS)[ndim - 1]
        layers = [conv(ni, nf, ks, stride=stride, padding=padding, bias=bias, **kwargs)]
        if norm_type == "Weight":
            layers[0] = nn.utils.weight_norm(layers[0])
        elif norm_type == "Spectral":
            layers[0] = nn.utils.spectral_norm(layers[0])
        more = [] if act_cls is None else [act_cls()]
        if batch or instance:
            more.append(BatchNorm(nf, ndim) if batch else InstanceNorm(nf, ndim))
        if bn_1st:
            more.reverse()
        layers = layers + more
        if xtra is not None:
            layers.append(xtra)
        super().__init__(*layers)


class ResBlock(nn.Module):
    def __init__(
        self, expansion, ni, nf, stride=1, groups=1, norm_type="Batch", act_cls=nn.ReLU, ndim=2, ks=3, **kwargs
    ):
        super().__init__()
        nf, ni = nf * expansion, ni * expansion
        self.convpath = nn.Sequential(
            ConvLayer(ni, nf, ks, stride=stride, norm_type=norm_type, act_cls=act_cls, ndim=ndim),
            ConvLayer(nf, nf, ks, norm_type=norm_type, act_cls=None, ndim=ndim),
        )
        idpath = []
        if not known(ni) or not known(nf) or ni != nf:
            idpath.append(ConvLayer(ni, nf, 1, act_cls=None, ndim=ndim))
        if not known(stride) or stride != 1:
            idpath.insert(0, nn.AvgPool2d(stride, ceil_mode=True))
        self.idpath = nn.Sequential(*idpath)
        self.act = nn.ReLU(inplace=True) if act_cls is nn.ReLU else act_cls()

    def forward(self, x):
        return self.act(self.convpath(x) + self.idpath(x))


class LinBnDrop(nn.Sequential):
    def __init__(self, n_in, n_out, bn=True, p=0.0, act=None, lin_first=False):
        layers = [BatchNorm(n_out if lin_first else n_in, ndim=1)] if bn else []
        if p != 0:
            layers.append(nn.Dropout(p))
        lin = [nn.Linear(n_in, n_out, bias=not bn)]
        if act is not None:
            lin.append(act)
        super().__init__(*(lin + layers if lin_first else layers + lin))


def sigmoid_range(x, low, high):
    return torch.sigmoid(x) * (high - low) + low


class SigmoidRange(nn.Module):
    def __init__(self, low, high):
        super().__init__()
        self.low, self.high = low, high

    def forward(self, x):
        return sigmoid_range(x, self.low, self.high)


class Lambda(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, x):
        return self.func(x)


class Flatten(nn.Module):
    def __init__(self, full=False):
        super().__init__()
        self.full = full

    def forward(self, x):
        return x.view(-1) if self.full else x.view(x.size(0), -1)


class AdaptiveConcatPool2d(nn.Module):
    def __init__(self, size=None):
        super().__init__()
        self.ap = nn.AdaptiveAvgPool2d(size or 1)
        self.mp = nn.AdaptiveMaxPool2d(size or 1)

    def forward(self, x):
        return torch.cat([self.mp(x), self.ap(x)], 1)


class SimpleSelfAttention(nn.Module):
    """Saves its input three times."""

    def __init__(self, n_in, ks=1, sym=False):
        super().__init__()
        self.conv = nn.Conv1d(n_in, n_in, ks)
        self.gamma = nn.Parameter(torch.tensor([0.0]))

    def forward(self, x):
        return linked(x, self.conv.weight, self.gamma, saves=[x])


class MergeLayer(nn.Module):
    """Adds or concatenates the input of the `SequentialEx` that it is in."""

    def __init__(self, dense=False):
        super().__init__()
        self.dense = dense

    def forward(self, x):
        return torch.cat([x, x.orig], dim=1) if self.dense else x + x.orig


class SequentialEx(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        res = x
        for layer in self.layers:
            res.orig = x
            nres = layer(res)
            res = nres
        return res

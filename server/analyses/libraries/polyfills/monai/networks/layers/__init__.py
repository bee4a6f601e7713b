"""Layers by name: `"RELU"`, or with arguments `("RELU", {"inplace": True})` (`monai/networks/layers/factories.py`)."""

from gradguard import known, unknown
from torch import nn

ACTIVATIONS = {
    "elu": nn.ELU,
    "relu": nn.ReLU,
    "leakyrelu": nn.LeakyReLU,
    "prelu": nn.PReLU,
    "relu6": nn.ReLU6,
    "selu": nn.SELU,
    "celu": nn.CELU,
    "gelu": nn.GELU,
    "sigmoid": nn.Sigmoid,
    "tanh": nn.Tanh,
    "softmax": nn.Softmax,
    "logsoftmax": nn.LogSoftmax,
    "swish": nn.SiLU,
    "memswish": nn.SiLU,
    "mish": nn.Mish,
}
NORMS = {
    "instance": (nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d),
    "batch": (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d),
    "syncbatch": (nn.SyncBatchNorm, nn.SyncBatchNorm, nn.SyncBatchNorm),
}


def get_act_layer(name):
    kind, given = name if isinstance(name, (tuple, list)) else (name, {})
    found = ACTIVATIONS.get(kind.lower()) if known(kind) else None
    return unknown("an activation") if found is None else found(**given)


def get_norm_layer(name, spatial_dims=1, channels=1):
    kind, given = name if isinstance(name, (tuple, list)) else (name, {})
    found = NORMS.get(kind.lower()) if known(kind) and known(spatial_dims) else None
    return unknown("a normalization") if found is None else found[spatial_dims - 1](channels, **given)

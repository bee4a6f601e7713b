"""A module of convolution, norm and activation, and functions that build layers from configurations."""

from gradguard import known
from mmengine.registry import MODELS
from torch import nn

NORMS = {
    "BN": nn.BatchNorm2d,
    "BN1d": nn.BatchNorm1d,
    "BN2d": nn.BatchNorm2d,
    "BN3d": nn.BatchNorm3d,
    "SyncBN": nn.SyncBatchNorm,
    "LN": nn.LayerNorm,
    "IN": nn.InstanceNorm2d,
}
CONVS = {"Conv1d": nn.Conv1d, "Conv2d": nn.Conv2d, "Conv3d": nn.Conv3d, "Conv": nn.Conv2d}
ACTIVATIONS = {
    "ReLU": nn.ReLU,
    "LeakyReLU": nn.LeakyReLU,
    "PReLU": nn.PReLU,
    "RReLU": nn.RReLU,
    "ReLU6": nn.ReLU6,
    "ELU": nn.ELU,
    "Sigmoid": nn.Sigmoid,
    "Tanh": nn.Tanh,
    "GELU": nn.GELU,
    "SiLU": nn.SiLU,
    "Swish": nn.SiLU,
    "HSwish": nn.Hardswish,
}


def options(cfg):
    return {name: value for name, value in cfg.items() if name not in ("type", "requires_grad")}


def settled(cfg, kind):
    """A configuration; one of which nothing is known is taken for that of the kind that most have."""
    return cfg if cfg is None or known(cfg) else {"type": kind}


def build_conv_layer(cfg, *args, **kwargs):
    cfg = settled(cfg, "Conv2d")
    if cfg is None:
        return nn.Conv2d(*args, **kwargs)
    return CONVS[cfg["type"]](*args, **kwargs, **options(cfg))


def build_norm_layer(cfg, num_features, postfix=""):
    cfg = settled(cfg, "BN")
    if cfg["type"] == "GN":
        return f"gn{postfix}", nn.GroupNorm(cfg["num_groups"], num_features)
    return f"bn{postfix}", NORMS[cfg["type"]](num_features, **options(cfg))


def build_activation_layer(cfg):
    cfg = settled(cfg, "ReLU")
    kind = cfg["type"]
    if kind in ACTIVATIONS:
        return ACTIVATIONS[kind](**options(cfg))
    return MODELS.build(cfg)


class ConvModule(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias="auto",
        conv_cfg=None,
        norm_cfg=None,
        act_cfg={"type": "ReLU"},
        inplace=True,
        with_spectral_norm=False,
        padding_mode="zeros",
        order=("conv", "norm", "act"),
    ):
        super().__init__()
        norm_cfg, act_cfg = settled(norm_cfg, "BN"), settled(act_cfg, "ReLU")
        self.order = order
        self.with_norm = norm_cfg is not None
        self.with_activation = act_cfg is not None
        if bias == "auto":
            bias = not self.with_norm
        self.conv = build_conv_layer(
            conv_cfg,
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            bias=bias,
        )
        if self.with_norm:
            self.norm_name, norm = build_norm_layer(norm_cfg, out_channels)
            setattr(self, self.norm_name, norm)
        if self.with_activation:
            chosen = dict(act_cfg)
            if chosen["type"] not in ("Tanh", "PReLU", "Sigmoid", "HSigmoid", "Swish", "GELU"):
                chosen.setdefault("inplace", inplace)
            self.activate = build_activation_layer(chosen)

    def forward(self, x, activate=True, norm=True):
        for layer in self.order:
            if layer == "conv":
                x = self.conv(x)
            elif layer == "norm" and norm and self.with_norm:
                x = getattr(self, self.norm_name)(x)
            elif layer == "act" and activate and self.with_activation:
                x = self.activate(x)
        return x

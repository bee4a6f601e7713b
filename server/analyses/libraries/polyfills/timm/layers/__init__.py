"""Layers (`timm/layers`): what they save, and which of them work in place.

An activation behind a normalization works in place unless that is switched off.
"""

import torch
from gradguard import known, linked, unknown
from torch import nn


class Sigmoid(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, x):
        return x.sigmoid_() if self.inplace else x.sigmoid()


class Tanh(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, x):
        return x.tanh_() if self.inplace else x.tanh()


ACTIVATIONS = {
    "relu": nn.ReLU,
    "relu6": nn.ReLU6,
    "leaky_relu": nn.LeakyReLU,
    "elu": nn.ELU,
    "prelu": nn.PReLU,
    "celu": nn.CELU,
    "selu": nn.SELU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "swish": nn.SiLU,
    "mish": nn.Mish,
    "sigmoid": Sigmoid,
    "tanh": Tanh,
    "hard_sigmoid": nn.Hardsigmoid,
    "hard_swish": nn.Hardswish,
}


def to_2tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x, x)


def to_3tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x, x, x)


def make_divisible(v, divisor=8, min_value=None, round_limit=0.9):
    return unknown("channels")


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0):
    return nn.init.trunc_normal_(tensor, mean, std, a, b)


def lecun_normal_(tensor):
    return nn.init.trunc_normal_(tensor)


def variance_scaling_(tensor, scale=1.0, mode="fan_in", distribution="normal"):
    return nn.init.trunc_normal_(tensor)


def get_act_layer(name="relu"):
    if not name:
        return None
    if isinstance(name, str):
        return ACTIVATIONS[name] if name in ACTIVATIONS else unknown("an activation")
    return name


def create_act_layer(name, inplace=None, **kwargs):
    act_layer = get_act_layer(name)
    if act_layer is None:
        return None
    if inplace is not None and act_layer in IN_PLACE:
        return act_layer(inplace=inplace, **kwargs)
    return act_layer(**kwargs)


IN_PLACE = (
    nn.ReLU,
    nn.ReLU6,
    nn.LeakyReLU,
    nn.ELU,
    nn.CELU,
    nn.SELU,
    nn.SiLU,
    nn.Mish,
    nn.Hardsigmoid,
    nn.Hardswish,
    Sigmoid,
    Tanh,
)
"""activations that take `inplace`"""


class DropPath(nn.Module):
    """While it trains, it multiplies its input by a mask; otherwise it returns its input unchanged."""

    def __init__(self, drop_prob=0.0, scale_by_keep=True):
        super().__init__()
        self.drop_prob = drop_prob
        self.scale_by_keep = scale_by_keep

    def forward(self, x):
        return drop_path(x, self.drop_prob, self.training, self.scale_by_keep)


def drop_path(x, drop_prob=0.0, training=False, scale_by_keep=True):
    if (known(drop_prob) and drop_prob == 0.0) or not training:
        return x
    keep = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(0.5)
    return x * keep


class LayerScale(nn.Module):
    def __init__(self, dim, init_values=1e-5, inplace=False, device=None, dtype=None):
        super().__init__()
        self.inplace = inplace
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x.mul_(self.gamma) if self.inplace else x * self.gamma


class LayerScale2d(LayerScale):
    def forward(self, x):
        gamma = self.gamma.view(1, -1, 1, 1)
        return x.mul_(gamma) if self.inplace else x * gamma


class LayerNorm(nn.LayerNorm):
    def __init__(self, num_channels, eps=1e-6, affine=True, **kwargs):
        super().__init__(num_channels, eps=eps, elementwise_affine=affine)


class LayerNorm2d(LayerNorm):
    """Normalizes the channels, which are the second dimension."""

    def forward(self, x):
        x = x.permute(0, 2, 3, 1)
        x = nn.functional.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class GroupNorm(nn.GroupNorm):
    def __init__(self, num_channels, num_groups=32, eps=1e-5, affine=True, **kwargs):
        super().__init__(num_groups, num_channels, eps=eps, affine=affine)


class GroupNorm1(nn.GroupNorm):
    def __init__(self, num_channels, **kwargs):
        super().__init__(1, num_channels)


class BatchNormAct2d(nn.BatchNorm2d):
    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        apply_act=True,
        act_layer=nn.ReLU,
        act_kwargs=None,
        inplace=True,
        drop_layer=None,
        **kwargs,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats)
        self.drop = drop_layer() if drop_layer is not None else nn.Identity()
        act = create_act_layer(act_layer, inplace=inplace, **(act_kwargs or {})) if apply_act else None
        self.act = nn.Identity() if act is None else act

    def forward(self, x):
        return self.act(self.drop(super().forward(x)))


def create_conv2d(in_channels, out_channels, kernel_size, **kwargs):
    kwargs.pop("depthwise", None)
    padding = kwargs.pop("padding", "")
    if not known(padding) or isinstance(padding, str):
        padding = (kernel_size // 2) if known(kernel_size) and isinstance(kernel_size, int) else unknown("padding")
    return nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding, bias=kwargs.pop("bias", False), **kwargs)


class ConvNormAct(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size=1,
        stride=1,
        padding="",
        dilation=1,
        groups=1,
        bias=False,
        apply_norm=True,
        apply_act=True,
        norm_layer=nn.BatchNorm2d,
        act_layer=nn.ReLU,
        aa_layer=None,
        drop_layer=None,
        act_kwargs=None,
        **kwargs,
    ):
        super().__init__()
        self.conv = create_conv2d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            bias=bias,
        )
        if not apply_norm:
            self.bn = nn.Sequential()
        elif norm_layer is nn.BatchNorm2d:
            self.bn = BatchNormAct2d(
                out_channels, apply_act=apply_act, act_layer=act_layer, act_kwargs=act_kwargs, drop_layer=drop_layer
            )
        else:
            self.bn = unknown("a normalization with an activation")

    def forward(self, x):
        return self.bn(self.conv(x))


ConvBnAct = ConvNormAct
ConvNormActAa = ConvNormAct


class SEModule(nn.Module):
    """Multiplies its input, which is saved, by a gate that is computed from it."""

    def __init__(
        self,
        channels,
        rd_ratio=1.0 / 16,
        rd_channels=None,
        rd_divisor=8,
        add_maxpool=False,
        bias=True,
        act_layer=nn.ReLU,
        norm_layer=None,
        gate_layer="sigmoid",
        **kwargs,
    ):
        super().__init__()
        rd_channels = rd_channels or unknown("channels")
        self.fc1 = nn.Conv2d(channels, rd_channels, 1, bias=bias)
        self.bn = norm_layer(rd_channels) if norm_layer else nn.Identity()
        self.act = create_act_layer(act_layer, inplace=True)
        self.fc2 = nn.Conv2d(rd_channels, channels, 1, bias=bias)
        self.gate = create_act_layer(gate_layer)

    def forward(self, x):
        squeezed = x.mean((2, 3), keepdim=True)
        return x * self.gate(self.fc2(self.act(self.bn(self.fc1(squeezed)))))


SqueezeExcite = SEModule


class Mlp(nn.Module):
    def __init__(
        self,
        in_features,
        hidden_features=None,
        out_features=None,
        act_layer=nn.GELU,
        norm_layer=None,
        bias=True,
        drop=0.0,
        use_conv=False,
        **kwargs,
    ):
        super().__init__()
        out_features = out_features or in_features
        hidden_features = hidden_features or in_features
        biases, drops = to_2tuple(bias), to_2tuple(drop)
        self.fc1 = layer_of(use_conv, in_features, hidden_features, biases[0])
        self.act = act_layer()
        self.drop1 = nn.Dropout(drops[0])
        self.norm = norm_layer(hidden_features) if norm_layer is not None else nn.Identity()
        self.fc2 = layer_of(use_conv, hidden_features, out_features, biases[1])
        self.drop2 = nn.Dropout(drops[1])

    def forward(self, x):
        x = self.drop1(self.act(self.fc1(x)))
        return self.drop2(self.fc2(self.norm(x)))


class ConvMlp(Mlp):
    def __init__(self, in_features, *args, act_layer=nn.ReLU, **kwargs):
        super().__init__(in_features, *args, act_layer=act_layer, use_conv=True, **kwargs)


class GluMlp(nn.Module):
    def __init__(
        self,
        in_features,
        hidden_features=None,
        out_features=None,
        act_layer=nn.Sigmoid,
        norm_layer=None,
        bias=True,
        drop=0.0,
        use_conv=False,
        gate_last=True,
        **kwargs,
    ):
        super().__init__()
        out_features = out_features or in_features
        hidden_features = hidden_features or in_features
        self.chunk_dim = 1 if use_conv else -1
        self.gate_last = gate_last
        self.fc1 = layer_of(use_conv, in_features, hidden_features, True)
        self.act = act_layer()
        self.norm = norm_layer(hidden_features // 2) if norm_layer is not None else nn.Identity()
        self.fc2 = layer_of(use_conv, hidden_features // 2, out_features, True)

    def forward(self, x):
        x1, x2 = self.fc1(x).chunk(2, dim=self.chunk_dim)
        x = x1 * self.act(x2) if self.gate_last else self.act(x1) * x2
        return self.fc2(self.norm(x))


def layer_of(use_conv, in_features, out_features, bias):
    if use_conv:
        return nn.Conv2d(in_features, out_features, 1, bias=bias)
    return nn.Linear(in_features, out_features, bias=bias)


class PatchEmbed(nn.Module):
    def __init__(
        self,
        img_size=224,
        patch_size=16,
        in_chans=3,
        embed_dim=768,
        norm_layer=None,
        flatten=True,
        output_fmt=None,
        bias=True,
        **kwargs,
    ):
        super().__init__()
        self.patch_size = to_2tuple(patch_size)
        self.num_patches = unknown("the number of patches")
        self.flatten = flatten and output_fmt is None
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size, bias=bias)
        self.norm = norm_layer(embed_dim) if norm_layer else nn.Identity()

    def forward(self, x):
        x = self.proj(x)
        if self.flatten:
            x = x.flatten(2).transpose(1, 2)
        return self.norm(x)


class Attention(nn.Module):
    def __init__(
        self,
        dim,
        num_heads=8,
        attn_head_dim=None,
        dim_out=None,
        qkv_bias=False,
        qk_norm=False,
        scale_norm=False,
        proj_bias=True,
        gated=False,
        attn_drop=0.0,
        proj_drop=0.0,
        norm_layer=None,
        **kwargs,
    ):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = attn_head_dim or dim // num_heads
        self.attn_dim = num_heads * self.head_dim
        self.scale = self.head_dim**-0.5
        self.fused_attn = True
        self.qkv = nn.Linear(dim, self.attn_dim * 3, bias=qkv_bias)
        self.q_norm = norm_layer(self.head_dim) if qk_norm else nn.Identity()
        self.k_norm = norm_layer(self.head_dim) if qk_norm else nn.Identity()
        self.attn_drop = nn.Dropout(attn_drop)
        self.norm = norm_layer(self.attn_dim) if scale_norm else nn.Identity()
        self.proj = nn.Linear(self.attn_dim, dim_out or dim, bias=proj_bias)
        self.proj_drop = nn.Dropout(proj_drop)

    def forward(self, x, attn_mask=None, is_causal=False):
        B, N, _ = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        x = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)
        x = x.transpose(1, 2).reshape(B, N, self.attn_dim)
        return self.proj_drop(self.proj(self.norm(x)))


class SelectAdaptivePool2d(nn.Module):
    def __init__(self, output_size=1, pool_type="fast", flatten=False, input_fmt="NCHW"):
        super().__init__()

    def forward(self, x):
        return linked(x)


class ClassifierHead(nn.Module):
    def __init__(self, in_features, num_classes, pool_type="avg", drop_rate=0.0, **kwargs):
        super().__init__()
        self.global_pool = SelectAdaptivePool2d()
        self.drop = nn.Dropout(drop_rate)
        self.fc = nn.Linear(in_features, num_classes)

    def forward(self, x, pre_logits=False):
        x = self.drop(self.global_pool(x))
        return x if pre_logits else self.fc(x)

"""What layers of timm keep of what they are given and of what they give."""

import torch
from timm.layers import (
    BatchNormAct2d,
    ConvNormAct,
    DropPath,
    GluMlp,
    LayerNorm,
    LayerNorm2d,
    LayerScale,
    LayerScale2d,
    Mlp,
    PatchEmbed,
    SqueezeExcite,
    create_act_layer,
)
from timm.models.vision_transformer import Attention, Block
from torch import nn


def kept(call, *shapes):
    """Which arguments, or whether the result, can't be changed any more once it was computed."""
    found = []
    for i in range(len(shapes) + 1):
        given = [torch.rand(shape, requires_grad=True) * 1 for shape in shapes]
        result = call(*given)
        with torch.no_grad():
            (given[i] if i < len(given) else result).add_(0)
        try:
            result.sum().backward()
            found.append(False)
        except RuntimeError as error:
            assert "modified by an inplace" in str(error)
            found.append(True)
    return found


X = (2, 4, 8, 8)
T = (2, 5, 8)
print("TRACE norm", kept(LayerNorm(8), T), kept(LayerNorm2d(4), X))
print("TRACE batch", kept(BatchNormAct2d(4), X), kept(BatchNormAct2d(4, apply_act=False), X))
print("TRACE batch silu", kept(BatchNormAct2d(4, act_layer=nn.SiLU), X))
print("TRACE conv", kept(ConvNormAct(4, 4, 3), X), kept(ConvNormAct(4, 4, 3, apply_act=False), X))
print("TRACE drop", kept(DropPath(0.5), X), kept(DropPath(0.0), X), kept(DropPath(0.5).eval(), X))
print("TRACE scale", kept(LayerScale(8), T), kept(LayerScale(8, inplace=True), T), kept(LayerScale2d(4), X))
print("TRACE mlp", kept(Mlp(8, 16), T), kept(Mlp(4, 8, use_conv=True), X), kept(Mlp(8, act_layer=nn.ReLU), T))
print("TRACE glu", kept(GluMlp(8, 16), T), kept(GluMlp(8, 16, gate_last=False), T))
print("TRACE squeeze", kept(SqueezeExcite(8, rd_channels=4), (2, 8, 4, 4)))
print("TRACE patch", kept(PatchEmbed(8, 4, 4, 8), X), kept(PatchEmbed(8, 4, 4, 8, flatten=False), X))
print("TRACE attention", kept(Attention(8, 2), T), kept(Attention(8, 2, qk_norm=True, norm_layer=nn.LayerNorm), T))
print("TRACE block", kept(Block(8, 2), T), kept(Block(8, 2, init_values=0.1), T))
print("TRACE act", [kept(create_act_layer(name), T) for name in ("relu", "gelu", "silu", "sigmoid")])
print("TRACE act in place", [kept(create_act_layer(name, inplace=True), T) for name in ("relu", "sigmoid")])

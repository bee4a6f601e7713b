"""What layers of torchvision keep of what they are given and of what they give, and what a metric's loop changes."""

import torch
from torch import nn
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.feature_extraction import create_feature_extractor
from torchvision.models.resnet import BasicBlock, Bottleneck, resnet18
from torchvision.ops import MLP, Conv2dNormActivation, FeaturePyramidNetwork, Permute, SqueezeExcitation, StochasticDepth
from torchvision.ops import sigmoid_focal_loss


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
print("TRACE conv", kept(Conv2dNormActivation(4, 4), X))
print("TRACE conv without activation", kept(Conv2dNormActivation(4, 4, activation_layer=None), X))
print("TRACE conv without norm", kept(Conv2dNormActivation(4, 4, norm_layer=None, inplace=False), X))
print("TRACE squeeze", kept(SqueezeExcitation(4, 2), X))
print("TRACE mlp", kept(MLP(8, [4, 3]), (2, 8)))
print("TRACE mlp in place", kept(MLP(8, [4, 3], inplace=True), (2, 8)))
print("TRACE permute", kept(Permute([0, 2, 3, 1]), X))
print("TRACE depth", kept(StochasticDepth(0.5, "row"), X), kept(StochasticDepth(0.5, "row").eval(), X))
print("TRACE focal", kept(lambda x: sigmoid_focal_loss(x, torch.ones(X)), X))
print("TRACE basic", kept(BasicBlock(4, 4), X))
print("TRACE bottleneck", kept(Bottleneck(4, 1), X))
fpn = FeaturePyramidNetwork([4, 4], 4)
print("TRACE fpn", kept(lambda a, b: fpn({"a": a, "b": b})["a"], X, (2, 4, 4, 4)))
print("TRACE fpn top", kept(lambda a, b: fpn({"a": a, "b": b})["b"], X, (2, 4, 4, 4)))
image = (2, 3, 32, 32)
getter = IntermediateLayerGetter(resnet18(), {"layer1": "a", "layer2": "b"})
print("TRACE getter", kept(lambda x: getter(x)["a"], image), kept(lambda x: getter(x)["b"], image))
body = create_feature_extractor(resnet18(), {"layer1": "a", "layer2": "b"})
print("TRACE extractor", kept(lambda x: body(x)["a"], image), kept(lambda x: body(x)["b"], image))
print("TRACE", [name for name, _ in resnet18().named_children()], list(body(torch.rand(image))))

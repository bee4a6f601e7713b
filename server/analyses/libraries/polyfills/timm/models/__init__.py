"""Models by name: networks whose results depend on their parameters. They return classes, or features of each stage."""

import torch
from gradguard import known, linked, unknown
from torch import nn

IN_PLACE = ("resnet", "resnext", "wide_resnet", "seresnet", "legacy_seresnet", "regnet", "dla", "hrnet", "vgg")
"""the beginnings of the names of networks whose stages end in a ReLU in place, which saves its result"""


class FeatureInfo:
    def __init__(self):
        self.info = []

    def channels(self, idx=None):
        return unknown("channels")

    def reduction(self, idx=None):
        return unknown("reduction")


class AnyModel(nn.Module):
    def __init__(self, name="", features_only=False, out_indices=None, num_classes=1000, **kwargs):
        super().__init__()
        self.features_only = features_only
        self.kept = isinstance(name, str) and name.startswith(IN_PLACE)
        self.stages = range(5) if out_indices is None else out_indices
        self.stem = nn.Parameter(torch.randn(unknown("width"), unknown("width")))
        self.head = nn.Linear(unknown("width"), num_classes)
        self.feature_info = FeatureInfo()
        self.num_features = unknown("num_features")
        self.num_classes = num_classes
        self.default_cfg = self.pretrained_cfg = unknown("default_cfg")

    def features(self, x):
        """The result of each stage: the next stage saves it, and so does its own ReLU."""
        found = []
        for _ in self.stages:
            x = linked(x, self.stem, saves=[x, self.stem], saves_result=self.kept)
            found.append(x)
        return found

    def forward_features(self, x):
        return linked(x, self.stem, saves=[x, self.stem], saves_result=self.kept)

    def forward_head(self, x, pre_logits=False):
        x = linked(x)
        return x if pre_logits else self.head(x)

    def forward(self, x):
        if self.features_only:
            return self.features(x)
        return self.forward_head(self.forward_features(x))

    def get_classifier(self):
        return self.head

    def reset_classifier(self, num_classes, global_pool=None):
        self.head = nn.Linear(unknown("width"), num_classes) if num_classes else nn.Identity()

    def set_grad_checkpointing(self, enable=True):
        pass


REGISTERED = {}
"""the program's own models by name"""


def create_model(model_name, pretrained=False, features_only=False, out_indices=None, num_classes=1000, **kwargs):
    if known(model_name) and model_name in REGISTERED:
        return REGISTERED[model_name](pretrained=pretrained, **kwargs)
    return AnyModel(model_name, features_only, out_indices, num_classes)


def register_model(fn):
    REGISTERED[fn.__name__] = fn
    return fn


def list_models(*args, **kwargs):
    return unknown("names of models")

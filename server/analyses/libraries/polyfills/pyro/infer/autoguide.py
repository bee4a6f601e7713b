"""Guides that are derived from the model (`pyro/infer/autoguide/guides.py`)."""

from torch import nn


class AutoGuide(nn.Module):
    def __init__(self, model, *args, **kwargs):
        super().__init__()

    def forward(self, *args, **kwargs):
        return {}


AutoContinuous = AutoDelta = AutoDiagonalNormal = AutoDiscreteParallel = AutoGaussian = AutoGuideList = AutoGuide
AutoIAFNormal = AutoLaplaceApproximation = AutoLowRankMultivariateNormal = AutoMultivariateNormal = AutoGuide
AutoNormal = AutoNormalizingFlow = AutoStructured = AutoGuide

"""Optimizers of whichever parameters an inference step came across (`pyro/optim/optim.py`)."""

import torch
from gradguard import written


class PyroOptim:
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, params, *args, **kwargs):
        with torch.no_grad():
            for one in params:
                written(one, "step")

    def step(self, *args, **kwargs):
        pass


ASGD = Adadelta = Adagrad = AdagradRMSProp = Adam = AdamW = Adamax = ClippedAdam = DCTAdam = NAdam = RAdam = PyroOptim
RMSprop = Rprop = SGD = PyroOptim
CosineAnnealingLR = ExponentialLR = LambdaLR = MultiStepLR = OneCycleLR = ReduceLROnPlateau = StepLR = PyroOptim

from torch import nn


def layer(inputs, outputs, drop=0.2):
    return nn.Sequential(
        nn.Linear(inputs, outputs),
        nn.Hardswish(inplace=True),
        nn.Dropout(drop, inplace=True),
    )

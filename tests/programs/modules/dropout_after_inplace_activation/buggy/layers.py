from torch import nn


def layer(inputs, outputs, drop=0.2):
    return nn.Sequential(
        nn.Linear(inputs, outputs),
        nn.LeakyReLU(0.1, inplace=True),
        nn.Dropout(drop, inplace=True),
    )

from torch import nn


def make_block(width, mix):
    first = nn.Linear(width, width) if mix else nn.Identity()
    return nn.Sequential(first, nn.Dropout(0.0), nn.ReLU(inplace=True))

"""The layers, where they were before timm 0.9."""

from timm.layers import *

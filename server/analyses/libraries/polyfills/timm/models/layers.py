"""Where layers stood before timm 0.9."""

from timm.layers import *

"""Geometry."""

from kornia.geometry import transform
from kornia.geometry.transform import hflip, resize, rotate, warp_affine, warp_perspective

"""Transformations: those that sample a grid save the image."""

from kornia._kinds import keeping, plain

warp_perspective = warp_affine = rotate = keeping
resize = hflip = plain

"""Filters: most save the image. Sobel's magnitude is a root, which also saves its result."""

from kornia._kinds import keeping, keeping_both, plain

gaussian_blur2d = spatial_gradient = box_blur = median_blur = unsharp_mask = keeping
sobel = keeping_both
laplacian = plain

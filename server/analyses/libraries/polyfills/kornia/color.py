"""Colours: conversions to and from HSV divide, which saves the image; the others are sums."""

from kornia._kinds import keeping, plain

rgb_to_hsv = hsv_to_rgb = keeping
rgb_to_grayscale = rgb_to_lab = rgb_to_ycbcr = rgb_to_yuv = rgb_to_bgr = plain

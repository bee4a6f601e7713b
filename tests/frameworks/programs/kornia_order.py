"""What functions of kornia keep of what they are given and of what they give, and which of them give a view."""

import torch
from kornia import color, enhance, filters, losses
from kornia.geometry import transform

X = (1, 3, 8, 8)
matrix = torch.eye(3)[None]
target = torch.rand(1, 3, 8, 8)
label = torch.zeros(1, 8, 8, dtype=torch.long)
CALLS = {
    "gaussian_blur2d": lambda x: filters.gaussian_blur2d(x, (3, 3), (1.0, 1.0)),
    "sobel": lambda x: filters.sobel(x),
    "laplacian": lambda x: filters.laplacian(x, 3),
    "spatial_gradient": lambda x: filters.spatial_gradient(x),
    "box_blur": lambda x: filters.box_blur(x, (3, 3)),
    "median_blur": lambda x: filters.median_blur(x, (3, 3)),
    "unsharp_mask": lambda x: filters.unsharp_mask(x, (3, 3), (1.0, 1.0)),
    "rgb_to_grayscale": lambda x: color.rgb_to_grayscale(x),
    "rgb_to_hsv": lambda x: color.rgb_to_hsv(x),
    "rgb_to_lab": lambda x: color.rgb_to_lab(x),
    "rgb_to_ycbcr": lambda x: color.rgb_to_ycbcr(x),
    "rgb_to_yuv": lambda x: color.rgb_to_yuv(x),
    "rgb_to_bgr": lambda x: color.rgb_to_bgr(x),
    "hsv_to_rgb": lambda x: color.hsv_to_rgb(x),
    "normalize": lambda x: enhance.normalize(x, torch.zeros(3), torch.ones(3)),
    "denormalize": lambda x: enhance.denormalize(x, torch.zeros(3), torch.ones(3)),
    "adjust_brightness": lambda x: enhance.adjust_brightness(x, 0.1),
    "adjust_contrast": lambda x: enhance.adjust_contrast(x, 0.5),
    "adjust_gamma": lambda x: enhance.adjust_gamma(x, 0.5),
    "ssim_loss": lambda x: losses.ssim_loss(x, target, 3),
    "psnr_loss": lambda x: losses.psnr_loss(x, target, 1.0),
    "total_variation": lambda x: losses.total_variation(x),
    "charbonnier_loss": lambda x: losses.charbonnier_loss(x, target, reduction="mean"),
    "dice_loss": lambda x: losses.dice_loss(x, label),
    "focal_loss": lambda x: losses.focal_loss(x, label, 0.5, reduction="mean"),
    "tversky_loss": lambda x: losses.tversky_loss(x, label, 0.5, 0.5),
    "resize": lambda x: transform.resize(x, (4, 4)),
    "warp_perspective": lambda x: transform.warp_perspective(x, matrix, (8, 8)),
    "warp_affine": lambda x: transform.warp_affine(x, matrix[:, :2], (8, 8)),
    "rotate": lambda x: transform.rotate(x, torch.tensor([30.0])),
    "hflip": lambda x: transform.hflip(x),
}


def kept(call, which):
    """Whether the argument or the result can't be changed any more once it was computed."""
    given = torch.rand(X, requires_grad=True) * 1
    result = call(given)
    with torch.no_grad():
        (given if which == "argument" else result).add_(0)
    try:
        result.sum().backward()
    except RuntimeError as error:
        assert "modified by an inplace" in str(error)
        return True
    return False


for name, call in CALLS.items():
    x = torch.rand(X, requires_grad=True) * 1
    shared = call(x).untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    print("TRACE", name, kept(call, "argument"), kept(call, "result"), shared)

"""PyPI's torchvision needs CUDA: beside a PyTorch without it, importing it asks for operators that are missing."""

from importlib.util import find_spec
from pathlib import Path

found = find_spec("torchvision")
if found is not None and found.origin is not None:
    import torch

    try:
        for file in Path(found.origin).parent.glob("_C*.so"):
            torch.ops.load_library(file)
    except OSError:
        for name in ("nms", "qnms"):
            torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

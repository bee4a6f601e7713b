"""Modules, where they were before mmcv 2, and the decorators of their `forward`, which do nothing without `fp16`."""

from mmengine.model import BaseModule, ModuleDict, ModuleList, Sequential


def auto_fp16(apply_to=None, out_fp32=False, supported_types=None):
    return lambda function: function


def force_fp32(apply_to=None, out_fp16=False):
    return lambda function: function

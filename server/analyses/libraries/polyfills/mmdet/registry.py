"""Registries: what is registered anywhere is found (`mmdet/registry.py`)."""

from mmengine.registry import DATASETS, HOOKS, LOSSES, MODELS, OPTIMIZERS, TRANSFORMS, Registry

TASK_UTILS = Registry("task util")
METRICS = Registry("metric")

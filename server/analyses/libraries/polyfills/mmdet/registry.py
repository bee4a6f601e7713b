"""The registries, which are mmengine's, so that a class is found wherever it was registered (`mmdet/registry.py`)."""

from mmengine.registry import DATASETS, HOOKS, LOSSES, MODELS, OPTIMIZERS, TRANSFORMS, Registry

TASK_UTILS = Registry("task util")
METRICS = Registry("metric")

"""The registries, which are those of mmdetection."""

from mmdet.registry import *
from mmdet.registry import DATASETS, HOOKS, LOSSES, METRICS, MODELS, OPTIMIZERS, TASK_UTILS, TRANSFORMS, Registry

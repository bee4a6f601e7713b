"""MMEngine: registries, and modules that are built from them (`mmengine/{registry,model}`)."""

from mmengine.registry import MODELS, Registry

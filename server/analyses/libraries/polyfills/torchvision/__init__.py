"""torchvision 0.2x: its models and layers, as programs see them from outside."""

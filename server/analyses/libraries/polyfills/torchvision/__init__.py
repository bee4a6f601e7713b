"""torchvision 0.2x as programs see it from outside: its models and layers."""

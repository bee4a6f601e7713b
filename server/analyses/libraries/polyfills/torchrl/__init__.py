"""TorchRL: its modules (`torchrl/modules`)."""

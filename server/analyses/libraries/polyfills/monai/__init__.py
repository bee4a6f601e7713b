"""MONAI 1.6, medical imaging: the blocks that others build their networks of."""

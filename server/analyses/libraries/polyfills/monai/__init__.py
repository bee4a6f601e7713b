"""MONAI 1.6, medical imaging: the blocks that programs build their networks from."""

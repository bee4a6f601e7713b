"""MMCV 2: its building blocks (`mmcv/cnn/bricks`)."""

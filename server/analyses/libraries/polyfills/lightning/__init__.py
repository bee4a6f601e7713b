"""Lightning, as lightning 2.6.6 does it (`tests/frameworks/test_lightning.py`)."""

from lightning import pytorch
from lightning.pytorch import (
    Callback,
    LightningDataModule,
    LightningModule,
    Trainer,
    seed_everything,
)

"""Lightning, as lightning 2.6.6 does it (`tests/frameworks/test_lightning.py`)."""

from lightning import fabric, pytorch
from lightning.fabric import Fabric
from lightning.pytorch import (
    Callback,
    LightningDataModule,
    LightningModule,
    Trainer,
    seed_everything,
)

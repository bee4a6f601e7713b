"""Lightning 2.6: Fabric (`lightning/fabric`), and the trainer with its modules and callbacks (`lightning/pytorch`)."""

from lightning import fabric, pytorch
from lightning.fabric import Fabric
from lightning.pytorch import (
    Callback,
    LightningDataModule,
    LightningModule,
    Trainer,
    seed_everything,
)

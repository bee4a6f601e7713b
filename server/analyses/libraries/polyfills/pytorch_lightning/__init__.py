"""Lightning under its first name."""

from lightning.pytorch import *
from lightning.pytorch import Callback, LightningDataModule, LightningModule, Trainer, seed_everything

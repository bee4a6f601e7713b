"""Lightning, under the older name of its package."""

from lightning.pytorch import *
from lightning.pytorch import Callback, LightningDataModule, LightningModule, Trainer, seed_everything

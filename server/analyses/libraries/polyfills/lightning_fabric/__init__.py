"""Fabric under the name of its own package."""

from lightning.fabric import *
from lightning.fabric import Fabric, seed_everything

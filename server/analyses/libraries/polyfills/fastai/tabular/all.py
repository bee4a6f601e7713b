"""The basics; what the domain adds is unknown."""

from fastai.basics import *

"""The same, with what the domain adds, which is unknown."""

from fastai.basics import *

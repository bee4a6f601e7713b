from . import limits, weights
from .limits import _capped, widened
from .weights import share

__all__ = weights.__all__ + limits.__all__

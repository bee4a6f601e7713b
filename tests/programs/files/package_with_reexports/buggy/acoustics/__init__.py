from .dynamics import compress
from .measure import loudness

__all__ = ["compress", "loudness"]

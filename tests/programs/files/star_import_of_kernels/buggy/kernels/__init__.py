from .shapes import rbf
from .tools import scaled, scaled_copy

__all__ = ["rbf", "scaled"]

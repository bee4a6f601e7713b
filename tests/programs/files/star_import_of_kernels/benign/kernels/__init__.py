from .shapes import rbf
from .tools import scaled, scaled_copy
from .tools import scaled_copy as scaled

__all__ = ["rbf", "scaled"]

"""The replay: PyTorch's autograd, run abstractly over the text of a program.

`replay(roots, modules)` is the way in; `report.py` is what comes out.
"""

from .program import replay
from .project import Modules
from .report import Report

__all__ = ["Modules", "Report", "replay"]

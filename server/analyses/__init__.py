"""The replay: PyTorch's autograd, run abstractly over the text of a program.

`replay(roots, modules)` is the way in; `domain/report.py` is what comes out.
"""

from .domain.modules import Modules
from .domain.report import Report
from .program.session import replay

__all__ = ["Modules", "Report", "replay"]

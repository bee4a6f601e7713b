"""The replay: PyTorch's autograd, run abstractly over the text of a program.

Imports `facts` and `syntax`; inside, its rooms import only those below them (ARCHITECTURE.md has the storeys). Other
rooms call `replay(roots, modules)` and read the `Report`. Begin reading with `operators/replay.py`, one call of one
operator; then `domain/values.py` and `program/session.py`.
"""

from .domain.modules import Modules
from .domain.report import Report
from .program.session import replay

__all__ = ["Modules", "Report", "replay"]

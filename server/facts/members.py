"""What PyTorch's own modules hold (`members.json`, measured): the public classes and functions, in their order.

"torch.nn.modules.activation": ["Threshold", "ReLU", …]     # a program may look for one: `vars(activation).values()`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rows import Rows


class Members:
    """What PyTorch's modules hold, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def of(self, module: str) -> tuple[str, ...]:
        """Return the names in a module, by its dotted name; none if it was not measured."""
        return tuple(self._rows.get(module) or ())

"""What the stories ask of the replay that they tell of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..autograd.host import Host

if TYPE_CHECKING:
    from ...syntax.text import Excerpt
    from ..autograd.backward import Autograd
    from ..domain.report import Assumption
    from ..domain.steps import Step
    from ..domain.values import Frame


class Witness(Host, Protocol):
    """A replay that shows its variables and tensors, and what it assumes."""

    grad: Autograd
    frame: Frame
    now: Step
    entry_assumptions: tuple[Assumption, ...]
    taken: dict[Excerpt, Assumption]
    """the sites of the methods of classes that are assumed to be modules, since their bases are unseen"""

    @property
    def is_over(self) -> bool:
        """Whether PyTorch has certainly ended the program by now."""

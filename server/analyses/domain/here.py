"""Where the replay stands."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .modules import is_model
from .report import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...syntax import ir
    from ...syntax.text import Excerpt
    from .values import Frame

LONGEST = 40
"""characters of a target's text that are used to describe a change"""


@dataclass(slots=True)
class Here:
    """Where the replay stands: the node, the open calls and loops, and how the present change is described.

    `stack` has the calls that are open, outermost first, `iterations` the turns of the loops around, by the loop's
    run. `written` is the text of what is being written, `via` what writes it, and `constructor` the place where the
    module was made that does. While a model of a library runs, everything that it does happens at `called`, the place
    where the program has called it; program code that the model calls has its own places again.
    """

    chunk: Excerpt | None = None
    node: ir.Node | None = None
    stack: tuple[Site, ...] = ()
    iterations: tuple[tuple[int, int], ...] = ()
    written: str | None = None
    via: str = ""
    constructor: Site | None = None
    called: Site | None = None
    caller: Frame | None = None
    """while a model of a library runs, the frame of the program that called it"""
    _last: Site | None = None
    """the last place that was asked for: most are asked for several times"""

    @property
    def site(self) -> Site:
        """The place in the program that is being replayed."""
        last = self._last
        if last is not None and last.node is self.node and last.chunk is self.chunk:
            return last
        assert self.chunk is not None and self.node is not None
        if self.called is not None and self.in_model:
            return self.called
        self._last = last = Site(self.chunk, self.node)
        return last

    @property
    def in_model(self) -> bool:
        """Whether it is the text of a library's model that is being replayed, not the program's."""
        return self.chunk is not None and is_model(self.chunk)

    @contextmanager
    def writing(self, node: ir.Node | None, target: ir.Expr | None, via: str) -> Iterator[None]:
        """While this lasts, changes are described as `via` of `target`, in the words of the program."""
        before = (self.written, self.via)
        self.via = via
        if target is not None and self.chunk is not None and not self.in_model:
            text = self.chunk.text[target.start : target.end]
            self.written = text if len(text) <= LONGEST and "\n" not in text else None
        if node is not None:
            self.node = node
        try:
            yield
        finally:
            self.written, self.via = before

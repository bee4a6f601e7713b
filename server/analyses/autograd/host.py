"""What autograd asks of whoever replays the program around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ...facts.releases import Facts
    from ..domain.here import Here
    from ..domain.paths import Guards, State
    from ..domain.report import Assumption, Failure, Saved, Site, Write
    from ..domain.values import Args, Value
    from .tensors import Node, SavedTensor, Tensor


class Teller(Protocol):
    """Describes what backward finds as failures. `running` are the nodes of this backward, `backward` its call."""

    running: list[Node]
    backward: Site | None

    def saved(self, node: Node, saved: SavedTensor) -> Saved | None:
        """What a node has saved, as a person reads it."""

    def called(self, t: Tensor) -> str | None:
        """The name of a tensor in the running function: `self.head.weight`, as seen from its `self`."""

    def doubts(self, *uids: int) -> tuple[Assumption, ...]:
        """The assumptions of a failure of objects with these `uid`s, besides those that autograd knows."""

    def stale(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A saved tensor was changed before it is unpacked."""

    def silent(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A saved tensor was changed in a way that no version counter shows."""

    def kept(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A tensor that a custom function has kept on its own was changed before its backward reads it."""

    def misread(self, node: Node, t: Tensor, write: Write) -> Failure:
        """A node has read what a custom function had changed without marking it."""

    def freed(self, node: Node, freed: Site) -> Failure:
        """A node that a backward has freed runs again."""

    def spread(self, node: Node, view: Tensor) -> Failure:
        """A gradient would be written with the layout of an expanded view."""


class Host(Protocol):
    """The replay of the program, as autograd sees it: its paths, where it stands, and what it does about a failure."""

    facts: Facts
    """those of the PyTorch release that the program runs with"""
    state: State
    here: Here
    handlers: int
    """how many enclosing `try`s may handle an error of autograd"""
    causes: dict[Hashable, bool]
    """what has failed for sure, and is replayed as if mended since"""

    @property
    def explain(self) -> Teller:
        """What describes failures that backward finds."""

    def call(self, function: Value, args: Args) -> Value:
        """Call a function of the program: a hook, a custom function's backward."""

    def place(self) -> tuple[Any, ...]:
        """Where the replay stands, to be passed to `come_to` later."""

    def come_to(self, place: tuple[Any, ...]) -> None:
        """Go on where `place` says."""

    def report(self, failure: Failure, guards: Guards = ()) -> None:
        """Record a failure that depends on `guards`."""

    def note_backward(self, nodes: Sequence[Node]) -> None:
        """Note that a backward runs these nodes."""

    def note_gradient(self, leaf: Tensor) -> None:
        """Note that a backward gives a leaf a gradient."""

    def raise_failure(
        self, failure: Failure, guards: Guards, ways: Sequence[Guards] = (), cause: Hashable = None
    ) -> bool:
        """The program fails here: raises Raised if it may handle that, else records the failure and goes on.

        Gives whether it fails for sure; the replay goes on as if mended. Of several with one `cause`, the first counts.
        """

    def raise_collected(self, failures: Sequence[tuple[Failure, Guards]]) -> None:
        """Like `raise_failure`, for several failures that one backward finds."""

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
    """Makes failures of what backward finds. `running` are the nodes of the backward that runs, `backward` its call."""

    running: list[Node]
    backward: Site | None

    def saved(self, node: Node, saved: SavedTensor) -> Saved | None:
        """What a node has saved, as a person is told of it."""

    def called(self, t: Tensor) -> str | None:
        """What the function that runs calls a tensor: `self.head.weight`, seen from the object that is `self` there."""

    def doubts(self, *uids: int) -> tuple[Assumption, ...]:
        """What a failure of things with these `uid`s rests on, apart from what autograd knows."""

    def stale(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A saved tensor was changed before it is unpacked."""

    def silent(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A saved tensor was changed in a way that no version counter tells."""

    def kept(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A tensor that a custom function has kept by itself was changed before its backward reads it."""

    def misread(self, node: Node, t: Tensor, write: Write) -> Failure:
        """A node has read what a custom function had changed without telling autograd."""

    def freed(self, node: Node, freed: Site) -> Failure:
        """A node runs again that a backward has freed."""

    def spread(self, node: Node, view: Tensor) -> Failure:
        """A gradient would be written as an expanded view lies."""


class Host(Protocol):
    """Whoever replays the program: the paths that it is on, where it stands, and what it does about a failure."""

    facts: Facts
    """of the release of PyTorch that the program runs with"""
    state: State
    here: Here
    handlers: int
    """how many around may handle an error of autograd"""
    causes: dict[Hashable, bool]
    """of what has failed for sure, and is taken as good since"""

    @property
    def explain(self) -> Teller:
        """Who makes failures of what backward finds."""

    def call(self, function: Value, args: Args) -> Value:
        """Call a function of the program: a hook, a custom function's backward."""

    def place(self) -> tuple[Any, ...]:
        """Where the replay stands, to `come_to` later."""

    def come_to(self, place: tuple[Any, ...]) -> None:
        """Go on where `place` says."""

    def report(self, failure: Failure, guards: Guards = ()) -> None:
        """Record a failure that rests on `guards`."""

    def note_backward(self, nodes: Sequence[Node]) -> None:
        """Note that a backward runs these nodes."""

    def note_gradient(self, leaf: Tensor) -> None:
        """Note that a backward gives a leaf a gradient."""

    def raise_failure(
        self, failure: Failure, guards: Guards, ways: Sequence[Guards] = (), cause: Hashable = None
    ) -> bool:
        """The program fails here: raises Raised where it may handle that, else records the failure and goes on.

        Whether it fails for sure, and what it does here is taken as good. Of one `cause` the first is told.
        """

    def raise_collected(self, failures: Sequence[tuple[Failure, Guards]]) -> None:
        """Like `raise_failure` for several at once, as one backward finds them."""

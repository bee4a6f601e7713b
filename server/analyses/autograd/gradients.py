"""Gradients on their way through a backward: whose memory they are in, and how many times it was written.

A node passes a gradient on unchanged, or makes a new one (`facts/gradients.py`). Where several meet, the engine adds
the next one in place if it holds the only reference to memory without gaps (`input_buffer.cpp`); otherwise it makes a
new tensor. So the versions of gradients follow from the nodes, in the order in which they run:

    loss = (y * 3).sum() + (y * 4).sum()
    (g,) = torch.autograd.grad(loss, y)     # the second product's gradient arrives first; the first product's
    g._version                              # is added to it in place: 1

    z = y + 1                               # passes its gradient on unchanged
    z.register_hook(kept.append)            # the program keeps that gradient,
    loss = (y * 3).sum() + (z * 4).sum()    # so the engine must not write to it: the sum is a new tensor
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...facts.gradients import BY_NODE, NEW, Way
from ..domain.values import serial
from .tensors import Node, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ...facts.gradients import Gradients
    from ..domain.values import Value

DERIVED = "GradBackward0"
"""the node that stands for a whole backward that made a graph"""

OPAQUE = "model"
"""the node behind the result of an unknown model: all that is known of it is where it leads"""

Times = tuple[int, int | None]
"""at least so many times, and at most; None: no bound is known"""

Slot = tuple[int, int]
"""a node or leaf by its `uid`, and which of its results"""


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient: its memory (None: unknown), and how many times that was written."""

    memory: int | None
    tensor: int
    """which of the tensors over that memory this is"""
    dense: bool = True
    free: bool | None = True
    """whether the engine adds to it in place, if nobody else holds its memory"""
    low: int = 0
    high: int | None = 0
    spread: bool | None = False
    """whether it is expanded, all its elements one place in memory"""
    viewed: bool = False
    """whether it is a view of another gradient, made by a node on the way"""
    parts: bool = False
    """whether it arrives in several parts, between which others may arrive, so that their order is unknown"""


UNKNOWN = Gradient(None, 0, False, None, 0, None, None)


class Flow:
    """The gradients of one backward: they arrive at each node, in the order in which the nodes run, and leave it.

    `goals` are the nodes and leaves whose gradients `torch.autograd.grad` was asked for, None for a `backward()`,
    which stores those of the leaves. `begun` is how many times the gradient of the roots was written, `ways` are the
    facts.
    """

    def __init__(
        self,
        ways: Gradients,
        nodes: Sequence[Node],
        goals: Collection[int] | None,
        create: bool,
        begun: Times = (0, 0),
    ) -> None:
        self.ways = ways
        self.begun = begun
        self.goals = goals
        self.create = create
        self.reached = None if goals is None else {*goals, *(n.uid for n in nodes)}
        self.buffers: dict[int, dict[int, Gradient]] = {}
        """the gradients on their way, by the node or leaf that they go to and the number of its result"""
        self.references: Counter[int] = Counter()
        """to memory"""
        self.holders: Counter[int] = Counter()
        """of tensors"""
        self.pending: Counter[int] = Counter()
        """how many gradients are still to come, by leaf"""
        self.taken: dict[int, dict[int, Gradient]] = {}
        self.stored: dict[int, Times] = {}
        self.stolen: dict[int, Gradient] = {}
        """of what was stored, by leaf: what wasn't copied"""
        self.count = 0
        self.shown: list[tuple[Gradient, Tensor]] = []
        """those that the program has seen, or made itself"""
        self.began = serial()
        """tensors of a lower number were there before"""
        self.known = all(isinstance(edge, (Node, Tensor)) for n in nodes for edge in n.edges)
        """False if a condition decides on the way"""
        self.slots: dict[int, list[Slot | None]] = {}
        self.roots: set[int] = set()
        if self.known:
            self.begin(nodes)

    def of(self, made: Value, nr: int = 0) -> Gradient | None:
        """The gradient that has arrived at a node or leaf, if any."""
        if not self.known or not isinstance(made, (Node, Tensor)):
            return UNKNOWN
        return self.taken.get(made.uid, self.buffers.get(made.uid, {})).get(nr)

    def begin(self, nodes: Sequence[Node]) -> None:
        """Find out where gradients go."""
        fed = {edge.uid for n in nodes for edge in n.edges}
        self.roots = {n.uid for n in nodes} - fed
        self.slots = {n.uid: self.targets(n) for n in nodes}
        if self.goals is None:
            self.pending.update(slot[0] for slots in self.slots.values() for slot in slots if slot is not None)

    def arrive(self, node: Node) -> dict[int, Gradient]:
        """The gradients that arrive at a node, by the number of its result, before hooks see them."""
        if node.uid in self.roots:  # a root's gradient is the caller's, who keeps it
            self.buffers[node.uid] = {0: replace(self.made(NEW), low=self.begun[0], high=self.begun[1])}
            self.hold(self.buffers[node.uid][0])
            self.hold(self.buffers[node.uid][0])
        self.taken[node.uid] = self.buffers.pop(node.uid, {})
        return dict(self.taken[node.uid])

    def leave(
        self, node: Node, given: dict[int, Gradient], made: Mapping[int, Gradient | None] | None = None
    ) -> list[Tensor]:
        """Send a node's gradients on; gives the leaves that now have all of their gradient.

        `made` has the gradient for each of the node's inputs, if the program's own code has computed them.
        """
        if self.goals is None or node.uid not in self.goals:
            for one in given.values():
                self.let_go(one)
        outputs: list[tuple[Slot, Gradient | None]] = []
        for k, slot in enumerate(self.slots.get(node.uid, ())):
            if slot is not None:
                fed = node.fed[k] if k < len(node.fed) else None
                known = made is not None and fed is not None and fed[0] in made
                outputs.append((slot, made[fed[0]] if known else self.handed(node, k, given)))  # type: ignore[index]
        for _, one_made in outputs:
            if one_made is not None:
                self.hold(one_made)
        for (uid, nr), one_made in outputs:
            if given and one_made is not None:  # else a written view's old node, to which no gradient goes
                self.add(self.buffers.setdefault(uid, {}), nr, one_made)
            self.pending[uid] -= 1
        ready = {e.uid: e for e in node.edges if isinstance(e, Tensor)} if self.goals is None else {}
        return [leaf for uid, leaf in ready.items() if self.pending[uid] == 0 and uid in self.buffers]

    def exchange(self, old: Gradient, new: Gradient) -> Gradient:
        """Replace a gradient by the one that a hook returned for it."""
        if new is not old:
            self.hold(new)
            self.let_go(old)
        return new

    def written(self, memory: int, times: Times) -> None:
        """The program has written a gradient: all gradients in that memory have another version."""
        for buffer in (*self.buffers.values(), *self.taken.values()):
            for nr, one in buffer.items():
                if one.memory == memory:
                    buffer[nr] = replace(one, low=times[0], high=times[1])

    def targets(self, node: Node) -> list[Slot | None]:
        """Where a node's gradients go, edge by edge; None if nobody needs one."""
        found: list[Slot | None] = []
        for k, edge in enumerate(node.edges):
            fed = node.fed[k] if k < len(node.fed) else (0, 0)
            goes = fed is not None and (self.reached is None or edge.uid in self.reached)
            found.append((edge.uid, fed[1]) if fed is not None and goes else None)
        return found

    def add(self, buffer: dict[int, Gradient], nr: int, one: Gradient) -> None:
        """`InputBuffer::add`."""
        old = buffer.get(nr)
        if old is None:
            buffer[nr] = one
            return
        if old.memory is None or one.memory is None or old.parts or one.parts:
            made = UNKNOWN
        elif not self.create and old.free is not False and self.references[old.memory] == 1:
            low = old.low + 1 if old.free else 0
            made = replace(old, free=True, low=low, high=None if old.high is None else old.high + 1)
            made = replace(made, spread=False, viewed=False)
        else:
            made = self.made(NEW)
        self.let_go(old)
        self.let_go(one)
        self.hold(made)
        buffer[nr] = made

    def store(self, leaf: int, hooked: Callable[[Gradient], Gradient]) -> None:
        """`AccumulateGrad`: take over the gradient if nobody else holds it and it has the leaf's layout, or copy it."""
        one = self.taken[leaf] = self.buffers.pop(leaf)
        given = hooked(next(iter(one.values())))
        self.let_go(given)
        if given.memory is None:
            self.stored[leaf] = (0, None)
        elif self.create or not given.dense or self.holders[given.tensor]:
            self.stored[leaf] = (1, 1)
        else:
            self.stored[leaf] = (given.low, given.high)
            self.stolen[leaf] = given

    def tensor(self, one: Gradient | None) -> Tensor | None:
        """The tensor that a gradient is, if the program has seen it."""
        if one is None or one.memory is None:
            return None
        return next((shown for known, shown in self.shown if known.tensor == one.tensor), None)

    def made(self, way: Way) -> Gradient:
        """A gradient in memory of its own."""
        self.count += 1
        return Gradient(self.count, self.count, way.dense is True, way.free, way.low, way.high, parts=way.parts)

    def hold(self, one: Gradient) -> None:
        """Count one more reference to a gradient."""
        if one.memory is not None:
            self.references[one.memory] += 1
            self.holders[one.tensor] += 1

    def let_go(self, one: Gradient) -> None:
        """Count one reference less."""
        if one.memory is not None:
            self.references[one.memory] -= 1
            self.holders[one.tensor] -= 1

    def handed(self, node: Node, k: int, given: dict[int, Gradient]) -> Gradient:
        """The gradient that a node sends over its edge number `k`."""
        way = way_of(self.ways, node, k)
        if way is None or node.name in (DERIVED, OPAQUE):
            return UNKNOWN
        came = next(iter(given.values())) if len(given) == 1 else UNKNOWN
        spread = is_spread(node, k, way, came)
        if way.dense is None:
            return replace(UNKNOWN, spread=spread)
        if not way.passed:
            return replace(self.made(replace(way, low=0) if self.create else way), spread=spread)
        high = None if came.high is None else came.high + way.high
        self.count += 1
        tensor = came.tensor if way.same else self.count
        free = came.free and way.free if way.same else False  # a view keeps the tensor that it was made of
        return replace(
            came,
            tensor=tensor,
            dense=came.dense and way.dense is True,
            free=free,
            low=came.low + way.low,
            high=high,
            spread=spread,
            viewed=came.memory is not None and (came.viewed or not way.same),
        )


def is_spread(node: Node, k: int, way: Way, came: Gradient) -> bool | None:
    """Whether a gradient is sent on expanded; None if some of its elements may share their places."""
    fed = node.fed[k] if k < len(node.fed) else None
    given, made = (
        node.shapes[fed[0]] if fed and fed[0] >= 0 else None,
        node.outputs[0].geometry if node.outputs else None,
    )
    if given is not None and given.numel() == 1:
        return False
    one = made is not None and made.numel() == 1
    told = way.spread if one or came.spread is False else way.stays if came.spread or way.spread == way.stays else None
    return False if told is False else True if told and way.passed and (one or came.spread) else None


COPIED = Way(False, False, True, True, 2, 2)
"""what `CopySlices` sends to the base: a copy of the gradient, into which the view's part is then written"""


def way_of(ways: Gradients, node: Node, k: int) -> Way | None:
    """How a node makes the gradient for its edge number `k`; None if that is unknown."""
    fed = node.fed[k] if k < len(node.fed) else None
    if fed is None:
        return None
    index, _ = fed
    if index < 0:
        return COPIED
    name = node.op or BY_NODE.get(node.name)
    parameter = node.roles[index] if index < len(node.roles) else "self"
    given, made = node.shapes[index], node.outputs[0].geometry if node.outputs else None
    single = given is not None and given.numel() == 1  # it has the result's shape where others of its kind don't
    same, other = (ways.find(name, parameter, alike) if name else None for alike in (True, False))
    if given is None or made is None:
        way = same if same == other else None
    else:
        way = same or (other if single else None) if given.shape == made.shape else other
    if way is None:
        return None
    if node.function is not None and way.passed:  # `CopySlices` hands a copy to the write
        return NEW
    return replace(way, dense=True, free=way.same if way.passed else way.free) if single else way

"""Measure which results of a call have a graph of their own, what it leads to and saves, and what they share.

One call is run with all inputs requiring grad. Its graph is walked from each result's node down to the inputs' nodes:
what is met from one result alone is that result's own part, what is met from several is the shared part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ..branches import Branches, Part, plain
from .layouts import flat
from .probe import RAISED, fresh
from .samples import Arguments, call, guessed, of_entry, tensors
from .walk import saved, storage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from .catalogue import Entry
    from .modules import Call

SAMPLES = 12

Node = torch.autograd.graph.Node
Place = tuple[str, int]
"""a parameter, and the number of one of its tensors (0, unless it takes a list)"""


@dataclass(slots=True)
class Seen:
    """What the nodes of one part of a graph showed in all samples together; `Part` says what the fields mean."""

    flows: set[str] = field(default_factory=set)
    saves: set[str] = field(default_factory=set)
    holds: bool = False
    through: set[int] = field(default_factory=set)

    def told(self) -> Part:
        """Return it as a fact."""
        return Part(frozenset(self.flows), frozenset(self.saves), self.holds, frozenset(self.through))


@dataclass(slots=True)
class Tally:
    """What the samples of one callable showed."""

    own: dict[int, Seen] = field(default_factory=dict)
    common: set[int] = field(default_factory=set)
    """the results whose node is in the shared part: another result's graph leads to it"""
    shared: Seen = field(default_factory=Seen)
    each: set[bool] = field(default_factory=set)
    """whether each result leads to one item of the lists that are passed"""
    parted: bool = False
    """whether results had different nodes in any sample"""

    def told(self) -> Branches | None:
        """Return it as a fact; None if no result has a part of its own that saves anything or leads anywhere."""
        if not self.parted:
            return None
        common = [nr in self.common or self.own[nr].told() == Part() for nr in sorted(self.own)]
        parts = [None if one else self.own[nr].told() for nr, one in enumerate(common)]
        shared = self.shared.told()
        whole = Branches(_without_repeats(parts), shared if shared != Part() else None, self.each == {True})
        return whole if any(parts) else None


def _without_repeats(parts: Iterable[Part | None]) -> tuple[Part | None, ...]:
    """Return the parts without those at the end that repeat the one before them."""
    found = list(parts)
    while len(found) > 1 and found[-1] == found[-2]:
        found.pop()
    return tuple(found)


def measure(entries: Iterable[Entry], calls: Mapping[str, Sequence[Call]], device: str) -> dict[str, dict[str, Any]]:
    """Return, by callable, the rows that `facts/branches.py` reads, for those whose results don't all have one node.

    `calls` are the calls of modules by class.
    """
    found: dict[str, Tally] = {}
    for entry in entries:
        tally = found[entry.name] = Tally()
        samples = [arguments for _, arguments in of_entry(entry, device, SAMPLES)]
        for arguments in samples or guessed(entry, device):
            _observe(partial(call, entry), arguments, {}, tally)
    for name, some in calls.items():
        tally = found[name] = Tally()
        for one in some:
            _observe_module(one, tally)
    told = {name: tally.told() for name, tally in sorted(found.items())}
    return {name: plain(branches) for name, branches in told.items() if branches is not None}


def _observe_module(one: Call, tally: Tally) -> None:
    """Add to the tally what one call of a module shows."""
    try:
        module = one.build()
    except RAISED:
        return
    own = {f"self.{name}": p for name, p in module.named_parameters()}
    _observe(lambda given: module(**given), one.forward, own, tally)


def _observe(
    run: Callable[[Arguments], Any], arguments: Arguments, own: Mapping[str, torch.Tensor], tally: Tally
) -> None:
    """Add to the tally what one call shows if everything requires grad that may.

    If the call returns nothing new (`_foreach_add_`), the inputs that it changed take the place of results.
    """
    given = fresh(arguments, grad=True)
    inputs = {(p, i): t for p, value in (*given.items(), *own.items()) for i, t in enumerate(tensors(value))}
    before = {place: (t._version, storage_of(t)) for place, t in inputs.items()}
    ends = {torch.autograd.graph.get_gradient_edge(t).node: place for place, t in inputs.items() if t.requires_grad}
    torch.manual_seed(0)
    try:
        made = [t for t in flat(run(given)) if isinstance(t, torch.Tensor)]
    except RAISED:
        return
    written = [t for place, t in inputs.items() if t._version != before[place][0]]
    memory = {place for _, place in before.values()}
    new = {nr: t for nr, t in enumerate(made) if t.grad_fn is not None and storage_of(t) not in memory}
    carriers = new or {nr: t for nr, t in enumerate(written) if t.grad_fn is not None}
    if len(carriers) > 1:
        _add(carriers, inputs, ends, tally)


def _add(
    carriers: Mapping[int, torch.Tensor],
    inputs: Mapping[Place, torch.Tensor],
    ends: Mapping[Node, Place],
    tally: Tally,
) -> None:
    """Add to the tally what the nodes behind several results show.

    `carriers` are the results by number, `ends` the nodes of the inputs.
    """
    tops = {nr: t.grad_fn for nr, t in carriers.items() if t.grad_fn is not None}
    graphs = {nr: set(_behind(top, ends)) for nr, top in tops.items()}
    shared = _shared(graphs, tops)
    tally.parted = tally.parted or len(set(tops.values())) > 1
    _look(shared, carriers, inputs, ends, tally.shared)
    for nr, nodes in graphs.items():
        seen = tally.own.setdefault(nr, Seen())
        _look(nodes - shared, carriers, inputs, ends, seen)
        edges = {edge for node in nodes - shared for edge in node.next_functions}
        seen.through |= {
            other for other, t in carriers.items() if tops[other] in shared and (t.grad_fn, t.output_nr) in edges
        }
        if tops[nr] in shared:
            tally.common.add(nr)
    if any(i for _, i in ends.values()):
        reached = [_reached(nodes, ends) for nodes in graphs.values()]
        tally.each.add(all(len({i for _, i in places}) == 1 for places in reached))


def _shared(graphs: Mapping[int, set[Node]], tops: Mapping[int, Node]) -> set[Node]:
    """Return the nodes that are in the graphs of several results; results with the same node count as one."""
    return {
        node
        for nr, nodes in graphs.items()
        for node in nodes
        if any(node in graphs[other] for other, top in tops.items() if top is not tops[nr])
    }


def _behind(top: Node | None, ends: Mapping[Node, Place]) -> Iterator[Node]:
    """Yield the nodes behind a result, up to the nodes of the inputs."""
    seen: set[Node] = set()
    todo = [top]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen and node not in ends:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
            yield node


def _reached(nodes: Iterable[Node], ends: Mapping[Node, Place]) -> set[Place]:
    """Return the inputs that the edges of some nodes lead to."""
    return {ends[n] for node in nodes for n, _ in node.next_functions if n is not None and n in ends}


def _look(
    nodes: set[Node],
    carriers: Mapping[int, torch.Tensor],
    inputs: Mapping[Place, torch.Tensor],
    ends: Mapping[Node, Place],
    seen: Seen,
) -> None:
    """Add to `seen` what some nodes lead to and save."""
    kept = [t for node in nodes for t in saved(node)]
    memory = {storage_of(t) for t in kept} - {None}
    seen.flows |= {p for p, _ in _reached(nodes, ends)}
    seen.saves |= {p for (p, _), t in inputs.items() if storage_of(t) in memory}
    seen.saves |= {f"out{nr}" for nr, t in carriers.items() if storage_of(t) in memory}
    seen.holds = seen.holds or bool(kept)

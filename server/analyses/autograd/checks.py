"""What raises when a backward unpacks what its nodes have saved, and on which conditions a failure depends.

Each check replays one function of `torch/csrc/autograd`; it is named in the docstring. For a node that comes to run:

    node.freed              # `check_freed`: an earlier backward has freed it; PyTorch raises
    saved.counter.current   # `check_saved`: is it still the version that was saved? if not, PyTorch raises
    saved.storage.content   # … if so, the content may have changed unseen (`.data`): the gradient is wrong

Each failure comes with its *guards*: the answers to open questions on which it depends (does `w` require grad? did the
branch run?). Without any, it is certain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..domain import budget
from ..domain.paths import Guards
from ..domain.report import Failure, Kind, Site
from ..domain.steps import moments
from ..domain.values import LINK, Cond, Phi, Value
from .recording import Graph, is_beside
from .tensors import MULTI_OUTPUT, NO_GRAD, Node, SavedTensor, Tensor, conditions, implies, in_order, ways
from .versions import Past

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from ..domain.report import Write
    from .geometry import Geometry
    from .host import Host
    from .tensors import Answers, Grad


Found = list[tuple[Failure, Guards]]
"""Failures, each with its guards."""

KEPT = Cond("save_on_cpu", "guess", "the tensor is on the CPU, where `save_on_cpu()` copies nothing")
"""on which it depends whether `save_on_cpu` keeps the tensor itself"""


class Expected(NamedTuple):
    """A tensor is expected to require grad, since the program calls backward on it: then one of the `ways` holds."""

    ways: frozenset[Cond]
    cond: Cond


class Kept(NamedTuple):
    """The tensors that a custom function has kept on its own, its node, and the writes that it has made itself."""

    node: Node
    tensors: Sequence[SavedTensor]
    is_own: Callable[[Write], bool]


class Checks(Graph):
    """The graph of one machine, and what raises in a backward through it; `pasts` are the ways back already walked."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.pasts: dict[tuple[int, frozenset[tuple[Cond, bool]]], Past] = {}
        self.expected: Expected | None = None
        self.links: dict[Hashable, Value] = {}
        """the calls that pass gradients on, as a backward has shown"""
        self.needed: dict[Hashable, Value] = {}
        """the calls that have to pass gradients on, as parameters get theirs in no other way"""
        self.kept: Kept | None = None
        """what the custom function whose backward is running has kept on its own"""
        self.aside: set[int] = set()
        """saved tensors that the running backward doesn't read, by `id`"""

    def read(self, tensors: Iterable[Tensor]) -> None:
        """The program reads tensors: check those that the custom function whose backward runs has kept by itself."""
        if self.kept is None:
            return
        read = {self.storage(t) for t in tensors}
        for saved in self.kept.tensors:
            for on, write in self.changes(saved) if saved.storage in read else ():
                if not self.kept.is_own(write):
                    self.host.report(self.host.explain.kept(self.kept.node, saved, write), on)

    def writes(self, saved: SavedTensor) -> list[tuple[Guards, Write]]:
        """The change that has moved the version counter of a tensor since it was kept."""
        self.pasts = {}
        return self._changes(self.state.resolve(saved.counter.current), saved.version, ())

    def changes(self, saved: SavedTensor) -> list[tuple[Guards, Write]]:
        """The change of the content of a tensor since it was kept."""
        self.pasts = {}
        return self._changes(self.state.resolve(saved.storage.content), saved.content, (), saved.geometry)

    def take_as_kept(self, nodes: Iterable[Node]) -> None:
        """Report no further backward through freed nodes here, as if one had been."""
        for node in nodes:
            if node.freed is not False:
                self.state.set(self.host.causes, ("freed", node.uid), True)

    def check_misread(self, order: Sequence[tuple[Node, Guards]]) -> None:
        """Report nodes that have read what a custom function had changed without marking it."""
        for node, guards in order:
            for t, one in node.misread:
                views = [out for out in node.outputs if self.storage(out) is self.storage(t)]
                if not views or not all(is_beside(view, one) for view in views):
                    failure = self.host.explain.misread(node, t, one.write)
                    self.host.report(failure, (*guards, *self._needed(node.when)))

    def has_failed(self, found: Found) -> bool:
        """Whether the backward has certainly ended, in an error that the program may handle."""
        return self.host.handlers > 0 and any(not on for _, on in found)

    def is_in_doubt(self, found: Found) -> bool:
        """Whether the backward may have ended by now; after a certain failure the replay goes on as if mended."""
        return self.has_failed(found) or any(on for _, on in found)

    def check_freed(self, node: Node, guards: Guards, found: Found) -> bool:
        """Whether it is certain that a node was freed, or that another one failed before it."""
        for more, freed in self.state.alternatives(node.freed, guards):
            if isinstance(freed, Site) and node.holds is not False and ("freed", node.uid) not in self.host.causes:
                if any(not g for _, g in found):
                    return True
                on = (*more, *self._needed(node.when), *conditions(node.holds))
                found.append((self.host.explain.freed(node, freed), on))
                if not on:
                    return True
        return False

    def check_spread(self, node: Node, guards: Guards, found: Found) -> bool:
        """Whether it is certain that a gradient would be written with the layout of an expanded view."""
        if node.spread is None or any(not on for _, on in found):
            return False
        found.append((self.host.explain.spread(node, node.spread), (*guards, *self._needed(node.when))))
        return not found[-1][1]

    def check_saved(self, node: Node, guards: Guards, found: Found) -> None:
        """Unpack all that a node has saved."""
        if node.freed is False:
            for saved in node.saved:
                if id(saved) not in self.aside:
                    exists = () if implies(saved.when, node.when) else self._needed(node.when)
                    on = (*guards, *exists, *conditions(saved.when))
                    found += self._check_one(node, saved, on)

    def _check_one(self, node: Node, saved: SavedTensor, guards: Guards) -> Found:
        """`SavedVariable::unpack`: compare the versions; even if they agree, the content may differ."""
        found = self._check_version(node, saved, guards) if saved.checked else []
        if not found and not saved.unread and node.edges:  # else it computes nothing
            content = self.state.resolve(saved.storage.content)
            changes = self._changes(content, saved.content, guards, saved.geometry)
            if saved.form == "itself":
                changes += self._changes(self.state.resolve(saved.tensor.data_version), saved.shown, guards)
            kept = () if saved.checked else ((KEPT, True),)
            for on, write in changes:
                self.host.report(self.host.explain.silent(node, saved, write), (*on, *kept))
        return found

    def _check_version(self, node: Node, saved: SavedTensor, guards: Guards) -> Found:
        now = self.state.resolve(saved.counter.current)
        found = self._check_node(saved, now, guards)
        if now is not saved.version and not found:
            for on, write in self._changes(now, saved.version, guards):
                found.append((self.host.explain.stale(node, saved, write), on))
        return found

    def _check_node(self, saved: SavedTensor, now: Value, guards: Guards) -> Found:
        """Before versions are compared, PyTorch asks an input for its node, and a view gets a new one from its base."""
        t, base = saved.tensor, self.state.resolve(saved.tensor.base)
        if saved.form == "pieces" and self.requires_grad(t) is True:
            changes = self._changes(now, saved.version, guards)
            kind: Kind = "no-grad-view-inplace" if saved.needed is False else "multi-view-inplace"
            how = f"{NO_GRAD if saved.needed is False else MULTI_OUTPUT} indirect"
            return [(self._failure(kind, "direct", t, how, write), on) for on, write in changes]
        if saved.role == "result" or not isinstance(base, Tensor) or self.state.resolve(t.attr_version) is now:
            return []
        if self.state.resolve(t.grad_fn) is None and self.requires_grad(base) is not True:
            return []
        changes = self._changes(now, self.state.resolve(t.attr_version), guards)
        told = [(self._refused(t, " indirect", write), on) for on, write in changes]
        return [(failure, on) for failure, on in told if failure is not None]

    def _changes(
        self, now: Value, then: Value, guards: Guards, of: Geometry | None = None
    ) -> list[tuple[Guards, Write]]:
        """What moved a version on from `then`, for each alternative of `now` that certainly came after it.

        `of`: the part of the memory that matters, if not all of it does.
        """
        found: list[tuple[Guards, Write]] = []
        if now is then:
            return found
        for more, version in self.state.alternatives(now, guards):
            past = self._past(version, more)
            write = past.after(then, of)
            if write is not None:
                found.append((more, write))
            elif type(then) is Phi:
                olds = ((on, past.after(old, of)) for on, old in self.state.alternatives(then, more))
                found += [(on, write) for on, write in olds if write is not None]
        return found

    def _past(self, version: Value, guards: Guards) -> Past:
        """The way back from a version under some answers; a backward walks each only once."""
        key = (id(version), frozenset(guards))
        past = self.pasts.get(key)
        if past is None:
            past = self.pasts[key] = Past(self.state, version, dict(guards))
        return past

    def _needed(self, when: Grad) -> Answers:
        """The open conditions of a node; if `expected` implies several of them, or something unknowable, that alone.

        If the expected tensor may have its gradient from an unknown value, that value probably requires grad: the
        result of a call more probably than data.
        """
        needed = conditions(when)
        if self.expected is None or not isinstance(when, frozenset):
            return needed
        plain = len(needed) == 1 and needed[0][0].kind in ("branch", "requires-grad")
        if self.expected.ways <= when and not plain:
            return ((self.expected.cond, True),)
        known = ways(when)
        if len(known) > 1 and len(known[-1]) == 1:
            needed = min(known, key=lambda way: (way[0][0].kind != "requires-grad", not way[0][0].text.endswith(")")))
        return tuple((self._likely(cond, self.expected.ways), holds) for cond, holds in needed)

    @staticmethod
    def _likely(cond: Cond, ways: frozenset[Cond]) -> Cond:
        if cond.kind != "may-require-grad" or cond not in ways:
            return cond
        return Cond(cond.key, "requires-grad", cond.text, cond.site, cond.flipped)

    def still_open(self, failure: Failure, on: Guards) -> Guards:
        """The conditions of a failure, without those that a backward has already shown for unseen calls.

        That a loop goes backward time and again does not show that what was made before it requires grad.
        """
        again = failure.kind == "freed-graph"
        shown = [self._shown(c, again) for c, _ in on]
        if not any(shown):
            return on
        return tuple(
            (Cond(c.key, known, c.text, c.site) if known else c, holds)
            for (c, holds), known in zip(on, shown, strict=True)
            if not known or c.kind == LINK
        )

    def _shown(self, cond: Cond, again: bool) -> str:
        """How a condition is known to hold, as the kind of a condition; empty if it isn't known."""
        if self.links.get(cond.key) is True if again else cond.key in self.links:
            return "linked"
        return "needed" if cond.key in self.needed and not again else ""

    def learn(self, nodes: Sequence[Node], ways: frozenset[Cond]) -> None:
        """Learn from a backward through the result of an unseen call, which gets its gradient in one of the `ways`.

        So the call passes gradients on. If it is open for all of its arguments whether they require grad, those do that
        come from other such calls, or all if none does. But nothing is shown of what may well be a number, nor where
        the gradient may be that of the call's own parameters.
        """
        links = {node: link for node in nodes if (link := link_of(node)) is not None and node.when is not True}
        results = union(node.when for node in links)
        shown: dict[Cond, int] = dict.fromkeys(ways, 0)
        for node, link in links.items():
            depth = 1 + min((shown[cond] for cond in union([node.when]) & shown.keys()), default=budget.LIMITS.links)
            if depth > budget.LIMITS.links:
                continue
            self.state.set(self.links, link.key, True)
            given = [edge.then for edge in node.edges if type(edge) is Phi]
            asked = [one.when for one in given if isinstance(one, Node) and isinstance(one.when, frozenset)]
            if len(asked) == len(given) and not node.trained:
                open_ = frozenset(cond for cond in union(asked) if cond.kind != "factor")
                for cond in in_order(open_ & results or open_):
                    self.state.set(self.links, cond.key, cond in results)
                    shown.setdefault(cond, depth)

    def learn_from_leaves(self, leaves: Mapping[Tensor, Sequence[Guards]]) -> None:
        """Learn which unseen calls pass gradients on, from the leaves that a backward reaches and the ways to them.

        A module whose parameters get their gradients by such a call alone would never get any if the call passed none
        on: nobody would train it. The same holds for a leaf that is in no module.
        """
        alone: dict[object, set[Hashable]] = {}
        for leaf, known in leaves.items():
            if self.requires_grad(leaf) is True:
                on_all = calls_on_all(known) if len(known) < budget.LIMITS.ways else set()
                alone[leaf.owner or leaf] = alone.get(leaf.owner or leaf, on_all) & on_all
        for key in sorted(set().union(*alone.values()) - self.needed.keys(), key=lambda key: list(moments(key))):
            self.state.set(self.needed, key, True)


def link_of(node: Node) -> Cond | None:
    """The question whether an unseen call passes gradients on, if the node stands for such a call."""
    return next((edge.cond for edge in node.edges if type(edge) is Phi and edge.cond.kind == LINK), None)


def calls_on_all(known: Sequence[Guards]) -> set[Hashable]:
    """The unseen calls (by the keys of their questions) without which there is no way to a leaf.

    Each side of a branch may have a call of its own.
    """
    calls = [{cond.key for cond, _ in way if cond.kind == LINK} for way in known]
    return {
        key
        for way, own in zip(known, calls, strict=True)
        for key in own
        if all(key in others or excludes(way, other) for other, others in zip(known, calls, strict=True))
    }


def excludes(one: Guards, other: Guards) -> bool:
    """Whether two ways are on two sides of a branch."""
    holds = dict(one)
    return any(holds.get(cond, answer) is not answer for cond, answer in other)


def union(whens: Iterable[Grad]) -> frozenset[Cond]:
    """All questions on which any of these depends."""
    return frozenset[Cond]().union(*(when for when in whens if isinstance(when, frozenset)))

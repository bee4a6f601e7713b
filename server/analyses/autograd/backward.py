"""Backward: the engine's way through the graph, what it unpacks, checks and frees, and the gradients it leaves.

Each method replays one function of `torch/csrc/autograd`; it is named in the docstring. An example with all that
counts:

    y = w.exp()                 # ExpBackward0 saves its result y, at version 0
    z = y * y                   # MulBackward0 saves y twice, at version 0
    y.add_(1)                   # version 1
    z.sum().backward()

The engine runs the nodes from the last made to the first: SumBackward0 has saved nothing. MulBackward0 unpacks y: saved
at version 0, now at version 1, so PyTorch raises there (`SavedVariable::unpack`), and that is the failure; its site is
the `add_`, where the user can mend it. In the program nothing runs behind; in the replay the rest is gone through as if
that had been mended, so that a second mistake is found as well. Nodes that have run are freed, unless the graph is
retained: a second backward through them is a failure of its own.
"""

from __future__ import annotations

import heapq
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from ...facts.gradients import NEW
from ..domain import budget
from ..domain.paths import Raised, gated
from ..domain.values import Args, Cond, Phi, Unknown, Value
from .checks import Checks
from .geometry import Geometry
from .gradients import DERIVED, UNKNOWN, Flow, Times
from .tensors import (
    Counter,
    Grad,
    Node,
    SavedTensor,
    Tensor,
    Version,
    conditions,
    either,
    parts_of,
    together,
)
from .versions import bounds
from .ways import FREE, Numbering, Ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..domain.paths import Guards
    from .checks import Expected, Found
    from .gradients import Gradient
    from .host import Host


class Autograd(Checks):
    """The graph of one machine, and backward through it."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.unpacking: dict[int, Callable[[], None]] = {}
        """for each custom function's `ctx` whose running backward hasn't read what it saved: how that is unpacked"""

    # -- backward -------------------------------------------------------------------------------

    def backward(
        self,
        roots: Sequence[Value],
        retain: bool,
        create: bool = False,
        inputs: Sequence[Tensor] = (),
        accumulate: bool = True,
        begun: Times = (0, None),
        expected: Expected | None = None,
    ) -> Flow:
        """`Engine::execute` from the roots' nodes: unpack what is saved, free it, add up the leaves' gradients.

        `retain`: keep the graph. `inputs`: the tensors of `autograd.grad`, which receive no `.grad`.
        `begun`: how many times the first gradient was written. `expected`: what the program shows to require grad.
        Records a failure if a node on the way is freed or its saved tensor is stale.
        Returns the gradients.
        """
        order, leaves = self._reachable(roots, inputs)
        goals = None
        if not accumulate:
            goals = {one.uid for one in map(self._maker, inputs) if isinstance(one, (Node, Tensor))}
        ran = list(dict.fromkeys(node for node, _ in order))
        self.host.note_backward(ran)
        flow = Flow(self.host.facts.gradients, ran, goals, create, begun)
        self.aside = self._aside(ran, inputs)
        if expected is not None:
            self.learn(ran, expected.ways)
        self.learn_from_leaves(leaves)
        with self._engine(create, expected):
            found = [(failure, self.still_open(failure, on)) for failure, on in self._unpack(order, flow)]
            self.host.raise_collected(found)
            if any(failure.kind == "freed-graph" and not on for failure, on in found):
                self.take_as_kept(ran)
            self.check_misread(order)
            self._keep_gradients(ran, roots, create)
            if not retain:
                for node, guards in order:
                    if node.holds is not False:
                        self._free(node, guards)
            if accumulate:
                for leaf in leaves:
                    self.host.note_gradient(leaf)
                    nodes = self.reached(roots, [leaf]) if create else None
                    self._accumulate(leaf, nodes, flow)
            else:
                self._capture(inputs, flow)
        return flow

    def _maker(self, t: Tensor) -> Value:
        """Where a gradient of a tensor goes: its node, or the leaf itself."""
        return self.grad_fn(t) or t

    @contextmanager
    def _engine(self, create: bool, expected: Expected | None) -> Iterator[None]:
        """The mode in which the engine runs hooks and custom functions: grad mode is on with `create_graph`."""
        explain = self.host.explain
        mode, running, call, before = self.mode["grad"], explain.running, explain.backward, self.expected
        self.state.set(self.mode, "grad", create)
        self.expected, explain.backward = expected, self.host.here.site
        try:
            yield
        finally:
            self.state.set(self.mode, "grad", mode)
            explain.running, explain.backward, self.expected = running, call, before

    def _reachable(
        self, roots: Sequence[Value], inputs: Sequence[Tensor]
    ) -> tuple[list[tuple[Node, Guards]], dict[Tensor, list[Guards]]]:
        """The nodes that a backward runs, in the engine's order, and the leaves it reaches, with the ways to them.

        A node comes after all nodes that lead to it, so the ways to it are known by then.
        """
        wanted = self._leads_to(roots, inputs) if inputs else None
        numbering, ways, leaves = Numbering(), dict[Node, Ways](), dict[Tensor, Ways]()
        todo: list[tuple[int, int, Node]] = []

        def reach(value: Value, come: Ways) -> None:
            value = self.state.resolve(value)
            if type(value) is not Phi:
                arrive(value, come)
                return
            for guards in come.values():
                for more, v in self.state.alternatives(value, guards):
                    arrive(v, {numbering.number(more): more})

        def arrive(v: Value, come: Ways) -> None:
            if isinstance(v, Tensor):
                numbering.add_all(leaves.setdefault(v, {}), come)
            elif isinstance(v, Node) and (wanted is None or v.uid in wanted):
                if v not in ways:
                    ways[v] = {}
                    heapq.heappush(todo, (-v.order, v.uid, v))
                numbering.add_all(ways[v], come)

        for root in roots:
            reach(root, FREE)
        found: list[tuple[Node, Guards]] = []
        while todo:
            *_, node = heapq.heappop(todo)
            come = ways[node]
            found += [(node, guards) for guards in come.values()]
            for edge in node.edges:
                reach(edge, come)
        return found, {leaf: list(come.values()) for leaf, come in leaves.items()}

    def reached(self, roots: Sequence[Value], inputs: Sequence[Tensor]) -> dict[Node, Grad]:
        """The nodes that a backward from `roots` runs, with the conditions under which it comes to them."""
        found: dict[Node, Grad] = {}
        for node, guards in self._reachable(roots, inputs)[0]:
            found[node] = either(found.get(node, False), frozenset({together(guards)}) if guards else True)
        return found

    def leads_back(self, root: Value, order: int, uid: int) -> bool:
        """Whether the graph behind a root leads to what is older: nodes up to an `order`, tensors up to a `uid`.

        Parameters don't count, since every module has its own.
        """
        todo, seen = [root], set[int]()
        while todo:
            for _, v in self.state.alternatives(todo.pop()):
                if isinstance(v, Unknown) or (isinstance(v, Tensor) and v.uid < uid and not v.is_parameter):
                    return True
                if isinstance(v, Node) and v.uid not in seen:
                    if v.order <= order:
                        return True
                    seen.add(v.uid)
                    todo += v.edges
        return False

    def _leads_to(self, roots: Sequence[Value], inputs: Sequence[Tensor]) -> set[int]:
        """The nodes on a way from the roots to one of the inputs: autograd.grad runs no others."""
        goals = {t.uid for t in inputs}
        goals |= {fn.uid for t in inputs for _, fn in self.state.alternatives(self.grad_fn(t)) if isinstance(fn, Node)}
        parents: dict[int, list[int]] = {}
        todo, seen = [v for r in roots for _, v in self.state.alternatives(r)], set[int]()
        while todo:
            v = todo.pop()
            if not isinstance(v, Node) or v.uid in seen:
                continue
            seen.add(v.uid)
            for e in v.edges:
                for _, w in self.state.alternatives(e):
                    if isinstance(w, (Node, Tensor)):
                        parents.setdefault(w.uid, []).append(v.uid)
                        todo.append(w)
        found: set[int] = set()
        up = [g for g in goals if g in parents]
        while up:
            for p in parents.get(up.pop(), []):
                if p not in found:
                    found.add(p)
                    up.append(p)
        return found

    def _unpack(self, order: list[tuple[Node, Guards]], flow: Flow) -> Found:
        """Check every node in the engine's order. If the program may handle errors, nothing behind one is reached."""
        found: Found = []
        self.host.explain.running = list(dict.fromkeys(node for node, _ in order))
        self.pasts = {}
        for node, paths in groupby(order, key=itemgetter(0)):
            failed = self.has_failed(found)
            given = self._arrive(node, flow, failed)
            made: Mapping[int, Gradient | None] | None = None
            for _, guards in paths:
                runs = node.run is not None and node.when is True and not guards and not self.is_in_doubt(found)
                if runs and not isinstance(node.function, Node):
                    made = self._run(node, given, flow, found)
                elif self.check_freed(node, guards, found) or self.check_spread(node, guards, found):
                    if self.host.handlers:
                        return found
                elif runs:
                    self._run(node, given, flow, found)
                else:
                    self.check_saved(node, guards, found)
                if runs and self.has_failed(found):
                    return found
            for leaf in flow.leave(node, given, made):
                hooks = () if failed else leaf.hooks
                flow.store(leaf.uid, partial(self._through_hooks, flow, leaf, hooks))
        return found

    def _aside(self, nodes: Sequence[Node], wanted: Sequence[Tensor]) -> set[int]:
        """What calls with several nodes, such as attention, have saved in nodes that lead to no wanted input."""
        several = [n for n in nodes if n.several] if wanted else []
        read = self._read(nodes, wanted) if several else {}
        return {id(saved) for n in several for saved in {*n.saved}.difference(read[n])}

    def _arrive(self, node: Node, flow: Flow, failed: bool) -> dict[int, Gradient]:
        """The gradients of a node after its hooks, which may change what is still to be unpacked."""
        given = flow.arrive(node) if flow.known else {}
        for nr, hooks in () if failed else list(node.hooks.items()):
            t = next((t for t in node.outputs if t.output_nr == nr), None)
            if t is not None and (nr in given or not flow.known):
                given[nr] = self._through_hooks(flow, t, hooks, given.get(nr, UNKNOWN))
        return given

    def _through_hooks(self, flow: Flow, t: Tensor, hooks: Value, one: Gradient) -> Gradient:
        """The gradient of a tensor after its hooks: what they return, or else their argument, as they leave it."""
        called = self.host.state.tuple_of(hooks)
        if not called:
            return one
        g: Value = self.gradient(t, flow, one)
        kept = False
        for hook in called:
            made = self.state.resolve(self.host.call(hook, Args([g], site=self.host.here.site)))
            self.pasts = {}
            kept = kept or made is None  # that is what it was called for, maybe
            g = g if made is None else made
        seen = self._seen(flow, g)
        return flow.exchange(one, replace(UNKNOWN, spread=seen.spread) if kept else seen)

    def _run(
        self, node: Node, given: Mapping[int, Gradient], flow: Flow, found: Found
    ) -> Mapping[int, Gradient | None] | None:
        """Run the backward of a custom function; its result for each of its node's inputs, if that is known.

        What the function has saved is unpacked when it asks for it, and only then.
        """
        assert node.run is not None
        inside = isinstance(node.function, Node)  # `CopySlices` hands it a copy
        outside = self.host.place()

        def gradient(t: Tensor, nr: int) -> Tensor:
            zeros = flow.made(replace(NEW, low=1, high=1))
            return self.gradient(t, flow, flow.made(NEW) if inside else given.get(nr, zeros) if flow.known else UNKNOWN)

        def unpack() -> None:
            here = self.host.place()
            self.host.come_to(outside)
            if not self.check_freed(node, (), found):
                self.check_saved(node, (), found)
            self.host.come_to(here)
            if self.has_failed(found):
                raise Raised(None, "RuntimeError")

        try:
            values = node.run(gradient, unpack)
        except Raised:
            if self.has_failed(found):
                return None
            raise
        self.pasts = {}
        if inside or values is None:
            return None
        return {i: None if v is None else self._seen(flow, v) for i, v in enumerate(map(self.state.resolve, values))}

    def _seen(self, flow: Flow, v: Value) -> Gradient:
        """A gradient that the program's own code returns: one that was passed to it, or a new one."""
        if not isinstance(v, Tensor):
            return UNKNOWN
        times = bounds([one for _, one in self.state.alternatives(self.version(v))])
        known = next((one for one, shown in flow.shown if shown is v), None)
        if known is not None:
            if known.memory is not None and (known.low, known.high) != times:
                flow.written(known.memory, times)
            return replace(known, low=times[0], high=times[1])
        g = v.geometry
        spread, dense = (g.overlaps_itself(), g.is_dense()) if g is not None else (None, None)
        if dense is None:
            return replace(UNKNOWN, spread=None)
        old = v.uid < flow.began  # somebody has it
        one = replace(flow.made(NEW), dense=dense, free=dense and not old, low=times[0], high=times[1], spread=spread)
        if old:
            flow.hold(one)
        flow.shown.append((one, v))
        return one

    def _capture(self, inputs: Sequence[Tensor], flow: Flow) -> None:
        """`torch.autograd.grad` takes the gradients of its inputs as the hooks there leave them."""
        makers: dict[tuple[int, int], tuple[Node | Tensor, Tensor]] = {}
        for t in inputs:
            if isinstance(made := self._maker(t), (Node, Tensor)):
                makers[made.uid, self.output_nr(t)] = made, t
        for (_, nr), (made, t) in makers.items():
            hooks = made.hooks.get(nr, ()) if isinstance(made, Node) else made.hooks
            buffer = flow.buffers.get(made.uid, {})
            if nr in buffer:
                buffer[nr] = self._through_hooks(flow, t, hooks, buffer[nr])
            elif not flow.known:
                self._through_hooks(flow, t, hooks, UNKNOWN)

    def _free(self, node: Node, guards: Guards) -> None:
        freed: Value = self.host.here.site
        if len(guards) <= budget.LIMITS.links:
            for cond, holds in reversed(guards):
                freed = self.state.merge(cond, *((freed, node.freed) if holds else (node.freed, freed)))
            self.state.put(node, Node.freed, freed)

    def _accumulate(self, leaf: Tensor, nodes: Mapping[Node, Grad] | None, flow: Flow) -> None:
        """`AccumulateGrad`: the first gradient is stored, later ones are added in place.

        With create_graph, `nodes` are the nodes that the gradient came through, and the sum is a new tensor.
        """
        if not flow.known:
            self._through_hooks(flow, leaf, leaf.hooks, UNKNOWN)
        self._add_gradient(leaf, nodes, flow)
        for hook in self.state.tuple_of(leaf.post_accumulate_hooks):
            self.host.call(hook, Args([leaf], site=self.host.here.site))

    def _add_gradient(self, leaf: Tensor, nodes: Mapping[Node, Grad] | None, flow: Flow) -> None:
        old = self.state.resolve(leaf.grad)
        if isinstance(old, Tensor) and nodes is None:
            self.bump(old, "backward()", by="library")
            return
        taken = flow.tensor(flow.stolen.get(leaf.uid)) if nodes is None else None
        grad = self.alias(taken) if taken is not None else self.tensor(leaf.geometry_, leaf.dtype_)
        if not isinstance(old, Tensor) and taken is None:
            self.counter(grad).current = Version(*flow.stored.get(leaf.uid, (0, None)))
        self._set_gradient(leaf, grad, nodes)

    def _set_gradient(self, t: Tensor, grad: Tensor, nodes: Mapping[Node, Grad] | None) -> None:
        """Give a tensor its `.grad`: computed by `nodes` if it can be differentiated, and from the one that it had."""
        old = self.state.resolve(t.grad)
        grad.label = f"{t.name}.grad" if t.name else None
        if nodes is not None:
            self.set_history(grad, self.derived(nodes, [t], [old] if isinstance(old, Tensor) else []))
        self.state.put(t, Tensor.grad, grad)

    def _keep_gradients(self, ran: Sequence[Node], roots: Sequence[Value], create: bool) -> None:
        """`retain_grad_hook` (`torch/csrc/autograd/variable.cpp`): a copy of the gradient, or another sum with it."""
        for node in ran:
            for t in (t for t in node.outputs if t.retains_grad is True):
                makers = [fn for _, fn in self.state.alternatives(t.grad_fn)]
                if node not in makers:
                    continue
                if not all(isinstance(fn, Node) for fn in makers):
                    self.state.put(t, Tensor.grad, Unknown("the gradient"))
                    continue
                grad = self.tensor(Geometry.contiguous(t.shape) if t.shape is not None else None, t.dtype)
                self._set_gradient(t, grad, self.reached(roots, [t]) if create else None)

    def gradient(self, t: Tensor, flow: Flow, one: Gradient | None) -> Tensor:
        """The gradient of a tensor as a tensor; None for zeros that are made in its place."""
        if one is None:
            return self.tensor(Geometry.contiguous(t.shape) if t.shape is not None else None, t.dtype)
        found = flow.tensor(one)
        g = found or self.tensor(gradient_geometry(t, one), t.dtype)
        if found is None:
            near = next((shown for known, shown in flow.shown if known.memory == one.memory is not None), None)
            if near is not None:
                g.storage, g.version_counter = near.storage, near.version_counter
            if (one.spread or one.viewed) and not flow.create:  # a view that the engine made
                self.as_view(g)
            flow.shown.append((one, g))
        now = self.version(g)
        if not isinstance(now, Version) or (now.low, now.high) != (one.low, one.high):
            self.state.put(self.counter(g), Counter.current, Version(one.low, one.high))
        if g.base is not None:
            g.attr_version = self.version(g)
        return g

    def derived(
        self, nodes: Mapping[Node, Grad], wanted: Sequence[Tensor], given: Sequence[Tensor] = ()
    ) -> Node | None:
        """The node of a gradient that was made with create_graph: it needs what the nodes behind it have saved.

        There is none if their formulas use nothing that requires grad: the gradient of a sum is a constant.
        It leads to the nodes that have saved their own results, and to those of a checkpoint, which read them again.
        `given` are further tensors that it is computed from.
        """
        read = self._read(list(nodes), wanted)
        needs = self._depends(read)
        for t in given:
            needs = either(needs, self.requires_grad(t))
        again = [n for n in nodes if n.name == CHECKPOINT]
        saved = tuple(dict.fromkeys(under(s, when) for n, when in nodes.items() if n not in again for s in read[n]))
        hidden = [] if all(n.is_plain for n in nodes) else wanted
        inside = [t for n in again for t in n.outputs]
        node = self.node(DERIVED, [*(s.tensor for s in saved), *inside, *given, *hidden], needs)
        if node is not None:
            node.holds = True
            node.saved = tuple(s for s in saved if s.role != "result")
            fed = [one for one in node.fed if one is not None]
            open_ = {i: conditions(s.when) for i, s in enumerate(saved)}
            node.edges = tuple(gated(e, open_.get(i, ())) for e, (i, _) in zip(node.edges, fed, strict=True))
            node.edges += tuple(one for n in nodes for one in n.copied)
        return node

    def _read(self, nodes: Sequence[Node], wanted: Sequence[Tensor]) -> dict[Node, tuple[SavedTensor, ...]]:
        """What each node reads of its saved tensors, to compute the gradients of some tensors."""
        inside = {n.uid for n in nodes} | {
            one.uid for one in map(self._maker, wanted) if isinstance(one, (Node, Tensor))
        }
        found: dict[Node, tuple[SavedTensor, ...]] = {}
        for n in nodes:
            known = len(n.fed) == len(n.edges) and all(isinstance(edge, (Node, Tensor)) for edge in n.edges)
            ways = [fed for edge, fed in zip(n.edges, n.fed, strict=False) if not known or edge.uid in inside]
            asked = {n.roles[fed[0]] for fed in ways if fed is not None and 0 <= fed[0] < len(n.roles)}
            all_of = not known or len(asked) < len(ways) or any(role.startswith("self") for role in asked)
            found[n] = tuple(s for s in n.saved if all_of or not s.read_for or s.read_for & asked)
        return found

    def _depends(self, read: Mapping[Node, Sequence[SavedTensor]]) -> Grad:
        """Whether a gradient that came through these nodes requires grad itself."""
        found: Grad = False
        for n, saved in read.items():
            for s in saved:
                found = either(found, self.requires_grad(s.tensor))
            for one in n.copied:
                found = either(found, one.when if isinstance(one, Node) else True)
            made = n.function if isinstance(n.function, Node) else n
            if made.holds is not False and not (made.is_plain and made.saved):
                text = f"{n.called} keeps something for itself that the gradient depends on"
                found = either(found, frozenset({Cond((text, n.uid), "guess", text, n.site)}))
        return found


def under(saved: SavedTensor, when: Grad) -> SavedTensor:
    """What a node has saved, read under a condition."""
    if not isinstance(when, frozenset):
        return saved
    both = [
        together((*parts_of(a), *parts_of(b)))
        for a in when
        for b in (saved.when if isinstance(saved.when, frozenset) else ())
    ]
    return replace(saved, when=frozenset(both) or when)


def gradient_geometry(t: Tensor, one: Gradient) -> Geometry | None:
    """The layout of a gradient: that of its tensor, in memory of its own, or all elements in one place."""
    shape, g = t.shape, t.geometry
    if shape is None or g is None:
        return None
    if one.spread:
        return Geometry.contiguous(()).expand(shape)
    if one.spread is None:
        return Geometry.unknown(shape)
    return replace(g, offset=0) if g.is_dense() else Geometry.contiguous(shape)


CHECKPOINT = "CheckpointFunctionBackward"
"""the node that stands for everything that is run again in backward"""

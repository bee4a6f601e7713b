"""Autograd's machine: grad mode, version counters, views, the graph, and backward.

Each method replays one function of `torch/csrc/autograd`; it is named in the docstring. Nothing here
knows an operator: `torch_ops.py` tells what a call saves, changes and returns, from measured facts.
"""

from __future__ import annotations

import heapq
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..facts.gradients import NEW
from .engine import DERIVED, UNKNOWN, Flow, Times
from .geometry import Geometry, are_apart
from .report import Failure, Hop, Site, Write
from .state import Raised
from .tensors import (
    DEFAULT,
    INFERENCE,
    MULTI_OUTPUT,
    NO_GRAD,
    Counter,
    Grad,
    Node,
    SavedTensor,
    Storage,
    Tensor,
    Version,
    conditions,
    either,
    lie_alike,
    parts_of,
    together,
    ways,
)
from .values import Args, Cond, Phi, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..facts.views import Form
    from .engine import Gradient
    from .machine import Machine
    from .report import Cause, Kind
    from .state import Guards, State
    from .tensors import Answers


class Expected(NamedTuple):
    """That a tensor requires grad, for the program calls backward of it: one of the `ways` holds that make it so."""

    ways: frozenset[Cond]
    cond: Cond


class Autograd:
    """The state of autograd and its transitions, for one machine."""

    def __init__(self, machine: Machine) -> None:
        self.m = machine
        self.state: State = machine.state
        self.mode: dict[str, Value] = {"grad": True, "inference": False, "hooks": None}
        self.state.scoped.add(id(self.mode))
        self.order = 0
        self.nodes: list[Node] = []
        self.unpacking: dict[int, Callable[[], None]] = {}
        """of each custom function's `ctx` whose backward runs and has not read what it saved: how that is unpacked"""
        self.pasts: dict[tuple[int, frozenset[tuple[Cond, bool]]], Past] = {}
        self.expected: Expected | None = None

    def set_modes(self, modes: dict[str, Value]) -> None:
        """Set several modes at once."""
        for k, v in modes.items():
            self.state.set(self.mode, k, v)

    # -- making tensors -------------------------------------------------------------------------

    def tensor(self, geometry: Geometry | None = None, dtype: str | None = None, requires_grad: Grad = False) -> Tensor:
        """A new tensor with memory and a counter of its own."""
        site = self.m.site
        t = Tensor(Storage(site), Counter(not self.mode["inference"]), site)
        d = t.d
        d["geometry"], d["dtype"], d["rg"] = geometry, dtype, requires_grad
        d["inference"] = self.mode["inference"]
        return t

    def alias(self, t: Tensor, own_counter: bool = False) -> Tensor:
        """Another tensor over `t`'s memory, unrelated to it for autograd: detach(), or `.data` with its own counter."""
        get = self.state.resolve
        counter = Counter(not self.mode["inference"]) if own_counter else get(t.d["counter"])
        new = Tensor(get(t.d["storage"]), counter, self.m.site)
        new.d["geometry"], new.d["dtype"], new.d["inference"] = t.d["geometry"], t.d["dtype"], t.d["inference"]
        new.d["twin"] = t.d["twin"] or t
        new.label = t.label
        return new

    def view(self, t: Tensor, geometry: Geometry | None, meta: str = DEFAULT, output_nr: int = 0) -> Tensor:
        """A differentiable view (`as_view` in VariableTypeUtils.h, `propagate_creation_meta`)."""
        new = self.alias(t)
        d = new.d
        if t.d["inference"] is True and not self.mode["inference"]:
            d["counter"] = Counter(False)
        d["geometry"], d["twin"] = geometry, None
        if t.d["inference"] is True:
            return new  # autograd sees nothing of it
        if self.mode["inference"] and not t.d["inference"]:
            meta = INFERENCE
        elif self.mode["grad"] is False:
            meta = NO_GRAD
        base = self.state.resolve(t.d["base"])
        inherited = self.state.resolve(t.d["meta"]) if base is not None else DEFAULT
        d["base"] = base if base is not None else t
        d["meta"] = meta if inherited == DEFAULT else inherited
        d["at"] = self.version(new)
        d["output_nr"] = output_nr
        return new

    def as_view(self, t: Tensor) -> None:
        """Make a new tensor a view of another one, which nobody has, where nothing is recorded (`as_view`)."""
        t.d["base"], t.d["meta"] = self.alias(t), NO_GRAD
        t.d["at"] = self.version(t)

    # -- what a tensor is -----------------------------------------------------------------------

    def counter(self, t: Tensor) -> Counter:
        """Its version counter."""
        counter: Counter = self.m.pick(t.d["counter"])
        return counter

    def storage(self, t: Tensor) -> Storage:
        """Its memory."""
        storage: Storage = self.m.pick(t.d["storage"])
        return storage

    def version(self, t: Tensor) -> Value:
        """The present Version of its counter (a Phi where it depends on a branch)."""
        return self.state.resolve(self.counter(t).d["v"])

    def requires_grad(self, t: Tensor) -> Grad:
        """`requires_grad_ || grad_fn_`, and a view's base's (`DifferentiableViewMeta::requires_grad`)."""
        found = self._known_grad(t.d["rg"])
        if found is True:
            return True
        found = either(found, self._known_grad(t.d["fn"]))
        if found is True:
            return True
        base = self.state.resolve(t.d["base"])
        if isinstance(base, Tensor):
            return either(found, self.requires_grad(base))
        return found

    def leads_on(self, t: Tensor) -> Grad:
        """Whether a gradient of a tensor goes anywhere: a view that was made while nothing was recorded is no edge."""
        if t.d["base"] is None:
            return self.requires_grad(t)
        return either(self._known_grad(t.d["rg"]), self._known_grad(self.grad_fn(t)))

    def expect_none(self, t: Tensor) -> None:
        """Take the arguments from which a tensor comes to require no grad: the program does not expect it either."""
        asked = self.requires_grad(t)
        for cond in asked if isinstance(asked, frozenset) else ():
            if cond.kind == "requires-grad":
                self.state.assume(cond, False)

    def _known_grad(self, slot: Value) -> Grad:
        """What a slot that holds a flag or a node says; where only some alternatives do, their conditions."""
        slot = self.state.resolve(slot)
        if type(slot) is not Phi:
            return self._plain_grad(slot)
        found = [(guards, self._plain_grad(v)) for guards, v in self.state.alternatives(slot)]
        if all(here is found[0][1] for _, here in found) and isinstance(found[0][1], bool):
            return found[0][1]
        result: Grad = False
        for guards, here in found:
            if isinstance(here, frozenset):
                result = either(result, frozenset(together((*guards, (cond, True))) for cond in here))
            elif here:
                result = either(result, frozenset({together(guards)}))
        return result

    def _plain_grad(self, v: Value) -> Grad:
        """What one flag or node says under the present assumptions."""
        here: Grad = v if isinstance(v, (bool, frozenset)) else v.when if isinstance(v, Node) else False
        return self._under_assumptions(here) if isinstance(here, frozenset) else here

    def _under_assumptions(self, conds: frozenset[Cond]) -> Grad:
        """What is left to be asked of conditions one of which has to hold."""
        open_: set[Cond] = set()
        for cond in conds:
            parts = parts_of(cond)
            known = [self.state.assumed.get(part.key) for part, _ in parts]
            if any(answer is (not holds) for answer, (_, holds) in zip(known, parts, strict=True)):
                continue
            left = [part for answer, part in zip(known, parts, strict=True) if answer is None]
            if not left:
                return True
            open_.add(together(left))
        return frozenset(open_) if open_ else False

    def grad_fn(self, t: Tensor) -> Value:
        """`VariableHooks::grad_fn`: a view whose family was written since gets its node from the base anew."""
        state = self.state
        fn = state.resolve(t.d["fn"])
        base = state.resolve(t.d["base"])
        if not isinstance(base, Tensor) or (fn is None and not self.requires_grad(base)):
            return fn
        now = self.version(t)
        if state.resolve(t.d["at"]) is now:
            return fn
        state.each(now, partial(self._check_used, t, base))
        needs = self.requires_grad(base)
        self.order += 1
        when = either(needs, self._known_grad(fn))  # it stays part of a graph when its base no longer is
        node = Node("AsStridedBackward0", self.m.site, self.order, self.edges([base]), when)
        node.fed, node.shapes, node.outputs = ((0, 0),), (base.geometry,), (t,)
        node.iterations = self.m.iterations
        state.put(t, "fn", node)
        state.put(t, "at", now)
        return node

    def is_leaf(self, t: Tensor, anew: bool = True) -> bool | None:
        """Whether it has no grad_fn; None where that isn't known.

        Not `anew`: as the C++ side's `is_leaf` has it, which doesn't ask for the node of a view anew.
        """
        fns = [v for _, v in self.state.alternatives(self.grad_fn(t) if anew else self.state.resolve(t.d["fn"]))]
        if all(v is None or v is False for v in fns):
            return True
        if all(isinstance(v, Node) for v in fns):
            whens = {v.when is True for v in fns}
            return False if whens == {True} else None
        return None

    def edges(self, tensors: Iterable[Tensor]) -> tuple[Value, ...]:
        """`collect_next_edges`: each input's node, or the leaf itself where it requires grad."""
        found: list[Value] = []
        for t in tensors:
            if self.requires_grad(t) is False:
                continue
            fn = self.grad_fn(t)
            found.append(t if fn is None else fn)
        return tuple(found)

    # -- recording ------------------------------------------------------------------------------

    @property
    def grad_mode(self) -> bool:
        """Whether operations are recorded here."""
        return self.state.resolve(self.mode["grad"]) is not False and not self.mode["inference"]

    def node(self, name: str, inputs: Sequence[Tensor], when: Grad) -> Node | None:
        """A node whose edges lead to `inputs`; None where nothing is recorded."""
        if when is False or not self.grad_mode:
            return None
        self.order += 1
        ways = [(self.grad_fn(t), i, t) for i, t in enumerate(inputs) if self.requires_grad(t) is not False]
        node = Node(name, self.m.site, self.order, tuple(t if fn is None else fn for fn, _, t in ways), when)
        node.stack = self.m.stack
        node.iterations = self.m.iterations
        node.inputs = tuple(inputs)
        node.fed = tuple((i, t.d["output_nr"]) for _, i, t in ways)
        node.shapes = tuple(t.geometry for t in inputs)
        self.nodes.append(node)
        return node

    def save(
        self,
        node: Node,
        t: Tensor,
        role: str,
        when: Grad = True,
        unread: bool = False,
        form: Form = "view",
        read_for: frozenset[str] = frozenset(),
    ) -> None:
        """`SavedVariable`: remember the tensor with its present version. An inference tensor is refused.

        `form`: as what the operator saves it: an input `itself`, a view of it or a result, or one of its pieces.
        """
        if when is False:
            return
        if t.d["inference"] and not self.mode["inference"]:
            self.fail("inference-tensor", "direct", t, detail="saved")
        hooks = self.mode["hooks"]
        saved = SavedTensor(
            t,
            self.storage(t),
            self.counter(t),
            self.version(t),
            self.state.resolve(self.storage(t).d["w"]),
            role,
            t.name,
            when,
            hooks is None,
            unread,
            self.state.resolve(t.d["shown"]),
            form,
            t.geometry,
            read_for,
        )
        if hooks != "copy":
            node.saved = (*node.saved, saved)

    def set_history(self, t: Tensor, node: Node | None, output_nr: int = 0) -> None:
        """`set_history`: make `node` the grad_fn of a result. Autograd sees nothing of an inference tensor's views."""
        if node is not None and t.d["inference"] is not True:
            t.d["fn"] = node
            t.d["output_nr"] = output_nr
            node.outputs = (*node.outputs, t)

    # -- writing --------------------------------------------------------------------------------

    def _check_used(self, t: Tensor, base: Tensor, version: Value) -> None:
        """A view is used at this version of its family, which a write has led to that the view was not made after.

        A version without a write is the first one, or one of too many.
        """
        if self.state.resolve(t.d["at"]) is not version and isinstance(version, Version) and version.write is not None:
            self.check_view(t, self.requires_grad(base), " indirect", version.write)

    def check_view(self, t: Tensor, needs: Grad, how: str = "", write: Write | None = None) -> None:
        """`handle_view_on_rebase`: some views must not be written in grad mode, nor used after their base was.

        `needs` tells whether there is a gradient to record.
        """
        failure = self._refused(t, how, write)
        if failure is not None:
            self.m.raise_failure(failure, conditions(needs), ways(needs))

    def _refused(self, t: Tensor, how: str, write: Write | None) -> Failure | None:
        """How `handle_view_on_rebase` fails on a view, if it does."""
        meta = self.state.resolve(t.d["meta"])
        if meta == DEFAULT or not isinstance(meta, str):
            return None
        fn = self.state.resolve(t.d["fn"])
        kind: Kind = "no-grad-view-inplace" if meta in (INFERENCE, NO_GRAD) or fn is None else "multi-view-inplace"
        return self._failure(kind, "direct", t, meta + how, write)

    def check_inplace(self, t: Tensor, needs: Grad) -> None:
        """`check_inplace` (VariableTypeUtils.h), before a tensor is written."""
        if needs is False or not self.grad_mode:
            return
        base = self.state.resolve(t.d["base"])
        own = self.requires_grad(t)
        if isinstance(base, Tensor):
            self.check_view(t, needs)
            if own is not False and self.is_leaf(base):
                self._leaf("view-of-leaf-inplace", t, own)
        if own is not False and (self._never_had_node(t) if isinstance(base, Tensor) else self.is_leaf(t)):
            self._leaf("leaf-inplace", t, own)

    def _never_had_node(self, t: Tensor) -> bool:
        """Whether a view counts as a leaf (`VariableHooks::is_leaf`): its base came to be part of a graph later."""
        return all(v is None for _, v in self.state.alternatives(t.d["fn"]))

    def check_counted(self, t: Tensor) -> None:
        """`VariableVersion::bump`: outside of inference mode, a tensor that has no counter isn't written."""
        if t.d["inference"] is True and not self.mode["inference"] and not self.counter(t).counts:
            self.fail("inference-tensor", "direct", t, detail="written")

    def _leaf(self, kind: Kind, t: Tensor, own: Grad) -> None:
        self.fail(kind, "direct", t, guards=conditions(own), ways=ways(own))

    def bump(
        self,
        t: Tensor,
        via: str,
        by: Literal["user", "optimizer", "library"] = "user",
        times: int | Times | None = 1,
        same: bool = False,
        where: Tensor | None = None,
    ) -> None:
        """`increment_version` after a change of content; `times` None where the number of bumps isn't known.

        A change of no bump is silent: no counter moves, but what was saved of the memory is another content now.
        `same`: the content was written that was there. `where`: the view of it that was written, if it is one.
        """
        state = self.state
        reach = (t if where is None else where).geometry
        counter, storage = self.counter(t), self.storage(t)
        old = self.version(t)
        low, high = bounds([v for _, v in state.alternatives(old)])
        least, most = times if isinstance(times, tuple) else (1 if times is None else times, times)
        if most == 0:
            self.write_silently(storage, via, self.m.written or t.name, low, by, reach)
            return
        if by == "user":
            self.check_counted(t)
        after_low = low + least
        after_high = None if high is None or most is None else high + most
        exact = low if low == high else None
        after = after_low if after_low == after_high else None
        name, recorded = self.m.written or t.name, self.grad_mode
        write = Write(self.m.site, via, name, exact, after, by, self.m.stack, self.m.constructor, recorded)
        state.put(counter, "v", Version(after_low, after_high, old, write))
        if not same:
            state.put(storage, "w", Version(0, 0, state.resolve(storage.d["w"]), write, reach))

    def write_silently(
        self,
        storage: Storage,
        via: str,
        name: str | None = None,
        version: int | None = None,
        by: Literal["user", "optimizer", "library"] = "user",
        reach: Geometry | None = None,
    ) -> None:
        """Change memory where no version counter sees it (`.data`, NumPy, a fused kernel)."""
        write = Write(self.m.site, via, name, version, version, by, self.m.stack, recorded=self.grad_mode)
        self.state.put(storage, "w", Version(0, 0, self.state.resolve(storage.d["w"]), write, reach))

    def are_one(self, a: Tensor, b: Tensor) -> bool:
        """Whether two tensors are the same elements of the same memory."""
        g = a.geometry
        alike = lie_alike(a, b) or (g is not None and g == b.geometry)
        return a is b or (alike and self.storage(a) is self.storage(b))

    def show(self, t: Tensor, storage: Storage, via: str, by: Literal["user", "optimizer", "library"] = "user") -> None:
        """`set_data` (`torch/csrc/autograd/variable.cpp`): a tensor shows other memory; its counter doesn't move."""
        if storage is self.storage(t):
            return
        v = self.version(t)
        number = v.number if isinstance(v, Version) else None
        name, recorded = self.m.written or t.name, self.grad_mode
        write = Write(self.m.site, via, name, number, number, by, self.m.stack, recorded=recorded)
        self.state.put(t, "shown", Version(0, 0, self.state.resolve(t.d["shown"]), write))
        self.state.put(t, "storage", storage)

    def rebase(self, t: Tensor, node: Node | None) -> Node | None:
        """`rebase_history`: the written tensor's (for a view: its base's) node becomes `node`; returns what did."""
        if node is None:
            return None
        state = self.state
        base = state.resolve(t.d["base"])
        if isinstance(base, Tensor):
            own = self.edges([base])
            copy = Node("CopySlices", node.site, node.order, (*own, *node.edges), node.when)
            copy.fed = (*((-1, 0) for _ in own), *(None if one and one[0] == 0 else one for one in node.fed))
            copy.op, copy.roles, copy.shapes = node.op, node.roles, node.shapes
            copy.saved, copy.stack, copy.iterations = node.saved, node.stack, node.iterations
            copy.holds = True  # the function itself, which `CopySlices::release_variables` lets go of
            copy.function, copy.run = node, node.run
            g = t.geometry
            if own and g is not None and g.overlaps_itself():
                copy.d["spread"] = t
            state.put(base, "fn", copy)
            copy.outputs = (base,)
            state.put(t, "fn", None)
            self.grad_fn(t)
            return copy
        state.put(t, "fn", node)
        node.outputs = (*node.outputs, t)
        return node

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
        `begun`: how often the gradient that it begins with was written. `expected`: what the program shows to expect.
        Records a failure where a node on the way is freed or its saved tensor is stale.
        Returns the gradients.
        """
        order, leaves = self._reachable(roots, inputs)
        goals = None
        if not accumulate:
            goals = {one.uid for one in map(self._maker, inputs) if isinstance(one, (Node, Tensor))}
        flow = Flow(list(dict.fromkeys(node for node, _ in order)), goals, create, begun)
        with self._engine(create, expected):
            self.m.raise_collected(self._unpack(order, flow))
            if not retain:
                for node, guards in order:
                    if node.holds is not False:
                        self._free(node, guards)
            if accumulate:
                for leaf in leaves:
                    nodes = self.reached(roots, [leaf]) if create else None
                    self._accumulate(leaf, nodes, flow)
            else:
                self._capture(inputs, flow)
        return flow

    def _maker(self, t: Tensor) -> Value:
        """What a gradient of a tensor goes to: its node, or the leaf itself."""
        return self.grad_fn(t) or t

    @contextmanager
    def _engine(self, create: bool, expected: Expected | None) -> Iterator[None]:
        """What hooks and custom functions find while the engine runs them: grad mode is on with `create_graph`."""
        mode, running, before = self.mode["grad"], self.m.explain.running, self.expected
        self.state.set(self.mode, "grad", create)
        self.expected = expected
        try:
            yield
        finally:
            self.state.set(self.mode, "grad", mode)
            self.m.explain.running, self.expected = running, before

    def _reachable(
        self, roots: Sequence[Value], inputs: Sequence[Tensor]
    ) -> tuple[list[tuple[Node, Guards]], list[Tensor]]:
        """The nodes that a backward runs, in the engine's order, with the ways to them; and the leaves it reaches.

        A node comes after all that lead to it, so that the ways to it are known when it is left.
        """
        wanted = self._leads_to(roots, inputs) if inputs else None
        ways: dict[Node, list[Guards]] = {}
        leaves: dict[int, Tensor] = {}
        todo: list[tuple[int, int, Node]] = []

        def reach(value: Value, guards: Guards) -> None:
            for more, v in self.state.alternatives(value, guards):
                if isinstance(v, Tensor):
                    leaves[v.uid] = v
                if not isinstance(v, Node) or (wanted is not None and v.uid not in wanted):
                    continue
                if v not in ways:
                    ways[v] = []
                    heapq.heappush(todo, (-v.order, v.uid, v))
                add_way(ways[v], more)

        for root in roots:
            reach(root, ())
        found: list[tuple[Node, Guards]] = []
        while todo:
            *_, node = heapq.heappop(todo)
            for guards in ways[node]:
                found.append((node, guards))
                for edge in node.edges:
                    reach(edge, guards)
        return found, list(leaves.values())

    def reached(self, roots: Sequence[Value], inputs: Sequence[Tensor]) -> list[Node]:
        """The nodes that a backward from `roots` runs."""
        return list(dict.fromkeys(node for node, _ in self._reachable(roots, inputs)[0]))

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

    def _unpack(self, order: list[tuple[Node, Guards]], flow: Flow) -> list[tuple[Failure, Guards]]:
        """Check every node in the engine's order. Nothing after a certain freed node is reached."""
        found: list[tuple[Failure, Guards]] = []
        self.m.explain.running = list(dict.fromkeys(node for node, _ in order))
        self.pasts = {}
        for node, paths in groupby(order, key=itemgetter(0)):
            failed = any(not on for _, on in found)
            given = self._arrive(node, flow, failed)
            made: Mapping[int, Gradient | None] | None = None
            for _, guards in paths:
                runs = node.run is not None and node.when is True and not guards and not found
                if runs and not isinstance(node.function, Node):
                    made = self._run(node, given, flow, found)
                elif self._check_freed(node, guards, found) or self._check_spread(node, guards, found):
                    return found
                elif runs:
                    self._run(node, given, flow, found)
                else:
                    self._check_all(node, guards, found)
                if runs and any(not on for _, on in found):
                    return found
            for leaf in flow.leave(node, given, made):
                hooks = () if failed else leaf.d.get("hooks", ())
                flow.store(leaf.uid, partial(self._through_hooks, flow, leaf, hooks))
        return found

    def _needed(self, when: Grad) -> Answers:
        """The open conditions of a node; where `expected` implies several, or what nobody can know, that alone.

        An unknown value from which the expected tensor may have its gradient is one that may well require grad, what a
        call has given sooner than data.
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
        return replace(cond, kind="requires-grad") if cond.kind == "may-require-grad" and cond in ways else cond

    def _check_freed(self, node: Node, guards: Guards, found: list[tuple[Failure, Guards]]) -> bool:
        """Whether it is certain that a node was freed, or that another failed before it."""
        for more, freed in self.state.alternatives(node.d["freed"], guards):
            if isinstance(freed, Site) and node.holds is not False:
                if any(not g for _, g in found):
                    return True
                on = (*more, *self._needed(node.when), *conditions(node.holds))
                found.append((self.m.explain.freed(node, freed), on))
                if not on:
                    return True
        return False

    def _check_spread(self, node: Node, guards: Guards, found: list[tuple[Failure, Guards]]) -> bool:
        """Whether it is certain that a gradient would be written as an expanded view lies."""
        if "spread" not in node.d or any(not on for _, on in found):
            return False
        found.append((self.m.explain.spread(node, node.d["spread"]), (*guards, *self._needed(node.when))))
        return not found[-1][1]

    def _check_all(self, node: Node, guards: Guards, found: list[tuple[Failure, Guards]]) -> None:
        """Unpack all that a node has saved."""
        if node.d["freed"] is False:
            for saved in node.saved:
                on = (*guards, *self._needed(node.when), *conditions(saved.when))
                found += self._check_saved(node, saved, on)

    def _arrive(self, node: Node, flow: Flow, failed: bool) -> dict[int, Gradient]:
        """What a node is given, once its hooks have seen it, which may change what is still to be unpacked."""
        given = flow.arrive(node) if flow.known else {}
        for slot in [key for key in node.d if type(key) is tuple and key[0] == "hooks" and not failed]:
            nr = slot[1]
            t = next((t for t in node.outputs if t.d["output_nr"] == nr), None)
            if t is not None and (nr in given or not flow.known):
                given[nr] = self._through_hooks(flow, t, node.d[slot], given.get(nr, UNKNOWN))
        return given

    def _through_hooks(self, flow: Flow, t: Tensor, hooks: Value, one: Gradient) -> Gradient:
        """The gradient of a tensor after its hooks: what they give, or what they were given, as they leave it."""
        called = self.m.tuple_of(hooks)
        if not called:
            return one
        g: Value = self.gradient(t, flow, one)
        kept = False
        for hook in called:
            made = self.state.resolve(self.m.call(hook, Args([g], site=self.m.site)))
            self.pasts = {}
            kept = kept or made is None  # that is what it was called for, maybe
            g = g if made is None else made
        seen = self._seen(flow, g)
        return flow.exchange(one, replace(UNKNOWN, spread=seen.spread) if kept else seen)

    def _run(
        self, node: Node, given: Mapping[int, Gradient], flow: Flow, found: list[tuple[Failure, Guards]]
    ) -> Mapping[int, Gradient | None] | None:
        """Run the backward of a custom function: what it gives for each of its node's inputs, where that is known.

        What the function has saved is unpacked where it asks for it, and only then.
        """
        assert node.run is not None
        inside = isinstance(node.function, Node)  # `CopySlices` hands it a copy
        outside = self.m.place()

        def gradient(t: Tensor, nr: int) -> Tensor:
            zeros = flow.made(replace(NEW, low=1, high=1))
            return self.gradient(t, flow, flow.made(NEW) if inside else given.get(nr, zeros) if flow.known else UNKNOWN)

        def unpack() -> None:
            here = self.m.place()
            self.m.come_to(outside)
            if not self._check_freed(node, (), found):
                self._check_all(node, (), found)
            self.m.come_to(here)
            if any(not on for _, on in found):
                raise Raised(None, "RuntimeError")

        try:
            values = node.run(gradient, unpack)
        except Raised:
            if any(not on for _, on in found):
                return None
            raise
        self.pasts = {}
        if inside or values is None:
            return None
        return {i: None if v is None else self._seen(flow, v) for i, v in enumerate(map(self.state.resolve, values))}

    def _seen(self, flow: Flow, v: Value) -> Gradient:
        """A gradient that the program's own code gives: one that it was given, or one that it has just made."""
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
        if dense is None or v.uid < flow.began:
            return replace(UNKNOWN, spread=False if dense else None)
        one = replace(flow.made(NEW), dense=dense, free=dense, low=times[0], high=times[1], spread=spread)
        flow.shown.append((one, v))
        return one

    def _capture(self, inputs: Sequence[Tensor], flow: Flow) -> None:
        """`torch.autograd.grad` takes the gradients of its inputs as the hooks there have left them."""
        for made, t in {made: t for t in inputs if isinstance(made := self._maker(t), (Node, Tensor))}.items():
            nr = t.d["output_nr"]
            hooks = made.d.get(("hooks", nr) if isinstance(made, Node) else "hooks", ())
            buffer = flow.buffers.get(made.uid, {})
            if nr in buffer:
                buffer[nr] = self._through_hooks(flow, t, hooks, buffer[nr])
            elif not flow.known:
                self._through_hooks(flow, t, hooks, UNKNOWN)

    def _check_saved(self, node: Node, saved: SavedTensor, guards: Guards) -> list[tuple[Failure, Guards]]:
        """`SavedVariable::unpack`: compare the versions; where they agree, the content may still differ."""
        if not saved.checked:
            return []
        now = self.state.resolve(saved.counter.d["v"])
        found = self._check_node(saved, now, guards)
        if now is not saved.version and not found:
            for on, write in self._changes(now, saved.version, guards):
                found.append((self.m.explain.stale(node, saved, write), on))
        if not found and not saved.unread:
            content = self.state.resolve(saved.storage.d["w"])
            changes = self._changes(content, saved.content, guards, saved.geometry)
            if saved.form == "itself":
                changes += self._changes(self.state.resolve(saved.tensor.d["shown"]), saved.shown, guards)
            for on, write in changes:
                self.m.report(self.m.explain.silent(node, saved, write), on)
        return found

    def _check_node(self, saved: SavedTensor, now: Value, guards: Guards) -> list[tuple[Failure, Guards]]:
        """Before versions are compared, an input is asked for its node, which a view gets anew from its base."""
        t, base = saved.tensor, self.state.resolve(saved.tensor.d["base"])
        if saved.form == "pieces" and self.requires_grad(t) is True:
            changes = self._changes(now, saved.version, guards)
            how = f"{MULTI_OUTPUT} indirect"
            return [(self._failure("multi-view-inplace", "direct", t, how, write), on) for on, write in changes]
        if saved.role == "result" or not isinstance(base, Tensor) or self.state.resolve(t.d["at"]) is now:
            return []
        if self.state.resolve(t.d["fn"]) is None and self.requires_grad(base) is not True:
            return []
        changes = self._changes(now, self.state.resolve(t.d["at"]), guards)
        told = [(self._refused(t, " indirect", write), on) for on, write in changes]
        return [(failure, on) for failure, on in told if failure is not None]

    def _changes(
        self, now: Value, then: Value, guards: Guards, of: Geometry | None = None
    ) -> list[tuple[Guards, Write]]:
        """What moved a version on from `then`, for each alternative of `now` that certainly came after it.

        `of`: the part of the memory that matters, where not all of it does.
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
        """The way back from a version under some answers, which one backward walks once."""
        key = (id(version), frozenset(guards))
        past = self.pasts.get(key)
        if past is None:
            past = self.pasts[key] = Past(self.state, version, dict(guards))
        return past

    def _free(self, node: Node, guards: Guards) -> None:
        if not guards:
            self.state.put(node, "freed", self.m.site)
        elif len(guards) == 1:
            cond, holds = guards[0]
            old = node.d["freed"]
            pair = (self.m.site, old) if holds else (old, self.m.site)
            self.state.put(node, "freed", self.state.merge(cond, *pair))

    def _accumulate(self, leaf: Tensor, nodes: Sequence[Node] | None, flow: Flow) -> None:
        """`AccumulateGrad`: the first gradient is stored, later ones are added in place.

        With create_graph, `nodes` are those that the gradient came through, and the sum is a new tensor.
        """
        if not flow.known:
            self._through_hooks(flow, leaf, leaf.d.get("hooks", ()), UNKNOWN)
        self._add_gradient(leaf, nodes, flow)
        for hook in self.m.tuple_of(leaf.d.get("accumulated", ())):
            self.m.call(hook, Args([leaf], site=self.m.site))

    def _add_gradient(self, leaf: Tensor, nodes: Sequence[Node] | None, flow: Flow) -> None:
        old = self.state.resolve(leaf.d["grad"])
        if isinstance(old, Tensor) and nodes is None:
            self.bump(old, "backward()", by="library")
            return
        taken = flow.tensor(flow.stolen.get(leaf.uid)) if nodes is None else None
        grad = self.alias(taken) if taken is not None else self.tensor(leaf.d["geometry"], leaf.d["dtype"])
        grad.label = f"{leaf.name}.grad" if leaf.name else None
        if not isinstance(old, Tensor) and taken is None:
            grad.d["counter"].d["v"] = Version(*flow.stored.get(leaf.uid, (0, None)))
        if nodes is not None:
            self.set_history(grad, self.derived(nodes, [leaf], [old] if isinstance(old, Tensor) else []))
        self.state.put(leaf, "grad", grad)

    def gradient(self, t: Tensor, flow: Flow, one: Gradient | None) -> Tensor:
        """The tensor that a gradient of another one is, None of zeros that are made in its place."""
        if one is None:
            return self.tensor(Geometry.contiguous(t.shape) if t.shape is not None else None, t.dtype)
        found = flow.tensor(one)
        g = found or self.tensor(gradient_geometry(t, one), t.dtype)
        if found is None:
            near = next((shown for known, shown in flow.shown if known.memory == one.memory is not None), None)
            if near is not None:
                g.d["storage"], g.d["counter"] = near.d["storage"], near.d["counter"]
            if (one.spread or one.viewed) and not flow.create:  # a view that the engine made
                self.as_view(g)
            flow.shown.append((one, g))
        now = self.version(g)
        if not isinstance(now, Version) or (now.low, now.high) != (one.low, one.high):
            self.state.put(self.counter(g), "v", Version(one.low, one.high))
        g.d["at"] = self.version(g)
        return g

    def derived(self, nodes: Sequence[Node], wanted: Sequence[Tensor], given: Sequence[Tensor] = ()) -> Node | None:
        """The node of a gradient that was made with create_graph: it needs what the nodes behind it have saved.

        There is none where their formulas use nothing that requires grad: the gradient of a sum is a constant.
        It leads to the nodes that have saved their own results, and to those of a checkpoint, which read them again.
        `given` are further tensors that it is made of.
        """
        read = self._read(nodes, wanted)
        needs = self._depends(read)
        for t in given:
            needs = either(needs, self.requires_grad(t))
        again = [n for n in nodes if n.name == CHECKPOINT]
        saved = tuple(dict.fromkeys(saved for n in nodes if n not in again for saved in read[n]))
        hidden = [] if all(n.is_plain for n in nodes) else wanted
        inside = [t for n in again for t in n.outputs]
        node = self.node(DERIVED, [*(s.tensor for s in saved), *inside, *given, *hidden], needs)
        if node is not None:
            node.holds = True
            node.saved = tuple(s for s in saved if s.role != "result")
            node.edges += tuple(one for n in nodes for one in n.copied)
        return node

    def _read(self, nodes: Sequence[Node], wanted: Sequence[Tensor]) -> dict[Node, tuple[SavedTensor, ...]]:
        """What each node reads of what it has saved to compute the gradients of some tensors."""
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

    # -- failing --------------------------------------------------------------------------------

    def fail(
        self,
        kind: Kind,
        cause: Cause,
        t: Tensor | None,
        guards: Guards = (),
        detail: str = "",
        write: Write | None = None,
        ways: Sequence[Guards] = (),
        **facts: object,
    ) -> None:
        """Record a failure that raises here; the path ends unless the failure rests on an assumption (`guards`)."""
        self.m.raise_failure(self._failure(kind, cause, t, detail, write, facts), guards, ways)

    def _failure(
        self,
        kind: Kind,
        cause: Cause,
        t: Tensor | None,
        detail: str,
        write: Write | None,
        facts: dict[str, object] | None = None,
    ) -> Failure:
        """A failure that raises here."""
        name = self.m.written or (t.name if t is not None else None)
        hops: tuple[Hop, ...] = ()
        if t is not None and t.origin is not None and t.origin is not self.m.site:
            hops = (Hop(t.origin, "built", t.name),)
        if write is not None:
            hops += (Hop(write.site, "changed", write.name, write.after, write.via),)
        site = self.m.site
        return Failure(
            *(kind, cause, site, name, self.m.via),
            write=write,
            hops=hops,
            raised=site,
            detail=detail,
            facts=facts or {},
        )


class Past:
    """The way back from a version, walked as far as one asks.

    At a branch whose answer isn't known it goes by the first side that has a version: both come from the same one.
    """

    def __init__(self, state: State, version: Value, known: Mapping[Cond, bool]) -> None:
        self.state = state
        self.known = known
        self.at: Value = version
        self.followers: dict[int, Version] = {}
        """of each version met, by its `id` (a Phi's too): the one that followed it"""

    def after(self, version: Value, of: Geometry | None = None) -> Write | None:
        """The write that followed a version, the first one that reached `of`; None where it isn't met on this way."""
        while id(version) not in self.followers and self._step():
            pass
        found = self.followers.get(id(version))
        while found is not None and of is not None and found.reach is not None and are_apart(found.reach, of):
            found = self.followers.get(id(found))
        return found.write if found is not None else None

    def _step(self) -> bool:
        """Go back over one write; whether there was one."""
        version = self.at
        if not isinstance(version, Version) or version.write is None:
            return False
        self.at = None
        self.followers.setdefault(id(version.prev), version)
        todo: list[Value] = [version.prev]
        while todo:
            v = self.state.resolve(todo.pop())
            if type(v) is Phi:
                holds = self.known.get(v.cond)
                todo += [v.orelse, v.then] if holds is None else [v.then if holds else v.orelse]
                continue
            self.followers.setdefault(id(v), version)
            if self.at is None:
                self.at = v
        return True


def gradient_geometry(t: Tensor, one: Gradient) -> Geometry | None:
    """How a gradient lies: as the tensor does, in memory of its own, or all of it in one place."""
    shape, g = t.shape, t.geometry
    if shape is None or g is None:
        return None
    if one.spread:
        return Geometry.contiguous(()).expand(shape)
    if one.spread is None:
        return Geometry.unknown(shape)
    return replace(g, offset=0) if g.is_dense() else Geometry.contiguous(shape)


CHECKPOINT = "CheckpointFunctionBackward"
"""the node that stands for all that is run again in backward"""

MAX_WAYS = 4
"""So many conditions are told apart under which a backward reaches one node."""


def add_way(known: list[Guards], guards: Guards) -> None:
    """Add the conditions of one more way to a node to those known, unless they tell nothing new.

    Two ways on the two sides of one branch are one way that doesn't rest on it. Of too many, those that rest
    on least are kept.
    """
    here = set(guards)
    if any(here.issuperset(other) for other in known):
        return
    for other in known:
        apart = here.symmetric_difference(other)
        if len(apart) == 2 and len({cond for cond, _ in apart}) == 1:
            known.remove(other)
            add_way(known, tuple(g for g in guards if g not in apart))
            return
    known[:] = [other for other in known if not here.issubset(other)]
    known.append(guards)
    if len(known) > MAX_WAYS:
        known.remove(max(known, key=len))


def bounds(versions: Sequence[Version]) -> tuple[int, int | None]:
    """The lowest and highest number of several versions (None: no bound)."""
    low = min(v.low for v in versions)
    high = None if any(v.high is None for v in versions) else max(v.high or 0 for v in versions)
    return low, high

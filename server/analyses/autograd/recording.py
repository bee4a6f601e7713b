"""Autograd's graph as a program records it: grad mode, tensors and their views, version counters, nodes.

Each method replays one function of `torch/csrc/autograd`; it is named in the docstring. Nothing here knows an
operator: `operators/replay.py` says, from measured facts, what a call saves, changes and returns, and asks for it in
PyTorch's order. For `y.add_(1)`, where `y` is a view of `x`:

    check_inplace(y, …)         # may it be changed? not if it is a leaf that requires grad
    node("AddBackward0", [y])   # the node of the change
    bump(y, "add_")             # moves the counter, which x and all its views share
    rebase(y, node)             # x's history is now CopySlices of that node; y gets a new one when it is asked for
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from ..domain.report import LATE, Failure, Hop, Write
from ..domain.values import ABSENT, Cond, Phi, Value
from .regions import are_apart
from .tensors import (
    DEFAULT,
    INFERENCE,
    NO_GRAD,
    Counter,
    Grad,
    Node,
    SavedTensor,
    Storage,
    Tensor,
    Unmarked,
    Version,
    chosen,
    conditions,
    either,
    in_order,
    lie_alike,
    parts_of,
    together,
    ways,
)
from .versions import bounds

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from ...facts.views import Form
    from ..domain.paths import Guards, State
    from ..domain.report import Cause, Kind
    from .geometry import Geometry
    from .gradients import Times
    from .host import Host


def is_beside(t: Tensor, one: Unmarked) -> bool:
    """Whether a tensor has no element in common with what was changed."""
    return t.geometry is not None and one.reach is not None and are_apart(t.geometry, one.reach)


class Graph:
    """The state of autograd and what records in it, for one machine; `backward.py` runs backward through it."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.state: State = host.state
        self.mode: dict[str, Value] = {"grad": True, "inference": False, "hooks": None}
        self.state.scoped.add(id(self.mode))
        self.order = 0
        self.nodes: list[Node] = []
        self.unmarked: dict[Storage, Unmarked] = {}
        """the last change of each memory that a custom function has made without marking it"""

    def set_modes(self, modes: dict[str, Value]) -> None:
        """Set several modes at once."""
        for k, v in modes.items():
            self.state.set(self.mode, k, v)

    @contextmanager
    def within(self, **modes: Value) -> Iterator[None]:
        """While this lasts, these modes hold: `within(grad=False)` is `torch.no_grad()`."""
        before = {k: self.mode.get(k) for k in modes}
        self.set_modes(modes)
        try:
            yield
        finally:
            self.set_modes(before)

    # -- making tensors -------------------------------------------------------------------------

    def tensor(
        self, geometry: Geometry | Phi | None = None, dtype: str | Phi | None = None, requires_grad: Grad = False
    ) -> Tensor:
        """A new tensor with its own memory and counter."""
        site = self.host.here.site
        t = Tensor(Storage(site), Counter(not self.mode["inference"]), site)
        t.geometry_, t.dtype_, t.requires_grad_ = geometry, dtype, requires_grad
        t.is_inference = self.mode["inference"]
        return t

    def alias(self, t: Tensor, own_counter: bool = False) -> Tensor:
        """Another tensor over `t`'s memory, unrelated to it in autograd: `detach()`; `.data` with its own counter."""
        get = self.state.resolve
        counter = Counter(not self.mode["inference"]) if own_counter else get(t.version_counter)
        new = Tensor(get(t.storage), counter, self.host.here.site)
        new.geometry_, new.dtype_, new.is_inference = t.geometry_, t.dtype_, t.is_inference
        new.alias_of = t.alias_of or t
        new.label, new.owner, new.within = t.label, t.owner, t.within
        return new

    def view(self, t: Tensor, geometry: Geometry | None, meta: str = DEFAULT, output_nr: int = 0) -> Tensor:
        """A differentiable view (`as_view` in VariableTypeUtils.h, `propagate_creation_meta`)."""
        new = self.alias(t)
        if t.is_inference is True and not self.mode["inference"]:
            new.version_counter = Counter(False)
        new.geometry_, new.alias_of = geometry, None
        if t.is_inference is True:
            return new  # autograd sees nothing of it
        if self.mode["inference"] and not t.is_inference:
            meta = INFERENCE
        elif self.mode["grad"] is False:
            meta = NO_GRAD
        base = self.state.resolve(t.base)
        inherited = self.state.resolve(t.creation_meta) if base is not None else DEFAULT
        new.base = base if base is not None else t
        new.creation_meta = inherited if meta == DEFAULT or inherited == INFERENCE else meta
        new.attr_version = self.version(new)
        new.output_nr = output_nr
        return new

    def as_view(self, t: Tensor) -> None:
        """Make a new tensor a view of a hidden one, while nothing is recorded (`as_view`)."""
        t.base, t.creation_meta = self.alias(t), NO_GRAD
        t.attr_version = self.version(t)

    def as_base(self, t: Tensor) -> None:
        """Let a new tensor that is a view of a hidden one stand for that one, while operations are recorded."""
        t.attr_version = self.version(t)

    def stands_for_base(self, t: Tensor) -> bool:
        """Whether a tensor stands for its hidden base, and has a new place in the graph since that was written."""
        at = t.attr_version
        return at is not None and t.base is None and self.state.resolve(at) is not self.version(t)

    # -- what a tensor is -----------------------------------------------------------------------

    def counter(self, t: Tensor) -> Counter:
        """Its version counter."""
        counter: Counter = self.host.state.pick(t.version_counter)
        return counter

    def storage(self, t: Tensor) -> Storage:
        """Its memory."""
        storage: Storage = self.host.state.pick(t.storage)
        return storage

    def output_nr(self, t: Tensor) -> int:
        """Which result of its node it is."""
        number: int = self.state.pick(t.output_nr)
        return number

    def version(self, t: Tensor) -> Value:
        """The present Version of its counter (a Phi if it depends on a branch)."""
        return self.state.resolve(self.counter(t).current)

    def requires_grad(self, t: Tensor) -> Grad:
        """`requires_grad_ || grad_fn_`, and a view's base's (`DifferentiableViewMeta::requires_grad`)."""
        found = self._known_grad(t.requires_grad_)
        if found is True:
            return True
        found = either(found, self._known_grad(t.grad_fn))
        if found is True:
            return True
        base = self.state.resolve(t.base)
        if isinstance(base, Tensor):
            return either(found, self.requires_grad(base))
        return found

    def leads_on(self, t: Tensor) -> Grad:
        """Whether the gradient of a tensor is needed: a view that was made while nothing was recorded has no edge."""
        if t.base is None:
            return self.requires_grad(t)
        return either(self._known_grad(t.requires_grad_), self._known_grad(self.grad_fn(t)))

    def expect_none(self, t: Tensor) -> None:
        """Assume that the arguments a tensor comes from require no grad, since the program doesn't expect it either."""
        asked = self.requires_grad(t)
        for cond in in_order(asked) if isinstance(asked, frozenset) else ():
            if cond.kind in ("requires-grad", "of-data"):
                self.state.assume(cond, False)

    def _known_grad(self, slot: Value) -> Grad:
        """Whether a slot with a flag or a node says yes, or the conditions under which it does."""
        if slot is None or isinstance(slot, bool):
            return slot is True
        slot = self.state.resolve(slot)
        if type(slot) is not Phi:
            return self._plain_grad(slot)
        return chosen(slot.cond, *self.state.asked(slot, self._known_grad))

    def _plain_grad(self, v: Value) -> Grad:
        """Whether one flag or node says yes under the present assumptions."""
        here: Grad = v if isinstance(v, (bool, frozenset)) else v.when if isinstance(v, Node) else False
        return self._under_assumptions(here) if isinstance(here, frozenset) else here

    def _under_assumptions(self, conds: frozenset[Cond]) -> Grad:
        """What remains open of conditions of which one has to hold."""
        open_: set[Cond] = set()
        assumed = self.state.assumed
        for cond in conds:
            parts = parts_of(cond)
            if parts[0][0] is cond:  # one that is made of no others
                holds = assumed.get(cond.key)
                if holds:
                    return True
                if holds is None:
                    open_.add(cond)
                continue
            left = [(part, holds) for part, holds in parts if assumed.get(part.key) is not holds]
            if not left:
                return True
            if any(part.key in assumed for part, _ in left):
                continue
            open_.add(cond if len(left) == len(parts) else together(left))
        return frozenset(open_) if open_ else False

    def grad_fn(self, t: Tensor) -> Value:
        """`VariableHooks::grad_fn`: a view gets a new node from its base once that, or another view, was written."""
        state = self.state
        fn = state.resolve(t.grad_fn)
        base = state.resolve(t.base)
        if not isinstance(base, Tensor) or (fn is None and not self.requires_grad(base)):
            return fn
        now = self.version(t)
        if state.resolve(t.attr_version) is now:
            return fn
        state.each(now, partial(self._check_used, t, base))
        needs = self.requires_grad(base)
        self.order += 1
        when = either(needs, self._known_grad(fn))  # it stays part of a graph when its base no longer is
        node = Node("AsStridedBackward0", self.host.here.site, self.order, self.edges([base]), when)
        node.fed, node.shapes, node.outputs = ((0, 0),), (base.geometry,), (t,)
        node.iterations = self.host.here.iterations
        self._lead(t, node)
        state.put(t, Tensor.attr_version, now)
        return node

    def is_leaf(self, t: Tensor, anew: bool = True) -> bool | None:
        """Whether it has no grad_fn; None if that is unknown.

        Without `anew`: as `is_leaf` in C++ sees it, which doesn't give a view a new node first.
        """
        fns = [v for _, v in self.state.alternatives(self.grad_fn(t) if anew else self.state.resolve(t.grad_fn))]
        if all(v is None or v is False for v in fns):
            return True
        if all(isinstance(v, Node) for v in fns):
            whens = {v.when is True for v in fns}
            return False if whens == {True} else None
        return None

    def edges(self, tensors: Iterable[Tensor]) -> tuple[Value, ...]:
        """`collect_next_edges`: each input's node, or the leaf itself if it requires grad."""
        found: list[Value] = []
        for t in tensors:
            if self.leads_on(t) is False:
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
        """A node whose edges lead to `inputs`; None if nothing is recorded."""
        if when is False or not self.grad_mode:
            return None
        ways = [(self.grad_fn(t), i, t) for i, t in enumerate(inputs) if self.leads_on(t) is not False]
        self.order += 1  # behind the nodes that views among the inputs have just got: backward reaches it first
        node = Node(name, self.host.here.site, self.order, tuple(t if fn is None else fn for fn, _, t in ways), when)
        node.stack = self.host.here.stack
        node.iterations = self.host.here.iterations
        node.inputs = tuple(inputs)
        node.fed = tuple((i, self.output_nr(t)) for _, i, t in ways)
        node.shapes = tuple(t.geometry for t in inputs)
        if self.unmarked:
            node.misread = tuple(self._misread(inputs))
        self.nodes.append(node)
        return node

    def _misread(self, inputs: Iterable[Tensor]) -> Iterator[tuple[Tensor, Unmarked]]:
        """The inputs that were changed without a trace in their nodes, or in those that they get from their bases."""
        for t in inputs:
            one = self.state.resolve(self.unmarked.get(self.storage(t)))
            fn, base = self.state.resolve(t.grad_fn), self.state.resolve(t.base)
            if isinstance(fn, Node) and fn.is_anew and isinstance(base, Tensor):
                fn = self.state.resolve(base.grad_fn)
            if not isinstance(one, Unmarked) or not isinstance(fn, Node) or fn.when is not True:
                continue
            if fn.order < one.order and not is_beside(t, one):
                yield t, one

    def forget(self, node: Node) -> None:
        """Remove one of the last nodes, which others have replaced."""
        place = next(i for i in range(len(self.nodes) - 1, -1, -1) if self.nodes[i] is node)
        del self.nodes[place]

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

        `form`: how the operator saves it: an input `itself`, a view of it or a result, or one of its pieces.
        """
        if when is False:
            return
        if t.is_inference and not self.mode["inference"]:
            self.fail("inference-tensor", "direct", t, detail="saved", once=t.uid)
            return
        hooks = self.mode["hooks"]
        saved = SavedTensor(
            t,
            self.storage(t),
            self.counter(t),
            self.version(t),
            self.state.resolve(self.storage(t).content),
            role,
            t.name,
            when,
            hooks is None,
            unread,
            self.state.resolve(t.data_version),
            form,
            t.geometry,
            read_for,
            form != "pieces" or self.requires_grad(t),
        )
        if hooks != "copy":
            node.saved = (*node.saved, saved)

    def set_history(self, t: Tensor, node: Node | None, output_nr: int = 0) -> None:
        """`set_history`: make `node` the grad_fn of a result. Autograd doesn't record views of inference tensors."""
        if node is not None and t.is_inference is not True:
            t.grad_fn = node
            t.output_nr = output_nr
            node.outputs = (*node.outputs, t)

    # -- writing --------------------------------------------------------------------------------

    def _check_used(self, t: Tensor, base: Tensor, version: Value) -> None:
        """Whether a view is used at a version that a write led to after the view was made.

        A version without a write is the first one, or one that stands for too many.
        """
        if (
            self.state.resolve(t.attr_version) is not version
            and isinstance(version, Version)
            and version.write is not None
        ):
            self.check_view(t, self.requires_grad(base), " indirect", version.write)

    def check_view(self, t: Tensor, needs: Grad, how: str = "", write: Write | None = None) -> bool:
        """`handle_view_on_rebase`: some views must not be written in grad mode, nor used after their base was.

        `needs` says whether there is a gradient to record. Gives whether the use is refused for sure.
        """
        failure = self._refused(t, how, write)
        if failure is None:
            return False
        cause = (failure.kind, t.uid) if write is None else None
        return self.host.raise_failure(failure, conditions(needs), ways(needs), cause)

    def _refused(self, t: Tensor, how: str, write: Write | None) -> Failure | None:
        """How `handle_view_on_rebase` fails on a view, if it does."""
        meta = self.state.resolve(t.creation_meta)
        if meta == DEFAULT or not isinstance(meta, str):
            return None
        fn = self.state.resolve(t.grad_fn)
        kind: Kind = "no-grad-view-inplace" if meta in (INFERENCE, NO_GRAD) or fn is None else "multi-view-inplace"
        return self._failure(kind, "direct", t, meta + how, write)

    def check_inplace(self, t: Tensor, needs: Grad, viewed: bool = False) -> bool:
        """`check_inplace` (VariableTypeUtils.h), before a tensor is written: False if that is refused for sure.

        `viewed`: the operator writes through a view that it makes of the tensor, as `fill_diagonal_` does.
        """
        if needs is False or not self.grad_mode:
            return True
        base = self.state.resolve(t.base)
        own = self.requires_grad(t)
        if isinstance(base, Tensor):
            if self.check_view(t, needs):
                return False
            if own is not False and self.is_leaf(base) and self._leaf("view-of-leaf-inplace", t, own):
                return False
        if own is not False and isinstance(base, Tensor) and self._never_had_node(t):
            return not self._leaf("leaf-inplace", t, own, LATE, self._joined(base))
        if own is not False and not isinstance(base, Tensor) and self.is_leaf(t):
            return not self._leaf("view-of-leaf-inplace" if viewed else "leaf-inplace", t, own)
        return True

    def _never_had_node(self, t: Tensor) -> bool:
        """Whether a view counts as a leaf (`VariableHooks::is_leaf`): its base became part of a graph later."""
        return all(v is None for _, v in self.state.alternatives(t.grad_fn))

    def _joined(self, base: Tensor) -> tuple[Hop, ...]:
        """Where a base became part of a graph: at the last recorded change of it."""
        node = self.host.state.pick(base.grad_fn)
        return (Hop(node.site, "changed", base.name),) if isinstance(node, Node) and node.site is not None else ()

    def check_counted(self, t: Tensor) -> bool:
        """`VariableVersion::bump`: outside inference mode, a tensor without a counter can't be written."""
        if t.is_inference is True and not self.mode["inference"] and not self.counter(t).counts:
            return not self.fail("inference-tensor", "direct", t, detail="written", once=t.uid)
        return True

    def _leaf(self, kind: Kind, t: Tensor, own: Grad, detail: str = "", hops: tuple[Hop, ...] = ()) -> bool:
        failure = self._failure(kind, "direct", t, detail, None)
        base = self.state.resolve(t.base)
        leaf = base if isinstance(base, Tensor) else t
        return self.host.raise_failure(
            replace(failure, hops=failure.hops + hops), conditions(own), ways(own), ("leaf", leaf.uid)
        )

    def bump(
        self,
        t: Tensor,
        via: str,
        by: Literal["user", "optimizer", "library"] = "user",
        times: int | Times | None = 1,
        same: bool = False,
        where: Tensor | None = None,
        back: Value = ABSENT,
        read: bool = False,
    ) -> None:
        """`increment_version` after a change of content; `times` is None if the number of bumps is unknown.

        A change without a bump is silent: no counter moves, but whatever was saved of the memory has other content now.
        `same`: what was written was there already. `where`: the view that was written, if it was one.
        `back`: the earlier content that was restored. `read`: the operation reads what it has written.
        """
        state = self.state
        reach = (t if where is None else where).geometry
        counter, storage = self.counter(t), self.storage(t)
        old = self.version(t)
        low, high = bounds([v for _, v in state.alternatives(old)])
        least, most = times if isinstance(times, tuple) else (1 if times is None else times, times)
        unseen = t.is_inference is True and self.mode["inference"] and counter.counts  # it was given other `.data`
        if most == 0 or unseen:
            self.write_silently(storage, via, self.host.here.written or t.name, low, by, reach, back)
            return
        if by != "library" and not self.check_counted(t if where is None else where):
            return
        after_low = low + least
        after_high = None if high is None or most is None else high + most
        exact = low if low == high else None
        after = after_low if after_low == after_high else None
        here, recorded, own = self.host.here, self.grad_mode, t.name if t.alias_of is None or t.is_parameter else None
        name = here.written or (t.name if by == "user" else self.host.explain.called(t))
        overlapping = read or (reach is not None and reach.may_overlap_itself())
        hooked = t.hooked is not ABSENT and (isinstance(state.resolve(t.base), Tensor) or t.attr_version is not None)
        write = Write(
            here.site,
            via,
            name,
            exact,
            after,
            by,
            here.stack,
            here.constructor,
            recorded,
            own,
            overlapping,
            hooked,
            state.reached_by(),
        )
        state.put(counter, Counter.current, Version(after_low, after_high, old, write))
        if not same:
            state.put(storage, Storage.content, Version(0, 0, state.resolve(storage.content), write, reach, back))

    def write_silently(
        self,
        storage: Storage,
        via: str,
        name: str | None = None,
        version: int | None = None,
        by: Literal["user", "optimizer", "library"] = "user",
        reach: Geometry | None = None,
        back: Value = ABSENT,
    ) -> None:
        """Change memory without moving a version counter (`.data`, NumPy, a fused kernel)."""
        write = Write(
            self.host.here.site, via, name, version, version, by, self.host.here.stack, recorded=self.grad_mode
        )
        self.state.put(storage, Storage.content, Version(0, 0, self.state.resolve(storage.content), write, reach, back))

    def are_one(self, a: Tensor, b: Tensor) -> bool:
        """Whether two tensors consist of the same elements of the same memory."""
        g = a.geometry
        alike = lie_alike(a, b) or (g is not None and g == b.geometry)
        return a is b or (alike and self.storage(a) is self.storage(b))

    def show(self, t: Tensor, storage: Storage, via: str, by: Literal["user", "optimizer", "library"] = "user") -> None:
        """`set_data` (`torch/csrc/autograd/variable.cpp`): a tensor now shows other memory; its counter stays."""
        if storage is self.storage(t):
            return
        v = self.version(t)
        number = v.number if isinstance(v, Version) else None
        name, recorded = self.host.here.written or t.name, self.grad_mode
        write = Write(self.host.here.site, via, name, number, number, by, self.host.here.stack, recorded=recorded)
        shown, back = self.state.resolve(t.data_version), self.state.resolve(t.data_versions.get(storage, ABSENT))
        content = shown.content if isinstance(shown, Version) else shown
        self.state.set(t.data_versions, self.storage(t), content)
        self.state.put(t, Tensor.data_version, Version(0, 0, shown, write, back=back))
        self.state.put(t, Tensor.storage, storage)

    def rebase(self, t: Tensor, node: Node | None) -> Node | None:
        """`rebase_history`: make `node` that of the written tensor (of a view: its base); gives the tensor's node."""
        if node is None:
            return None
        state = self.state
        base = state.resolve(t.base)
        for one in (t, base):
            if isinstance(one, Tensor) and one.hooked is not ABSENT:
                state.put(
                    one, Tensor.hooked, None
                )  # `update_tensor_hooks_on_new_gradfn`: further hooks go to the new node
        if isinstance(base, Tensor):
            own = self.edges([base])
            copy = Node("CopySlices", node.site, node.order, (*own, *node.edges), node.when)
            copy.fed = (*((-1, 0) for _ in own), *(None if one and one[0] == 0 else one for one in node.fed))
            copy.op, copy.roles, copy.shapes, copy.several = node.op, node.roles, node.shapes, node.several
            copy.saved, copy.stack, copy.iterations = node.saved, node.stack, node.iterations
            copy.holds = True  # the function itself, which `CopySlices::release_variables` lets go of
            copy.function, copy.run = node, node.run
            g = t.geometry
            if own and g is not None and g.overlaps_itself():
                copy.spread = t
            self._lead(base, copy)
            copy.outputs = (base,)
            state.put(t, Tensor.grad_fn, None)
            self.grad_fn(t)
            return copy
        return self._lead_alone(t, node)

    def lead_on(self, t: Tensor, node: Node | None) -> None:
        """A tensor whose shape was changed in place leads to `node`; a view's base stays as it was (`transpose_`)."""
        if not isinstance(self.state.resolve(t.base), Tensor):
            self.rebase(t, node)
        elif node is not None:
            self.state.put(t, Tensor.attr_version, self.version(t))
            self._lead_alone(t, node)

    def _lead_alone(self, t: Tensor, node: Node) -> Node:
        """A tensor itself, and not its base, leads to a node now."""
        self._lead(t, node)
        node.outputs = (*node.outputs, t)
        return node

    def _lead(self, t: Tensor, node: Node) -> None:
        """`set_gradient_edge`: an existing tensor is the only result of a node now."""
        self.state.put(t, Tensor.grad_fn, node)
        if t.output_nr != 0:
            self.state.put(t, Tensor.output_nr, 0)

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
        once: Hashable = None,
        **facts: object,
    ) -> bool:
        """Something raises here (`Machine.raise_failure`); of all failures with one `once`, the first is reported."""
        why = (kind, once) if once is not None else None
        return self.host.raise_failure(self._failure(kind, cause, t, detail, write, facts), guards, ways, why)

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
        name = self.host.here.written or (t.name if t is not None else None)
        hops: tuple[Hop, ...] = ()
        if t is not None and t.origin is not None and t.origin is not self.host.here.site:
            hops = (Hop(t.origin, "built", name),)
        if write is not None:
            hops += (Hop(write.site, "changed", write.name, write.after, write.via),)
        site, built = self.host.here.site, self.host.here.constructor
        return Failure(
            *(kind, cause, site, name, self.host.here.via),
            write=write,
            hops=hops,
            assumptions=() if t is None else self.host.explain.doubts(t.uid, self.storage(t).uid),
            raised=site,
            detail=detail,
            facts=(facts or {}) | ({} if built is None else {"constructor": built}),
        )

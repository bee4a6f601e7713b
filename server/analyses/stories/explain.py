"""From what the machine saw to what a person can follow: the parts of a failure, and what it depends on.

Autograd only knows that a saved tensor has the wrong version. A person needs the whole story:

    def loss(w):            # Assumption: if `w` requires grad (`loss` was called as an entry point)
        y = w.exp()         # Saved: `exp` has saved its result `y`
        row = y[0]          # Hop: `row` is a view of `y`
        row.add_(1)         # Write: it changes `y`, too; the failure's site
        return y.sum()

Here these parts are put together; the rules find the words.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from ...syntax import ir
from ..autograd.gradients import OPAQUE
from ..autograd.tensors import Node, SavedTensor, Tensor, Version
from ..domain import budget
from ..domain.known import decided, equated
from ..domain.report import Assumption, Failure, Hop, Saved, Site, Write
from ..domain.usual import are_far_fetched
from ..domain.values import LINK, Cond
from . import carried

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from ..domain.paths import Guards
    from ..domain.report import Answer, Cause
    from ..domain.values import Instance
    from .witness import Witness

MAX_HOPS = 6

UNFINISHED = Assumption("guess", "what was left unfinished changes nothing")


class Explainer:
    """Builds the failures of one machine.

    `running` are the nodes of the backward that runs, `backward` its call, `applied` the calls of custom functions'
    `apply`.
    """

    def __init__(self, m: Witness) -> None:
        self.m = m
        self.running: list[Node] = []
        self.backward: Site | None = None
        self.applied: dict[ir.Node, None] = {}
        self.unsure = 0
        """objects older than this `uid` may have changed unseen: a statement was left unfinished"""
        self.moved: list[tuple[int, int, float]] = []
        """from one `uid` to another, in their order: objects of a step that has run again, with its place among them"""

    def doubts(self, *uids: int) -> tuple[Assumption, ...]:
        """The assumptions about objects with these `uid`s: one may be older than an unfinished statement."""
        unsure = self.age(self.unsure)
        return (UNFINISHED,) if any(self.age(uid) < unsure for uid in uids) else ()

    def age(self, uid: int) -> tuple[float, int]:
        """The order in which a program makes its objects."""
        at = bisect_right(self.moved, (uid, math.inf, 0)) - 1
        return (self.moved[at][2], uid) if at >= 0 and uid < self.moved[at][1] else (uid, uid)

    def finish(self, failure: Failure, guards: Guards) -> Failure:
        """The failure with its assumptions, which are the open conditions and those of the entry point.

        A failure in a hook, or in a custom function's backward, surfaces where the engine was started.
        """
        # which of several views was made before a change rests on more than the branches around it
        reached = failure.write.reached if failure.write is not None and failure.kind == "stale-saved" else ()
        found = dict.fromkeys(
            without_implied([self.assumed(c, holds, reached) for c, holds in open_(guards) if self.matters(c, holds)])
        )
        if failure.cause == "carried":  # an unseen call may well be what cuts the graph between two turns
            found = dict.fromkeys(doubted(a) if a.kind in ("linked", "needed") else a for a in found)
        if takes_items_for_one(guards):
            found[Assumption("guess", "two items are the same")] = None
        found.update(dict.fromkeys(self.modules(failure)))
        found.update(dict.fromkeys(self.m.entry_assumptions))
        found.update(dict.fromkeys(failure.assumptions))
        return replace(failure, assumptions=tuple(found), backward=failure.backward or self.backward)

    def modules(self, failure: Failure) -> list[Assumption]:
        """The assumption that the classes with unseen bases in which a failure happens are modules."""
        told = (failure, failure.saved, failure.write)
        return [self.m.taken[one.site.chunk] for one in told if one is not None and one.site.chunk in self.m.taken]

    def matters(self, cond: Cond, holds: bool) -> bool:
        """Whether an answer is an assumption; that the program goes on without an error isn't one."""
        return cond.kind != "turn" and (cond.key, not holds) not in self.m.state.raising

    def assumed(self, cond: Cond, holds: bool, reached: Sequence[Answer]) -> Assumption:
        """An answer as an assumption; if it leads to an error that the program handles, it is only a guess.

        That a call in a module passes gradients on is expected where the module is trained. `reached` are the answers
        that lead to the change.
        """
        told = assumption(cond, holds)
        if cond.kind == LINK and holds and any(a.kind == "trained" for a in self.m.entry_assumptions):
            told = Assumption("linked", cond.text, cond.site)
        if (cond.key, holds) in self.m.state.raising:
            return replace(told, kind="guess")
        return replace(told, passed=told.kind == "branch" and (cond.text, cond.site, holds) in reached)

    def stale(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A saved tensor was changed before the running backward needs it."""
        crossing = self.carried(node)
        cause: Cause = "inplace"
        if crossing is not None:
            cause = "carried"
        elif any(s.node in self.applied for s in write.stack):
            cause = "function"
        elif self.is_update(saved, write):
            cause = "update"
        told = self.saved(node, saved)
        hops = [Hop(told.site, "saved", told.name, told.version, told.op)] if told else []
        hops += [Hop(s, "passed", told.name if told else None) for s in self.way(node.stack, write.stack)]
        if crossing is not None:
            hops.append(crossing)
        hops.append(Hop(write.site, "changed", write.name, write.after, write.via))
        hops.append(Hop(self.m.here.site, "backward"))
        return Failure(
            "stale-saved",
            cause,
            write.site,
            write.name or saved.name,
            write.via,
            told,
            write,
            self.m.here.site,
            tuple(hops[:MAX_HOPS]),
            self.doubts(node.uid, saved.storage.uid),
            raised=self.m.here.site,
            detail=node.name,
            facts={**self.facts(node, write, saved), **self.carrier(node, crossing)},
        )

    def silent(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A saved tensor's content was changed without moving its version counter."""
        told = self.saved(node, saved)
        hops = [Hop(told.site, "saved", told.name, told.version, told.op)] if told else []
        hops += [Hop(write.site, "changed", write.name, None, write.via), Hop(self.m.here.site, "backward")]
        return Failure(
            "silent-stale",
            "update" if self.is_update(saved, write) else "inplace",
            write.site,
            write.name or saved.name,
            write.via,
            told,
            write,
            self.m.here.site,
            tuple(hops),
            self.doubts(node.uid, saved.storage.uid),
            detail=node.name,
            facts={**self.facts(node, write, saved), "backward_calls": self.m.here.stack},
        )

    def kept(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        """A tensor that a custom function has kept on its own was changed before its backward reads it."""
        told = self.silent(node, saved, write)
        return replace(told, cause="function", detail="kept", backward=self.backward)

    def misread(self, node: Node, t: Tensor, write: Write) -> Failure:
        """An operation reads an input that a custom function has changed without marking it."""
        hops = [Hop(node.site, "read", t.name)] if node.site is not None else []
        hops.append(Hop(self.m.here.site, "backward"))
        failure = Failure("silent-stale", "function", write.site, write.name, write.via, write=write)
        return replace(failure, hops=tuple(hops), backward=self.m.here.site, detail="unmarked")

    def unmarked(self, write: Write) -> Failure:
        """A custom function changes an input without marking it, which is harmless if nothing reads it any more."""
        harm = Assumption("guess", f"`{write.name}` is read again" if write.name else "the input is read again")
        failure = Failure("silent-stale", "function", write.site, write.name, write.via, write=write)
        return replace(failure, assumptions=(harm,), detail="unmarked")

    def freed(self, node: Node, freed: Site) -> Failure:
        """A backward walks a part of the graph that an earlier one has freed."""
        crossing = self.carried(node)
        facts = self.carrier(node, crossing)
        hops = [Hop(node.site, "saved", None, None, spoken(node))] if node.site is not None else []
        hops.append(Hop(freed, "freed"))
        if crossing is not None:
            hops.append(crossing)
        hops.append(Hop(self.m.here.site, "backward"))
        name = next((t.name for t in node.outputs if t.name), None)
        facts["freed"] = freed
        kept = crossing.site if crossing is not None and self.m.entry_assumptions else None
        return Failure(
            "freed-graph",
            "carried" if crossing is not None else "second",
            kept or self.m.here.site,  # where a caller runs backward, the place is the one where the tensor is kept
            name,
            "backward()",
            backward=self.m.here.site,
            hops=tuple(hops[:MAX_HOPS]),
            assumptions=self.doubts(node.uid),
            raised=self.m.here.site,
            detail=node.name,
            facts=facts,
        )

    def spread(self, node: Node, view: Tensor) -> Failure:
        """`CopySlices` writes a gradient with the layout of the written view, whose elements share their places."""
        site, via = node.site or self.m.here.site, (node.op or "").rpartition(".")[2] or spoken(node)
        hops = (Hop(site, "changed", view.name, None, via), Hop(self.m.here.site, "backward"))
        return Failure(
            "overlap-write",
            "direct",
            site,
            view.name,
            via,
            backward=self.m.here.site,
            hops=hops,
            assumptions=self.doubts(node.uid),
            raised=self.m.here.site,
            detail="itself",
            facts={"built": view.origin},
        )

    @staticmethod
    def settled(failures: Sequence[Failure]) -> list[Failure]:
        """What is reported in the end."""
        return settled(failures)

    def saved(self, node: Node, saved: SavedTensor) -> Saved | None:
        """The saving operation, by its name for a person."""
        if node.site is None:
            return None
        version = saved.version.number if isinstance(saved.version, Version) else None
        t, name = saved.tensor, saved.tensor.name or saved.name
        return Saved(node.site, spoken(node), saved.role, name, version, node.stack, t.shape, t.dtype, node.op)

    def called(self, t: Tensor) -> str | None:
        """The name of a tensor in the running function, by the objects that lead to it from its `self`, or from a name.

        None if the tensor has no name.
        """
        me = self.m.state.pick((self.m.here.caller or self.m.frame).variables.get("self"))
        one: Tensor | Instance = t
        way, passed = "", {t.uid}
        while one is not me and (within := holder(one)) is not None:
            one, way = within[0], within[1] + way
            if one.uid in passed:  # they hold each other
                return t.name
            passed.add(one.uid)
        root = "self" if one is me else one.name
        return f"{root}{way}" if root is not None else t.name

    def facts(self, node: Node, write: Write, saved: SavedTensor) -> dict[str, object]:
        """What fixes need to know about a change."""
        found: dict[str, object] = {}
        last = saved.version.write if isinstance(saved.version, Version) else None
        if last is not None and node.site is not None and (node.site == last.site or node.site in last.stack):
            found["saver_changes"] = True
        if write.built is not None:
            found["constructor"] = write.built
        if saved.tensor.origin is not None:
            found["origin"] = saved.tensor.origin
        return found

    def carrier(self, node: Node, crossing: Hop | None) -> dict[str, object]:
        """What fixes need to know about the state that a loop carries over, and the way to backward()."""
        found: dict[str, object] = {"backward_calls": self.m.here.stack}
        before = self.earlier if crossing is not None else self.outside
        if not before(node):
            return found
        tensors = carried.crossings(self.m, self.running, before)
        bound = [t.bound for t in tensors if t.bound is not None]
        if crossing is None:
            return found | {"crossing": bound[0]} if bound else found
        found["carried"] = crossing.site
        found["carried_as"] = carried.holders(self.m, tensors)
        if any(site is crossing.site for site in bound):
            found["carried_kind"] = "tensor"
        return found

    def carried(self, node: Node) -> Hop | None:
        """If a node is from an earlier turn of a running loop, where the result of that turn was kept.

        That is the tensor by which the graph of this turn leads into the graph of the earlier one.
        """
        if not self.earlier(node):
            return None
        for t in carried.crossings(self.m, self.running, self.earlier):
            fn = self.m.state.pick(t.grad_fn)
            site = t.bound or (fn.site if isinstance(fn, Node) else None)
            name = self.keeper(t) or self.text(t.bound) or self.carrier_name(t)
            return Hop(site, "stored", name) if site is not None else None
        site = carried.written(self.m, self.running, self.earlier)
        bound = next((t for t in node.outputs if t.bound is not None), None)
        names = (t.name for n in (node, *self.running) if self.earlier(n) for t in n.outputs)
        name = next(filter(None, names), None)
        if site is not None:
            return Hop(site, "stored", name)
        site = bound.bound if bound is not None else node.site
        return Hop(site, "stored", self.text(site) if bound else name) if site is not None else None

    def keeper(self, t: Tensor) -> str | None:
        """What still holds a tensor of an earlier turn, if its variable has another value by now."""
        bound = self.text(t.bound)
        if bound is None or not bound.isidentifier():
            return None
        kept = [name for name, v in carried.named_values(self.m) if t in carried.inside(self.m, v)]
        return kept[0] if kept and bound not in kept else None

    def carrier_name(self, t: Tensor) -> str | None:
        """The name for a person of a tensor that leads into an earlier turn and was bound nowhere.

        That is its own name, that of the variable which holds its counterpart of this turn, or of what was computed
        from it, else the call that returned it.
        """
        fn = self.m.state.pick(t.grad_fn)
        made = (one for node in self.running if t in node.inputs and not self.earlier(node) for one in node.outputs)
        held = (name for name, _ in carried.holders(self.m, [t]))
        sites = (*reversed(fn.stack), fn.site) if isinstance(fn, Node) else ()
        calls = (self.text(site) for site in sites)
        return next(filter(None, (t.name, *held, *(one.name for one in made), *calls)), None)

    def outside(self, node: Node) -> bool:
        """Whether a node was made before the loop whose turn runs here."""
        here, there = self.m.here.iterations, node.iterations
        return len(there) < len(here) and all(a == b for a, b in zip(there, here, strict=False))

    def earlier(self, node: Node) -> bool:
        """Whether a node was made in an earlier turn of a loop that is running."""
        for (run, turn), (run_now, turn_now) in zip(node.iterations, self.m.here.iterations, strict=False):
            if run != run_now:
                return False
            if turn < turn_now:
                return True
        return False

    @staticmethod
    def text(site: Site | None) -> str | None:
        """The program's text at a place, if it is short."""
        text = site.chunk.text[site.node.start : site.node.end] if site is not None else ""
        return text if 0 < len(text) <= 40 and "\n" not in text and text != "_" else None

    def is_update(self, saved: SavedTensor, write: Write) -> bool:
        """Whether a saved tensor was changed by an update of parameters: by an optimizer, or by hand."""
        return write.by != "user" or self.is_parameter(saved.tensor)

    def is_parameter(self, t: Tensor) -> bool:
        """Whether a tensor is a parameter of a model."""
        base = self.m.state.resolve(t.base)
        owner = base if isinstance(base, Tensor) else t
        return bool(owner.is_parameter)

    @staticmethod
    def way(saved: tuple[Site, ...], changed: tuple[Site, ...]) -> list[Site]:
        """The calls by which the program got from where a tensor was saved to where it is changed."""
        same = 0
        for a, b in zip(saved, changed, strict=False):
            if a.node is not b.node:
                break
            same += 1
        return list(changed[same:])[:3]

    def grad_read(self, t: Tensor) -> None:
        """`.grad` of a non-leaf was read: it is None, with a warning.

        What an unseen call gives may be a leaf, or hold some.
        """
        node = t.grad_fn
        if (
            self.m.grad.requires_grad(t) is not True
            or self.m.grad.is_leaf(t, anew=False) is not False
            or t.retains_grad
            or (isinstance(node, Node) and node.name == OPAQUE)
        ):
            return
        site = self.m.here.site
        hops: list[Hop] = []
        if isinstance(node, Node) and node.site is not None:
            hops.append(Hop(node.site, "built", t.name, None, spoken(node)))
        self.m.report(
            Failure(
                "nonleaf-grad",
                "direct",
                site,
                t.name,
                ".grad",
                hops=tuple(hops),
                raised=site,
                detail=node.name if isinstance(node, Node) else "",
            )
        )


def holder(one: Tensor | Instance) -> tuple[Instance, str] | None:
    """The object from which a nameless tensor or object can be reached, and how."""
    if isinstance(one, Tensor) and one.owner is not None and one.label is not None:
        return one.owner, f".{one.label}"
    return one.within if one.label is None or one.label.startswith("self.") else None


def cause_of(failure: Failure) -> Hashable:
    """The cause that a failure may share with others: the change of a tensor, whatever reads it then."""
    write = failure.write
    return (write.site.node, *(site.node for site in write.stack)) if write is not None else None


def settled(failures: Sequence[Failure]) -> list[Failure]:
    """Each failure once, in the order of the text; one that both answers to a question lead to depends on neither."""
    found: dict[tuple[object, ...], list[Failure]] = {}
    for f in failures:
        key = (f.kind, id(f.site.node), id(f.saved.site.node) if f.saved else None)
        add_way(found.setdefault(key, []), f)
    best = [min(ways, key=doubt) for ways in found.values()]
    return sorted(best, key=lambda f: (f.site.chunk.path, f.site.chunk.offset + f.site.node.start))


def add_way(known: list[Failure], way: Failure) -> None:
    """Add one more way to a failure to the known ones; of too many, the likeliest are kept."""
    for other in known:
        both = regardless(other, way)
        if both is not None:
            known.remove(other)
            add_way(known, both)
            return
    known.append(way)
    if len(known) > budget.LIMITS.ways:
        known.remove(max(known, key=doubt))


def doubt(way: Failure) -> tuple[bool, int]:
    """How unlikely a way to a failure is, to be compared with that of another way."""
    return are_far_fetched(way.assumptions), len(set(way.assumptions))


def regardless(a: Failure, b: Failure) -> Failure | None:
    """One failure for two ways to it that differ in the answer to one question alone, without that question."""
    mine, theirs = set(a.assumptions), set(b.assumptions)
    for one in mine:
        opposite = replace(one, holds=not one.holds)
        if opposite in theirs and mine - {one} == theirs - {opposite}:
            return replace(a, assumptions=tuple(x for x in a.assumptions if x != one))
    return None


def open_(guards: Guards) -> Guards:
    """The answers without those that what something equals decides: where `n` equals 5, `n > 3` holds."""
    equal = [one for cond, holds in guards if holds and (one := equated(cond.key)) is not None]
    return tuple(
        (cond, holds)
        for cond, holds in guards
        if not any(equated(cond.key) != one and decided(cond.key, *one) is holds for one in equal)
    )


def without_implied(found: Sequence[Assumption]) -> list[Assumption]:
    """The assumptions without those that another one implies: where `a and b` is true, so is `a`."""
    implied = {answer for one in found if one.kind == "branch" for answer in operands(one)}
    return [one for one in found if one.kind != "branch" or (one.subject, one.holds) not in implied]


def operands(told: Assumption) -> Iterator[tuple[str, bool]]:
    """The answers that the answer to `a and b`, or `a or b`, implies, without that to the last operand."""
    asked = told.site.node if told.site is not None else None
    if told.site is None or not isinstance(asked, ir.BoolOp) or told.holds is not (asked.op == "and"):
        return
    text = told.site.chunk.text
    for one in asked.values[:-1]:
        holds = told.holds
        yield text[one.start : one.end], holds
        while isinstance(one, ir.UnaryOp) and one.op == "not":
            one, holds = one.operand, not holds
            yield text[one.start : one.end], holds


def takes_items_for_one(guards: Guards) -> bool:
    """Whether an assumption says that one item of a collection equals another one."""
    place: dict[tuple[Hashable, Hashable], Hashable] = {}
    for cond, holds in guards:
        match cond.key:
            case ("==", ("item", collection, i), value) if holds:
                if place.setdefault((collection, value), i) != i:
                    return True
    return False


def doubted(linked: Assumption) -> Assumption:
    """The guess that an unseen call passes gradients on."""
    return replace(linked, kind="guess", subject=passing(linked.subject))


def passing(call: str) -> str:
    """The words for that guess."""
    return f"`{call}` passes gradients on"


_KEPT_KINDS = frozenset({"branch", "requires-grad", "linked", "needed", "dtype", "layout", "named"})


def assumption(cond: Cond, holds: bool) -> Assumption:
    """A condition as an assumption that a message can name."""
    text = cond.text
    if cond.kind in ("may-require-grad", "of-data"):
        text = text and f"`{text}` requires grad"
    elif cond.kind == LINK:
        text = passing(text)
    kind = cond.kind if cond.kind in _KEPT_KINDS else "guess"
    return Assumption(kind, text, cond.site, holds ^ cond.flipped)  # type: ignore[arg-type]


def spoken(node: Node) -> str:
    """The operator behind a node: as the program called it, else by the node's name (`ExpBackward0` is `exp`)."""
    if node.called is not None:
        return node.called
    if node.name == "CopySlices":
        return "[…] ="
    name = node.name.rsplit("::", 1)[-1]
    name = name.split("Backward")[0] or name
    out = ""
    for i, c in enumerate(name):
        if c.isupper() and i and not name[i - 1].isupper():
            out += "_"
        out += c.lower()
    return out

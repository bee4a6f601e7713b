"""Tensors as autograd sees them: storages, version counters, views, saved tensors, nodes of the graph.

The names are PyTorch's (`torch/csrc/autograd/variable.h`, `saved_variable.h`, `function.h`), so that someone who has
read that code knows where to look. Whether a tensor requires grad is a `Grad`: True, False, or the conditions under
one of which it does:

    def scale(x, w):            # entered with unknown arguments: whether `x` requires grad is the condition a,
        return x * w            # whether `w` does is b; of the product it is {a, b}: "if a or if b"

`either` is *or*; `together` makes one condition of several that hold at once, `chosen` takes one of two by a branch.
A product saves `x` only for the gradient of `w`, and so under {b}: a later change of `x` is a failure if b holds, and
the message names that assumption. Booleans alone would force a choice between an alarm for everybody and none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..domain import budget
from ..domain.steps import moments
from ..domain.values import ABSENT, Cond, Object, Phi, Value, serial
from .geometry import Geometry

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...facts.views import Form
    from ..domain.report import Site, Write
    from ..domain.values import Instance, Slot, Unknown

Grad = bool | frozenset[Cond]
"""Whether a tensor requires grad: known, or true if one of these conditions holds."""


def either(a: Grad, b: Grad) -> Grad:
    """`a or b`."""
    if a is True or b is True:
        return True
    if not a:
        return b
    if not b:
        return a
    assert not isinstance(a, bool) and not isinstance(b, bool)
    return a | b if len(a) < budget.LIMITS.conditions else a


TOGETHER = "together"

Answers = tuple[tuple[Cond, bool], ...]


def together(answers: Iterable[tuple[Cond, bool]]) -> Cond:
    """One condition that holds if all of some conditions (at least one) have these answers."""
    parts = tuple(dict.fromkeys(part for cond, holds in answers for part in parts_of(cond, holds)))
    last, holds = parts[-1]
    if len(parts) == 1 and holds:
        return last
    return Cond((TOGETHER, parts), last.kind, last.text, last.site)


def chosen(cond: Cond, a: Grad, b: Grad) -> Grad:
    """`a` if a condition holds, else `b`; what is in both doesn't depend on it."""
    if a == b:
        return a
    common = a & b if isinstance(a, frozenset) and isinstance(b, frozenset) else frozenset[Cond]()
    found: Grad = common or False
    for holds, one in ((True, a), (False, b)):
        if isinstance(one, frozenset):
            found = either(found, frozenset([together(((cond, holds), (other, True))) for other in one - common]))
        elif one:
            found = either(found, frozenset({together(((cond, holds),))}))
    return found


def parts_of(cond: Cond, holds: bool = True) -> Answers:
    """The answers that a condition needs: those in it if `together` made it, else itself."""
    key = cond.key
    made = isinstance(key, tuple) and len(key) == 2 and key[0] is TOGETHER
    return key[1] if made and holds else ((cond, holds),)  # type: ignore[index]


def conditions(when: Grad) -> Answers:
    """The open conditions that something depends on; if several ways lead to it, those of the shortest one.

    That data or a number requires grad is not asked for, where something else is enough.
    """
    known = ways(when)
    known = tuple(way for way in known if all(cond.kind not in ("of-data", "factor") for cond, _ in way)) or known
    return known[0] if known and len(known[-1]) > 1 else tuple(part for parts in known for part in parts)


def implies(when: Grad, other: Grad) -> bool:
    """Whether each of the ways that lead to the one leads to the other."""
    return isinstance(when, frozenset) and isinstance(other, frozenset) and when <= other


def ways(when: Grad) -> tuple[Answers, ...]:
    """The open conditions of each way that leads to something, the shortest first."""
    return tuple(map(parts_of, in_order(when))) if isinstance(when, frozenset) else ()


def in_order(when: frozenset[Cond]) -> Sequence[Cond]:
    """Conditions in an order that is the same in every run, those with the fewest answers first."""
    if len(when) < 2:
        return tuple(when)
    ranks = {cond: _rank(cond) for cond in when}
    if len(set(ranks.values())) < len(ranks):  # of questions with one text and place, those that were asked first
        return sorted(when, key=lambda cond: (ranks[cond], list(moments(cond.key))))
    return sorted(when, key=ranks.__getitem__)


def _rank(cond: Cond) -> tuple[int, tuple[tuple[str, bool, str, int], ...]]:
    """How many answers a condition needs, and the text of each."""
    parts = parts_of(cond)
    return len(parts), tuple((c.text, not holds, *_place(c.site)) for c, holds in parts)


def _place(site: Site | None) -> tuple[str, int]:
    return (site.chunk.path, site.chunk.offset + site.node.start) if site is not None else ("", 0)


@dataclass(slots=True, eq=False)
class Version:
    """A state of a version counter: the number (or its bounds) and the write that led to it.

    Two states are the same version only if they are the same object; `prev` leads back in time (a Phi, where paths
    have joined), and earlier ones have a lower `uid`. `reach` is the part of the memory that was written, None if that
    is unknown; `back` is the earlier version whose content a write has restored.
    """

    low: int
    high: int | None
    prev: Value = None
    write: Write | None = None
    reach: Geometry | None = None
    back: Value = ABSENT
    uid: int = field(default_factory=serial)

    @staticmethod
    def widened(every: Sequence[Version]) -> Version:
        """One version that stands for several: bounds of the number."""
        high = None if any(v.high is None for v in every) else max(v.high for v in every if v.high is not None)
        return Version(min(v.low for v in every), high)

    @property
    def number(self) -> int | None:
        """The exact number, if it is known."""
        return self.low if self.low == self.high else None

    @property
    def content(self) -> Value:
        """The first version with the same content."""
        return self if self.back is ABSENT else self.back


class Counter(Object):
    """`VariableVersion`: one for a tensor, its views and its detached aliases. `current` is its Version.

    `counts` is False for tensors that have no counter, those of inference mode.
    """

    counts: bool
    current: Slot[Version]

    __slots__ = tuple(__annotations__)

    def __init__(self, counts: bool = True) -> None:
        super().__init__()
        self.counts = counts
        self.current = Version(0, 0)

    @staticmethod
    def widened(every: Sequence[Counter]) -> Counter:
        """One that stands for several: its own, for it isn't known whose changes it counts."""
        return Counter(every[0].counts)


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """What a copy was made of: the memory, the layout of the copied tensor there, and its content."""

    storage: Storage
    geometry: Geometry
    content: Version
    at: Geometry
    """the layout of the copy in its own memory"""
    own: Value
    """the content of that memory, as long as nothing else was written there"""


class Storage(Object):
    """Memory. `content` is its last change, as a Version of its own (silent writes included).

    `copied` says what it is a copy of; ABSENT if it is no copy.
    """

    site: Site | None
    content: Slot[Version]
    copied: Slot[Value]

    __slots__ = tuple(__annotations__)

    def __init__(self, site: Site | None = None) -> None:
        super().__init__()
        self.content = Version(0, 0)
        self.copied = ABSENT
        self.site = site

    @staticmethod
    def widened(every: Sequence[Storage]) -> Storage:
        """Memory that stands for several: its own, for it isn't known which of them a change reaches."""
        return Storage(every[0].site)


DEFAULT, NO_GRAD, MULTI_OUTPUT, INFERENCE, CUSTOM = "default", "no_grad", "multi_output", "inference", "custom"
"""`CreationMeta`: how a view was made, which decides whether it may be written in place."""


class Tensor(Object):
    """A tensor (`TensorImpl` and its `AutogradMeta`).

    `geometry_` and `dtype_` are None if they are unknown. `requires_grad_` is the flag of a leaf, `grad_fn` its node
    (an Unknown if there may be one). A view has a `base`, and in `attr_version` the Version at which its `grad_fn` was
    computed. `data_version` is the Version of its `data`, which an assignment to `data` changes, and `data_versions`
    has the earlier ones by memory. `alias_of` is the tensor whose place in memory it shares, `numbers` are the integers
    that it was made of, `attributes` those that the program gave it.
    `hooks` and `post_accumulate_hooks` are those of a leaf; `hooked` is the node that it had when its first hook was
    registered, ABSENT before. `label` is the name that the program gave it first, `owner` the module that it is a
    parameter or buffer of, `bound` the statement that bound it last.
    """

    storage: Slot[Storage]
    version_counter: Slot[Counter]
    geometry_: Slot[Geometry | None]
    dtype_: Slot[str | None]
    requires_grad_: Slot[Grad]
    grad_fn: Slot[Node | Unknown | None]
    base: Slot[Tensor | None]
    creation_meta: Slot[str]
    attr_version: Slot[Version | None]
    output_nr: Slot[int]
    grad: Slot[Value]
    retains_grad: Slot[bool]
    is_inference: Slot[bool]
    data_version: Slot[Version | None]
    hooks: Slot[tuple[Value, ...]]
    post_accumulate_hooks: Slot[tuple[Value, ...]]
    hooked: Slot[Value]
    attributes: dict[str, Value]
    data_versions: dict[Storage, Value]
    alias_of: Tensor | None
    numbers: Value
    is_parameter: bool
    is_buffer: bool
    origin: Site | None
    label: str | None
    owner: Instance | None
    within: tuple[Instance, str] | None
    bound: Site | None

    __slots__ = tuple(__annotations__)

    def __init__(self, storage: Storage | Phi, counter: Counter | Phi, origin: Site | None = None) -> None:
        super().__init__()
        self.storage = storage
        self.version_counter = counter
        self.geometry_ = None
        self.dtype_ = None
        self.requires_grad_ = False
        self.grad_fn = None
        self.base = None
        self.creation_meta = DEFAULT
        self.attr_version = None
        self.output_nr = 0
        self.grad = None
        self.retains_grad = False
        self.is_inference = False
        self.is_parameter = False
        self.is_buffer = False
        self.data_version = None
        self.data_versions = {}
        self.alias_of = None
        self.numbers = None
        self.attributes = {}
        self.hooks = ()
        self.post_accumulate_hooks = ()
        self.hooked = ABSENT
        self.origin = origin
        self.label = None
        self.owner = None
        self.within = None
        self.bound = None

    @property
    def name(self) -> str | None:
        """Its name for a person: `weight` of the module `self.head` is `self.head.weight`."""
        owner = self.owner.name if self.owner is not None else None
        return self.label if None in (owner, self.label) else f"{owner}.{self.label}"

    @property
    def geometry(self) -> Geometry | None:
        """Shape, strides and offset as far as they are known; a choice by a branch counts as unknown."""
        g = self.geometry_
        return g if isinstance(g, Geometry) else None

    @property
    def shape(self) -> tuple[int | None, ...] | None:
        """The sizes as far as they are known."""
        g = self.geometry
        return g.shape if g is not None else None

    @property
    def dtype(self) -> str | None:
        """The dtype's short name (`float32`), if it is known."""
        v = self.dtype_
        return v if isinstance(v, str) else None


def lie_alike(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors have the same layout, even an unknown one: one is the other, or its alias (`detach()`)."""
    return (a.alias_of or a) is (b.alias_of or b) and a.geometry_ is b.geometry_


@dataclass(slots=True, eq=False)
class SavedTensor:
    """`SavedVariable`: a tensor with the version that it had when a node saved it.

    `version` and `content` are Versions, or a Phi of them. `when` is the condition under which it was saved; `checked`
    is False where nothing compares the versions when it is unpacked (saved tensor hooks).
    """

    tensor: Tensor
    storage: Storage
    counter: Counter
    version: Value
    content: Value
    role: str
    name: str | None
    when: Grad = True
    checked: bool = True
    unread: bool = False
    """its gradient doesn't read it: the call itself updates it silently (a training batch norm's statistics)"""
    shown: Version | Phi | None = None
    """the `data` that the tensor had, if the node keeps the tensor itself and not a view of it"""
    form: Form = "view"
    geometry: Geometry | None = None
    read_for: frozenset[str] = frozenset()
    """the inputs whose gradients are computed from it, by parameter; empty if that is unknown"""
    needed: Grad = True
    """if it is saved in pieces: whether it required grad then, so that these have a history"""


Gradients = Callable[[Tensor, int], Tensor]
"""gives the gradient of a tensor: of the result with that number of a node"""


@dataclass(frozen=True, slots=True, eq=False)
class Unmarked:
    """A custom function's change of an input that it hasn't marked as dirty: the input's history stays as it was.

    `order` is that of the function's node: earlier nodes have a lower one. `reach` is the part of the memory.
    """

    write: Write
    order: int
    reach: Geometry | None


class Node(Object):
    """A node of the autograd graph (`torch::autograd::Node`). `freed` is where backward ran over it, False before.

    `hooks` are those of its results, by number. `spread` is an expanded view that it writes. `cut`: its result was
    detached. `misread` are inputs that a custom function has changed without a trace in their own nodes.
    `edges` lead to the nodes of the inputs; a leaf that requires grad is an edge itself (in place of its
    AccumulateGrad). `holds` is the condition under which it keeps any saved value, so that a second backward raises.
    `when` is the condition under which the node exists at all. `iterations` are the turns of the loops around it, by
    the loop's run. `called` is the name by which the program called it, if that isn't the node's. `run` is what the
    program itself does when backward reaches it (a custom function): it asks for the gradient of each result, calls
    another function before it reads what was saved, and returns a gradient for each input, if it is known.
    `fed` says for each edge which of the `inputs` it stands for, and which result of its maker that was; `op` is the
    fact's name, `several` says that it stands for several of PyTorch's nodes, `trained` that what was called has
    parameters of its own, and `roles` and `shapes` are the inputs' parameters and layouts in that call. `copied` are
    tensors that were written in place, if the node keeps a copy of their earlier content: their node then, or the leaf.
    """

    freed: Slot[Site | bool]
    cut: Slot[bool]
    name: str
    called: str | None
    op: str | None
    several: bool
    trained: bool
    site: Site | None
    stack: tuple[Site, ...]
    iterations: tuple[tuple[int, int], ...]
    order: int
    when: Grad
    holds: Grad
    edges: tuple[Value, ...]
    fed: tuple[tuple[int, int] | None, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    roles: tuple[str, ...]
    shapes: tuple[Geometry | None, ...]
    saved: tuple[SavedTensor, ...]
    copied: tuple[Value, ...]
    function: Any
    run: Callable[[Gradients, Callable[[], None]], Sequence[Value] | None] | None
    hooks: dict[int, Value]
    spread: Tensor | None
    misread: tuple[tuple[Tensor, Unmarked], ...]

    __slots__ = tuple(__annotations__)

    def __init__(self, name: str, site: Site | None, order: int, edges: tuple[Value, ...], when: Grad) -> None:
        super().__init__()
        self.name = name
        self.site = site
        self.order = order
        self.edges = edges
        self.when = when
        self.saved = ()
        self.holds = False
        self.stack = ()
        self.iterations = ()
        self.inputs = ()
        self.outputs = ()
        self.fed = ()
        self.shapes = ()
        self.op = None
        self.roles = ()
        self.several = self.trained = False
        self.called = None
        self.copied = ()
        self.function = None
        self.run = None
        self.freed = False
        self.cut = False
        self.hooks = {}
        self.spread = None
        self.misread = ()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @staticmethod
    def widened(every: Sequence[Node]) -> Value:
        """One node that stands for several, without a past; None if one of them may not exist."""
        if any(node.when is not True for node in every):
            return None
        return Node("", None, max(node.order for node in every), (), True)

    @property
    def is_anew(self) -> bool:
        """Whether it was made for a view whose base was written since (`VariableHooks::grad_fn`)."""
        return self.name == "AsStridedBackward0" and self.op is None

    @property
    def is_plain(self) -> bool:
        """Whether the call made this node alone: PyTorch then names it after the operator (`ExpBackward0` of `exp`)."""
        return is_of(self.name, self.called or "")


def operator_of(node: str) -> str:
    """What a node is named after, without underscores (`exp` of `ExpBackward0`)."""
    return node.rstrip("0123456789").removesuffix("Backward").lower()


def is_of(node: str, called: str) -> bool:
    """Whether a node is named after an operator (`ExpBackward0` of `exp_`)."""
    name = operator_of(node)
    called = called.replace("_", "").lower()
    return called != "" and (name in called or called in name)

"""What a replay reports: failures, version rows, stories. Plain data that rules and editors read.

Nothing here knows of rules, editors or files. Places are sites: a chunk of the text and a node in it (`Site`), whose
`span` has the lines and columns of the file.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...facts.releases import BASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

    from ...facts.releases import Facts
    from ...syntax.ir import Node, Stmt
    from ...syntax.text import Excerpt

Kind = Literal[
    "stale-saved",
    "silent-stale",
    "leaf-inplace",
    "view-of-leaf-inplace",
    "multi-view-inplace",
    "no-grad-view-inplace",
    "overlap-write",
    "out-grad",
    "inference-tensor",
    "freed-graph",
    "nonleaf-grad",
    "gradcheck",
    "requires-grad-dtype",
    "deepcopy-nonleaf",
    "other",
]
"""What PyTorch does when the program runs (the contract's *kinds*)."""


Cause = Literal["inplace", "update", "carried", "function", "second", "direct"]


DEEPEST = 4
"""how many of the innermost frames the report of an internal error has"""

LONGEST = 300
"""how many characters it has of the statement in which the error happened"""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the program: a node of a chunk's text."""

    chunk: Excerpt
    node: Node


Answer = tuple[str, "Site | None", bool]
"""What a branch asks, where, and whether it holds."""


@dataclass(frozen=True, slots=True)
class Write:
    """A change of a tensor's memory: the version counter moved from `before` to `after`.

    `via` says what changed it: the operator or method as written (`+=`, `add_`, `[…] =`), or the library call that
    did (`optimizer.step()`, `load_state_dict()`). `before` is None if the number is unknown; a silent write has
    `before == after`.
    """

    site: Site
    via: str
    name: str | None
    before: int | None
    after: int | None
    by: Literal["user", "optimizer", "library"] = "user"
    stack: tuple[Site, ...] = ()
    """the calls that led to it, outermost first"""
    built: Site | None = None
    """where the module that writes its input was made (`nn.ReLU(inplace=True)`)"""
    recorded: bool = True
    """whether operations are recorded there: False under `torch.no_grad()`"""
    own: str | None = None
    """the name that the tensor got where it was made or first bound, if it isn't an alias of another one; `name` is its
    name where it is changed"""
    overlapping: bool = False
    """whether the operation reads what it has changed, since elements seem to share places, or a product is written
    into one of its operands: in other memory it computes something else"""
    hooked: bool = False
    """whether the tensor is a view with a hook: the gradient of the change goes to its base, past the hook"""
    reached: tuple[Answer, ...] = ()
    """the answers of the branches that lead to it, outermost first"""


@dataclass(frozen=True, slots=True)
class Saved:
    """A tensor that a node saved for backward: by which operation, where, at which version."""

    site: Site
    op: str
    role: str
    """`input`, `result`, `weight`, `index`, or the parameter's name in PyTorch's signature"""
    name: str | None
    version: int | None
    stack: tuple[Site, ...] = ()
    shape: tuple[int | None, ...] | None = None
    """of the tensor that the program names; a layer may have saved a transposed view of it"""
    dtype: str | None = None
    fact: str | None = None
    """the operation's full name, by which its fact is found"""


@dataclass(frozen=True, slots=True)
class Hop:
    """A station on the tensor's way, in the order of the story."""

    site: Site
    kind: Literal["saved", "alias", "passed", "stored", "changed", "read", "backward", "leaf", "view", "freed", "built"]
    name: str | None = None
    version: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that a failure depends on and that the program doesn't show.

    `branch`: the branch at `site` is taken (or not, `holds` False). `requires-grad`: `subject` requires
    grad. `linked`: the call `subject` of something unseen passes gradients on, as the backward that the program
    runs shows. `needed`: it does, or parameters would never get a gradient. `module`: `subject`, the unseen base of
    a class, is a module. `backward`: the caller calls backward() on the result, as is `expected` where that is a
    loss. `iteration`: the loop at `site` runs again.
    `passed`: the change is only reached on that side of the branch.
    `trained`: the module is trained. `dtype`: a conversion finds the usual dtype there already. `layout`: memory lies
    in the usual order. `named`: something is what its name says. `guess`: something unknown (`subject` says what).
    """

    kind: Literal[
        "branch",
        "requires-grad",
        "linked",
        "needed",
        "module",
        "backward",
        "iteration",
        "trained",
        "dtype",
        "layout",
        "named",
        "guess",
    ]
    subject: str
    site: Site | None = None
    holds: bool = True
    expected: bool = False
    passed: bool = False


MAX_BRANCHES = 2
"""A failure that needs the answers of more branches than this is a hint.

That an option is at its default is free, and so is what the change needs to be reached at all: it was written to run.
"""


Why = Literal["work", "raises", "error", "nested", "branches"]
"""Why a path isn't followed: it takes too much work; it raises, as far as the replay knows; the replay itself failed;
calls are nested too deep; branches are, so that only one side was followed."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A place behind which the replay hasn't followed the program; `detail` names an error that is raised there."""

    site: Site
    why: Why
    detail: str = ""


class Reach(NamedTuple):
    """How far a replay has come: how many `statements` the requested files have, and how many of them were `ended`."""

    ended: int = 0
    statements: int = 0


LATE = "late"
"""the detail of a failure on a view that counts as a leaf, since it was made before its base became part of a graph"""


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that goes wrong when the program runs.

    `site` is where the user should look: the change in place, or the call that raises at once.
    `cause` refines `kind` if several rules predict the same failure: `inplace`, `update` (an optimizer step or another
    update of parameters), `carried` (state from an earlier iteration), `function` (a custom autograd.Function's
    contract), `second` (a second backward).
    """

    kind: Kind
    cause: Cause
    site: Site
    name: str | None
    """the tensor's name for the user, as written at `site` if possible"""
    via: str = ""
    saved: Saved | None = None
    write: Write | None = None
    backward: Site | None = None
    hops: tuple[Hop, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    raised: Site | None = None
    detail: str = ""
    """what a rule's message may add, such as the node's name or the dtype"""
    facts: dict[str, object] = field(default_factory=dict, hash=False, compare=False)
    """further facts that a fix needs, by name: sites, names of the op, the constructor's site"""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """The state of one tensor name after a statement, when it last ran (`gradguard versions`)."""

    site: Site
    name: str
    version: int | None
    low: int
    high: int | None
    requires_grad: bool | None
    is_leaf: bool | None
    storage: int
    first: int | None
    """the version when the statement first ran: it differs from `version` only in loops and functions"""


@dataclass(frozen=True, slots=True)
class Story:
    """The life of the version counter behind a name at a place, for hovers, hints and highlights."""

    site: Site
    name: str
    version: int | None
    requires_grad: bool | None
    is_leaf: bool | None
    writes: tuple[Write, ...]
    saves: tuple[Saved, ...]
    aliases: tuple[str, ...]
    """the other names that share its memory here"""
    shape: tuple[int | None, ...] | None
    dtype: str | None
    storage: int
    """which memory it is: stories and rows of one report with the same number share it"""


class Leaf(NamedTuple):
    """A leaf that a backward gives a gradient, or that an optimizer updates by it: where it was made, and its name."""

    origin: Site
    name: str | None
    is_updated: bool = False


class Told(NamedTuple):
    """What is known of the names of a statement; `failed`: it hasn't run to its end."""

    rows: list[VersionRow]
    stories: list[Story]
    failed: bool = False


@dataclass
class Report:
    """Everything that one replay of a program found.

    `failures` are in the order of the text. `problems` are internal errors that the replay survived (a function's
    answers are then missing). What is `told` of the statements is computed only when somebody asks for it.
    """

    failures: list[Failure] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    """what Python or PyTorch refuses in the program, though no rule of ours is about it, as far as is known"""
    told: Callable[[], Iterable[Told]] = tuple
    trained: set[Leaf] = field(default_factory=set)
    """the leaves that a backward gives a gradient"""
    stops: list[Stop] = field(default_factory=list)
    """where paths were given up, each once"""
    done: Sequence[Set[Stmt]] = ()
    """by part of the replay, the statements that ran to their end"""
    count: Callable[[], Reach] = Reach
    facts: Facts = BASE
    """of the release of PyTorch that the program was replayed with"""

    @cached_property
    def rows(self) -> list[VersionRow]:
        """The state of each name after the statements that name it, by line."""
        return [row for told in self._last for row in told.rows]

    @cached_property
    def stories(self) -> dict[tuple[int, str], Story]:
        """By the id of the IR node (a Name or Attribute expression, which the chunks keep alive) and its text."""
        return {(id(story.site.node), story.name): story for told in self._last for story in told.stories}

    @cached_property
    def reach(self) -> Reach:
        """How many statements of the files were replayed to their end."""
        return self.count()

    @cached_property
    def _last(self) -> Iterable[Told]:
        return self.told()


def fault(what: str, site: Site | None, error: Exception) -> str:
    """The report of an internal error: what failed, at which statement of the program, and where in our code."""
    where = ""
    if site is not None:
        chunk, node = site.chunk, site.node
        text = chunk.text[node.start : min(node.end, node.start + LONGEST)]
        where = f" at {chunk.path}:{chunk.line_of(node) + 1}, `{text}`"
    trace = "".join(traceback.format_exception(error)[-DEEPEST:])
    return f"{what}{where}: {type(error).__name__}: {error}\n{trace}".rstrip()

"""What the oracle tells of a program: the verdict, the state of its tensors, what its backwards read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """What PyTorch did with a program. Lines are told as `FILE:LINE`, in the order of the text.

    `saved` are the lines whose operation saved a tensor that backward found stale, `mutation` those
    that changed it since (for a failure that is raised at once: the line that raises), `raised` the
    innermost line of the program that raised, `stack` its lines on the stack, outermost first.
    """

    ok: bool
    kind: str | None = None
    message: str | None = None
    saved: tuple[str, ...] = ()
    mutation: tuple[str, ...] = ()
    raised: str | None = None
    stack: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """the lines that read `.grad` of a non-leaf, of which PyTorch warns"""
    silent: tuple[str, ...] = ()
    """the lines whose operation saved a tensor that a backward found changed behind its counter's back"""


@dataclass(frozen=True, slots=True)
class Row:
    """The state of a named tensor after the statement at `line`, when it last ran.

    Names with one `storage` share memory; the numbers count storages in the order of appearance.
    """

    line: int
    name: str
    version: int
    requires_grad: bool
    is_leaf: bool
    storage: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A tensor that a backward is about to read: the line and the node that saved it, the storage (numbered as in
    `Row`) and the version then; the line of the backward, the version that it finds, and whether the content is the
    same.
    """

    saved_line: int
    node: str
    storage: int
    saved_version: int
    line: int
    version: int
    same: bool

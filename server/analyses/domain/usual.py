"""Which assumptions are usual, and which are far-fetched when taken together.

An option is left at its default, an argument has the type that comes first:

    def __init__(self, size: Union[int, Tuple[int, int]], bias: bool = True): ...

That `bias` is true costs a failure nothing of its certainty, and neither does that `isinstance(size, int)` is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...syntax import ir
from ...syntax.chunk import Chunk
from ...syntax.walk import enclosing
from .known import at_default
from .report import MAX_BRANCHES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .report import Assumption


_TRAINS = re.compile(r"(?:self\.)?(?:is_|do_)?train(?:ing)?(?:_mode)?")
_TESTS = re.compile(
    r"(?:self\.)?(?:is_|do_|run_)?(?:test|testing|eval|evaluate|inference|infer|predict)(?:_mode|_only)?"
)
"""how programs call a flag that says whether a module is trained, or is not"""


def are_far_fetched(assumptions: Iterable[Assumption], at_once: int = 1) -> bool:
    """Whether nobody would make all of these assumptions at once, so that what rests on them is a hint.

    That is so if something unknown is among them, or a path through many branches that may never be taken, or if
    nothing shows that the code is trained at all: more than `at_once` assumptions of grad or backward, or one that the
    code itself speaks against, as an option that is called `training` does where it is false; a loss is expected to be
    trained. Only the program's own backward shows that several unseen calls pass gradients on; that one does is
    expected of a trained module.
    """
    assumptions = list(assumptions)
    if any(map(is_for_tests, assumptions)):
        return True
    open_ = [a for a in assumptions if not (a.passed or is_usual(a))]
    kinds = ["guess" if a.kind in ("dtype", "layout") and not a.holds else a.kind for a in open_]
    about_training = sum(kind in ("requires-grad", "backward") for kind in kinds)
    expected = "trained" in kinds or any(a.expected for a in open_)
    untrained = about_training > at_once and not expected
    links = kinds.count("linked")
    unshown = (links > 1 and "trained" in kinds) or ("backward" in kinds and (links or "module" in kinds))
    many = sum(kind in ("branch", "dtype", "layout") for kind in kinds) > MAX_BRANCHES
    return bool("guess" in kinds or unshown or many or untrained)


def is_for_tests(assumption: Assumption) -> bool:
    """Whether an assumption is that a flag says that nothing is trained."""
    named = _TESTS if assumption.holds else _TRAINS
    return assumption.kind == "branch" and named.fullmatch(assumption.subject) is not None


def is_usual(assumption: Assumption) -> bool:
    """Whether an assumption is the usual answer to what a branch asks."""
    if assumption.kind != "branch" or assumption.site is None:
        return False
    asked, chunk = assumption.site.node, assumption.site.chunk
    if isinstance(asked, ir.Call):
        return assumption.holds and isinstance(chunk, Chunk) and is_first_type(chunk, asked)
    if isinstance(asked, (ir.Name, ir.Compare)) and isinstance(chunk, Chunk):
        return assumption.holds is left_out(chunk, asked)
    return assumption.holds is at_default(assumption.site, assumption.subject)


def left_out(chunk: Chunk, asked: ir.Name | ir.Compare) -> bool | None:
    """The answer to `p`, or to `p is None`, where the parameter `p` is left out; None for any other question."""
    if isinstance(asked, ir.Name):
        default = default_of(chunk, asked)
        return None if default is None else bool(default.value)
    other = asked.comparators[0]
    if asked.ops not in (["is"], ["is not"]) or not (isinstance(other, ir.Constant) and other.value is None):
        return None
    default = default_of(chunk, asked.left) if isinstance(asked.left, ir.Name) else None
    return None if default is None else (default.value is None) is (asked.ops == ["is"])


def default_of(chunk: Chunk, name: ir.Name) -> ir.Constant | None:
    """The constant that a parameter has where it is left out, by its name somewhere in its function."""
    param = param_of(chunk, name)
    return param.default if param is not None and isinstance(param.default, ir.Constant) else None


def param_of(chunk: Chunk, name: ir.Name) -> ir.Param | None:
    """The parameter that a name somewhere in a function is, unless it gathers others; None for any other name."""
    function = enclosing(chunk.body, name)
    params = () if function is None else (*function.params.posonly, *function.params.args, *function.params.kwonly)
    return next((p for p in params if p.name == name.id), None)


def is_first_type(chunk: Chunk, asked: ir.Call) -> bool:
    """Whether a call is `isinstance(p, A)` of a parameter `p` that is annotated with `A`, or with `Union[A, …]`."""
    given = [a.value for a in asked.args]
    if not (isinstance(asked.func, ir.Name) and asked.func.id == "isinstance" and len(given) == 2):
        return False
    p, kind = given
    param = param_of(chunk, p) if isinstance(p, ir.Name) else None
    first = first_type(param.annotation) if param is not None else None
    return first is not None and chunk.text[first.start : first.end] == chunk.text[kind.start : kind.end]


def first_type(annotation: ir.Expr | None) -> ir.Expr | None:
    """The first type that an annotation allows: `A` of `Union[A, B]` and of `A | B`."""
    while isinstance(annotation, ir.BinOp) and annotation.op == "|":
        annotation = annotation.left
    if isinstance(annotation, ir.Subscript) and isinstance(annotation.slice, ir.Tuple) and annotation.slice.elts:
        name = annotation.value
        if (name.attr if isinstance(name, ir.Attribute) else getattr(name, "id", "")) == "Union":
            return annotation.slice.elts[0]
    return annotation

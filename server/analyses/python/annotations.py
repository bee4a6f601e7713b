"""What an entry point is called with: unknown values, and tensors or numbers where an annotation says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...syntax import ir
from ..autograd.tensors import Tensor
from ..domain import budget
from ..domain.known import at_default
from ..domain.paths import Raised
from ..domain.report import Site
from ..domain.values import (
    ABSENT,
    DATACLASS,
    Args,
    ClassV,
    Cond,
    Container,
    FunctionV,
    Instance,
    Lib,
    Phi,
    Unknown,
    Value,
    leaves,
    serial,
)
from ..operators.types import TENSORS

if TYPE_CHECKING:
    from .machine import Machine

NUMBERS = frozenset({"int", "float", "bool", "complex"})

BARE = NUMBERS | {"dict", "list", "tuple", "set", "str"}

LITERALS = ("typing.Literal", "typing_extensions.Literal")

_SETTINGS = re.compile(r"(?:\w+_)?(?:config|cfg|conf|hparams|args|opts?|options|settings)")
_CONFIGURATION = re.compile(r"(?:Config|Cfg|Configuration|HParams|Args|Arguments|Options|Settings)$")

WITHOUT_GRAD = ("jaxtyping.Int", "jaxtyping.UInt", "jaxtyping.Bool", "jaxtyping.Integer")
"""annotations of arrays that cannot require grad"""


def unknown_arguments(m: Machine, f: FunctionV, skip: int, optional: bool = False) -> Args:
    """Arguments for a call from outside: a value for each parameter without a default, except the first `skip`.

    `optional`: also for those whose default is None, which a caller may pass or leave out.
    """
    params = f.node.params
    positional = [*params.posonly, *params.args][skip:]
    required = [p for p in positional if p.default is None]
    named = [*params.kwonly, *(p for p in params.args if p in positional)] if optional else params.kwonly
    kw = {
        p.name: argument(m, f, p)
        for p in named
        if p not in required and (p.default is None or (optional and f.defaults.get(p.name, ABSENT) is None))
    }
    return Args([argument(m, f, p) for p in required], kw)


def argument(m: Machine, f: FunctionV, p: ir.Param) -> Value:
    """The value that is passed in for one parameter: a tensor that may require grad, a number, or something unknown."""
    own = own_class(m, f, p.annotation)
    unknown = Unknown(p.name, parameter=True, own=own or configuration(m, f, p))
    if p.default is not None:  # None may come in just as well
        return unknown
    if (obj := built(m, own)) is not None:
        return obj
    if listed := choices(m, f, p.annotation):
        return one_of(f, p, listed)
    kind = annotated(m, f, p.annotation)
    if kind == "bool":
        return flag(f, p)
    if kind in NUMBERS or is_number(m, f, p.annotation):
        return Unknown(p.name, number=True)
    if kind == "str":
        return Unknown(p.name)
    if kind not in TENSORS:
        return unknown
    t = m.as_tensor(unknown)
    dtype = TENSORS[kind]
    m.state.put(t, Tensor.dtype_, dtype)
    if dtype is not None and not dtype.startswith(("float", "bfloat")):
        m.state.put(t, Tensor.requires_grad_, False)
        m.state.put(t, Tensor.grad_fn, None)
    return t


def from_outside(m: Machine, f: FunctionV, p: ir.Param, option: str | None) -> Value:
    """The value that an incompletely known call passes for one parameter: a number if its type or default is one.

    `option`: its default, if that is a text. Where a constructor has raised for numbers, `of_any_type`, an option whose
    default is one may be anything.
    """
    usual, kind = f.defaults.get(p.name, ABSENT), annotated(m, f, p.annotation)
    if listed := choices(m, f, p.annotation):
        return one_of(f, p, sorted(listed, key=lambda one: one != usual))
    if isinstance(usual, bool) or kind == "bool":
        return flag(f, p)
    bare = p.annotation is None and isinstance(usual, (int, float)) and not m.of_any_type
    number = bare or kind in NUMBERS or is_number(m, f, p.annotation)
    own = own_class(m, f, p.annotation)
    if (obj := built(m, own)) is not None:
        return obj
    passed = Unknown(p.name, number=number, own=own or configuration(m, f, p), usual=option)
    if isinstance(usual, (int, float)):
        passed.usual, passed.bound = usual, Site(f.chunk, p)
    return passed


def built(m: Machine, cls: ClassV | None) -> Instance | None:
    """An object to pass in for a parameter that is annotated with a class of the program which makes callable objects.

    What such an object is called with goes on into its class, so that its own parameters are known. None for another
    class, for one that is inside such an object, and if building it fails.
    """
    if cls is None or m.passing or not is_callable(cls):
        return None
    mark = m.mark()
    m.passing = True
    try:
        obj = m.call(cls, Args(open_=True))
    except Raised:
        m.go_back(mark)
        return None
    finally:
        m.passing = False
    return obj if isinstance(obj, Instance) else None


def is_callable(cls: ClassV) -> bool:
    """Whether objects of a class of the program are called: it makes modules, or defines how."""
    return cls.derives("torch.nn.Module") or any(
        "__call__" in one.attributes for one in cls.mro if one.node is not None
    )


def at_defaults(m: Machine, args: Args) -> Args:
    """Arguments for another file's code, with options at their defaults: others show where this file asks for them."""
    pos, kw = [usual(m, v) for v in args.pos], {k: usual(m, v) for k, v in args.kw.items()}
    return Args(pos, kw, args.open, args.site, args.exprs)


def usual(m: Machine, v: Value) -> Value:
    """The default of an option, or the value itself: what was made with an option is left as it is."""
    v = m.state.resolve(v)
    if isinstance(v, Unknown) and isinstance(v.usual, str):
        return v.usual
    is_option = type(v) is Phi and not any(isinstance(one, (Tensor, Instance, Container)) for one in leaves(v))
    answer = at_default(v.cond.site, v.cond.text) if is_option else None
    return v if answer is None else usual(m, v.then if answer else v.orelse)


def flag(f: FunctionV, p: ir.Param) -> Phi:
    """A bool that is passed in: one of two values, which a branch on it keeps apart."""
    return Phi(Cond(("flag", serial()), "branch", p.name, Site(f.chunk, p)), True, False)


def choices(m: Machine, f: FunctionV, annotation: ir.Expr | None) -> list[Value]:
    """The constants that a `Literal[…]` lists; none for other annotations, or for one that lists too many to try."""
    if not isinstance(annotation, ir.Subscript) or annotated(m, f, annotation.value) not in LITERALS:
        return []
    parts = annotation.slice.elts if isinstance(annotation.slice, ir.Tuple) else [annotation.slice]
    listed: list[Value] = [part.value for part in parts if isinstance(part, ir.Constant)]
    return listed if len(listed) == len(parts) <= budget.LIMITS.annotated else []


def one_of(f: FunctionV, p: ir.Param, listed: list[Value]) -> Value:
    """One of some constants that is passed in, by default the first; a branch on it keeps them apart."""
    *others, v = reversed(listed)
    for one in others:
        text = f"{p.name} == {one!r}"
        v = Phi(Cond(("choice", serial()), "branch", text, Site(f.chunk, p)), one, v)
    return v


def configuration(m: Machine, f: FunctionV, p: ir.Param) -> ClassV | None:
    """The dataclass that a parameter without an annotation holds, by its name: the only configuration of the module."""
    if p.annotation is not None or not _SETTINGS.fullmatch(p.name):
        return None
    found = [
        v
        for name, v in f.parent.globals.variables.items()
        if isinstance(v, ClassV) and v.node is not None and DATACLASS in v.attributes and _CONFIGURATION.search(name)
    ]
    return found[0] if len(found) == 1 else None


def annotated(m: Machine, f: FunctionV, annotation: ir.Expr | None) -> str:
    """The dotted name of the type that an annotation names; empty if it isn't one of a library."""
    if isinstance(annotation, ir.Subscript):
        return of_generic(m, f, annotation)
    v = meant(m, f, annotation)
    return v.name if isinstance(v, Lib) else ""


def meant(m: Machine, f: FunctionV, annotation: ir.Expr | None) -> Value:
    """What an annotation refers to, if it is a dotted name; else None."""
    if isinstance(annotation, ir.Constant) and isinstance(annotation.value, str):
        annotation = unquoted(annotation.value, annotation)
    if annotation is None or not is_path(annotation):
        return None
    before = m.frame
    m.frame = f.parent
    try:
        return m.state.resolve(m.eval(annotation))
    finally:
        m.frame = before


def own_class(m: Machine, f: FunctionV, annotation: ir.Expr | None) -> ClassV | None:
    """The class of the program that an annotation names, alone or beside types without data attributes (`Net | dict`).

    None if it also names another class, or a tensor.
    """
    if isinstance(annotation, ir.BinOp) and annotation.op == "|":
        left, right = own_class(m, f, annotation.left), own_class(m, f, annotation.right)
        if right is None:
            return left if is_bare(m, f, annotation.right) else None
        return right if left is None and is_bare(m, f, annotation.left) else None
    if isinstance(annotation, ir.Subscript) and annotated(m, f, annotation.value) == "typing.Optional":
        return own_class(m, f, annotation.slice)
    kind = meant(m, f, annotation)
    return kind if isinstance(kind, ClassV) and kind.node is not None and not kind.derives("torch.Tensor") else None


def is_bare(m: Machine, f: FunctionV, annotation: ir.Expr) -> bool:
    """Whether an annotation is None, or a built-in type of Python without attributes."""
    if isinstance(annotation, ir.Constant) and annotation.value is None:
        return True
    name = annotation.value if isinstance(annotation, ir.Subscript) else annotation
    return annotated(m, f, name) in BARE


def of_generic(m: Machine, f: FunctionV, annotation: ir.Subscript) -> str:
    """`Annotated[Tensor, …]`, and jaxtyping's `Float[Tensor, "batch dim"]`."""
    name = annotated(m, f, annotation.value)
    parts = annotation.slice.elts if isinstance(annotation.slice, ir.Tuple) else [annotation.slice]
    inner = parts[0] if parts else None
    if name.startswith(WITHOUT_GRAD) and annotated(m, f, inner) == "torch.Tensor":
        return "torch.LongTensor"
    return annotated(m, f, inner) if name == "typing.Annotated" or name.startswith("jaxtyping.") else ""


def is_number(m: Machine, f: FunctionV, annotation: ir.Expr | None) -> bool:
    """Whether an annotation allows only numbers: `int | float`, `Union[int, float]`."""
    if isinstance(annotation, ir.BinOp) and annotation.op == "|":
        return is_number(m, f, annotation.left) and is_number(m, f, annotation.right)
    if isinstance(annotation, ir.Subscript):
        parts = annotation.slice.elts if isinstance(annotation.slice, ir.Tuple) else [annotation.slice]
        return annotated(m, f, annotation.value) == "typing.Union" and all(is_number(m, f, part) for part in parts)
    return annotated(m, f, annotation) in NUMBERS


def unquoted(text: str, at: ir.Node) -> ir.Expr | None:
    """The dotted name in a text, as an expression at the place of `at`; None if it is something else."""
    first, *rest = text.split(".")
    e: ir.Expr = ir.Name(at.start, at.end, first)
    for attr in rest:
        e = ir.Attribute(at.start, at.end, e, attr, at.start)
    return e if all(part.isidentifier() for part in (first, *rest)) else None


def is_path(e: ir.Expr) -> bool:
    """Whether an expression is a dotted name, so that evaluating it has no effect."""
    while isinstance(e, ir.Attribute):
        e = e.value
    return isinstance(e, ir.Name)

"""The lowered program: one small record a syntax node, with its span.

The names and fields follow Python's own `ast` module where it has them, because every reader knows
those. `start` and `end` are offsets in code points into the text of the chunk that the node was
lowered from (`Stmt.chunk`); `end` is exclusive. Parentheses around an expression belong to nobody:
the span of `(a + b)` is that of `a + b`, that of `(a, b)` is that of `a, b`; only `()` spans its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .text import Excerpt

_values: dict[type, attrgetter[Any]] = {}
"""what gets the values of all fields of a node"""


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A piece of a chunk's text: code points `start` up to but not including `end`."""

    start: int
    end: int

    def __repr__(self) -> str:
        """Written once for all: a generated one for each class would take time at every start."""
        values = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
        return f"{type(self).__name__}({', '.join(values)})"

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Rebuilding a record from its fields takes half as long as pickle's own way, which sets each field by name."""
        kind = type(self)
        if kind not in _values:
            _values[kind] = attrgetter(*(field.name for field in fields(self)))
        return kind, _values[kind](self)


# -- expressions ------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Expr(Node):
    """Anything that has a value."""


@dataclass(slots=True, eq=False, repr=False)
class Name(Expr):
    id: str


@dataclass(slots=True, eq=False, repr=False)
class Constant(Expr):
    """A literal: str, bytes, int, float, complex, bool, None or Ellipsis; adjacent strings are one."""

    value: object


@dataclass(slots=True, eq=False, repr=False)
class JoinedStr(Expr):
    """An f-string; `values` are its embedded expressions in order, `text` its pieces.

    `text[i]` stands before `values[i]`, the last piece after the last value. `plain`: no value has a conversion, a
    format or `=`, so that each contributes its `str()`. The values in a format come after the one that they format, and
    the format's own text is left out. A t-string is one that isn't plain. `formats` has each value's conversion and
    format as written (`!r:>8`); None if a format contains values, and for a t-string.
    """

    values: list[Expr]
    text: list[str]
    plain: bool
    formats: list[str] | None


@dataclass(slots=True, eq=False, repr=False)
class Tuple(Expr):
    elts: list[Expr]


@dataclass(slots=True, eq=False, repr=False)
class List(Expr):
    elts: list[Expr]


@dataclass(slots=True, eq=False, repr=False)
class Set(Expr):
    elts: list[Expr]


@dataclass(slots=True, eq=False, repr=False)
class Dict(Expr):
    """`keys[i]` is None where `values[i]` is unpacked with `**`."""

    keys: list[Expr | None]
    values: list[Expr]


@dataclass(slots=True, eq=False, repr=False)
class Starred(Expr):
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class Attribute(Expr):
    """`value.attr`; `attr_start` is where the attribute's name begins (it ends at `end`)."""

    value: Expr
    attr: str
    attr_start: int


@dataclass(slots=True, eq=False, repr=False)
class Subscript(Expr):
    """`value[slice]`; several indices come as one Tuple, `a:b:c` as a Slice."""

    value: Expr
    slice: Expr


@dataclass(slots=True, eq=False, repr=False)
class Slice(Expr):
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class Arg(Node):
    """One argument of a call: `value`, `name=value` (`name` set), `*value` or `**value` (`star` set)."""

    value: Expr
    name: str | None = None
    star: str = ""


@dataclass(slots=True, eq=False, repr=False)
class Call(Expr):
    """`func(args)`, arguments in the order of the text."""

    func: Expr
    args: list[Arg]


@dataclass(slots=True, eq=False, repr=False)
class UnaryOp(Expr):
    """`op` is one of `-`, `+`, `~`, `not`."""

    op: str
    operand: Expr


@dataclass(slots=True, eq=False, repr=False)
class BinOp(Expr):
    """`op` is the token: `+ - * / // % ** @ & | ^ << >>`."""

    left: Expr
    op: str
    right: Expr


@dataclass(slots=True, eq=False, repr=False)
class BoolOp(Expr):
    """`op` is `and` or `or`; `values` has two or more entries."""

    op: str
    values: list[Expr]


@dataclass(slots=True, eq=False, repr=False)
class Compare(Expr):
    """`left ops[0] comparators[0] ops[1] comparators[1] …`; two-word operators have one space."""

    left: Expr
    ops: list[str]
    comparators: list[Expr]


@dataclass(slots=True, eq=False, repr=False)
class IfExp(Expr):
    test: Expr
    body: Expr
    orelse: Expr


@dataclass(slots=True, eq=False, repr=False)
class NamedExpr(Expr):
    target: Name
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class Comprehension(Node):
    """One `for target in iter if … if …` of a comprehension."""

    target: Expr
    iter: Expr
    ifs: list[Expr]
    is_async: bool


@dataclass(slots=True, eq=False, repr=False)
class Comp(Expr):
    """A comprehension; `kind` is `list`, `set`, `dict` or `generator`; `value` only for `dict`."""

    kind: str
    elt: Expr
    value: Expr | None
    generators: list[Comprehension]


@dataclass(slots=True, eq=False, repr=False)
class Param(Node):
    """One parameter; the span is that of its name, annotation and default."""

    name: str
    annotation: Expr | None
    default: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class Params:
    posonly: list[Param] = field(default_factory=list)
    args: list[Param] = field(default_factory=list)
    vararg: Param | None = None
    kwonly: list[Param] = field(default_factory=list)
    kwarg: Param | None = None


@dataclass(slots=True, eq=False, repr=False)
class Lambda(Expr):
    params: Params
    body: Expr


@dataclass(slots=True, eq=False, repr=False)
class Await(Expr):
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class Yield(Expr):
    """`yield value`, or `yield from value` where `is_from`."""

    value: Expr | None
    is_from: bool


# -- statements -------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Stmt(Node):
    """A statement; compound ones end with their last line. `chunk` is the text that it was lowered from."""

    chunk: Excerpt = field(repr=False)


@dataclass(slots=True, eq=False, repr=False)
class ExprStmt(Stmt):
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class Assign(Stmt):
    """`a = b = value` has two targets."""

    targets: list[Expr]
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class AugAssign(Stmt):
    """`target op= value`; `op` is the binary operator's token, such as `+`."""

    target: Expr
    op: str
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class AnnAssign(Stmt):
    target: Expr
    annotation: Expr
    value: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class Return(Stmt):
    value: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class Raise(Stmt):
    exc: Expr | None
    cause: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class Assert(Stmt):
    test: Expr
    msg: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class Delete(Stmt):
    targets: list[Expr]


@dataclass(slots=True, eq=False, repr=False)
class Pass(Stmt):
    pass


@dataclass(slots=True, eq=False, repr=False)
class Break(Stmt):
    pass


@dataclass(slots=True, eq=False, repr=False)
class Continue(Stmt):
    pass


@dataclass(slots=True, eq=False, repr=False)
class Alias(Node):
    """`name as asname`; `name` is dotted for `import a.b`."""

    name: str
    asname: str | None


@dataclass(slots=True, eq=False, repr=False)
class Import(Stmt):
    names: list[Alias]


@dataclass(slots=True, eq=False, repr=False)
class ImportFrom(Stmt):
    """`from ..module import names`; `level` counts the dots; a star import has the one name `*`."""

    module: str | None
    names: list[Alias]
    level: int


@dataclass(slots=True, eq=False, repr=False)
class Global(Stmt):
    names: list[str]


@dataclass(slots=True, eq=False, repr=False)
class Nonlocal(Stmt):
    names: list[str]


@dataclass(slots=True, eq=False, repr=False)
class If(Stmt):
    """`elif` is an If alone in `orelse`."""

    test: Expr
    body: list[Stmt]
    orelse: list[Stmt]


@dataclass(slots=True, eq=False, repr=False)
class While(Stmt):
    test: Expr
    body: list[Stmt]
    orelse: list[Stmt]


@dataclass(slots=True, eq=False, repr=False)
class For(Stmt):
    target: Expr
    iter: Expr
    body: list[Stmt]
    orelse: list[Stmt]
    is_async: bool


@dataclass(slots=True, eq=False, repr=False)
class Handler(Node):
    """`except type as name: body`; a bare `except:` has no type."""

    type: Expr | None
    name: str | None
    body: list[Stmt]


@dataclass(slots=True, eq=False, repr=False)
class Try(Stmt):
    """`except*` is lowered like `except`."""

    body: list[Stmt]
    handlers: list[Handler]
    orelse: list[Stmt]
    finalbody: list[Stmt]


@dataclass(slots=True, eq=False, repr=False)
class WithItem(Node):
    context: Expr
    target: Expr | None


@dataclass(slots=True, eq=False, repr=False)
class With(Stmt):
    items: list[WithItem]
    body: list[Stmt]
    is_async: bool


# Patterns of `match`. A capture without a pattern and `_` are MatchAs with `pattern` None.


@dataclass(slots=True, eq=False, repr=False)
class Pattern(Node):
    pass


@dataclass(slots=True, eq=False, repr=False)
class MatchValue(Pattern):
    """A literal or a dotted name, compared with `==` (None, True and False with `is`)."""

    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class MatchAs(Pattern):
    """`pattern as name`, a bare capture (`pattern` None), or the wildcard `_` (both None)."""

    pattern: Pattern | None
    name: str | None


@dataclass(slots=True, eq=False, repr=False)
class MatchOr(Pattern):
    patterns: list[Pattern]


@dataclass(slots=True, eq=False, repr=False)
class MatchStar(Pattern):
    name: str | None


@dataclass(slots=True, eq=False, repr=False)
class MatchSequence(Pattern):
    patterns: list[Pattern]


@dataclass(slots=True, eq=False, repr=False)
class MatchMapping(Pattern):
    keys: list[Expr]
    patterns: list[Pattern]
    rest: str | None


@dataclass(slots=True, eq=False, repr=False)
class MatchClass(Pattern):
    cls: Expr
    patterns: list[Pattern]
    kwd_attrs: list[str]
    kwd_patterns: list[Pattern]


@dataclass(slots=True, eq=False, repr=False)
class MatchCase(Node):
    pattern: Pattern
    guard: Expr | None
    body: list[Stmt]


@dataclass(slots=True, eq=False, repr=False)
class Match(Stmt):
    subject: Expr
    cases: list[MatchCase]


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """What the compiler's symbol table would say of one function: computed once, when it is lowered."""

    locals: frozenset[str]
    """names that the body binds (parameters included), less those declared global or nonlocal"""
    globals: frozenset[str]
    nonlocals: frozenset[str]
    is_generator: bool


@dataclass(slots=True, eq=False, repr=False)
class FunctionDef(Stmt):
    """`name_start` is where the name begins; the statement's span begins at its first decorator.

    The body, what is computed of it, and the end may be left for `later`: they are filled in when first asked for.
    """

    name: str
    name_start: int
    params: Params
    body: list[Stmt]
    decorators: list[Expr]
    returns: Expr | None
    is_async: bool
    scope: Scope
    doc: str | None
    later: Callable[[FunctionDef], None] | None = None

    def leave(self, later: Callable[[FunctionDef], None]) -> None:
        """Leave the body for later."""
        del self.end, self.body, self.scope, self.doc
        self.later = later

    def complete(self, end: int, body: list[Stmt], scope: Scope, doc: str | None) -> None:
        """Fill in what was left for later."""
        self.end, self.body, self.scope, self.doc, self.later = end, body, scope, doc, None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What isn't there is filled in. Raises AttributeError if it was not left for later."""
            if name not in {"end", "body", "scope", "doc"} or self.later is None:
                raise AttributeError(name)
            self.later(self)
            return getattr(self, name)


@dataclass(slots=True, eq=False, repr=False)
class ClassDef(Stmt):
    """`bases` and keywords come as the arguments of a call, `class C(A, metaclass=M)`.

    Where it ends is found out `later`, if that of its last method is.
    """

    name: str
    name_start: int
    args: list[Arg]
    body: list[Stmt]
    decorators: list[Expr]
    later: Callable[[], int] | None = None

    def leave_end(self, later: Callable[[], int]) -> None:
        """Leave for later where it ends."""
        if self.later is None:
            del self.end
        self.later = later

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Where it ends. Raises AttributeError for anything else."""
            if name != "end" or self.later is None:
                raise AttributeError(name)
            self.end, self.later = self.later(), None
            return self.end


@dataclass(slots=True, eq=False, repr=False)
class TypeAlias(Stmt):
    """`type X = …`: binds a name, nothing to replay."""

    name: str


def is_left(statement: Stmt) -> bool:
    """Whether this is a function whose body was left for later."""
    return isinstance(statement, FunctionDef) and statement.later is not None

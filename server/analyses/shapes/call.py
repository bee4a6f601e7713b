"""A call as the rules see it: arguments by parameter, read with the type that the rule needs.

An operation is a signature and a rule. A rule is put together from one rule for the shape and one for
the dtype of each result, so that one is known where the other isn't.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..autograd.geometry import UNKNOWN, Shape, Size
from . import dtypes
from .types import Answer, Arg, Number, TensorType, Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    T = TypeVar("T")
    ShapeRule = Callable[["Call"], Shape]
    DtypeRule = Callable[["Call"], str]
    Rule = Callable[["Call"], Answer]

SYNONYMS = {
    "axis": "dim",
    "dims": "dim",
    "axes": "dim",
    "keepdims": "keepdim",
    "shape": "size",
    "sizes": "size",
    "index": "indices",
}
FIRST = frozenset({"self", "input", "x", "x1", "a", "A", "tensor", "tensors"})
SECOND = frozenset({"other", "y", "x2", "b", "B", "mat2", "vec", "vec2", "tensor", "exponent"})


@dataclass(frozen=True, slots=True)
class Op:
    """`params` are the names of the positional parameters; `*name` takes all that follow.

    `aliases` are other names under which arguments come, in PyTorch's own signatures or in its methods.
    """

    params: tuple[str, ...]
    rule: Rule
    aliases: Mapping[str, str]


def ops(names: str, params: str, rule: Rule) -> dict[str, Op]:
    """The rows of a table for operations that share a signature and a rule.

    `values|input` is a parameter with another name.
    """
    spelled = [param.split("|") for param in params.split()]
    aliases = {other: name.lstrip("*") for name, *others in spelled for other in others}
    op = Op(tuple(name for name, *_ in spelled), rule, aliases)
    return dict.fromkeys(names.split(), op)


def bind(op: Op, args: Sequence[Arg], keywords: Mapping[str, Arg]) -> dict[str, Arg]:
    """The arguments of a call by the names of the parameters; too many positional ones are left out."""
    bound: dict[str, Arg] = {}
    for position, param in enumerate(op.params):
        if param.startswith("*"):
            if len(args) > position:
                bound[param[1:]] = list(args[position:])
            break
        if position < len(args):
            bound[param] = args[position]
    return bound | dict(keywords)


def renamed(op: Op, args: Mapping[str, Arg]) -> dict[str, Arg]:
    """Arguments under the names of the signature, if they were passed under other common ones."""
    params = [param.lstrip("*") for param in op.params]
    result = {}
    for name, value in args.items():
        known = op.aliases.get(name, name)
        if known not in params:
            if SYNONYMS.get(name) in params:
                known = SYNONYMS[name]
            elif name in FIRST and params and params[0] not in args:
                known = params[0]
            elif name in SECOND and len(params) > 1 and params[1] not in args:
                known = params[1]
        result[known] = value
    return result


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments by parameter. The readers raise `Undecided` if an argument isn't known well enough."""

    args: Mapping[str, Arg]
    default: str = "float32"
    """PyTorch's default dtype (`torch.get_default_dtype()`)"""

    def get(self, name: str, otherwise: Arg = None) -> Arg:
        """The argument as it is, or `otherwise` if it is left out."""
        return self.args.get(name, otherwise)

    def given(self, name: str) -> bool:
        """Whether it is passed and not None; unknown counts as undecided."""
        value = self.get(name)
        if value is UNKNOWN:
            raise Undecided
        return value is not None

    def knows(self, *names: str) -> bool:
        """Whether none of these is unknown."""
        return all(self.get(name) is not UNKNOWN for name in names)

    def tensor(self, name: str = "input") -> TensorType:
        """A tensor."""
        value = self.get(name)
        if not isinstance(value, TensorType):
            raise Undecided
        return value

    def shape(self, name: str = "input") -> Shape:
        """A tensor's shape; that of a number is ()."""
        value = self.get(name)
        if isinstance(value, (Number, int, float, complex)):
            return ()
        shape = self.tensor(name).shape
        if shape is None:
            raise Undecided
        return shape

    def dtype(self, name: str = "input") -> str:
        """A tensor's dtype."""
        dtype = self.tensor(name).dtype
        if dtype is None:
            raise Undecided
        return dtype

    def tensors(self, name: str) -> list[TensorType]:
        """The tensors of a list or of variadic arguments, nested lists flattened."""
        items = self._flat(name)
        tensors = [item for item in items if isinstance(item, TensorType)]
        if len(tensors) < len(items):
            raise Undecided
        return tensors

    def operands(self, *names: str) -> list[TensorType | Number | bool | int | float | complex]:
        """The tensors and numbers among the arguments that are given."""
        result: list[TensorType | Number | bool | int | float | complex] = []
        for name in names:
            value = self.get(name)
            if isinstance(value, (TensorType, Number, int, float, complex)):
                result.append(value)
            elif value is not None:
                raise Undecided
        return result

    def named_dtype(self, name: str = "dtype") -> str | None:
        """The requested dtype, None if there is none."""
        if not self.given(name):
            return None
        value = self.get(name)
        dtype = dtypes.named(value) if isinstance(value, str) else None
        if dtype is None:
            raise Undecided
        return dtype

    def text(self, name: str, otherwise: str) -> str:
        """A string."""
        value = self.get(name, otherwise)
        if not isinstance(value, str):
            raise Undecided
        return value

    def flag(self, name: str, otherwise: bool = False) -> bool:
        """A bool; functions that are written in Python take None for False."""
        value = self.get(name, otherwise)
        if not isinstance(value, (bool, int, type(None))):
            raise Undecided
        return bool(value)

    def certain(self, name: str, otherwise: bool = False) -> bool:
        """Whether a flag is known to be set."""
        try:
            return self.flag(name, otherwise)
        except Undecided:
            return False

    def usual(self, name: str, default: bool) -> bool:
        """A flag as it is known to be, else as it is by default."""
        try:
            return self.flag(name, default)
        except Undecided:
            return default

    def integer(self, name: str, otherwise: int | None = None) -> int:
        """An integer that must be known."""
        value = self.get(name)
        value = otherwise if value is None else value
        if not isinstance(value, int):
            raise Undecided
        return value

    def size(self, name: str, otherwise: Size = None) -> Size:
        """An integer that need not be known."""
        return _size(self.get(name, otherwise))

    def sizes(self, name: str, otherwise: Sequence[Size] | None = None) -> list[Size]:
        """Integers, as a list, a number, or variadic; one that isn't known is None."""
        if otherwise is not None and not self.given(name):
            return list(otherwise)
        return [_size(item) for item in self._flat(name)]

    def ints(self, name: str, otherwise: Sequence[int] | None = None) -> list[int]:
        """Integers that must be known."""
        known = [item for item in self.sizes(name, otherwise) if item is not None]
        if len(known) < len(self.sizes(name, otherwise)):
            raise Undecided
        return known

    def _flat(self, name: str) -> list[Arg]:
        items = flattened(self.get(name))
        if UNKNOWN in items and len(items) == 1 and name in self.args:
            raise Undecided
        return items


def flattened(value: Arg) -> list[Arg]:
    """The items of nested lists; anything else is its own only item."""
    if isinstance(value, (list, tuple)):
        return [inner for item in value for inner in flattened(item)]
    return [value]


def _size(value: Arg) -> Size:
    if isinstance(value, int):
        return value
    if value is UNKNOWN or value is None or isinstance(value, (Number, TensorType)):
        return None
    raise Undecided


# -- putting rules together ------------------------------------------------------------------------


def result(shape: ShapeRule, dtype: DtypeRule) -> Rule:
    """The rule of an operation with one result."""
    return lambda call: TensorType(attempt(shape, call), attempt(dtype, call))


def results(*pairs: tuple[ShapeRule, DtypeRule]) -> Rule:
    """The rule of an operation with several results."""
    return lambda call: [TensorType(attempt(shape, call), attempt(dtype, call)) for shape, dtype in pairs]


def either(test: Callable[[Call], bool], yes: Rule, no: Rule) -> Rule:
    """The rule of an operation with two overloads."""
    return lambda call: (yes if test(call) else no)(call)


def attempt(rule: Callable[[Call], T], call: Call) -> T | None:
    """The rule's answer, None if it doesn't know or PyTorch would raise."""
    try:
        return rule(call)
    except (Undecided, ValueError, IndexError, ArithmeticError):
        return None


# -- rules that all families use ---------------------------------------------------------------------


def same_shape(name: str) -> ShapeRule:
    """The shape of an argument."""
    return lambda call: call.shape(name)


def same_dtype(name: str) -> DtypeRule:
    """The dtype of an argument."""
    return lambda call: call.dtype(name)


def always(dtype: str) -> DtypeRule:
    """This dtype whatever the arguments."""
    return lambda call: dtype


def scalar(call: Call) -> Shape:
    """A result without dimensions."""
    return ()


def floating(dtype: str, default: str) -> str:
    """What functions with real values make of a dtype: integers become the default dtype."""
    return default if dtypes.is_integral(dtype) else dtype


def broadcast(*shapes: Shape) -> Shape:
    """The common shape (`infer_size` of `aten/src/ATen/ExpandUtils.cpp`).

    Raises `Undecided` if the shapes don't fit.
    """
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(_broadcast_size(sizes) for sizes in zip(*padded, strict=True))


def _broadcast_size(sizes: tuple[Size, ...]) -> Size:
    fixed = {size for size in sizes if size is not None and size != 1}
    if len(fixed) > 1:
        raise Undecided
    if fixed:
        return fixed.pop()
    return None if None in sizes else 1

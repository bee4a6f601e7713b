"""Functional forms of assignments to items: `x = x.masked_fill(mask, 0.0)`, `x = torch.where(mask, y, x)`.

`propose` returns those that read better than a copy before the change, `placed` the others. They mean the same only
under conditions (a mask of the tensor's shape, an index of integers, one dtype), which the text or the replay shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import (
    Assign,
    Attribute,
    AugAssign,
    BinOp,
    Call,
    Compare,
    Constant,
    Expr,
    FunctionDef,
    Name,
    Slice,
    Subscript,
    Tuple,
    UnaryOp,
)
from .change import Change, declared, find_change
from .edit import Fix, safety
from .layout import is_pure
from .nograd import torch_name
from .observers import rebinding
from .place import below
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from .edit import Edit
    from .place import Context

INTEGERS = frozenset({"int64", "int32"})
COMPARED = frozenset({"<", "<=", ">", ">=", "==", "!="})

EXACT = frozenset({"+", "-", "*"})
"""Operators whose gradient is 0 in the places that a mask leaves out, whatever these hold."""


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `masked_fill`, `torch.where` or `index_fill` if the index is a mask or a tensor of integers."""
    item = _item(failure, context)
    if item is not None:
        yield from _fixes(item, [item.filled(), item.chosen()], failure, context)


def placed(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `index_put` for `x[i] = y`, and `torch.cat` if `y` replaces the first or the last rows."""
    item = _item(failure, context)
    if item is not None:
        yield from _fixes(item, [item.put(), item.joined()], failure, context)


def _fixes(item: _Item, texts: list[str | None], failure: Failure, context: Context) -> Iterator[Fix]:
    for text in (text for text in texts if text):
        line = f"{item.name} = {text}"
        changes = rebinding(failure, context, item.change)
        title = context.say("write", changes, text=quote(line), name=quote(item.name))
        imports = [] if text.startswith(f"{item.name}.") else item.imports
        yield Fix(title, safety(changes), (*imports, *item.declaring, item.change.place.edit(line)))


def _item(failure: Failure, context: Context) -> _Item | None:
    """Return the item that the failure's change is about, if its owner can be assigned to."""
    change = find_change(failure, context)
    if change is None or not isinstance(change.target, Subscript) or not is_pure(change.target):
        return None
    node, owner = change.place.node, change.target.value
    single = isinstance(node, AugAssign) or (isinstance(node, Assign) and len(node.targets) == 1)
    declaring = declared(change.place, owner) if isinstance(owner, Name | Attribute) else None
    if not single or declaring is None:
        return None
    assert isinstance(node, Assign | AugAssign)
    return _Item(change, context, owner, change.target.slice, node.value, declaring)


class _Item:
    """An assignment to `owner[index]`, and what is known of its parts."""

    def __init__(
        self, change: Change, context: Context, owner: Expr, index: Expr, value: Expr, declaring: list[Edit]
    ) -> None:
        self.change, self.context, self.declaring = change, context, declaring
        self.owner, self.index, self.value = owner, index, value
        self.op = change.place.node.op if isinstance(change.place.node, AugAssign) else None
        self.name = change.place.text_of(owner)
        self.torch, self.imports = torch_name(change.place)

    def text(self, node: Expr) -> str:
        return self.change.place.text_of(node)

    def shape(self, node: Expr) -> tuple[int | None, ...] | None:
        """The shape of what a name stands for, if all of it is known."""
        story = self.context.story(node, self.text(node))
        known = story.shape if story else None
        return known if known is not None and None not in known else None

    def dtype(self, node: Expr) -> str | None:
        story = self.context.story(node, self.text(node))
        return story.dtype if story else None

    def same(self, *nodes: Expr) -> bool:
        """Return whether tensors have the owner's dtype."""
        own = self.dtype(self.owner)
        return own is not None and all(self.dtype(node) == own for node in nodes)

    def is_mask(self) -> bool:
        """Return whether the index is a mask of the owner's shape.

        A mask has the sizes of the dimensions that it indexes; with as many as the owner, it has the owner's shape.
        """
        story = self.context.story(self.owner, self.text(self.owner))
        own = len(story.shape) if story and story.shape is not None else None
        return self._compares(self.index) or (
            own is not None and self._rank(self.index) == own and self._is_called_once()
        )

    def _is_called_once(self) -> bool:
        """Return whether the enclosing function is called by name in one place only: others may pass other shapes."""
        function = self.change.place.function
        if function is None or not isinstance(function.node, FunctionDef):
            return True
        name = function.node.name
        calls = (
            call.func for source in self.context.sources.values() for top in source.body for call in below(top, Call)
        )
        return (
            sum(name == (func.attr if isinstance(func, Attribute) else getattr(func, "id", None)) for func in calls) < 2
        )

    def _compares(self, node: Expr) -> bool:
        """Return whether an expression compares the owner itself, whose shape the result then has."""
        if isinstance(node, Compare):
            about = any(self.text(part) == self.name for part in (node.left, *node.comparators))
            return about and len(node.ops) == 1 and node.ops[0] in COMPARED
        if isinstance(node, UnaryOp):
            return node.op == "~" and self._compares(node.operand)
        both = isinstance(node, BinOp) and node.op in "&|^"
        return both and self._compares(node.left) and self._compares(node.right)  # type: ignore[attr-defined]

    def _rank(self, node: Expr) -> int | None:
        """Return how many dimensions a mask has; None if that isn't known, or it may be no mask."""
        if isinstance(node, Name | Attribute):
            story = self.context.story(node, self.text(node))
            return len(story.shape) if story and story.shape is not None and story.dtype == "bool" else None
        if isinstance(node, UnaryOp) and node.op == "~":
            return self._rank(node.operand)
        if isinstance(node, BinOp) and node.op in "&|^":
            return self._widest([self._rank(node.left), self._rank(node.right)])
        if isinstance(node, Compare) and len(node.ops) == 1 and node.ops[0] in COMPARED:
            return self._widest([self._dims(one) for one in (node.left, *node.comparators)])
        return None

    def _dims(self, node: Expr) -> int | None:
        """Return how many dimensions an operand has."""
        if _is_number(node):
            return 0
        story = self.context.story(node, self.text(node)) if isinstance(node, Name | Attribute) else None
        return len(story.shape) if story and story.shape is not None else None

    @staticmethod
    def _widest(ranks: list[int | None]) -> int | None:
        known = [rank for rank in ranks if rank is not None]
        return max(known) if len(known) == len(ranks) else None

    def trailing(self) -> Expr | None:
        """Return the mask in `x[..., mask]` or `x[:, mask]`: it covers the last dimensions, as with `masked_fill`."""
        *before, last = self.index.elts if isinstance(self.index, Tuple) and self.index.elts else [self.index]
        rank = self._rank(last) if before else None
        if rank is None:
            return None
        if len(before) == 1 and isinstance(before[0], Constant) and before[0].value is ...:
            return last
        story = self.context.story(self.owner, self.text(self.owner))
        own = len(story.shape) if story and story.shape is not None else None
        return last if all(map(_is_whole, before)) and own == len(before) + rank and self._is_called_once() else None

    def is_index(self, node: Expr) -> bool:
        """Return whether a part of the index is a tensor of integers."""
        return isinstance(node, Name | Attribute) and self.dtype(node) in INTEGERS

    def filled(self) -> str | None:
        """`x.masked_fill(mask, 0.0)`, `x.index_fill(0, i, 0.0)`."""
        if self.op is not None or not _is_number(self.value):
            return None
        index, value = self.text(self.index), self.text(self.value)
        if (last := self.trailing()) is not None:
            return f"{self.name}.masked_fill({self.text(last)}, {value})"
        if self.is_mask():
            return f"{self.name}.masked_fill({index}, {value})"
        if self.is_index(self.index) and len(self.shape(self.index) or (1, 1)) == 1:
            return f"{self.name}.index_fill(0, {index}, {value})"
        return None

    def chosen(self) -> str | None:
        """`torch.where(mask, y, x)` for `x[mask] = y[mask]`, and for `x[mask] *= 2`."""
        if not self.is_mask():
            return None
        mask, value = self.text(self.index), self.value
        if self.op is not None:
            right = self.op in EXACT and _is_number(value)
            return (
                f"{self.torch}.where({mask}, {self.name} {self.op} {self.text(value)}, {self.name})" if right else None
            )
        if isinstance(value, Subscript) and is_pure(value) and self.text(value.slice) == mask:
            own = self.shape(self.owner)
            if own is not None and self.shape(value.value) == own and self.same(value.value):
                return f"{self.torch}.where({mask}, {self.text(value.value)}, {self.name})"
        elif isinstance(value, Name | Attribute) and self.same(value) and self.shape(value) == ():
            return f"{self.torch}.where({mask}, {self.text(value)}, {self.name})"
        return None

    def put(self) -> str | None:
        """`x.index_put((i, j), y)` for `x[i, j] = y`, and for `x[i, j] += y` with the sum."""
        parts = self.index.elts if isinstance(self.index, Tuple) else [self.index]
        if not all(map(self.is_index, parts)):
            return None
        value = self.text(self.value)
        if self.op is not None:
            value = f"{self.text(self.change.target)} {self.op} {value}"
            if self.op not in EXACT or not (_is_number(self.value) or self._is_tensor()):
                return None
        elif not self._is_tensor():
            return None
        index = ", ".join(map(self.text, parts))
        return f"{self.name}.index_put(({index}{',' if len(parts) == 1 else ''}), {value})"

    def joined(self) -> str | None:
        """`torch.cat([y, x[2:]])` for `x[:2] = y`, `torch.cat([x[:2], y])` for `x[2:] = y`."""
        own, given, index = self.shape(self.owner), self.shape(self.value), self.index
        if self.op is not None or not isinstance(index, Slice) or index.step is not None or not self._is_tensor():
            return None
        if not own or not given or len(own) != len(given) or own[1:] != given[1:]:
            return None
        value, rows = self.text(self.value), given[0]
        assert rows is not None
        if index.lower is None and self._number(index.upper) == rows:
            return f"{self.torch}.cat([{value}, {self.name}[{rows}:]])"
        count = own[0]
        assert count is not None
        if index.upper is None and self._number(index.lower) in {count - rows, -rows}:
            return f"{self.torch}.cat([{self.name}[:{self.text(index.lower)}], {value}])"  # type: ignore[arg-type]
        return None

    def _is_tensor(self) -> bool:
        return isinstance(self.value, Name | Attribute) and self.same(self.value)

    @staticmethod
    def _number(node: Expr | None) -> int | None:
        sign = -1 if isinstance(node, UnaryOp) and node.op == "-" else 1
        node = node.operand if isinstance(node, UnaryOp) else node
        known = isinstance(node, Constant) and type(node.value) is int and node.value > 0
        return sign * node.value if known else None  # type: ignore[union-attr]


def _is_whole(index: Expr) -> bool:
    return isinstance(index, Slice) and index.lower is index.upper is index.step is None


def _is_number(value: Expr) -> bool:
    if isinstance(value, UnaryOp):
        return value.op == "-" and _is_number(value.operand)
    if isinstance(value, Call) and isinstance(value.func, Name) and value.func.id == "float":
        return len(value.args) == 1 and isinstance(value.args[0].value, Constant)  # float("-inf")
    return isinstance(value, Constant) and isinstance(value.value, int | float)

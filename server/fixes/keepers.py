"""Whether something else holds the memory of a name, unseen by the replay's rows: a container, a closure, an array.

    y = w.exp()
    history.append(y)       # the list holds the tensor: after `y = y + 1` it would keep the old value,
    y += 1                  # while `y += 1` changes the list's item, too

It is read off the text: where the uses of a name may pass the tensor on to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.imports import import_table
from ..syntax.ir import (
    Arg,
    Assign,
    Attribute,
    BinOp,
    BoolOp,
    Call,
    Compare,
    Constant,
    Dict,
    Expr,
    For,
    FunctionDef,
    IfExp,
    ImportFrom,
    JoinedStr,
    List,
    Name,
    NamedExpr,
    Return,
    Set,
    Starred,
    Subscript,
    Tuple,
    UnaryOp,
    Yield,
)
from .place import below, children, dotted, fact_of, statements, surroundings
from .text import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeGuard

    from ..syntax.imports import ImportTable
    from ..syntax.ir import Node
    from .place import Context, Place

KEEPERS = words("append appendleft add extend insert put setdefault update retain_grad")
"""Methods that keep their arguments, or are about the tensor itself."""

PLAIN = words(
    "bool data_ptr device dim dtype element_size float format get_device grad_fn hasattr id int is_contiguous is_leaf "
    "isinstance item itemsize layout len ndim nelement numel print range repr requires_grad shape size storage_offset "
    "str stride tolist type"
)
"""Attributes, methods and functions whose results share nothing of a tensor's memory."""


def kept(place: Place, name: str, context: Context, before: int | None = None) -> bool:
    """Return whether something else may hold what the plain `name` stands for in the function at `place`.

    What begins after `before`, an offset in the text, doesn't count.
    """
    if "." in name:
        return False
    uses = _Uses(place, name, context)
    for root in surroundings(place):
        for node in uses.parts(root):
            late = before is not None and _chunk_start(place, root) + node.start >= before
            if not late and uses.keeps(node):
                return True
    return False


def _chunk_start(place: Place, root: Node) -> int:
    return getattr(root, "chunk", place.chunk).offset


class _Uses:
    """What the uses of a name in a function pass on."""

    def __init__(self, place: Place, name: str, context: Context) -> None:
        self.place, self.name, self.context = place, name, context
        self.imports: ImportTable = import_table(place.source)
        self.own = {one.name for one in statements(place.source.body) if isinstance(one, FunctionDef)} - {"forward"}
        self.own |= _imported_functions(place)

    def parts(self, node: Node) -> Iterator[Node]:
        """Return the nodes below, without displays that keep nothing: targets, indices, what is returned or stacked.

        An inner function that has a variable of that name is left out.
        """
        yield node
        for child in children(node):
            if isinstance(child, FunctionDef) and self.name in child.scope.locals:
                continue
            passing = isinstance(node, Assign) and any(child is one for one in node.targets)
            passing |= isinstance(node, Return) or (isinstance(node, Subscript) and child is node.slice)
            given = isinstance(node, Call) and isinstance(child, Arg) and self._gives_new(node.func)
            inner = child.value if given and isinstance(child, Arg) else child
            if not ((passing or given) and isinstance(inner, Tuple | List)):
                yield from self.parts(child)

    def keeps(self, node: Node) -> bool:
        """Return whether something gets a reference to the memory at a node."""
        if isinstance(node, For):
            return any(one.id == self.name for one in below(node.target, Name))
        if isinstance(node, Assign):
            return self._assigned(node)
        if isinstance(node, Attribute):
            return node.attr == "_version" and self._is(node.value)
        if isinstance(node, NamedExpr):
            return self.shares(node.value)
        if isinstance(node, Call):
            keeps = isinstance(node.func, Attribute) and node.func.attr in KEEPERS
            return keeps and any(map(self.shares, _given(node)))
        if isinstance(node, List | Set | Dict | Yield | Starred | Tuple):
            return any(self._is(child.value if isinstance(child, Arg) else child) for child in children(node))
        return False

    def _assigned(self, node: Assign) -> bool:
        names = [one for target in node.targets for one in _names(target)]
        if any(isinstance(target, Subscript | Attribute) for target in node.targets) and self.shares(node.value):
            return True
        if any(isinstance(one, Attribute) and one.attr != "data" and self._is(one.value) for one in node.targets):
            return True  # an attribute of the tensor itself
        unpacked = [target for target in node.targets if isinstance(target, Tuple | List)]
        if not isinstance(node.value, Call) and any(self._is(one) for target in unpacked for one in _names(target)):
            return True
        if self._hands_out(node.value) and any(self._is(target) for target in node.targets):
            return True
        # A tensor has a row, which says whether the memory is the same; anything else may be an array or an object.
        untold = any(self.context.story(one, one.id) is None for one in names)
        return untold and self.may_hold(node.value)

    def shares(self, value: Expr) -> bool:
        """Return whether an expression is the tensor, or a view of it by its form."""
        if isinstance(value, Name):
            return self._is(value)
        if isinstance(value, Attribute):
            return value.attr not in PLAIN and self.shares(value.value)
        if isinstance(value, Subscript):
            return self.shares(value.value)
        if _is_itself(value):
            return self.shares(value.operand)
        return isinstance(value, Call) and isinstance(value.func, Attribute) and self.may_hold(value)

    def may_hold(self, value: Expr) -> bool:
        """Return whether the value of an expression may hold the memory."""
        if _is_itself(value):
            return self.may_hold(value.operand)
        if isinstance(value, BinOp | UnaryOp | Compare | JoinedStr | Constant):
            return False
        if isinstance(value, Name):
            return self._is(value)
        if isinstance(value, Attribute):
            return value.attr not in PLAIN and self.may_hold(value.value)
        if isinstance(value, Subscript):
            return self.may_hold(value.value)
        if isinstance(value, IfExp | BoolOp):
            return any(self.may_hold(one) for one in children(value) if isinstance(one, Expr))
        if isinstance(value, Call):
            return not self._gives_new(value.func) and any(self.may_hold(one) for one in _given(value))
        return any(self._is(one) for one in below(value, Name))

    def _hands_out(self, value: Expr) -> bool:
        """Return whether something else may hold an expression's value: an item, or what the program's code returns."""
        if _is_itself(value):
            return self._hands_out(value.operand)
        if isinstance(value, IfExp | BoolOp):
            return any(self._hands_out(one) for one in children(value) if isinstance(one, Expr))
        if isinstance(value, Attribute):
            return value.attr not in PLAIN and not self._is_told(value)
        if not isinstance(value, Call):
            return isinstance(value, Subscript)
        if _last_name(value.func) in self.own | {"get", "pop", "setdefault"}:
            return True
        return not self._gives_new(value.func) and any(self._hands_out(one) for one in _given(value))

    def _is_told(self, value: Attribute) -> bool:
        """Return whether the replay's rows have a tensor under that attribute, or it is an attribute of a tensor."""
        rows = self.context.report.rows if self.context.report else ()
        return self.context.story(value.value, dotted(value.value)) is not None or any(
            row.name == dotted(value) for row in rows
        )

    def _gives_new(self, func: Expr) -> bool:
        """Return whether a function or a tensor's method returns plain values, or tensors with memory of their own."""
        if _last_name(func) in PLAIN:
            return True
        fact = fact_of(func, self.imports)
        return fact is not None and all(result.kind == "new" for case in fact.cases for result in case.results)

    def _is(self, node: Node) -> bool:
        return isinstance(node, Name) and node.id == self.name


def _is_itself(value: Expr) -> TypeGuard[UnaryOp]:
    """Return whether an expression is `+x`, which is the tensor itself."""
    return isinstance(value, UnaryOp) and value.op == "+"


def _names(target: Expr) -> Iterator[Name]:
    """Return the plain names that an assignment to a target binds."""
    if isinstance(target, Name):
        yield target
    elif isinstance(target, Tuple | List):
        for one in target.elts:
            yield from _names(one)


def _given(call: Call) -> Iterable[Expr]:
    """The arguments of a call, and the object whose method it is."""
    if isinstance(call.func, Attribute):
        yield call.func.value
    for arg in call.args:
        yield arg.value


def _imported_functions(place: Place) -> set[str]:
    """Return the imported names, other than torch's, that look like functions: they may keep what they return."""
    found: set[str] = set()
    for stmt in statements(place.source.body):
        if isinstance(stmt, ImportFrom) and not (stmt.module or "").startswith("torch"):
            found |= {alias.asname or alias.name for alias in stmt.names}
    return {name for name in found if name.islower()}


def _last_name(func: Expr) -> str:
    return func.attr if isinstance(func, Attribute) else getattr(func, "id", "")

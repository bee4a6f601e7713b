"""Edits of the kinds that people make: one statement of a file is written in place, or has lost what kept it apart."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set

AUGMENTED = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMMUTES = (ast.Add, ast.Mult)

FUNCTIONS = {
    "relu", "relu6", "leaky_relu", "elu", "selu", "celu", "silu", "mish", "hardswish", "hardsigmoid", "hardtanh",
    "threshold", "dropout",
}  # fmt: skip
"""those of `torch.nn.functional` that take `inplace`"""

CLASSES = {
    "ReLU", "ReLU6", "LeakyReLU", "ELU", "SELU", "CELU", "SiLU", "Mish", "Hardswish", "Hardsigmoid", "Hardtanh",
    "Threshold", "RReLU", "Dropout", "Dropout2d", "Dropout3d", "AlphaDropout",
}  # fmt: skip
"""the same of `torch.nn`"""

METHODS = {
    "relu", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "abs", "neg", "square", "pow", "clamp", "clamp_min",
    "clamp_max", "add", "sub", "mul", "div", "masked_fill", "reciprocal", "log1p", "expm1", "sin", "cos", "sign",
}  # fmt: skip
"""those of a tensor that have a form in place, and so does `torch`"""

WRITES = ("{0} += 1", "{0} *= 0.5", "{0}[..., 0] = 0", "{0}.clamp_(-1, 1)", "{0}.mul_(2)", "{0}[0] = 0")

KINDS = {
    "augmented": "`x = x + y` becomes `x += y`",
    "method": "`x.exp()` becomes `x.exp_()`",
    "function": "`F.relu(x)` becomes `F.relu(x, inplace=True)`",
    "module": "`nn.ReLU()` becomes `nn.ReLU(inplace=True)`",
    "clone": "a `.clone()` is dropped",
    "detach": "a `.detach()` is dropped",
    "no_grad": "a `no_grad()` is dropped",
    "masked": "a masked choice becomes a write by index",
    "write": "a write comes after a line",
}


@dataclass(frozen=True, slots=True)
class Edit:
    """The lines `first` to `last` (from 1) of a file are replaced."""

    kind: str
    first: int
    last: int
    lines: tuple[str, ...]

    def applied(self, text: str) -> str:
        """The text of the file after it."""
        lines = text.split("\n")
        lines[self.first - 1 : self.last] = self.lines
        return "\n".join(lines)


def edits(text: str, lines: Set[int], tensors: Mapping[int, Set[str]]) -> list[Edit]:
    """All edits of what runs: `lines` of the file, and the `tensors` of floats in functions, by their first lines."""
    found: dict[Edit, None] = {}
    for function, statement in _statements(ast.parse(text)):
        if statement.lineno in lines:
            first = min(one.lineno for one in (function, *function.decorator_list))
            known = tensors.get(first) or tensors.get(function.lineno) or frozenset()
            found.update(dict.fromkeys(_of(text, statement, known)))
    return list(found)


def _statements(node: ast.AST, function: ast.FunctionDef | None = None) -> Iterator[tuple[ast.FunctionDef, ast.stmt]]:
    """The statements in functions, each with the innermost of them around it."""
    for child in ast.iter_child_nodes(node):
        if function is not None and isinstance(child, ast.stmt):
            yield function, child
        yield from _statements(child, child if isinstance(child, ast.FunctionDef) else function)


def _of(text: str, s: ast.stmt, tensors: Set[str]) -> Iterator[Edit]:
    """The edits of one statement."""
    own = _Statement(text, s)
    if isinstance(s, (ast.Assign, ast.Return, ast.Expr, ast.AnnAssign)) and s.value is not None:
        yield from own.augmented(tensors)
        yield from own.masked(tensors)
        for node in ast.walk(s.value):
            if isinstance(node, ast.Call):
                yield from own.call(node, tensors)
        yield from own.written(tensors)
    elif isinstance(s, ast.With):
        yield from own.entered()


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement and the text that it is in."""

    text: str
    node: ast.stmt

    @property
    def indent(self) -> str:
        return " " * self.node.col_offset

    def source(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.text, node) or ""

    def edit(self, kind: str, *lines: str) -> Edit:
        """Other lines in the statement's place."""
        assert self.node.end_lineno is not None
        written = [self.indent + part for line in lines for part in line.split("\n")]
        return Edit(kind, self.node.lineno, self.node.end_lineno, tuple(written))

    def replaced(self, kind: str, node: ast.expr, by: str) -> Edit:
        """The statement with other words for an expression in it."""
        lines = self.text.split("\n")
        first, last = self.node.lineno, self.node.end_lineno
        assert node.end_lineno is not None and last is not None and node.end_col_offset is not None
        begin = lines[node.lineno - 1].encode()[: node.col_offset].decode()
        end = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
        new = [*lines[first - 1 : node.lineno - 1], *(begin + by + end).split("\n"), *lines[node.end_lineno : last]]
        return Edit(kind, first, last, tuple(new))

    def augmented(self, tensors: Set[str]) -> Iterator[Edit]:
        """`x = x + y`, `z = x + y` and `return x + y`, with `x += y`."""
        value = self.node.value  # type: ignore[attr-defined]
        if not (isinstance(value, ast.BinOp) and type(value.op) in AUGMENTED):
            return
        sides = [(value.left, value.right)]
        if isinstance(value.op, COMMUTES):
            sides.append((value.right, value.left))
        for changed, other in sides:
            if isinstance(changed, ast.Name) and changed.id in tensors:
                name, words = changed.id, self.source(other)
                target = self.target
                first = f"{name} {AUGMENTED[type(value.op)]}= {words}"
                if "\n" in words:
                    continue
                if isinstance(self.node, ast.Return):
                    yield self.edit("augmented", first, f"return {name}")
                elif target == name:
                    yield self.edit("augmented", first)
                elif target is not None:
                    yield self.edit("augmented", first, f"{target} = {name}")

    @property
    def target(self) -> str | None:
        """The variable that is assigned, if it is one."""
        targets = self.node.targets if isinstance(self.node, ast.Assign) else []
        return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None

    def masked(self, tensors: Set[str]) -> Iterator[Edit]:
        """`x = torch.where(m, x, 0)` and `x = x.masked_fill(m, 0)`, with `x[m] = 0`."""
        value, target = self.node.value, self.target  # type: ignore[attr-defined]
        if target is None or not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return
        words = [self.source(one) for one in value.args]
        owner, name = self.source(value.func.value), value.func.attr
        if value.keywords or any("\n" in one for one in words):
            return
        if name == "masked_fill" and owner in tensors and len(words) == 2:
            yield self.edit("masked", f"{owner}[{words[0]}] = {words[1]}", *self.named(target, owner))
        elif name == "where" and owner == "torch" and len(words) == 3:
            if words[1] in tensors:
                yield self.edit("masked", f"{words[1]}[~({words[0]})] = {words[2]}", *self.named(target, words[1]))
            if words[2] in tensors:
                yield self.edit("masked", f"{words[2]}[{words[0]}] = {words[1]}", *self.named(target, words[2]))

    @staticmethod
    def named(target: str, source: str) -> list[str]:
        return [] if target == source else [f"{target} = {source}"]

    def call(self, node: ast.Call, tensors: Set[str]) -> Iterator[Edit]:
        """A call in place, or without what kept its result apart."""
        func, words = node.func, self.source(node)
        if not isinstance(func, ast.Attribute):
            return
        owner, name = self.source(func.value), func.attr
        given = any(one.arg == "inplace" for one in node.keywords)
        after = words[len(owner) + 1 + len(name) :] if words.startswith(owner) else ""
        if name in FUNCTIONS and owner in ("F", "nn.functional", "torch.nn.functional") and not given:
            yield self.replaced("function", node, _with(words, "inplace=True"))
        elif name in CLASSES and owner in ("nn", "torch.nn") and not given:
            yield self.replaced("module", node, _with(words, "inplace=True"))
        elif name in METHODS and owner not in ("np", "math", "F", "nn") and after.startswith("("):
            yield self.replaced("method", node, f"{owner}.{name}_{after}")
        elif name in ("clone", "detach") and not node.args and not node.keywords:
            yield self.replaced(name, node, owner)

    def written(self, tensors: Set[str]) -> Iterator[Edit]:
        """A line that writes to what was made or used here."""
        if isinstance(self.node, ast.Return) or self.node.end_lineno is None:
            return
        used = {one.id for one in ast.walk(self.node) if isinstance(one, ast.Name)} & tensors
        lines = self.text.split("\n")[self.node.lineno - 1 : self.node.end_lineno]
        if lines[0][: self.node.col_offset].strip() or lines[-1].rstrip().endswith((";", "\\")):
            return
        for name in sorted(used):
            for write in WRITES:
                new = (*lines, self.indent + write.format(name))
                yield Edit("write", self.node.lineno, self.node.end_lineno, new)

    def entered(self) -> Iterator[Edit]:
        """A block that runs with gradients, which ran without."""
        s = self.node
        assert isinstance(s, ast.With)
        words = self.source(s.items[0].context_expr)
        if len(s.items) == 1 and words in ("torch.no_grad()", "torch.inference_mode()"):
            head = self.text.split("\n")[s.lineno - 1 : s.body[0].lineno - 1]
            if len(head) == 1:
                yield Edit("no_grad", s.lineno, s.lineno, (self.indent + "if True:",))


def _with(call: str, argument: str) -> str:
    """A call with one more argument."""
    inside = call[:-1].rstrip()
    return f"{inside}{'' if inside.endswith('(') else ' ' if inside.endswith(',') else ', '}{argument})"

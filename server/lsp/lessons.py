"""What the operator under the cursor saves and why, whether its change in place is safe here, and common myths.

All of this comes from the measured facts and the existing analysis: nothing is replayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..analyses.operators.calls_by_name import OPERATORS
from ..facts.history import otherwise
from ..facts.model import ModuleFact, Op
from ..syntax import ir
from ..syntax.imports import import_table
from ..syntax.walk import field_names, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..analyses.domain.report import Report, Site, Story, Write
    from ..facts.model import Case, Param, Save, Test
    from ..syntax.chunks import Chunk, Source
    from ..workspace.pytorch import Release
    from .texts import Texts

LONGEST = 30
"""longest operand, in code points, that is quoted; a longer one is called by its parameter's name"""

UNARY = {"-": "neg", "~": "bitwise_not"}
MYTHS = {"inplace": "myth-inplace", "retain_graph": "myth-retain"}


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator as the text has it: its name, the cases of its fact that may apply, and its operands.

    `operands` has the operands' texts by parameter. `measured`: what it saves is known. `fact`: its full name.
    """

    name: str
    fact: str
    cases: list[Case]
    passed: Mapping[str, ir.Expr]
    operands: Mapping[str, str]
    measured: bool = True


class Lesson:
    """Explains the operators in one file. `line_of` returns a site's line, counted from 1.

    `release` is the release of PyTorch that the program runs with, and the place that says so.
    """

    def __init__(
        self,
        report: Report,
        source: Source,
        texts: Texts,
        line_of: Callable[[Site], int],
        release: Release | None = None,
    ) -> None:
        self._release = release
        self._source = source
        self._facts = report.facts
        self._texts = texts
        self._line_of = line_of
        self._stories = [one for one in report.stories.values() if one.site.chunk.path == source.path]
        self._tensors = {id(story.site.node): story for story in self._stories}

    def at(self, offset: int) -> tuple[list[str], int, int] | None:
        """Return the lesson about the operator at an offset, and where it begins and ends; None without a lesson."""
        chunk = next((one for one in self._source.chunks if one.offset <= offset <= one.offset + len(one.text)), None)
        if chunk is None or chunk.edit is not None:
            return None
        nodes = list(around(chunk.body, offset - chunk.offset))
        for outer, node in reversed([*zip([None, *nodes], nodes, strict=False)]):
            token = _token(node)
            if token is not None and token[0] <= offset - chunk.offset <= token[1]:
                said = list(self._told(outer if outer is not None and _stores(outer, node) else node, chunk))
                return (said, *_trimmed(self._source.text, *(chunk.offset + one for one in token))) if said else None
        return None

    def _told(self, node: ir.Node, chunk: Chunk) -> Iterator[str]:
        if isinstance(node, ir.Arg):
            if node.name in MYTHS and isinstance(node.value, ir.Constant) and node.value.value is True:
                yield self._texts(MYTHS[node.name])
        elif isinstance(node, ir.Assign) and not isinstance(node.targets[-1], ir.Subscript):
            if id(node.value) in self._tensors:
                target, value = (_text(one, chunk) for one in (node.targets[-1], node.value))
                yield self._texts("myth-alias", target=target, value=value)
        elif (op := self._operator(node, chunk) or self._module(node, chunk)) is not None:
            yield from self._saves(op)
            yield from self._shares(op)
            yield from self._changes(node, chunk)
            yield from self._releases(op)

    # -- what it saves ----------------------------------------------------------------------------

    def _saves(self, op: Operator) -> Iterator[str]:
        """Say what an operator saves, each with the gradient that is computed from it."""
        saves = {
            (one.what, one.when): (one, case) for case in op.cases for one in case.saves if _may_be(one, op.passed)
        }
        if saves:
            lines = [self._saved(save, case, op.operands) for save, case in saves.values()]
            head = self._texts("op-saves" if len(op.cases) == 1 else "op-may-save", op=op.name)
            yield "\n".join([head, "", *dict.fromkeys(lines)])
            yield self._texts("op-until")
        elif op.measured and any(case.flows for case in op.cases):
            yield self._texts("op-saves-nothing", op=op.name)

    def _shares(self, op: Operator) -> Iterator[str]:
        """Say that an operator returns a view, if it does so whatever its arguments are."""
        results = [result for case in op.cases for result in case.results]
        bases = {result.of if result.kind == "view" else None for result in results}
        if len(bases) == 1 and (base := bases.pop()) is not None:
            yield self._texts("op-view", of=self._quoted(base, op.operands))

    def _releases(self, op: Operator) -> Iterator[str]:
        """Say which release of PyTorch this holds for, if other releases behave differently."""
        if others := otherwise(op.fact, self._facts.name):
            release = f"{self._release.number} ({self._release.why})" if self._release else self._facts.name
            yield self._texts("op-releases", release=release, others=", ".join(others), name=op.fact)

    def _saved(self, save: Save, case: Case, operands: Mapping[str, str]) -> str:
        needed = {one for inputs in save.when for one in inputs}
        inputs = [*(one for one in operands if one in needed), *sorted(needed - operands.keys())]
        told = self._texts("and").join(self._quoted(one, operands) for one in inputs)
        what = self._quoted(save.what, operands)
        formulas = [formula for one in inputs if (formula := self._facts.derivatives.find(case.node, one, save.what))]
        why = self._texts("op-formula", formula=formulas[0]) if len(inputs) == 1 and formulas else ""
        return "- " + self._texts("op-saved" if len(inputs) == 1 else "op-saved-several", what=what, inputs=told) + why

    def _quoted(self, parameter: str, operands: Mapping[str, str]) -> str:
        if parameter.startswith("out") and (parameter == "out" or parameter[3:].isdigit()):
            return self._texts("op-result")
        return f"`{operands.get(parameter, parameter)}`"

    # -- what it changes --------------------------------------------------------------------------

    def _changes(self, node: ir.Node, chunk: Chunk) -> Iterator[str]:
        """Say what a change in place does, and why it is safe where it is."""
        target = _changed(node)
        if target is None:
            return
        name = _text(target, chunk)
        key = "myth-augmented" if isinstance(node, ir.AugAssign) else "in-place"
        yield self._texts(key, op=_shown(node), target=name, short=_shown(node).removesuffix("="))
        story = self._tensors.get(id(target.value if isinstance(target, ir.Subscript) else target))
        writes = [write for write in story.writes if _inside(write, node)] if story else []
        if story is not None and writes and writes[-1].before is not None:
            yield self._safety(story, writes[-1], name)

    def _safety(self, story: Story, write: Write, name: str) -> str:
        """Say whether an operation had saved what a change replaces; a known failure is reported elsewhere."""
        here = self._line_of(write.site)
        step = f"{write.before} → {write.after}"
        before = write.before or 0
        earlier = [save for save in story.saves if save.version is not None and save.version <= before]
        if earlier:
            save = earlier[-1]
            return self._texts("change-saved", step=step, op=save.op, line=self._line_of(save.site), at=save.version)
        later = [save for save in story.saves if self._line_of(save.site) >= here]
        if later:
            return self._texts("change-safe-later", step=step, op=later[0].op, line=self._line_of(later[0].site))
        return self._texts("change-safe", step=step, target=name)

    # -- which operator it is ---------------------------------------------------------------------

    def _operator(self, node: ir.Node, chunk: Chunk) -> Operator | None:
        """Return the operator that a node is; None if it is not known to be one of PyTorch's."""
        op = self._fact(node)
        if op is None:
            return None
        passed = dict(_passed(op.params, node, is_method=op.name.startswith("torch.Tensor.")))
        operands = {parameter: _text(one, chunk) or parameter for parameter, one in passed.items()}
        return Operator(_shown(node), op.name, _cases(op.cases, op.params, passed), passed, operands, op.measured)

    def _module(self, node: ir.Node, chunk: Chunk) -> Operator | None:
        """Return the operator of a `torch.nn` module's call, if the text shows its class and how it was made."""
        if not isinstance(node, ir.Call):
            return None
        owner = _dotted(node.func)
        made = node.func if isinstance(node.func, ir.Call) else self._made(owner, chunk) if owner else None
        name = self._callee(made) if made is not None else None
        fact = self._facts.table.find(name) if name else None
        if made is None or not isinstance(fact, ModuleFact):
            return None
        passed = dict(_passed(fact.forward, node))
        operands = {parameter: _text(one, chunk) or parameter for parameter, one in passed.items()}
        if owner:
            operands |= {f"self.{parameter}": f"{owner}.{parameter}" for parameter in fact.parameters}
        given = dict(_passed(fact.params, made)) | passed
        return Operator(fact.name, fact.name, _cases(fact.cases, (*fact.forward, *fact.params), given), given, operands)

    def _made(self, name: str, chunk: Chunk) -> ir.Call | None:
        """Return the one call whose result a name stands for; an attribute of `self` in the class around a chunk."""
        scope = list(self._source.body)
        if name.startswith("self."):
            classes = [one for one in scope if isinstance(one, ir.ClassDef)]
            scope = [one for one in classes if any(member.chunk is chunk for member in one.body)]
        found = [
            one.value for one in statements(scope) if isinstance(one, ir.Assign) and _dotted(one.targets[-1]) == name
        ]
        return found[0] if len(found) == 1 and isinstance(found[0], ir.Call) else None

    def _fact(self, node: ir.Node) -> Op | None:
        """Return the fact of an operator or a call; None if it is not known to be one of PyTorch's."""
        name = None
        if isinstance(node, ir.BinOp) and (self._is_tensor(node.left) or self._is_tensor(node.right)):
            name = f"torch.{OPERATORS[node.op]}"
        elif isinstance(node, ir.AugAssign) and self._is_tensor(node.target) and node.op != "@":
            name = f"torch.Tensor.{OPERATORS[node.op]}_"
        elif isinstance(node, ir.UnaryOp) and self._is_tensor(node.operand) and node.op in UNARY:
            name = f"torch.{UNARY[node.op]}"
        elif isinstance(node, ir.Subscript) and self._is_tensor(node.value):
            name = "torch.Tensor.__getitem__"
        elif isinstance(node, ir.Assign) and self._is_tensor(node.targets[-1]):
            name = "torch.Tensor.__setitem__"
        elif isinstance(node, ir.Call):
            name = self._callee(node)
        fact = self._facts.table.find(name) if name else None
        return fact if isinstance(fact, Op) else None

    def _callee(self, call: ir.Call) -> str | None:
        """Return the name of a function of PyTorch, or of a tensor's method."""
        dotted = _dotted(call.func)
        imported = import_table(self._source).resolve(dotted) if dotted else None
        if imported is not None:
            return imported
        if isinstance(call.func, ir.Attribute) and self._is_tensor(call.func.value):
            return f"torch.Tensor.{call.func.attr}"
        return None

    def _is_tensor(self, e: ir.Expr) -> bool:
        """Whether an expression is a tensor, or is made from one by operators that return tensors."""
        if isinstance(e, ir.Name | ir.Attribute):
            return id(e) in self._tensors
        if isinstance(e, ir.BinOp):
            return self._is_tensor(e.left) or self._is_tensor(e.right)
        if isinstance(e, ir.UnaryOp):
            return self._is_tensor(e.operand)
        if isinstance(e, ir.Subscript):
            return self._is_tensor(e.value)
        name = self._callee(e) if isinstance(e, ir.Call) else None
        fact = self._facts.table.find(name) if name else None
        return isinstance(fact, Op) and any(case.flows and len(case.results) == 1 for case in fact.cases)


def around(nodes: list[ir.Stmt], offset: int) -> Iterator[ir.Node]:
    """Yield the nodes around an offset of a chunk's text, the outermost first."""
    waiting: list[object] = list(nodes)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ir.Node) and node.start <= offset <= node.end:
            yield node
            waiting = [one for name in field_names(node) for one in _several(getattr(node, name))]


def _several(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _token(node: ir.Node) -> tuple[int, int] | None:
    """Return where the text of an operator begins and ends in its chunk: `+=`, `exp`, `inplace`."""
    match node:
        case ir.BinOp():
            return node.left.end, node.right.start
        case ir.AugAssign():
            return node.target.end, node.value.start
        case ir.Assign():
            return node.targets[-1].end, node.value.start
        case ir.Subscript():
            return node.value.end, node.slice.start
        case ir.UnaryOp():
            return node.start, node.operand.start
        case ir.Call(func=ir.Attribute() as func):
            return func.attr_start, func.attr_start + len(func.attr)
        case ir.Call(func=ir.Name() as func):
            return func.start, func.end
        case ir.Arg(name=str(name)):
            return node.start, node.start + len(name)
    return None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range without the spaces at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def _shown(node: ir.Node) -> str:
    """Return an operator as it is written."""
    match node:
        case ir.AugAssign():
            return f"{node.op}="
        case ir.Subscript():
            return "[…]"
        case ir.Assign():
            return "[…] ="
        case ir.BinOp() | ir.UnaryOp():
            return node.op
        case ir.Call(func=ir.Attribute() as func):
            return func.attr
        case ir.Call(func=ir.Name() as func):
            return func.id
    return ""


def _changed(node: ir.Node) -> ir.Expr | None:
    """Return what an operator or a method changes in place."""
    if isinstance(node, ir.AugAssign):
        return node.target
    if isinstance(node, ir.Assign) and isinstance(node.targets[-1], ir.Subscript):
        return node.targets[-1].value
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        attr = node.func.attr
        return node.func.value if attr.endswith("_") and not attr.endswith("__") else None
    return None


def _stores(outer: ir.Node, node: ir.Node) -> bool:
    """Whether a statement writes to a subscript without reading it."""
    return isinstance(outer, ir.Assign) and isinstance(node, ir.Subscript) and node is outer.targets[-1]


def _inside(write: Write, node: ir.Node) -> bool:
    return node.start <= write.site.node.start and write.site.node.end <= node.end


def _passed(params: Sequence[Param], node: ir.Node, is_method: bool = False) -> Iterator[tuple[str, ir.Expr]]:
    """Yield the parameters of an operator with their arguments."""
    parameters = [parameter.name for parameter in params if not parameter.keyword_only]
    match node:
        case ir.BinOp():
            yield from zip(parameters, (node.left, node.right), strict=False)
        case ir.AugAssign():
            yield from zip(parameters, (node.target, node.value), strict=False)
        case ir.UnaryOp():
            yield from zip(parameters, (node.operand,), strict=False)
        case ir.Subscript():
            yield from zip(parameters, (node.value, node.slice), strict=False)
        case ir.Assign(targets=[*_, ir.Subscript() as target]):
            yield from zip(parameters, (target.value, target.slice, node.value), strict=False)
        case ir.Call():
            first = [node.func.value] if is_method and isinstance(node.func, ir.Attribute) else []
            in_order = [*first, *(arg.value for arg in node.args if arg.name is None and not arg.star)]
            yield from zip(parameters, in_order, strict=False)
            yield from ((arg.name, arg.value) for arg in node.args if arg.name)


def _cases(cases: Sequence[Case], params: Sequence[Param], passed: Mapping[str, ir.Expr]) -> list[Case]:
    """Return the cases of a fact that may apply, as far as the text of a call shows."""
    defaults = {parameter.name: parameter.default for parameter in params}
    may: list[Case] = []
    for case in cases:
        holds = [_holds(test, passed, defaults) for test in case.tests]
        if False not in holds:
            may.append(case)
            if None not in holds:
                break
    return may


def _holds(test: Test, passed: Mapping[str, ir.Expr], defaults: Mapping[str, object]) -> bool | None:
    """Whether a condition on an argument holds; None if the text doesn't show it."""
    given = passed.get(test.param)
    if test.op == "advanced" and given is not None:
        return None if (known := _is_advanced(given)) is None else known is test.value
    if test.param not in passed and test.param not in defaults:
        return None
    if given is not None and not isinstance(given, ir.Constant):
        return None
    value = defaults.get(test.param) if given is None else given.value
    match test.op:
        case "tensor":
            return not test.value
        case "given":
            return (value is not None and given is not None) is test.value
        case "is":
            return value == test.value
        case "is_not":
            return value != test.value
    return None


def _is_advanced(index: ir.Expr) -> bool | None:
    """Whether an index copies, as lists and tensors do; None if the text doesn't show it."""
    match index:
        case ir.List():
            return True
        case ir.Slice() | ir.Constant() | ir.UnaryOp(operand=ir.Constant()):
            return False
        case ir.Tuple():
            known = {_is_advanced(one) for one in index.elts}
            return True if True in known else None if None in known else False
    return None


def _may_be(save: Save, passed: Mapping[str, ir.Expr]) -> bool:
    """Whether a call may save something: numbers are not saved and don't require grad."""
    numbers = {parameter for parameter, one in passed.items() if isinstance(one, ir.Constant)}
    return save.what not in numbers and any(not inputs & numbers for inputs in save.when)


def _text(e: ir.Expr, chunk: Chunk) -> str:
    """Return the text of an expression; empty where it is long."""
    text = chunk.text[e.start : e.end]
    return text if len(text) <= LONGEST and "\n" not in text and "`" not in text else ""


def _dotted(e: ir.Expr) -> str | None:
    if isinstance(e, ir.Name):
        return e.id
    if isinstance(e, ir.Attribute):
        owner = _dotted(e.value)
        return None if owner is None else f"{owner}.{e.attr}"
    return None

"""Edits that keep the user's layout: indentation, comments, parentheses, one-line compound statements."""

from __future__ import annotations

import keyword
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ..syntax.ir import (
    Await,
    BinOp,
    BoolOp,
    Call,
    Comp,
    Compare,
    Constant,
    Expr,
    ExprStmt,
    FunctionDef,
    If,
    IfExp,
    JoinedStr,
    Lambda,
    NamedExpr,
    Starred,
    Stmt,
    Tuple,
    UnaryOp,
    While,
    Yield,
)
from .edit import Edit
from .place import Place, bodies, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..syntax.ir import Arg, Node

REST_OF_LINE = re.compile(r"[ \t\f]*(#[^\r\n]*)?(?=\r|\n|\Z)")
WORD = re.compile(r"\w+\Z")

BINDING = {
    op: level
    for level, ops in enumerate(["|", "^", "&", "<< >>", "+ -", "* @ / // %", "unary", "**"], start=6)
    for op in ops.split()
}
"""How tightly the operators bind, as in the table of Python's reference, "Operator precedence"."""

LOOSE: dict[type[Expr], int] = {NamedExpr: 0, Yield: 0, Tuple: 0, Starred: 0, Lambda: 1, IfExp: 2, Compare: 5}
ATOM = 20


# -- expressions ------------------------------------------------------------------------------


def binding(node: Expr) -> int:
    """Return how tightly the outermost operator of an expression binds; larger is tighter."""
    if isinstance(node, BinOp):
        return BINDING[node.op]
    if isinstance(node, UnaryOp):
        return 4 if node.op == "not" else BINDING["unary"]
    if isinstance(node, BoolOp):
        return 3
    if isinstance(node, Await):
        return BINDING["**"] + 1
    return LOOSE.get(type(node), ATOM)


def grouped(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span by the parentheses that merely group it; those of a call are left out."""
    while True:
        before, after = text[:start].rstrip(), text[end:].lstrip()
        if not (before.endswith("(") and after.startswith(")")):
            return start, end
        head = text[: len(before) - 1].rstrip(" \t")
        word = WORD.search(head)
        if head.endswith((")", "]", "}", '"', "'")) or (word and not keyword.iskeyword(word.group())):
            return start, end
        start, end = len(before) - 1, len(text) - len(after) + 1


def operand(place: Place, op: str) -> list[Edit]:
    """Return the edits under which the expression at `place` can stand to the right of `op`.

    Operators of the same strength get parentheses too: `a - (b + c)` isn't `a - b + c`, and even for
    `+` the rounding would differ.
    """
    assert isinstance(place.node, Expr)
    if is_grouped(place):
        return []
    need = BINDING["unary"] if op == "**" else BINDING[op] + 1
    return [] if binding(place.node) >= need else parentheses(place)


def is_grouped(place: Place) -> bool:
    """Return whether the expression stands in parentheses of its own."""
    return grouped(place.source.text, place.start, place.end) != (place.start, place.end)


def parentheses(place: Place) -> list[Edit]:
    """Put the expression at `place` in parentheses."""
    return [Edit(place.path, place.start, place.start, "("), Edit(place.path, place.end, place.end, ")")]


def suffix(place: Place, tail: str) -> list[Edit]:
    """Append `tail`, such as `.clone()`, to the expression at `place`."""
    node = place.node
    assert isinstance(node, Expr)
    bare = binding(node) == ATOM and not (isinstance(node, Constant) and place.text[-1:].isalnum())
    if bare:
        return [Edit(place.path, place.end, place.end, tail)]
    start, end = grouped(place.source.text, place.start, place.end)
    if start < place.start:
        return [Edit(place.path, end, end, tail)]
    return [Edit(place.path, start, start, "("), Edit(place.path, end, end, ")" + tail)]


def remove_argument(call: Place, arg: Arg) -> Edit:
    """Take an argument out of a call, with the comma that it no longer needs."""
    assert isinstance(call.node, Call)
    args, text = call.node.args, call.source.text
    offset = call.chunk.offset
    start, end = offset + arg.start, offset + arg.end
    index = next(i for i, one in enumerate(args) if one is arg)
    if index + 1 < len(args):
        return Edit(call.path, start, offset + args[index + 1].start, "")
    tail = re.compile(r"\s*,").match(text, end)
    if index:
        comma = text.rindex(",", 0, start)
        return Edit(call.path, comma + 1, tail.end(), "") if tail else Edit(call.path, comma, end, "")
    opening = text.rindex("(", 0, start) + 1
    closing = re.compile(r"\s*,?\s*").match(text, end)
    assert closing is not None
    return Edit(call.path, opening, closing.end(), "")


def add_argument(call: Place, argument: str) -> Edit:
    """Put a further argument at the end of a call."""
    assert isinstance(call.node, Call)
    if not call.node.args:
        return Edit(call.path, call.end - 1, call.end - 1, argument)
    at = call.chunk.offset + call.node.args[-1].end
    return Edit(call.path, at, at, f", {argument}")


def is_pure(node: Expr) -> bool:
    """Return whether the expression may be evaluated twice: it calls and binds nothing."""
    return not any(isinstance(part, Call | Await | Yield | NamedExpr) for part in walk(node))


def fresh_name(place: Place, base: str) -> str:
    """Return a name, made from `base`, that the file doesn't use."""
    name, count = base, 1
    while re.search(rf"\b{name}\b", place.source.text):
        count += 1
        name = f"{base}{count}"
    return name


# -- statements -------------------------------------------------------------------------------


def newline(place: Place) -> str:
    """Return the file's line ending."""
    return "\r\n" if "\r\n" in place.source.text else "\n"


def line_indent(text: str, offset: int) -> str:
    """Return the white space that the line around `offset` begins with."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    found = re.compile(r"[ \t\f]*").match(text, start)
    assert found is not None
    return found.group()


def begins_line(place: Place) -> bool:
    """Return whether only white space stands before the node on its line."""
    text = place.source.text
    start = max(text.rfind("\n", 0, place.start), text.rfind("\r", 0, place.start)) + 1
    return not text[start : place.start].strip(" \t\f\ufeff")


def unit(place: Place) -> str:
    """Return one level of indentation, as the code around `place` has it."""
    for i in range(len(place.chain) - 1, -1, -1):
        outer = Place(place.path, place.source, place.chain[: i + 1])
        for body in bodies(outer.node):
            if body and isinstance(outer.node, Stmt):
                inner = Place(place.path, place.source, (*outer.chain, body[0]))
                step = line_indent(inner.source.text, inner.start)[len(line_indent(outer.source.text, outer.start)) :]
                if begins_line(inner) and step:
                    return step
    found = re.search(r"^(?:class|def|if|for|while|with|try)\b.*:[ \t]*\n([ \t]+)\S", place.source.text, re.MULTILINE)
    return found.group(1) if found else "    "


def block_indent(stmt: Place) -> str:
    """Return the indentation of the block of the statement at `stmt`, also where it stands on its header's line."""
    if begins_line(stmt):
        return line_indent(stmt.source.text, stmt.start)
    first = stmt.sibling(stmt.block[0])
    own = line_indent(stmt.source.text, stmt.start)
    return own if begins_line(first) else own + unit(stmt)


def insert_before(stmt: Place, line: str) -> Edit | None:
    """Put a simple statement before the one at `stmt`; None where no statement can stand there (`elif`)."""
    if isinstance(stmt.node, If) and stmt.text.startswith("elif"):
        return None
    gap = newline(stmt) + line_indent(stmt.source.text, stmt.start) if begins_line(stmt) else "; "
    return Edit(stmt.path, stmt.start, stmt.start, line + gap)


def insert_after(stmt: Place, line: str) -> Edit:
    """Put a simple statement after the one at `stmt`, on a line of its own where that has one."""
    text, end = stmt.source.text, stmt.end
    rest = REST_OF_LINE.match(text, end)
    if begins_line(stmt) and rest:
        return Edit(stmt.path, rest.end(), rest.end(), newline(stmt) + line_indent(text, stmt.start) + line)
    return Edit(stmt.path, end, end, "; " + line)


def first_line_of(body: Place, line: str) -> Edit | None:
    """Put a simple statement at the beginning of the body of the compound statement at `body`, after a docstring."""
    inside = (Place(body.path, body.source, (*body.chain, stmt)) for stmt in next(bodies(body.node)))
    first = next((one for one in inside if not is_docstring(one.node)), None)
    return insert_before(first, line) if first else None


def is_docstring(stmt: Node) -> bool:
    """Return whether a statement is nothing but a string."""
    value = stmt.value if isinstance(stmt, ExprStmt) else None
    return isinstance(value, Constant) and isinstance(value.value, str)


def own_lines(stmt: Place) -> list[Edit]:
    """Return the edits that give each statement on the line of the one at `stmt` a line of its own."""
    if begins_line(stmt) and REST_OF_LINE.match(stmt.source.text, stmt.end):
        return []
    edits: list[Edit] = []
    text, gap = stmt.source.text, newline(stmt) + block_indent(stmt)
    places = _line_mates(stmt)
    for before, one in zip([None, *places], places, strict=False):
        if not begins_line(one):
            start = before.end if before else one.start - len(_blanks_before(text, one.start))
            edits.append(Edit(stmt.path, start, one.start, gap))
    last = places[-1].end
    trailing = re.compile(r"[ \t]*;").match(text, last)
    return [*edits, Edit(stmt.path, last, trailing.end(), "")] if trailing else edits


def _line_mates(stmt: Place) -> list[Place]:
    """Return the statements of the block on the same line as the one at `stmt`, that one included."""
    mates: list[Place] = []
    for one in map(stmt.sibling, stmt.block):
        if mates and "\n" in stmt.source.text[mates[-1].end : one.start]:
            if any(mate.node is stmt.node for mate in mates):
                break
            mates.clear()
        mates.append(one)
    return mates


def _blanks_before(text: str, offset: int) -> str:
    head = text[:offset]
    return head[len(head.rstrip(" \t")) :]


def wrap(stmt: Place, header: str, others: Sequence[Place] = ()) -> list[Edit]:
    """Put a statement into a compound one: `header` on the line before it, the statement indented.

    `others` are the statements of its block that follow and come along; each begins its line.
    """
    step = unit(stmt)
    edits = own_lines(stmt)
    opening = header + newline(stmt) + block_indent(stmt) + step
    edits.append(Edit(stmt.path, stmt.start, stmt.start, opening))
    edits += (Edit(one.path, one.start, one.start, step) for one in others)
    return edits + [Edit(one.path, at, at, step) for one in (stmt, *others) for at in _line_starts(one)]


def _line_starts(stmt: Place) -> Iterator[int]:
    """Return where the second and later lines of a statement begin, without blank ones and those inside strings."""
    text = stmt.source.text
    strings = [
        (stmt.chunk.offset + node.start, stmt.chunk.offset + node.end)
        for node in walk(stmt.node)
        if isinstance(node, JoinedStr) or (isinstance(node, Constant) and isinstance(node.value, str | bytes))
    ]
    for found in re.compile(r"\n(?=[^\r\n])").finditer(text, stmt.start, stmt.end):
        if not any(start < found.start() < end for start, end in strings):
            yield found.end()


def delete(stmt: Place) -> Edit | None:
    """Delete the statement at `stmt`, its line and its comment; None if its block would be empty."""
    if len(stmt.block) == 1:
        return None
    text, end = stmt.source.text, stmt.end
    rest = REST_OF_LINE.match(text, end)
    if begins_line(stmt) and rest:
        start = stmt.start - len(line_indent(text, stmt.start))
        before = re.compile(r"(?:\r\n|\n|\r)\Z").search(text[:start])
        if before:
            return Edit(stmt.path, before.start(), rest.end(), "")
        return Edit(stmt.path, start, _after_newline(text, rest.end()), "")
    semicolon = re.compile(r"[ \t]*;[ \t]*").match(text, end)
    if semicolon and not REST_OF_LINE.match(text, semicolon.end()):
        return Edit(stmt.path, stmt.start, semicolon.end(), "")
    before = re.compile(r"[ \t]*;[ \t]*\Z").search(text, 0, stmt.start)
    return Edit(stmt.path, before.start() if before else stmt.start, end, "")


def moved(stmt: Place, after: Place) -> list[Edit] | None:
    """Move the statement at `stmt` to after the one at `after`; None if its block would be empty."""
    gone = delete(stmt)
    return [gone, insert_after(after, lines_of(stmt, block_indent(after)))] if gone else None


def lines_of(stmt: Place, indent: str) -> str:
    """Return a statement with its comment, as it is written in a block with another indentation."""
    text, old, new = stmt.source.text, block_indent(stmt), indent
    rest = REST_OF_LINE.match(text, stmt.end) if begins_line(stmt) else None
    end = rest.end() if rest else stmt.end
    pieces: list[str] = []
    at = stmt.start
    for start in _line_starts(stmt):
        pieces += text[at:start], new
        at = start + (len(old) if text.startswith(old, start) else 0)
    return "".join(pieces) + text[at:end]


def _after_newline(text: str, offset: int) -> int:
    for ending in ("\r\n", "\n", "\r"):
        if text.startswith(ending, offset):
            return offset + len(ending)
    return offset


def can_precede(place: Place) -> bool:
    """Return whether a statement before the one around `place` runs once, before `place` is evaluated.

    It does not in a `while` test, an `elif`, a comprehension or a lambda.
    """
    if place.up(Comp, Lambda) is not None:
        return False
    stmt = place.statement
    if isinstance(stmt.node, If) and stmt.text.startswith("elif"):
        return False
    return not isinstance(stmt.node, While | FunctionDef)


def is_conditional(place: Place) -> bool:
    """Return whether the statement may skip `place`: in a branch of `a if b else c`, or after `and`, `or`, `<`."""
    for inner, outer in pairwise(reversed(place.chain)):
        if isinstance(outer, IfExp) and inner is not outer.test:
            return True
        if isinstance(outer, BoolOp) and inner is not outer.values[0]:
            return True
        if isinstance(outer, Compare) and any(inner is one for one in outer.comparators[1:]):
            return True
    return False

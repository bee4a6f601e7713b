"""Programs with carets under the lines: the expected spans of nodes, or the expected problem."""

import ast
import re
from textwrap import dedent

from gradguard.syntax.chunks import parse

from .oracle import FromLowered, nodes

MARK = re.compile(r"^(?P<indent> *)(?P<carets>\^+) (?P<label>.+)$")


def read(drawing):
    """The program of a drawing, and its marks as (0-based line, column, length, label)."""
    program = []
    marks = []
    for line in dedent(drawing).strip("\n").split("\n"):
        mark = MARK.match(line)
        if mark is None:
            program.append(line)
        else:
            marks.append((len(program) - 1, len(mark["indent"]), len(mark["carets"]), mark["label"]))
    return "\n".join(program) + "\n", marks


def check(drawing):
    """Checks that the nodes of the types that the drawing marks are exactly where it marks them, each on one line."""
    program, marks = read(drawing)
    source = parse(program)
    assert not source.problems
    wanted = {label for *_, label in marks}
    assert wanted
    found = []
    for chunk, node in (pair for statement in source.body for pair in nodes(statement)):
        if type(node).__name__ in wanted:
            span = chunk.span(node)
            assert span.start_line == span.end_line
            found.append((span.start_line, span.start_col, span.end_col - span.start_col, type(node).__name__))
    assert sorted(found) == sorted(marks)


def check_problems(drawing, previous=None):
    """Checks that the problems of a program are exactly those that the drawing marks; returns the source."""
    program, marks = read(drawing)
    source = parse(program, previous=previous)
    found = [(problem.line, problem.column, problem.message) for problem in source.problems]
    assert found == [(line, column, message) for line, column, _, message in marks]
    return source


def unparse(source):
    """What is left of a program, as Python writes it."""
    return ast.unparse(ast.fix_missing_locations(FromLowered().module(source)))

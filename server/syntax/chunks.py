"""A file as chunks: each top-level statement, and each member of a class, is parsed on its own.

A chunk whose text is unchanged is taken over from the last parse of the file, nodes and all, so that a
keystroke costs the parse of the one statement that it is in.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from . import ir
from .chunk import Chunk, Problem, Source
from .cursor import next_token
from .later import without_body
from .parts import edited, take_over
from .renewal import renew
from .repair import is_broken, lower_or_repair
from .scan import Piece, split, split_members, split_until
from .text import Edit, Span
from .walk import blocks, statements

if TYPE_CHECKING:
    from collections.abc import Callable

    from .text import Kind


__all__ = ["Chunk", "Edit", "Problem", "Source", "Span", "line_starts", "parse", "spliced"]

_newline = re.compile(r"\r\n?|\n")
_most_edited = 8  # functions that remember the parts that they had
_most_dropped = 20_000  # code points of chunks that are remembered
_step = 4096  # code points that are compared at once


def line_starts(text: str) -> list[int]:
    r"""The offset of each line of `text`; lines end with `\n`, `\r\n` or `\r`, as in Python and in LSP."""
    return [0, *(match.end() for match in _newline.finditer(text))]


def spliced(starts: list[int], text: str, start: int, end: int, length: int) -> list[int]:
    """The line starts of `text`, where `length` code points took the place of those from `start` to `end`."""
    moved = length - (end - start)
    # One line before the edit: a `\\r` at its end and a new `\\n` become one line end.
    first = max(bisect_right(starts, start) - 2, 0)
    after = bisect_right(starts, end)
    stop = starts[after] + moved if after < len(starts) else len(text)
    near = [starts[first] + offset for offset in line_starts(text[starts[first] : stop])[1:]]
    far = [offset + moved for offset in starts[after + 1 :]]
    return [*starts[: first + 1], *near, *far]


def parse(text: str, path: str = "<unknown>", previous: Source | None = None, later: bool = False) -> Source:
    """Parses a file. Never raises: `Source.problems` says what couldn't be parsed.

    `previous` is the last parse of the same file: chunks whose text is unchanged are reused and moved to their new
    place, so `previous` itself must not be used any more. With `later`, the bodies of functions are parsed when they
    are first asked for, and so is what is wrong with them.
    """
    difference = _difference(previous, text)
    old = previous.chunks if previous is not None else []
    starts = line_starts(text) if previous is None else spliced(previous.line_starts, text, *difference)
    head, pieces, tail = _pieces(text, old, difference)
    pool = _Pool(old[len(head) : len(old) - len(tail)], previous.dropped if previous is not None else [])
    middle = []
    for piece in pieces:
        line = bisect_right(starts, piece.start) - 1
        current = text[piece.start : piece.end]
        chunk = pool.take(piece, current)
        if chunk is None:
            chunk = Chunk(path, current, piece.start, line, piece.kind, current=current)
        chunk._move(path, piece.start, line, starts)
        middle.append(chunk)
    shift = difference.length - (difference.end - difference.start)
    for chunk in head:
        chunk._move(path, chunk.offset, chunk.line, starts)
    for chunk in tail:
        chunk._move(path, chunk.offset + shift, bisect_right(starts, chunk.offset + shift) - 1, starts)
    place = 0
    typed_in: list[Chunk] = []
    for index, chunk in enumerate(middle):
        if not pool.owns(chunk):
            middle[index] = _lower(chunk, pool.counterpart(place, chunk.kind), later)
            typed_in += [middle[index]] if middle[index].parts is not None else []
        place = pool.place(middle[index], place) + 1
    chunks = [*head, *middle, *tail]
    _fill_classes(chunks)
    before = previous.edited if previous is not None else []
    return Source(path, text, chunks, starts, pool.left(middle), _edited(typed_in, before))


def _edited(now: list[Chunk], before: list[Chunk]) -> list[Chunk]:
    """The functions that somebody has typed in last; the others forget the parts that they had."""
    found = [*now, *(chunk for chunk in before if chunk not in now)]
    for chunk in found[_most_edited:]:
        if chunk.parts is not None:
            chunk.parts.forget()
    return found[:_most_edited]


class _Difference(NamedTuple):
    """The code points of the old text from `start` to `end` were replaced by `length` others."""

    start: int
    end: int
    length: int


def _difference(previous: Source | None, text: str) -> _Difference:
    if previous is None:
        return _Difference(0, 0, len(text))
    old = previous.text
    shorter, a, b = min(len(old), len(text)), len(old), len(text)
    same = _longest(shorter, lambda low, high: old[low:high] == text[low:high])
    kept = _longest(shorter - same, lambda low, high: old[a - high : a - low] == text[b - high : b - low])
    return _Difference(same, len(old) - kept, len(text) - kept - same)


def _longest(most: int, holds: Callable[[int, int], bool]) -> int:
    """The largest number up to `most` so that something holds from 0 to there."""
    low, high = 0, min(most, _step)
    while low < most and holds(low, high):
        low, high = high, min(most, high + _step)
    while low < high:
        half = (low + high + 1) // 2
        low, high = (half, high) if holds(low, half) else (low, half - 1)
    return low


def _pieces(text: str, old: list[Chunk], difference: _Difference) -> tuple[list[Chunk], list[Piece], list[Chunk]]:
    """Splits a text: into the first old chunks, which stay, pieces for new ones, and the last old chunks.

    If the end of the file is unchanged from some statement on, and the new text before it ends there, only the
    statements around the difference are looked at. A string or bracket that was just opened doesn't swallow the old
    statements after it: the unchanged end, if it still begins a line, keeps its boundaries even if the new text before
    it is broken.
    """
    within = _pieces_of_class(text, old, difference)
    if within is not None:
        return within
    tail = _unchanged_tail(old, difference)
    shift = difference.length - (difference.end - difference.start)
    cut = tail[0].offset + shift if tail else len(text)
    head = _unchanged_head(old[: len(old) - len(tail)], difference)
    begin = head[-1].offset + len(head[-1].current) if head else 0
    middle = split_until(text, begin, cut)
    if middle is not None:
        return head, middle, tail
    pieces = split(text)
    joined = next((piece for piece in pieces if piece.start < cut < piece.end), None)
    if joined is None or text[cut - 1] not in "\r\n" or not is_broken(text[joined.start : joined.end], joined.kind):
        return [], pieces, []
    return [], split(text[:cut]), tail


def _pieces_of_class(
    text: str, old: list[Chunk], difference: _Difference
) -> tuple[list[Chunk], list[Piece], list[Chunk]] | None:
    """The same if only members of a class change, but not its first: only these are looked at."""
    first = bisect_left(old, difference.end, key=lambda chunk: chunk.offset)
    last = bisect_right(old, difference.start, key=lambda chunk: chunk.offset) - 2
    if last < 1 or old[last - 1].kind == "statement" or any(chunk.kind != "member" for chunk in old[last:first]):
        return None
    head, tail = old[:last], old[first:]
    begin = head[-1].offset + len(head[-1].current)
    word = next_token(text, begin)
    indent = text[max(text.rfind("\n", 0, word), text.rfind("\r", 0, word)) + 1 : word]
    end = tail[0].offset + difference.length - (difference.end - difference.start) if tail else len(text)
    middle = split_members(text, begin, end, indent)
    return None if middle is None else (head, middle, tail)


def _unchanged_tail(old: list[Chunk], difference: _Difference) -> list[Chunk]:
    """The last chunks that lie behind the difference, from a top-level statement on."""
    first = bisect_left(old, difference.end, key=lambda chunk: chunk.offset)
    while first < len(old) and old[first].kind == "member":
        first += 1
    return old[first:]


def _unchanged_head(old: list[Chunk], difference: _Difference) -> list[Chunk]:
    """The first chunks, up to a top-level statement, without the statements at and before the difference.

    The one before may be continued by the new text (`else:`).
    """
    last = bisect_right(old, difference.start, key=lambda chunk: chunk.offset)
    for _ in range(2):
        last -= 1
        while last > 0 and old[last].kind == "member":
            last -= 1
    return old[: max(last, 0)]


class _Pool:
    """The chunks of the last parse that the next one may take over, and those that earlier ones have `dropped`."""

    def __init__(self, chunks: list[Chunk], dropped: list[Chunk]) -> None:
        self._chunks = chunks
        self._dropped = dropped
        self._index = {id(chunk): index for index, chunk in enumerate(chunks)}
        self._known = self._index.keys() | {id(chunk) for chunk in dropped}
        self._by_text: dict[tuple[str, str], list[Chunk]] = defaultdict(list)
        for chunk in reversed((*chunks, *dropped)):
            self._by_text[chunk.kind, chunk.current].append(chunk)
        self._taken: set[int] = set()

    def owns(self, chunk: Chunk) -> bool:
        return id(chunk) in self._known

    def left(self, chunks: list[Chunk]) -> list[Chunk]:
        """The chunks that are not among these any more, but those with a fault, or with the members of a class."""
        used = set(map(id, chunks))
        whole = [
            one
            for one in (*self._chunks, *self._dropped)
            if one.problem is None and one.kind != "header" and id(one) not in used
        ]
        sizes = accumulate(len(one.text) for one in whole)
        left = [one for one, size in zip(whole, sizes, strict=True) if size <= _most_dropped]
        for one in left:
            one.line_starts = []  # of a text that nobody needs any more
        return left

    def take(self, piece: Piece, text: str) -> Chunk | None:
        """The first chunk with this text that isn't taken yet."""
        same = self._by_text.get((piece.kind, text))
        if not same:
            return None
        chunk = same.pop()
        self._taken.add(id(chunk))
        return chunk

    def place(self, chunk: Chunk, default: int) -> int:
        """The place of a chunk in the last parse, from which it is taken."""
        self._taken.add(id(chunk))
        return self._index.get(id(chunk), default)

    def counterpart(self, place: int, kind: Kind) -> Chunk | None:
        """The old chunk in a place (as far from the same neighbour as the new one), if it isn't taken over."""
        found = self._chunks[place] if place < len(self._chunks) else None
        return found if found is not None and id(found) not in self._taken and found.kind == kind else None


def whole(source: Source) -> Source:
    """A file of which nothing is left for later: the same one, or another where something in it is wrong."""
    left = [chunk for chunk in source.chunks if chunk.is_left()]
    for chunk in left:
        blocks(chunk.body[0])
    _fill_classes(source.chunks)
    return parse(source.text, source.path) if any(chunk.problem is not None for chunk in left) else source


def _lower(chunk: Chunk, counterpart: Chunk | None, later: bool) -> Chunk:
    """Fills the chunk in; if it is broken, returns the last parse's `counterpart` if that has more statements.

    So a new, half-typed statement is left out, and one that is being changed stays as it was. The counterpart is
    also returned if it is a function that only has a new body.
    """
    if later and counterpart is None and (function := without_body(chunk)) is not None:
        chunk.body = [function]
        return chunk
    if counterpart is not None and _edit_body(counterpart, chunk):
        return counterpart
    body, fault = lower_or_repair(chunk)
    if fault is not None:
        chunk.blame(fault)
        if counterpart is not None and _says_more(counterpart, chunk, counterpart.body, body):
            return _keep(counterpart, chunk)
    chunk.body = body or []
    if counterpart is not None and renew(counterpart, chunk):
        return _move(counterpart, chunk)
    return chunk


def _edit_body(function: Chunk, chunk: Chunk) -> bool:
    """Keeps `function` in place of `chunk`, if that is the same function with a new body; gives whether it did."""
    new = edited(function, chunk.text)
    if new is None:
        return False
    fault = new.fault
    chunk.problem = None
    if fault is not None:
        chunk.blame(fault)
    if fault is not None and _says_more(function, chunk, blocks(function.body[0])[0], new.body):
        _keep(function, chunk)
    else:
        take_over(function, chunk.text, new)
        function.problem = chunk.problem
        _move(function, chunk)
    return True


def _says_more(good: Chunk, broken: Chunk, known: list[ir.Stmt], body: list[ir.Stmt] | None) -> bool:
    """Whether `good` has more statements than what could be repaired, and not because lines were deleted.

    The statements that it has are `known`, those that could be repaired `body`.
    """
    if body is not None and broken.text.count("\n") < good.text.count("\n"):
        return False
    return _size(body or []) < _size(known)


def _size(body: list[ir.Stmt]) -> int:
    return sum(not isinstance(statement, ir.Pass) for statement in statements(body))


def _keep(good: Chunk, broken: Chunk) -> Chunk:
    """Puts the statements of `good` in place of `broken`, whose text has replaced it."""
    good.edit = _edit(good.text, broken.current)
    good.problem = broken.problem
    return _move(good, broken)


def _move(known: Chunk, chunk: Chunk) -> Chunk:
    """Puts a known chunk in place of a new one."""
    known.path, known.offset, known.line, known.line_starts = chunk.path, chunk.offset, chunk.line, chunk.line_starts
    known.current = chunk.current
    return known


def _edit(old: str, new: str) -> Edit:
    shorter = min(len(old), len(new))
    same = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    kept = next((i for i in range(shorter - same) if old[-1 - i] != new[-1 - i]), shorter - same)
    return Edit(same, len(old) - kept, len(new) - len(old))


def _fill_classes(chunks: list[Chunk]) -> None:
    """Gives each class whose header is a chunk the statements of its member chunks."""
    header: Chunk | None = None
    members: list[ir.Stmt] = []
    for chunk in chunks:
        if chunk.kind == "member":
            members += chunk.body
            continue
        if header is not None:
            _fill_class(header, members)
        header = chunk if chunk.kind == "header" else None
        members = []
    if header is not None:
        _fill_class(header, members)


def _fill_class(header: Chunk, members: list[ir.Stmt]) -> None:
    """Gives the class another list of statements if it has not those that it had; it stays the same class."""
    for definition in header.body:
        if isinstance(definition, ir.ClassDef):
            if definition.body != members:
                header.names.pop(definition, None)
                definition.body = members
            if members and ir.is_left(members[-1]):
                definition.leave_end(partial(_end, header, members))
            else:
                definition.later = None
                definition.end = _end(header, members) if members else min(definition.end, len(header.text))


def _end(header: Chunk, members: list[ir.Stmt]) -> int:
    """Where the last member ends, as an offset from the header's start."""
    last = members[-1]
    end = last.chunk.offset + last.end - header.offset
    return end - header.edit.shift if header.edit is not None else end

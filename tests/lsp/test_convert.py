"""Positions between code points and the client's units, and edits in these units."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from gradguard.lsp.convert import Text
from lsprotocol.types import Position, Range

if TYPE_CHECKING:
    from gradguard.syntax.positions import Encoding

PYTHON = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
ENCODINGS = pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])

SAMPLE = "x = '🔥'; 张量 += 1\r\n\tnaïve\u0301\f = 2\rlast\u2028 line"


@ENCODINGS
def test_every_offset_comes_back(encoding: Encoding) -> None:
    text = Text(SAMPLE, encoding)
    inside_line_end = SAMPLE.index("\n")
    for offset in range(len(SAMPLE) + 1):
        if offset != inside_line_end:
            assert text.offset(text.position(offset)) == offset


@ENCODINGS
def test_columns_count_the_units_of_the_encoding(encoding: Encoding) -> None:
    text = Text(SAMPLE, encoding)
    for offset in range(SAMPLE.index("\r")):
        units = len(SAMPLE[:offset].encode(PYTHON[encoding])) // UNIT[encoding]
        assert text.position(offset) == Position(0, units)


def test_only_the_line_ends_of_lsp_end_a_line() -> None:
    text = Text(SAMPLE, "utf-16")
    assert [text.line(line) for line in range(len(text.starts))] == [
        "x = '🔥'; 张量 += 1",
        "\tnaïve\u0301\f = 2",
        "last\u2028 line",
    ]


def test_a_position_inside_a_character_is_before_it() -> None:
    assert Text("a🔥b", "utf-16").offset(Position(0, 2)) == 1
    assert Text("a🔥b", "utf-8").offset(Position(0, 4)) == 1


@ENCODINGS
@pytest.mark.parametrize("position", [Position(0, 10**6), Position(10**6, 0), Position(10**6, 10**6)])
def test_positions_out_of_range_are_moved_into_the_text(encoding: Encoding, position: Position) -> None:
    text = Text("one\ntwo 🔥", encoding)
    assert text.offset(position) == (3 if position.line == 0 else len(text.text))


def test_an_empty_text_has_one_position() -> None:
    assert Text("", "utf-16").position(0) == Position(0, 0)
    assert Text("", "utf-16").offset(Position(3, 3)) == 0


@ENCODINGS
def test_edits_do_what_they_do_to_a_plain_string(encoding: Encoding) -> None:
    choice = random.Random(20)
    plain = SAMPLE
    text = Text(plain, encoding)
    for _ in range(2000):
        places = [offset for offset in range(len(plain) + 1) if plain[offset - 1 : offset + 1] != "\r\n"]
        start = choice.choice(places)
        end = choice.choice([offset for offset in places if start <= offset <= start + 6])
        new = "".join(choice.choices("ab🔥量\t\n\r", k=choice.randrange(6)))
        text = text.replace(Range(text.position(start), text.position(end)), new)
        plain = plain[:start] + new + plain[end:]
        assert text.text == plain
        assert text.starts == Text(plain, encoding).starts

import pytest
from gradguard.syntax.positions import from_units, to_units

LINE = "a\té日😀e\u0301👩‍🚀x\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_units_are_those_that_python_encodes(encoding):
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    codec = encoding if encoding == "utf-8" else f"{encoding}-le"
    for column in range(len(LINE) - 1):
        units = len(LINE[:column].encode(codec)) // size
        assert to_units(LINE, column, encoding) == units
        assert from_units(LINE, units, encoding) == column


@pytest.mark.parametrize(
    ("encoding", "units", "column"),
    [("utf-16", 1, 0), ("utf-8", 1, 0), ("utf-8", 3, 0), ("utf-8", 5, 2), ("utf-16", 3, 2), ("utf-32", 1, 1)],
)
def test_a_position_inside_of_a_character_is_moved_to_its_start(encoding, units, column):
    assert from_units("😀ab", units, encoding) == column


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("line", ["", "\n", "abc\r\n", "日本\r", "😀"])
def test_positions_outside_of_a_line_are_moved_into_it(line, encoding):
    length = len(line.rstrip("\r\n"))
    units = to_units(line, length, encoding)
    assert to_units(line, 1000, encoding) == units
    assert from_units(line, 1000, encoding) == length
    assert to_units(line, -1, encoding) == from_units(line, -1, encoding) == 0

"""Comments that silence diagnostics."""

import pytest
from gradguard.syntax import ir
from gradguard.syntax.chunks import parse
from gradguard.workspace.suppressions import Suppression, find_suppressions, statement_lines, without


def one(text: str) -> Suppression:
    (found,) = find_suppressions(text)
    return found


@pytest.mark.parametrize(
    ("comment", "codes", "whole_file", "foreign"),
    [
        ("# gradguard: ignore", (), False, False),
        ("# gradguard: ignore[GG101]", ("GG101",), False, False),
        ("#gradguard:ignore[GG101,GG2]", ("GG101", "GG2"), False, False),
        ("# Gradguard: Ignore[ inplace-on-saved ] because", ("inplace-on-saved",), False, False),
        ("# gradguard: ignore-file", (), True, False),
        ("# gradguard: ignore-file[GG101]", ("GG101",), True, False),
        ("# fine here # gradguard: ignore # really", (), False, False),
        ("# noqa", (), False, True),
        ("# NOQA: GG101", ("GG101",), False, True),
        ("# noqa: E501, GG101 GG102", ("GG101", "GG102"), False, True),
    ],
)
def test_comments_that_silence(comment: str, codes: tuple[str, ...], whole_file: bool, foreign: bool) -> None:
    text = f"x = 1\ny = 2  {comment}\n"
    found = one(text)
    assert (found.line, found.codes, found.whole_file, found.foreign) == (1, codes, whole_file, foreign)
    assert found.understood
    assert text[found.start : found.end] in comment


@pytest.mark.parametrize("comment", ["# noqa: E501", "# gradguard is good", "# ignore[GG101]", "# noqally"])
def test_comments_of_others(comment: str) -> None:
    assert find_suppressions(f"x = 1  {comment}\n") == []


@pytest.mark.parametrize("comment", ["# gradguard: ignroe", "# gradguard: ignore(GG101)", "# gradguard: ignore[]"])
def test_comments_that_are_not_understood_silence_nothing(comment: str) -> None:
    found = one(f"x = 1  {comment}\n")
    assert not found.understood
    assert not found.silences("GG101", "inplace-on-saved", range(1))


def test_strings_are_no_comments() -> None:
    assert find_suppressions("x = '# gradguard: ignore'\ny = '''\n# gradguard: ignore\n'''\n") == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends(newline: str) -> None:
    text = newline.join(["é = 1", "\x0cy = 2", "z = 3  # gradguard: ignore", ""])
    found = one(text)
    assert (found.line, text[found.start : found.end]) == (2, "# gradguard: ignore")


def test_text_that_python_cannot_read() -> None:
    assert [found.line for found in find_suppressions("x = (\ny  # gradguard: ignore\n")] == [1]


def test_which_rules_are_silenced() -> None:
    everything, listed = one("x  # gradguard: ignore"), one("x  # gradguard: ignore[GG101, leaf-inplace]")
    assert everything.silences("GG101", "inplace-on-saved", range(1))
    assert not everything.silences("GG101", "inplace-on-saved", range(1, 5))
    assert not everything.silences("GG900", "unused-suppression", range(1))
    assert listed.silences("GG101", "inplace-on-saved", range(1))
    assert listed.silences("GG201", "leaf-inplace", range(1))
    assert not listed.silences("GG301", "freed-graph", range(1))
    assert one("# gradguard: ignore-file\nx").silences("GG101", "inplace-on-saved", range(7, 8))


ON = {"GG101": True, "GG201": True, "GG301": False}


def test_what_is_left_over() -> None:
    comment = one("x  # gradguard: ignore[GG101, GG201, GG301, GG999]")
    comment.silences("GG101", "inplace-on-saved", range(1))
    assert comment.leftover(ON.get) == ("GG201", "GG999")
    assert one("x  # gradguard: ignore").leftover(ON.get) == ()
    assert one("x  # noqa").leftover(ON.get) is None
    assert one("x  # noqa: E501, GG101").leftover(ON.get) == ("GG101",)
    assert one("x  # gradguard: ignore[GG301]").leftover(ON.get) is None


@pytest.mark.parametrize(
    ("text", "idle", "left"),
    [
        ("x = 1  # gradguard: ignore\ny", (), "x = 1\ny"),
        ("x = 1  # gradguard: ignore[GG101]\ny", ("GG101",), "x = 1\ny"),
        (
            "x = 1  # gradguard: ignore[GG101,GG201, GG301]  # why\n",
            ("GG201",),
            "x = 1  # gradguard: ignore[GG101, GG301]  # why\n",
        ),
        ("x = 1  # gradguard: ignore  # type: ignore\n", (), "x = 1  # type: ignore\n"),
        ("x = 1\r\n  # gradguard: ignore-file because\r\ny", (), "x = 1\r\ny"),
        ("# gradguard: ignore-file", (), ""),
        ("x  # noqa: E501, GG101\n", ("GG101",), "x  # noqa: E501\n"),
        ("x  # noqa: GG101\n", ("GG101",), "x\n"),
    ],
)
def test_taking_out_what_is_idle(text: str, idle: tuple[str, ...], left: str) -> None:
    start, end, new = without(text, one(text), idle)
    assert text[:start] + new + text[end:] == left


# -- statements -------------------------------------------------------------------------------

PROGRAM = """\
a = f(1,
      HERE0)
@decorate
def f(x,
      y):
    # a comment

    HERE1
    if (x and
        HERE2):
        HERE3; b = 1
    elif HERE4:
        c = [
            HERE5]
    with a, \\
            HERE6: d()

class C(HERE7):
    x = 1
    y = HERE8

    def m(self):
        try:
            HERE9
        except HERE10:
            match HERE11:
                case 1:
                    HERE12
"""

LINES = [
    (0, 1),
    (7, 7),
    (8, 9),
    (10, 10),
    (11, 11),
    (12, 13),
    (14, 15),
    (17, 17),
    (19, 19),
    (23, 23),
    (24, 24),
    (25, 25),
    (27, 27),
]


@pytest.mark.parametrize(("number", "lines"), list(enumerate(LINES)))
def test_the_lines_of_a_statement(number: int, lines: tuple[int, int]) -> None:
    """Of a compound statement the header alone."""
    source = parse(PROGRAM, "p.py")
    for chunk in source.chunks:
        for node in names(chunk.body):
            if node.id == f"HERE{number}" and in_chunk(chunk.text, node):
                found = statement_lines(chunk, node)
                assert (found[0], found[-1]) == lines
                return
    raise AssertionError("not found")


def in_chunk(text: str, node: ir.Name) -> bool:
    return text[node.start : node.end] == node.id


def names(value: object) -> list[ir.Name]:
    """All names in some nodes."""
    if isinstance(value, ir.Name):
        return [value]
    if isinstance(value, list | tuple):
        return [name for item in value for name in names(item)]
    if isinstance(value, ir.Node | ir.Params):
        fields = value.__dataclass_fields__
        return [name for field in fields if field not in ("chunk", "scope") for name in names(getattr(value, field))]
    return []

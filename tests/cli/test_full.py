"""How findings look in a terminal."""

from io import StringIO

import pytest
from gradguard.analyses.domain.report import Site
from gradguard.cli.formats import full
from gradguard.cli.places import Results
from gradguard.rules import RULES
from gradguard.rules.diagnostic import Diagnostic
from gradguard.rules.messages import CATALOGUES, Locale
from gradguard.rules.rule import Severity
from gradguard.rules.wording import Wording, remedy
from gradguard.syntax.chunks import Span, parse
from gradguard.syntax.ir import Node
from gradguard.workspace.files import Document
from gradguard.workspace.project import Finding, Place

WORDS = Wording("It fails", "the place", "if it rains", "It fails. Nobody knows why.")


def spans(text: str) -> tuple[str, list[Span]]:
    """The text without the marks ‹ › ⟪ ⟫, and the spans between them: that of ⟪ ⟫ is the finding's and comes first."""
    found: list[tuple[bool, Span]] = []
    starts: list[tuple[int, int]] = []
    line = column = 0
    plain = ""
    for character in text:
        if character in "‹⟪":
            starts.append((line, column))
        elif character in "›⟫":
            found.append((character == "›", Span(*starts.pop(), line, column)))
        else:
            plain += character
            line, column = (line + 1, 0) if character == "\n" else (line, column + 1)
    return plain, [span for _, span in sorted(found, key=lambda item: item[0])]


def rendered(out: StringIO | None = None, **files: str) -> str:
    """What is written of one finding; its related places say `place 1`, `place 2` …"""
    documents, places = {}, []
    for name, marked in files.items():
        path = f"{name}.py"
        text, marks = spans(marked)
        documents[path] = Document(path, text)
        places += [(path, span) for span in marks]
    (path, span), *related = places
    source = parse(documents[path].text, path)
    diagnostic = Diagnostic(RULES["GG101"], Severity.ERROR, WORDS, Site(source.chunks[0], Node(0, 0)))
    notes = tuple(Place(*place, f"place {number}") for number, place in enumerate(related, 1))
    results = Results([Finding(path, span, diagnostic, notes)], documents, lambda _: [])
    out = out or StringIO()
    full.write(results, out)
    return out.getvalue()


def expected(text: str) -> str:
    ends = """\
  = only if it rains
  = help: use the out-of-place form of the change (`y = y + 1`), or change a `clone()`
  = inplace-on-saved: `gradguard explain GG101`

"""
    return f"error[GG101]: It fails\n{text}{ends}"


@pytest.mark.parametrize("locale", CATALOGUES)
@pytest.mark.parametrize("code", RULES)
def test_each_rule_has_a_remedy_where_no_fix_can_be_proven(code: str, locale: Locale) -> None:
    assert 0 < len(remedy(code, locale)) <= 110


def test_places_in_one_file() -> None:
    assert rendered(a="x = 1\n‹y› = f(‹x›)\nz = 2\n⟪y += 1⟫\n‹y.sum()›\n") == expected(
        """\
 --> a.py:4:1
  |
2 | y = f(x)
  | - place 1
  |       - place 2
3 | z = 2
4 | y += 1
  | ^^^^^^ the place
5 | y.sum()
  | ------- place 3
"""
    )


def test_lines_far_apart_and_other_files() -> None:
    told = rendered(a="‹y› = 1\n" + "\n" * 9 + "⟪y += 1⟫\n", b="\n‹backward›")
    assert told == expected(
        """\
  --> a.py:11:1
   |
 1 | y = 1
   | - place 1
...
11 | y += 1
   | ^^^^^^ the place
  ::: b.py:2:1
   |
 2 | backward
   | -------- place 2
"""
    ).replace("  = ", "   = ")


def test_wide_characters_tabs_and_several_lines() -> None:
    assert rendered(a="\tif 漢 and ‹é›:\n\t\t⟪s = '🙂' + (\n 1)⟫\n") == expected(
        """\
 --> a.py:2:3
  |
1 |     if 漢 and é:
  |               - place 1
2 |         s = '🙂' + (
  |         ^^^^^^^^^^^^ the place
"""
    )


def test_two_places_on_the_line_of_the_finding() -> None:
    assert rendered(a="⟪‹y› += ‹z›⟫\n") == expected(
        """\
 --> a.py:1:1
  |
1 | y += z
  | ^^^^^^ the place
  | - place 1
  |      - place 2
"""
    )


def test_an_empty_place_and_control_characters() -> None:
    assert rendered(a="x\x1b[2J⟪⟫y\n") == expected(" --> a.py:1:6\n  |\n1 | x [2Jy\n  |      ^ the place\n")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colour_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert ("\x1b[" in rendered(Terminal(), a="⟪y⟫\n")) is coloured
    assert "\x1b[" not in rendered(a="⟪y⟫\n")

"""The drawings in the pages are what real runs of their programs draw."""

from __future__ import annotations

import html
import re

import pytest

from website import terminal
from website.drawings import DOCS, draw, programs


def test_every_drawing_is_of_a_program() -> None:
    assert {path.stem for path in (DOCS / "drawings").glob("*.svg")} == programs().keys()


@pytest.mark.parametrize("name", programs())
def test_a_drawing_is_up_to_date(name: str) -> None:
    """`python -m website.drawings` draws them again."""
    assert (DOCS / "drawings" / f"{name}.svg").read_text(encoding="utf-8") == draw(programs()[name])


def test_the_picture_of_a_terminal_is_up_to_date() -> None:
    """Its words are those that are printed; `python -m website.terminal` draws it again. Its lines are Rich's."""
    picture = terminal.PICTURE.read_text(encoding="utf-8")
    shown = "".join(html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", picture))
    printed = terminal.COMMAND + terminal.printed(colours=False)
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", printed)
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", picture), "nothing is loaded from elsewhere"

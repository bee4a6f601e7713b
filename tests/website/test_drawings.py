"""The drawings in the pages are what real runs of their programs draw."""

from __future__ import annotations

import pytest

from website.drawings import DOCS, draw, programs


def test_every_drawing_is_of_a_program() -> None:
    assert {path.stem for path in (DOCS / "drawings").glob("*.svg")} == programs().keys()


@pytest.mark.parametrize("name", programs())
def test_a_drawing_is_up_to_date(name: str) -> None:
    """`python -m website.drawings` draws them again."""
    assert (DOCS / "drawings" / f"{name}.svg").read_text(encoding="utf-8") == draw(programs()[name])

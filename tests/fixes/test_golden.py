import ast
from pathlib import Path

import pytest

from .golden import Section, results, sections, shown

SECTIONS = sections(Path(__file__).parent / "golden")


@pytest.mark.parametrize("section", SECTIONS, ids=str)
def test_fixes_are_as_written(section: Section) -> None:
    assert shown(results(section)) == shown(section.expected)


@pytest.mark.parametrize("section", SECTIONS, ids=str)
def test_fixed_programs_parse(section: Section) -> None:
    for _, title, text in results(section):
        ast.parse(text)
        assert text != section.program, title


def test_there_are_golden_sections() -> None:
    assert len(SECTIONS) > 40

import ast
from typing import TYPE_CHECKING

import pytest
from gradguard.fixes import apply, ignore_edit, ignore_file_edit
from gradguard.syntax.chunks import parse

from .golden import site

if TYPE_CHECKING:
    from gradguard.analyses.domain.report import Site


def ignored(program: str, told: str, code: str = "GG101") -> str | None:
    source = parse(program, "main.py")
    edit = ignore_edit(site(source, told), code, {"main.py": source})
    if edit is None:
        return None
    new = apply(program, [edit])
    ast.parse(new)
    return new


@pytest.mark.parametrize(
    ("program", "told", "expected"),
    [
        ("x += 1\n", "`x += 1`", "x += 1  # gradguard: ignore[GG101]\n"),
        ("x += 1", "`x += 1`", "x += 1  # gradguard: ignore[GG101]"),
        ("x += 1\r\ny\r\n", "`x += 1`", "x += 1  # gradguard: ignore[GG101]\r\ny\r\n"),
        ("x += 1  # 温度\n", "`x += 1`", "x += 1  # 温度  # gradguard: ignore[GG101]\n"),
        ("x += (\n  1\n)\ny\n", "`x`", "x += (\n  1\n)  # gradguard: ignore[GG101]\ny\n"),
        ("a; x.add_(1); b\n", "`x.add_(1)`", "a; x.add_(1); b  # gradguard: ignore[GG101]\n"),
        ("if x: y += 1\n", "`y += 1`", "if x: y += 1  # gradguard: ignore[GG101]\n"),
        ("if f(\n  x\n):\n  y\n", "`f(⏎  x⏎)`", "if f(\n  x\n):  # gradguard: ignore[GG101]\n  y\n"),
        ("for r in x:  # rows\n  r\n", "`r`", "for r in x:  # rows  # gradguard: ignore[GG101]\n  r\n"),
        (
            "x += 1  # gradguard: ignore[GG201]\n",
            "`x += 1`",
            "x += 1  # gradguard: ignore[GG201, GG101]\n",
        ),
        ('x = """\n#""" + f()\n', "`f()`", 'x = """\n#""" + f()  # gradguard: ignore[GG101]\n'),
    ],
)
def test_the_comment_goes_to_the_end_of_the_statement(program: str, told: str, expected: str) -> None:
    assert ignored(program, told) == expected


@pytest.mark.parametrize("comment", ["# gradguard: ignore", "# gradguard:ignore[GG301,GG101]"])
def test_what_is_silenced_stays_as_it_is(comment: str) -> None:
    assert ignored(f"x += 1  {comment}\n", "`x += 1`") is None


def test_a_site_of_another_file_is_nothing() -> None:
    other = parse("x += 1\n", "other.py")
    elsewhere: Site = site(other, "`x += 1`")
    assert ignore_edit(elsewhere, "GG101", {"main.py": parse("x += 1\n", "main.py")}) is None


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("x\n", "# gradguard: ignore-file\nx\n"),
        ("", "# gradguard: ignore-file\n"),
        (
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nx\n",
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# gradguard: ignore-file\nx\n",
        ),
        ("\ufeffx\r\n", "\ufeff# gradguard: ignore-file\r\nx\r\n"),
    ],
)
def test_a_file_is_silenced_at_its_top(program: str, expected: str) -> None:
    edit = ignore_file_edit("main.py", parse(program, "main.py"))
    assert edit
    assert apply(program, [edit]) == expected


def test_a_silenced_file_stays_as_it_is() -> None:
    assert ignore_file_edit("main.py", parse("x\n# gradguard: ignore-file\n", "main.py")) is None

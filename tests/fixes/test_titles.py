"""Every fix has a title in each language, and every title is some fix's."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest
from gradguard import fixes
from gradguard.fixes.titles import CATALOGUES, CHINESE, ENGLISH, title

CODE = [path for path in Path(fixes.__file__).parent.glob("*.py") if path.name != "titles.py"]
PROJECT = Path(fixes.__file__).parents[1] / "workspace" / "project.py"


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def strings(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_the_languages_have_the_same_titles() -> None:
    assert list(ENGLISH) == list(CHINESE)


@pytest.mark.parametrize("key", ENGLISH)
def test_titles_say_the_same_things(key: str) -> None:
    assert placeholders(ENGLISH[key]) == placeholders(CHINESE[key])
    assert ENGLISH[key] != CHINESE[key]


def test_every_title_is_used() -> None:
    used = set[str]().union(*map(strings, [*CODE, PROJECT]))
    assert [key for key in ENGLISH if key.removeprefix("changes-") not in used] == []


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.stem)
def test_every_title_that_is_asked_for_is_there(path: Path) -> None:
    """Keys are written where the title is asked for: `context.say("detach", "shared", …)`, whole or by `x if y`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "say":
            for prefix, part in zip(("", "changes-"), node.args, strict=False):
                keys = {prefix + one.value for one in chosen(part) if isinstance(one.value, str)}
                assert keys <= set(ENGLISH)


def chosen(node: ast.expr) -> list[ast.Constant]:
    if isinstance(node, ast.IfExp):
        return [*chosen(node.body), *chosen(node.orelse)]
    return [node] if isinstance(node, ast.Constant) else []


@pytest.mark.parametrize("locale", CATALOGUES)
def test_what_is_missing_is_an_error(locale: str) -> None:
    with pytest.raises(KeyError):
        title(locale, "no-such-title")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        title(locale, "detach", "no-such-change", value="x")  # type: ignore[arg-type]

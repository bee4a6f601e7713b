"""The two catalogues of messages agree, and readers get the one that they can read."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest
from gradguard import rules
from gradguard.rules.messages import CATALOGUES, CHINESE, ENGLISH, locale_of, say


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_no_key_is_missing_in_either_language() -> None:
    assert set(ENGLISH) == set(CHINESE)


@pytest.mark.parametrize("key", ENGLISH)
def test_placeholders_agree(key: str) -> None:
    assert placeholders(ENGLISH[key]) == placeholders(CHINESE[key])


def test_every_key_is_used() -> None:
    """A key stands in the code as a string, whole or as the beginning of an f-string that completes it."""
    used, prefixes = set[str](), set[str]()
    for path in Path(rules.__file__).parent.glob("*.py"):
        if path.name == "messages.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                prefixes.add(str(node.values[0].value))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
    begun = tuple(prefix for prefix in prefixes if prefix.endswith("-"))
    assert [key for key in ENGLISH if key not in used and not key.startswith(begun)] == []


def test_a_missing_key_or_word_is_an_error() -> None:
    with pytest.raises(KeyError):
        say("no-such-key", "en")
    with pytest.raises(KeyError):
        say("stale", "en")


@pytest.mark.parametrize(
    ("tag", "locale"),
    [
        ("en", "en"),
        ("de-DE", "en"),
        ("", "en"),
        (None, "en"),
        ("zh", "zh-cn"),
        ("zh-cn", "zh-cn"),
        ("zh_CN.UTF-8", "zh-cn"),
        ("zh-Hans-SG", "zh-cn"),
        ("zh-TW", "en"),
        ("zh-Hant-HK", "en"),
    ],
)
def test_a_reader_gets_a_language_that_they_read(tag: str | None, locale: str) -> None:
    assert locale_of(tag) == locale
    assert locale in CATALOGUES

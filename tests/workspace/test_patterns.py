"""Patterns of files mean what pathspec takes them to mean, and none of them takes for ever."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
from gradguard.workspace.files import Settings, find_files
from gradguard.workspace.patterns import patterns
from pathspec import GitIgnoreSpec

if TYPE_CHECKING:
    from pathlib import Path

SEGMENTS = ("**", "*", "a", "b", "ab", "*.py", "?", "[ab]", "[!b]", "a*", "*b", "*a*b", "a**b", "*?*", "\\*")


def drawn(chance: random.Random) -> str:
    inner = "/".join(chance.choice(SEGMENTS) for _ in range(chance.randint(1, 5)))
    return chance.choice(["", "", "!"]) + chance.choice(["", "/"]) + inner + chance.choice(["", "/"])


def test_matches_what_pathspec_matches() -> None:
    chance = random.Random(1)
    for _ in range(3000):
        lines = [drawn(chance) for _ in range(chance.randint(1, 3))]
        ours, theirs = patterns(lines), GitIgnoreSpec.from_lines(lines, backend="simple")
        for _ in range(5):
            names = (
                "".join(chance.choice("ab") for _ in range(chance.randint(1, 4))) for _ in range(chance.randint(1, 6))
            )
            path = "/".join(names) + chance.choice(["", "/", ".py"])
            assert ours.check_file(path) == theirs.check_file(path), (lines, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 12 + "b", "a" * 200 + ".py"),
        ("*a" * 120 + "b", "a" * 255),
        ("**/a/" * 12 + "b", "a/" * 60 + "x.py"),
        ("**/a/" * 200 + "b", "a/" * 2000 + "x.py"),
        ("**/" + "*a*a*a/**/" * 20 + "b*a", ("a" * 100 + "/") * 40 + "x.py"),
        ("?*" * 50 + "b", "a" * 250),
        ("[!b]*" * 50 + "b", "a" * 250),
        ("*/" * 100 + "b*", "a/" * 1000),
    ],
)
def test_many_wildcards_take_no_time(pattern: str, path: str) -> None:
    began = time.process_time()
    assert not patterns([pattern]).match_file(path)
    assert time.process_time() - began < 0.5


def test_a_folder_is_walked_whatever_is_ignored_in_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*a" * 12 + "b\n" + "**/a/" * 12 + "b\n")
    (tmp_path / "gradguard.toml").write_text(f'extend-exclude = ["{"*a" * 12}b"]\n')
    deep = tmp_path.joinpath(*("a" * 60))
    deep.mkdir(parents=True)
    for file in (tmp_path / f"{'a' * 200}.py", deep / "x.py"):
        file.touch()
    began = time.process_time()
    assert len(list(find_files([str(tmp_path)], Settings()))) == 2
    assert time.process_time() - began < 2

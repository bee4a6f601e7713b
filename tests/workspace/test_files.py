"""Walking folders and reading files."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from gradguard.workspace.config import ConfigError, load_config
from gradguard.workspace.files import Settings, decode_document, find_files, read_document
from gradguard.workspace.problems import Unreadable


def tree(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    return root


def found(root: Path, *paths: Path) -> list[str]:
    files = find_files([str(path) for path in paths or (root,)], Settings())
    assert not files.problems
    return [os.path.relpath(path, root) for path in files]


def test_python_files_and_notebooks_in_the_order_of_their_names(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/z.py", "a/c.ipynb", "a/notes.txt", "c.pyc", "B.py")
    assert found(tmp_path) == ["B.py", "a/c.ipynb", "a/z.py", "b.py"]


def test_usual_folders_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "main.py", ".venv/lib/x.py", "node_modules/y.py", "src/build/z.py", "builder/ok.py")
    assert found(tmp_path) == ["builder/ok.py", "main.py"]


def test_patterns_of_the_configuration(tmp_path: Path) -> None:
    tree(tmp_path, "main.py", "gen/a.py", "gen/keep.py", "x_pb2.py", "build/b.py")
    (tmp_path / "gradguard.toml").write_text('exclude = ["gen/*", "!gen/keep.py"]\nextend-exclude = ["*_pb2.py"]')
    assert found(tmp_path) == ["build/b.py", "gen/keep.py", "main.py"]


def test_gitignore_files_nest(tmp_path: Path) -> None:
    tree(tmp_path, "main.py", "data/a.py", "data/b.py", "sub/data/c.py", "out/x.py", ".git/HEAD")
    (tmp_path / ".gitignore").write_text("/data/*\nout/\n")
    (tmp_path / "data" / ".gitignore").write_text("!b.py\n")
    assert found(tmp_path) == ["data/b.py", "main.py", "sub/data/c.py"]
    assert found(tmp_path, tmp_path / "sub") == ["sub/data/c.py"]


def test_the_gitignore_of_the_repository_holds_below_it(tmp_path: Path) -> None:
    tree(tmp_path, ".git/HEAD", "pkg/a.py", "pkg/b_tmp.py")
    (tmp_path / ".gitignore").write_text("*_tmp.py\n")
    assert found(tmp_path, tmp_path / "pkg") == ["pkg/a.py"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home folder, empty."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def ignored_by_git(folder: Path) -> set[str]:
    """The Python files below `folder` that git itself does not list."""
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"], cwd=folder, capture_output=True, text=True, check=True
    )
    return {os.path.relpath(path, folder) for path in folder.rglob("*.py")} - set(listed.stdout.split())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gitconfig", "[user]\n\tname = x\n[core]\n\texcludesFile = ~/mine\n"),
        (".gitconfig", '[core]\n  excludesfile = "~/mine"\n'),
        (".config/git/config", "[core]\nexcludesfile=~/mine\n"),
        (".config/git/ignore", None),
    ],
)
def test_what_the_user_tells_git_to_ignore_is_left_out(tmp_path: Path, home: Path, name: str, text: str | None) -> None:
    repository = tree(tmp_path / "repository", "a.py", "tmp/b.py", "sub/scratch.py", "sub/kept.py", "sub/.gitignore")
    (repository / "sub" / ".gitignore").write_text("!scratch.py\n")
    patterns = "tmp/\nscratch.py\nkept.py\n"
    place = home / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(patterns if text is None else text)
    (home / "mine").write_text(patterns)
    assert len(found(repository)) == 4  # no repository yet
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)
    assert found(repository) == ["a.py", "sub/scratch.py"]
    assert found(repository, repository / "sub") == ["sub/scratch.py"]
    assert ignored_by_git(repository) == {"tmp/b.py", "sub/kept.py"}


def test_the_exclude_file_of_a_repository_holds_in_its_worktrees(tmp_path: Path, home: Path) -> None:
    main = tree(tmp_path / "main", "a.py", "scratch/b.py")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x"]
    subprocess.run([*git, "init", "-q"], cwd=main, check=True)
    (main / ".git" / "info").mkdir(exist_ok=True)
    (main / ".git" / "info" / "exclude").write_text("scratch\n")
    assert found(main) == ["a.py"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], cwd=main, check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "other")], cwd=main, check=True)
    other = tree(tmp_path / "other", "c.py", "scratch/d.py")
    assert (other / ".git").is_file()
    assert found(other) == ["c.py"]
    assert ignored_by_git(other) == {"scratch/d.py"}


def test_excluded_paths_can_be_left_out_though_they_are_named(tmp_path: Path) -> None:
    tree(tmp_path, "build/a.py", "old/b.py", "c.py")
    (tmp_path / "gradguard.toml").write_text('extend-exclude = ["old/*.py"]')
    paths = [str(tmp_path / name) for name in ("build", "build/a.py", "old/b.py", "c.py")]
    assert len(list(find_files(paths, Settings()))) == 3
    files = find_files(paths, Settings(force_exclude=True))
    assert list(files) == [str(tmp_path / "c.py")]
    assert not files.problems
    assert not files.empty


def test_what_the_user_names_must_be_python(tmp_path: Path) -> None:
    tree(tmp_path, "notes.txt", "a.pyi", "b.pyw", "LICENSE", "train", "run.sh")
    (tmp_path / "train").write_text("#!/usr/bin/env python3\n")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    names = ("notes.txt", "a.pyi", "b.pyw", "LICENSE", "train", "run.sh")
    files = find_files([str(tmp_path / name) for name in names], Settings())
    assert [os.path.basename(path) for path in files] == ["a.pyi", "b.pyw", "train"]
    assert [os.path.basename(problem.path) for problem in files.problems] == ["notes.txt", "LICENSE", "run.sh"]


def test_what_the_user_names_is_always_taken(tmp_path: Path) -> None:
    tree(tmp_path, "build/a.py", "build/dist/b.py", "build/c.pyi")
    assert found(tmp_path, tmp_path / "build") == ["build/a.py"]
    assert found(tmp_path, tmp_path / "build/dist/b.py", tmp_path / "build/c.pyi") == ["build/dist/b.py", "build/c.pyi"]


def test_each_file_once(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "b.py")
    assert found(tmp_path, tmp_path / "b.py", tmp_path, tmp_path / "." / "a.py") == ["b.py", "a.py"]


def test_links_that_lead_in_a_circle(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "sub/b.py")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "itself.py").symlink_to(tmp_path / "itself.py")
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    assert found(tmp_path) == ["a.py", "link.py", "sub/b.py"]


def test_files_are_grouped_by_the_nearest_configuration(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "inner/b.py", "inner/deep/c.py")
    (tmp_path / "inner" / "gradguard.toml").write_text('min-severity = "hint"')
    groups = find_files([str(tmp_path)], Settings()).groups
    assert [(config.root, [os.path.relpath(path, tmp_path) for path in paths]) for config, paths in groups] == [
        (tmp_path, ["a.py"]),
        (tmp_path / "inner", ["inner/b.py", "inner/deep/c.py"]),
    ]
    explicit = load_config(tmp_path / "inner" / "gradguard.toml")
    assert len(find_files([str(tmp_path)], Settings(explicit)).groups) == 1


def test_the_command_line_goes_before_the_configuration(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    (tmp_path / "gradguard.toml").write_text('select = ["GG1"]\nignore = ["GG111"]\nmin-severity = "hint"')
    settings = Settings(select=("GG2",), ignore=("GG201",), min_severity="error")
    config, _ = find_files([str(tmp_path)], settings).groups[0]
    assert (config.select, config.ignore, config.min_severity) == (("GG2",), ("GG111", "GG201"), "error")


def test_a_wrong_configuration_is_an_error(tmp_path: Path) -> None:
    tree(tmp_path, "inner/a.py")
    (tmp_path / "inner" / "gradguard.toml").write_text("nonsense")
    with pytest.raises(ConfigError):
        find_files([str(tmp_path)], Settings())


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    tree(tmp_path, "empty/readme.txt")
    files = find_files([str(tmp_path / "missing.py"), str(tmp_path / "empty")], Settings())
    assert [problem.message for problem in files.problems] == ["does not exist"]
    assert files.empty == [str(tmp_path / "empty")]


# -- reading ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("é = 1\r\n".encode(), "é = 1\r\n", "utf-8"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n", "utf-8-sig"),
        (b"# coding: latin-1\ns = '\xe9'\n", "# coding: latin-1\ns = 'é'\n", "iso-8859-1"),
        (b"x\ry\x0cz", "x\ry\x0cz", "utf-8"),
    ],
)
def test_text_is_decoded_as_python_does(data: bytes, text: str, encoding: str) -> None:
    document = decode_document(data, "a.py")
    assert (document.text, document.encoding) == (text, encoding)
    assert document.text.encode(document.encoding) == data


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"x = 1\n\ny = '\xff'\n", 3, "is not valid UTF-8 (byte 0xff)"),
        (b"\xff", 1, "is not valid UTF-8 (byte 0xff)"),
        (b"# coding: klingon\n", None, "unknown encoding"),
        (b"# coding: rot13\n", None, "unknown encoding"),
        (b"# coding: undefined\n", None, "unknown encoding"),
    ],
)
def test_what_cannot_be_decoded_is_named(data: bytes, line: int | None, message: str) -> None:
    with pytest.raises(Unreadable) as raised:
        decode_document(data, "a.py")
    assert raised.value.problem.line == line
    assert message in raised.value.problem.message


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, message in ((tmp_path / "no.py", "does not exist"), (tmp_path, "is a folder")):
        with pytest.raises(Unreadable, match=message):
            read_document(str(path))


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"cells": 3}', '{"cells": [], "metadata": {"language_info": {"name": "R"}}}']
)
def test_a_notebook_that_is_none(text: str) -> None:
    with pytest.raises(Unreadable, match=r"JSON|notebook"):
        decode_document(text.encode(), "a.ipynb")


def test_a_notebook_of_odd_metadata() -> None:
    content = {"cells": [{"cell_type": "code"}, 7], "metadata": None}
    assert decode_document(json.dumps(content).encode(), "a.ipynb").text == "\n"

"""Where the answer of `gradguard check` goes, how much is said beside it, and what it would look at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from gradguard.workspace.config import load_config

if TYPE_CHECKING:
    from pathlib import Path


def test_quiet_tells_what_is_found_alone(check, stale: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    loud = check("stale.py", "empty", "--output-format", "concise")
    assert "no Python files" in loud.stderr
    quiet = check("-q", "stale.py", "empty", "--output-format", "concise")
    assert (quiet.returncode, quiet.stderr) == (1, "")
    assert quiet.stdout.splitlines() == loud.stdout.splitlines()[:-2]
    assert check("--quiet", "missing.py").stderr == "missing.py: does not exist\n"
    assert check("-q", "--diff", "stale.py").stderr == ""


def test_verbose_tells_which_settings_hold(check, stale: Path, tmp_path: Path) -> None:
    (tmp_path / "gradguard.toml").write_text("")
    done = check("-v", "stale.py")
    settings, replayed, time = done.stderr.splitlines()
    assert settings.startswith("1 file by gradguard.toml, with PyTorch ")
    assert replayed == "5 of 5 statements replayed to their end."
    assert time.startswith("1 file in ")
    assert done.stdout == check("stale.py").stdout
    assert check("-v", "-q", "stale.py").returncode == 2


def test_what_is_found_goes_to_a_file(check, stale: Path, tmp_path: Path) -> None:
    told = check("stale.py", "--output-format", "json")
    done = check("stale.py", "--output-format", "json", "-o", "found.json")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert json.loads((tmp_path / "found.json").read_text()) == json.loads(told.stdout)
    check("stale.py", "--diff", "--output-file", "found.diff")
    assert (tmp_path / "found.diff").read_text() == check("stale.py", "--diff").stdout
    done = check("stale.py", "-o", "missing/found.json")
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("when", "environment", "coloured"),
    [
        ("auto", {}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("always", {}, True),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour(check, stale: Path, when: str, environment: dict[str, str], coloured: bool) -> None:
    plain = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm"}
    done = check("stale.py", "--color", when, env=plain | environment)
    assert ("\x1b[" in done.stdout) is coloured


def test_files_are_listed_and_not_checked(check, stale: Path, clean: Path, tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "made.py").write_text("")
    done = check("--show-files")
    assert (done.returncode, done.stdout) == (0, "clean.py\nstale.py\n")
    assert check("--show-files", "missing.py").returncode == 2


def test_settings_are_shown_as_a_configuration_has_them(check, stale: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.gradguard]\nignore = ["GG111"]\nsrc = ["lib \\" ü"]\nmin-severity = "error"\n'
        '[tool.gradguard.per-file-ignores]\n"tests/**" = ["GG3"]\n'
        '[tool.gradguard.ops."my.op"]\nsaves = ["out"]\n'
    )
    done = check("--show-settings", "--ignore", "GG2")
    assert done.returncode == 0
    assert done.stdout.startswith("# pyproject.toml; files: 1;")
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "gradguard.toml").write_text(done.stdout, encoding="utf-8")
    shown = load_config(tmp_path / "shown" / "gradguard.toml")
    meant = load_config(tmp_path / "pyproject.toml")
    assert shown.ignore == ("GG111", "GG2")
    for name in ("select", "min_severity", "exclude", "extend_exclude", "per_file_ignores", "src", "ops"):
        assert getattr(shown, name) == getattr(meant, name)


def test_excluded_files_can_be_left_out_though_they_are_named(check, stale: Path, tmp_path: Path) -> None:
    (tmp_path / "gradguard.toml").write_text('extend-exclude = ["stale.py"]')
    assert check("stale.py").returncode == 1
    done = check("stale.py", "--force-exclude")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Nothing found in 0 files.\n", "")
    text = stale.read_text()
    done = check("-", "--stdin-filename", "stale.py", "--force-exclude", "--fix", "--quiet", stdin=text)
    assert (done.returncode, done.stdout) == (0, text)


def test_what_is_no_python_is_refused(check, stale: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("some notes\n")
    done = check("notes.txt", "stale.py")
    assert (done.returncode, "1 error in 1 file" in done.stdout) == (2, True)
    assert done.stderr == "notes.txt: is not a Python file or notebook (.py, .ipynb, .pyi, .pyw)\n"

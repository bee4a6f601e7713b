"""What comes from outside is not believed: hostile configuration, patterns, special files, names and caches."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from gradguard.rules.rule import Severity
from gradguard.workspace.batch import Group, Means, check_all
from gradguard.workspace.config import Config
from gradguard.workspace.project import Project

from ..cli.conftest import STALE, Command, check, gradguard_command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check", "gradguard_command"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has neither pipes among files nor such names")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one failure."""
    (tmp_path / "a.py").write_text(STALE)
    return tmp_path


# -- configuration ----------------------------------------------------------------------------


@pytest.mark.parametrize("dots", [28, 10_000])
def test_the_line_of_a_wrong_setting_is_found_in_linear_time(project: Path, check: Command, dots: int) -> None:
    (project / "gradguard.toml").write_text('min-severity = "x"\ny = """\n' + "." * dots + '\n"""\n')
    done = check("a.py")
    assert done.returncode == 2
    assert "gradguard.toml:2: unknown setting `y`" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [("x = " + 5000 * "[", "is nested too deeply"), ("x = " + 5000 * "1", "is not valid TOML")],
)
def test_what_a_toml_parser_raises_is_told_with_its_file(
    project: Path, check: Command, text: str, message: str
) -> None:
    (project / "pyproject.toml").write_text(text + "\n[tool.gradguard]\n")
    done = check("a.py")
    assert done.returncode == 2
    assert message in done.stderr
    assert "internal error" not in done.stderr


@pytest.mark.parametrize("data", [b"x = " + 5000 * b"[", b"x = " + 5000 * b"1", b"x = '\xff'"])
def test_a_broken_file_without_a_table_of_ours_is_passed_over(project: Path, check: Command, data: bytes) -> None:
    (project / "pyproject.toml").write_bytes(data)
    (project / "b.py").write_text("import foo, torch\n")
    done = check("a.py", "b.py")
    assert done.returncode == 1
    assert done.stdout.count("GG101") == 2  # the finding, and `gradguard explain GG101`
    assert not done.stderr


# -- special files ----------------------------------------------------------------------------


def special(path: Path, kind: str) -> None:
    """A file that never ends, or that nobody writes."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()


@pytest.mark.parametrize("kind", ["pipe", "zero", "folder"])
@pytest.mark.parametrize("name", [".gitignore", "pyproject.toml", "setup.cfg", "gradguard.toml", ".git/info/exclude"])
def test_special_files_are_not_read(project: Path, check: Command, name: str, kind: str) -> None:
    (project / ".git" / "info").mkdir(parents=True)
    special(project / name, kind)
    (project / "b.py").write_text("import foo, torch\n")
    done = check(".", "--no-cache")
    assert done.returncode == 1
    assert not done.stderr


@pytest.mark.parametrize(("kind", "message"), [("pipe", "is not a regular file"), ("zero", "is not a regular file")])
def test_special_files_that_are_named(project: Path, check: Command, kind: str, message: str) -> None:
    special(project / "b.py", kind)
    done = check("a.py", "b.py", "--no-cache")
    assert done.returncode == 2
    assert done.stderr == f"b.py: {message}\n"
    assert "GG101" in done.stdout


def test_a_file_larger_than_a_program_is_named(project: Path, check: Command) -> None:
    with (project / "b.py").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    done = check("a.py", "b.py", "--no-cache")
    assert done.returncode == 2
    assert done.stderr == "b.py: is larger than 64 MB\n"
    assert "GG101" in done.stdout


@pytest.mark.skipif(shutil.which("mkfifo") is None, reason="has no pipes among files")
@pytest.mark.parametrize("kind", ["pipe", "zero"])
def test_a_baseline_that_is_special(project: Path, check: Command, kind: str) -> None:
    special(project / "baseline.json", kind)
    done = check("a.py", "--baseline", "baseline.json")
    assert done.returncode == 2
    assert "baseline.json: is not a regular file" in done.stderr


# -- files that come and go -------------------------------------------------------------------


@pytest.mark.parametrize("when", ["in the replay", "before it is told"])
def test_a_file_that_vanishes_costs_itself(project: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    gone = project / "b.py"
    gone.write_text(STALE)
    replay = Project.replay

    def vanish(*args: Any, **more: Any) -> Any:
        gone.unlink(missing_ok=True)
        return replay(*args, **more)

    if when == "in the replay":
        monkeypatch.setattr(Project, "replay", vanish)
    group = Group(Config(project), [str(project / "a.py"), str(gone)], Severity.WARNING)
    checked = check_all([group], Means(on_part=lambda files: gone.unlink(missing_ok=True)))
    assert [(found.path, found.code) for found in checked.found] == [(str(project / "a.py"), "GG101")]
    assert [(problem.path, problem.message) for problem in checked.problems] == [(str(gone), "does not exist")]


# -- names ------------------------------------------------------------------------------------


FORGED = "a\n::stop-commands::pwn\nb.py"
NAMES = (FORGED, "::stop-commands::pwn.py", "e\x1b]0;t\x07.py", "##[add-mask]x.py", "\u202ecod.py", b"\xff\x9b.py")
FORMATS = ("full", "concise", "github", "junit", "gitlab", "sarif", "rdjson", "json", "json-lines")


def written(done: Any) -> str:
    """What a run has written, with what no stream may carry taken as an error."""
    text = str(done.stdout + done.stderr)
    assert all(c.isprintable() or c == "\n" for c in text), text
    assert "##[" not in text
    return text


@pytest.mark.parametrize("output", FORMATS)
def test_names_are_shown_and_command_nothing(project: Path, check: Command, output: str) -> None:
    for n, name in enumerate(NAMES):
        broken = n % 2 == 0
        path = os.path.join(os.fsencode(project), name if isinstance(name, bytes) else name.encode())
        with open(path, "w") as file:
            file.write(f"{STALE}z[']0;##[add-mask]\x1b'] = 1\n" + "def (:\n" * broken)
    done = check(".", "--no-cache", "--output-format", output)
    commands = [line for line in written(done).splitlines() if line.lstrip().startswith("::")]
    assert done.returncode == 1
    if output == "github":
        assert len(commands) == done.stdout.count("\n")
        assert all(line.startswith("::error title=GradGuard (GG101),file=") for line in commands)
    else:
        assert not commands
    if output == "junit":
        ElementTree.fromstring(done.stdout)


def test_source_commands_nothing(project: Path, gradguard_command: Command) -> None:
    text = STALE.replace("y += 1", "y += 1  # \x1b]0;t\x07 \u202e ##[add-mask]x ##vso[task.x]y \x9b31m")
    (project / "a.py").write_text(text, encoding="utf-8")
    assert "\\x1b" in written(gradguard_command("versions", "a.py"))
    assert "# vso[task.x]y" in written(gradguard_command("check", "a.py"))


def test_a_wrong_configuration_commands_nothing(project: Path, gradguard_command: Command) -> None:
    (project / "gradguard.toml").write_text('"a\\u001b\\n::stop-commands::x" = 1\n')
    assert "a\\x1b" in written(gradguard_command("check", "a.py"))
    (project / "gradguard.toml").write_text('exclude = ["\\u001b\\u009b\\u202e"]\n')
    assert "\\U0000009b" in written(gradguard_command("check", "--show-settings", "a.py"))


# -- streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("{} check a.py >&-", "gradguard: standard output is closed"),
        ("{} check a.py >/dev/full", "gradguard: No space left on device"),
        ("{} rules >/dev/full", "gradguard: No space left on device"),
        ("{} check a.py -o /dev/full", "gradguard: No space left on device"),
        ("{} check - <&-", "-: standard input is closed"),
        ("{} check nothing.py 2>&-", ""),
        ("mkdir gone; cd gone; rmdir ../gone; {} check .", "gradguard: the working directory cannot be read: "),
        (f"{{}} check {'a' * 300}.py", f"{'a' * 300}.py: does not exist"),
    ],
)
def test_what_is_wrong_around_a_run_is_a_plain_line(project: Path, command: str, told: str) -> None:
    if "/dev/full" in command and not os.path.exists("/dev/full"):
        pytest.skip("has no device that is full")
    run = command.format(f"{sys.executable} -I -m gradguard")
    done = subprocess.run(["sh", "-c", run], cwd=project, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == bool(told)

"""`--fix` never loses a byte: whatever else happens to a file, it is what somebody has written, whole."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.workspace.mending import mend_project
from gradguard.workspace.project import Project
from gradguard.workspace.saving import save

from ..cli.conftest import STALE, Command, check, gradguard_command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check", "gradguard_command"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has neither these limits nor these modes")

MENDED = STALE.replace("y += 1", "y = y + 1")
FIX = ("check", "--fix", "--no-cache", "--jobs", "1")


def begin(folder: Path, *arguments: str, **more: object) -> subprocess.Popen[str]:
    """The command, running."""
    command = [sys.executable, "-m", "gradguard", *arguments]
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)


def test_runs_at_once_write_what_one_of_them_would(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    for _ in range(2):
        path.write_text(STALE)
        runs = [begin(tmp_path, *FIX, "a.py") for _ in range(3)]
        told = [run.communicate()[1] for run in runs]
        assert path.read_text() == MENDED
        assert not any("internal error" in one for one in told)
        assert all(run.returncode in (0, 2) for run in runs)
    assert [one.name for one in tmp_path.iterdir()] == ["a.py"]


@pytest.mark.parametrize("when", ["while it is checked", "before it is written"])
def test_what_is_typed_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    path, typed = tmp_path / "a.py", "# typed meanwhile\n" + STALE
    path.write_text(STALE)
    project = Project(tmp_path)
    if when == "while it is checked":
        fixes = Project.fixes

        def type_first(self: Project, *args: Any, **more: Any) -> Any:
            path.write_text(typed)
            return fixes(self, *args, **more)

        monkeypatch.setattr(Project, "fixes", type_first)
    mended = mend_project(project, [str(path)], unsafe=False)
    path.write_text(typed)
    assert mended.after[str(path)].text == MENDED
    problems = save(mended, [str(path)], [str(tmp_path)])
    assert [problem.message for problem in problems] == ["is no longer what was checked: it is left as it is"]
    assert path.read_text() == typed
    assert mended.applied == 0


def test_a_full_disk_leaves_the_old_file_and_mends_the_others(tmp_path: Path) -> None:
    large = STALE + 200 * "# a long comment\n"
    (tmp_path / "a.py").write_text(large)
    (tmp_path / "b.py").write_text(STALE)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    run = begin(tmp_path, *FIX, ".", preexec_fn=limit, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    found, told = run.communicate()
    assert run.returncode == 2
    assert "a.py: cannot be written: File too large" in told
    assert " --> a.py:5:1" in found
    assert (tmp_path / "a.py").read_text() == large
    assert (tmp_path / "b.py").read_text() == MENDED
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.py", "b.py"]


def test_a_link_out_of_the_named_folder_is_not_followed(tmp_path: Path, check: Command) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside.py"
    inside.mkdir()
    outside.write_text(STALE)
    (inside / "link.py").symlink_to(outside)
    done = check("--fix", "inside")
    assert done.returncode == 2
    assert "inside/link.py: is a link to" in done.stderr
    assert outside.read_text() == STALE
    assert check("--fix", "inside/link.py").returncode == 0  # who names it means what it leads to
    assert outside.read_text() == MENDED
    assert (inside / "link.py").is_symlink()


def test_a_link_within_the_named_folder(tmp_path: Path, check: Command) -> None:
    (tmp_path / "a.py").write_text(STALE)
    (tmp_path / "z.py").symlink_to("a.py")
    assert check("--fix", ".").returncode == 0
    assert (tmp_path / "a.py").read_text() == MENDED
    assert (tmp_path / "z.py").is_symlink()


def test_mode_and_bytes_are_kept(tmp_path: Path, check: Command) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\r\n# \xe9\x0c\r\n" + STALE.replace("\n", "\r\n").encode())
    path.chmod(0o751)
    assert check("--fix", "a.py").returncode == 0
    assert path.read_bytes() == b"# -*- coding: latin-1 -*-\r\n# \xe9\x0c\r\n" + MENDED.replace("\n", "\r\n").encode()
    assert path.stat().st_mode & 0o777 == 0o751


def test_an_encoding_that_cannot_give_the_bytes_back(tmp_path: Path, check: Command) -> None:
    path = tmp_path / "a.py"
    # Two ways to write the same text: encoding it again would choose the other one.
    data = b"# coding: iso2022_jp\n# \x1b$B\x1b(B\n" + STALE.encode()
    path.write_bytes(data)
    assert check("--fix", "a.py").returncode == 2
    assert path.read_bytes() == data


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_stays(tmp_path: Path, check: Command) -> None:
    path = tmp_path / "a.py"
    path.write_text(STALE)
    path.chmod(0o444)
    assert check("--fix", "a.py").returncode == 2
    assert path.read_text() == STALE

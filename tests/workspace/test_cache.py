"""The cache: the same answers as without it, whatever happens to it."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HELPER = """\
def shift(t):
    t += 1
    return t
"""

MAIN = """\
import torch
from helper import shift

x = torch.rand(3, requires_grad=True)
y = torch.exp(x)
shift(y).sum().backward()
"""


def gradguard(folder: Path, *arguments: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gradguard", "check", "--output-format", "json", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        **more,
    )


def entries(folder: Path) -> list[Path]:
    return sorted((folder / ".gradguard_cache").glob("*.json"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "main.py").write_text(MAIN)
    return tmp_path


def test_what_is_kept_is_not_checked_again(project: Path) -> None:
    first = gradguard(project)
    (entry,) = entries(project)
    # An answer that no check would give shows where the second one comes from.
    head, body = entry.read_text().split("\n")
    changed = body.replace("is changed in place here", "IS CHANGED")
    from gradguard.workspace.cache import _checksum

    entry.write_text(f"{_checksum(changed.encode())}\n{changed}")
    assert len(json.loads(first.stdout)) == 1
    assert "IS CHANGED" in gradguard(project).stdout
    assert gradguard(project, "--no-cache").stdout == first.stdout
    assert head


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("main.py", MAIN.replace("y = torch.exp(x)", "y = x * 2")),
        ("helper.py", HELPER.replace("t += 1", "t = t + 1")),
    ],
    ids=["itself", "what it imports"],
)
def test_a_change_is_seen(project: Path, file: str, text: str) -> None:
    assert gradguard(project, "main.py").returncode == 1
    before = (project / file).stat()
    (project / file).write_text(text.ljust(before.st_size))
    os.utime(project / file, ns=(before.st_atime_ns, before.st_mtime_ns))  # contents count, not dates
    assert gradguard(project, "main.py").returncode == 0


def test_a_module_that_comes_is_seen(project: Path) -> None:
    helper = (project / "helper.py").read_text()
    (project / "helper.py").unlink()
    assert gradguard(project, "main.py").returncode == 0
    (project / "helper.py").write_text(helper)
    assert gradguard(project, "main.py").returncode == 1


def test_settings_are_part_of_the_question(project: Path) -> None:
    assert gradguard(project).returncode == 1
    assert gradguard(project, "--ignore", "GG101").returncode == 0
    (project / "gradguard.toml").write_text('ignore = ["GG101"]\n')
    assert gradguard(project).returncode == 0


def test_damaged_entries_are_as_good_as_none(project: Path) -> None:
    cold = gradguard(project).stdout
    (entry,) = entries(project)
    whole = entry.read_bytes()
    chosen = random.Random(7)
    for _ in range(6):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[chosen.randrange(len(damaged))] ^= chosen.randrange(1, 256)
        entry.write_bytes(damaged[: chosen.choice([len(damaged), len(damaged) // 2, 1])])
        assert gradguard(project).stdout == cold
    assert entry.read_bytes() == whole


def test_a_run_that_was_killed_leaves_nothing_wrong(project: Path) -> None:
    cold = gradguard(project, "--no-cache").stdout
    for wait in (0.1, 0.3, 0.6):
        running = subprocess.Popen([sys.executable, "-m", "gradguard", "check"], cwd=project, stdout=subprocess.DEVNULL)
        time.sleep(wait)
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert gradguard(project).stdout == cold


def test_two_runs_at_once(project: Path) -> None:
    cold = gradguard(project, "--no-cache").stdout
    command = [sys.executable, "-m", "gradguard", "check", "--output-format", "json"]
    both = [subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [one.communicate(timeout=120)[0] for one in both] == [cold, cold]
    assert gradguard(project).stdout == cold


def test_it_keeps_out_of_version_control_and_can_be_removed(project: Path) -> None:
    gradguard(project)
    cache = project / ".gradguard_cache"
    assert (cache / ".gitignore").read_text() == "*\n"
    clean = subprocess.run(
        [sys.executable, "-m", "gradguard", "clean"], cwd=project, capture_output=True, text=True, timeout=60
    )
    assert (clean.returncode, clean.stdout) == (0, "removed .gradguard_cache\n")
    assert not cache.exists()


def test_it_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gradguard.workspace import cache

    monkeypatch.setattr(cache, "LARGEST", 250)
    names = [f"{number:032}.json" for number in range(5)]
    for number, name in enumerate(["somebody's.json", *names]):
        (tmp_path / name).write_text("x" * 100)
        os.utime(tmp_path / name, (number, number))
    cache.Cache(tmp_path).trim()
    assert sorted(path.name for path in tmp_path.iterdir()) == [*names[3:], "somebody's.json"]


def test_it_does_not_follow_a_link_out_of_the_project(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (project / ".gradguard_cache").symlink_to(elsewhere)
    assert gradguard(project).returncode == 1
    assert list(elsewhere.iterdir()) == []

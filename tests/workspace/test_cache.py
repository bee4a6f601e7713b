"""The cache: the same answers as without it, whatever happens to it."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
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
    changed = body.replace("which this changes", "IS CHANGED")
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


def forge(entry: Path, change: Callable[[dict], object]) -> None:
    """Change what an entry says, and its digest with that."""
    from gradguard.workspace.cache import _checksum

    body = json.loads(entry.read_text().split("\n")[1])
    change(body)
    text = json.dumps(body)
    entry.write_text(f"{_checksum(text.encode())}\n{text}")


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["found"][0].update(place=["/etc/passwd", 0, 0, 0, 1]),
        lambda body: body["found"][0]["related"].append(["/etc/passwd", 0, 0, 0, 1, "here"]),
        lambda body: body["found"][0]["related"].append([str(Path.cwd() / "x" / ".." / "a.py"), 0, 0, 0, 1, "here"]),
        lambda body: body["found"][0].update(words=["a", "b", "c", "\x1b]0;t\x07\n::stop-commands::x"]),
        lambda body: body["found"][0].update(told=["GG999", 1, None]),
        lambda body: body["found"][0].update(told=["GG101", 9, None]),
        lambda body: body["found"][0].update(told=[["GG101"], 1, None]),
        lambda body: body["found"][0].update(lines=[-5, 3]),
        lambda body: body["found"][0].update(fixes=[["t", "safe", True, [["/etc/passwd", 0, 1, ""]]]]),
        lambda body: body["found"][0].pop("fixes"),
        lambda body: body.update(checked="7"),
        lambda body: body.update(checked=True),
        lambda body: body.update(found={}),
        lambda body: body.update(reads=[]),
        lambda body: body.update(more=1),
        lambda body: body["problems"].append(["/etc/passwd", "is \x1b", None, None, False]),
        lambda body: body["problems"].append(["/etc/passwd", "is wrong", None, None, True]),
    ],
)
def test_what_no_check_can_have_found_is_not_believed(project: Path, change: Callable[[dict], object]) -> None:
    cold = gradguard(project)
    (entry,) = entries(project)
    whole = entry.read_bytes()
    forge(entry, change)
    warm = gradguard(project)
    assert (warm.returncode, warm.stdout, warm.stderr) == (cold.returncode, cold.stdout, cold.stderr)
    assert entry.read_bytes() == whole


def test_a_link_out_of_the_project_is_not_believed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("secret\n")
    cold = gradguard(project, "--output-format", "full")
    (project / "link").symlink_to(secret)
    (entry,) = entries(project)
    forge(entry, lambda body: body["found"][0].update(place=[str(project / "link"), 0, 0, 0, 6]))
    assert gradguard(project, "--output-format", "full").stdout == cold.stdout


SEVERAL = """\
import os, sys, time
from gradguard.cli.main import main
from gradguard.workspace import batch, parts

parts.MOST = parts.LEAST = 10
check_part = batch.check_part


def slow(part):
    outcome = check_part(part)
    if part.paths[0].endswith("m2.py"):
        print(os.getpid(), file=sys.stderr, flush=True)
        time.sleep(60)
    return outcome


if "slow" in sys.argv:
    slow.__module__, slow.__qualname__ = batch.__name__, "check_part"
    batch.check_part = slow
sys.exit(main(["check", "--output-format", "json", "--jobs", "2"]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="patches what forked processes run, and looks for one in /proc")
def test_a_run_that_was_killed_leaves_nothing_wrong(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It is killed when it has kept the first parts and one of its processes is in the middle of another."""
    for number in range(4):
        (tmp_path / f"m{number}.py").write_text(MAIN.replace("from helper", f"from h{number}"))
        (tmp_path / f"h{number}.py").write_text(HELPER)
    script = tmp_path_factory.mktemp("script") / "run.py"
    script.write_text(SEVERAL)
    cold = gradguard(tmp_path, "--no-cache").stdout
    assert len(json.loads(cold)) == 4
    command = [sys.executable, str(script), "slow"]
    running = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert running.stderr is not None
    worker = int(running.stderr.readline())
    wait_until(lambda: len(entries(tmp_path)) > 2)
    running.send_signal(signal.SIGKILL)
    running.wait()
    wait_until(lambda: not alive(worker))
    assert 2 < len(entries(tmp_path)) < 8
    for _ in range(2):
        again = subprocess.run(command[:2], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert again.stdout == cold
    assert len(entries(tmp_path)) == 8


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for somebody to take note doesn't."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


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
    now = time.time()
    for number, name in enumerate(["somebody's.json", *names]):
        (tmp_path / name).write_text("x" * 100)
        os.utime(tmp_path / name, (now, now - 1000 + number))
    cache.Cache(tmp_path).trim()
    assert sorted(path.name for path in tmp_path.iterdir()) == [*names[3:], "somebody's.json"]


def test_what_another_version_has_left_goes_when_it_was_not_used_for_long(project: Path) -> None:
    gradguard(project)
    (entry,) = entries(project)
    day = 24 * 3600
    for name, days in (("a", 29), ("b", 31)):
        old = entry.with_name(f"{name * 32}.json")
        old.write_bytes(entry.read_bytes())
        os.utime(old, (time.time() - days * day,) * 2)
    (project / "main.py").write_text(MAIN + "\n")
    gradguard(project)
    assert {path.stem[0] for path in entries(project) if path != entry} == {"a"}


def test_what_an_ended_server_was_writing_goes(tmp_path: Path) -> None:
    from gradguard.workspace.cache import Cache

    for name, minutes in (("gradguard-now.new", 1), ("gradguard-before.new", 61)):
        (tmp_path / name).write_text("{")
        os.utime(tmp_path / name, (time.time() - 60 * minutes,) * 2)
    Cache(tmp_path).trim()
    assert [path.name for path in tmp_path.iterdir()] == ["gradguard-now.new"]


def test_it_does_not_follow_a_link_out_of_the_project(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (project / ".gradguard_cache").symlink_to(elsewhere)
    assert gradguard(project).returncode == 1
    assert list(elsewhere.iterdir()) == []

"""Checking in parts and processes: the same findings in the same order, whoever does the work."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gradguard.rules.rule import Severity
from gradguard.workspace import batch, parts
from gradguard.workspace.batch import Group, Means, check_all
from gradguard.workspace.config import Config

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = """\
import torch

x = torch.rand(3, requires_grad=True)
y = torch.exp(x)
y += {number}  # {number}
y.sum().backward()
"""

HELPER = """\
def shift(t):
    t += 1  # gradguard: ignore[GG101]
    return t
"""

USER = """\
import torch
from below.helper import shift

x = torch.rand(3, requires_grad=True)
y = torch.exp(x)
shift(y).sum().backward()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Group:
    """Four folders of programs, too much for one part; `d` uses what is in `below`."""
    for folder in "abcd":
        (tmp_path / folder).mkdir()
        for number in range(3):
            (tmp_path / folder / f"m{number}.py").write_text(PROGRAM.format(number=number))
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "helper.py").write_text(HELPER)
    (tmp_path / "d" / "user.py").write_text(USER)
    monkeypatch.setattr(parts, "MOST", 450)
    paths = sorted(str(path) for path in tmp_path.rglob("*.py"))
    return Group(Config(tmp_path), paths, Severity.WARNING)


def told(checked: batch.Checked) -> list[tuple[object, ...]]:
    return [(one.path, one.span, one.code, one.severity, one.message, one.suppressed) for one in checked.found]


def test_a_folder_stays_whole_and_nothing_is_lost(project: Group) -> None:
    made = parts.split(project.paths, str(project.config.root))
    assert sorted(path for part in made for path in part) == sorted(project.paths)
    assert len(made) > 3
    assert any({Path(path).name for path in part} == {"m0.py", "m1.py", "m2.py"} for part in made)


def test_processes_find_the_same_in_the_same_order(project: Group) -> None:
    alone = check_all([project], Means())
    assert len(alone.found) == 13
    assert told(check_all([project], Means(jobs=3))) == told(alone)


def test_a_comment_is_used_by_what_another_part_finds(project: Group) -> None:
    found = check_all([project], Means()).found
    (helper,) = [one for one in found if one.path.endswith("helper.py")]
    assert (helper.code, helper.suppressed) == ("GG101", True)
    assert not any(one.code == "GG900" for one in found)


class Backwards(Executor):
    """Does the work when all has been handed out, the last first."""

    def __init__(self) -> None:
        self.futures: list[tuple[Future, object, Sequence[object]]] = []

    def submit(self, function, /, *arguments):
        future: Future = Future()
        future.set_running_or_notify_cancel()
        self.futures.insert(0, (future, function, arguments))
        if len(self.futures) == self.expected:
            for waiting, work, given in self.futures:
                waiting.set_result(work(*given))
        return future


def test_any_executor_will_do(project: Group) -> None:
    executor = Backwards()
    executor.expected = len(parts.split(project.paths, str(project.config.root)))
    assert told(check_all([project], Means(executor=executor))) == told(check_all([project], Means()))


def test_shares_are_the_whole_together(project: Group) -> None:
    shares = [check_all([project], Means(shard=(number, 3))) for number in (1, 2, 3)]
    assert sum(share.checked for share in shares) == len(project.paths)
    whole = {one for one in told(check_all([project], Means())) if one[2] != "GG900"}
    assert {one for share in shares for one in told(share) if one[2] != "GG900"} == whole


@pytest.mark.skipif(not hasattr(os, "fork"), reason="patches what the processes run, which only a fork takes along")
def test_a_process_that_is_killed_is_told_of_and_costs_its_part(project: Group, monkeypatch) -> None:
    check_part = batch.check_part

    def deadly(part):
        if any(path.endswith("b/m1.py") for path in part.paths):
            os.kill(os.getpid(), signal.SIGKILL)
        return check_part(part)

    monkeypatch.setattr(batch, "check_part", deadly)
    deadly.__module__, deadly.__qualname__ = batch.__name__, "check_part"
    checked = check_all([project], Means(jobs=2))
    (problem,) = checked.problems
    assert problem.internal and "was killed" in problem.message and Path(problem.path).parent.name == "b"
    assert {Path(one.path).parent.name for one in checked.found} == {"a", "c", "d", "below"}


def test_interrupted_tells_what_is_known(tmp_path: Path) -> None:
    """The first part is quick; the second is never done."""
    (tmp_path / "quick").mkdir()
    (tmp_path / "quick" / "one.py").write_text(PROGRAM.format(number=1) + "# filled up\n" * 40)
    (tmp_path / "slow.py").write_text(PROGRAM.format(number=2))
    script = tmp_path / "run.py"
    script.write_text(f"""
import os, signal, sys, time
from gradguard.workspace import batch, parts
signal.signal(signal.SIGINT, signal.default_int_handler)  # which whoever runs the tests in the background turns off
parts.MOST = 10
done = batch.check_part
def check_part(part, *more):
    if part.paths[0].endswith("slow.py"):
        print("waiting", file=sys.stderr, flush=True)
        time.sleep(60)
    return done(part, *more)
batch.check_part = check_part
from gradguard.cli.main import main
sys.exit(main(["check", "{tmp_path / "quick"}", "{tmp_path / "slow.py"}", "--jobs", "1", "--no-cache",
               "--output-format", "concise"]))
""")
    running = subprocess.Popen(
        [sys.executable, str(script)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    assert running.stderr.readline() == "waiting\n"
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "one.py:5:1: GG101" in out.replace(os.sep, "/")
    assert err == "interrupted: not all files were checked\n"


def test_a_dask_cluster_finds_the_same(project: Group, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        found = check_all([project], Means(executor=client.get_executor(pure=False)))
    assert told(found) == told(check_all([project], Means()))

"""Several processes: the ranks of a job, the workers of a DataLoader, and processes that are started anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

DDP = """\
import os, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(4, 4))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for step in range(2):
    optimizer.zero_grad()
    y = model(torch.randn(8, 4)).exp()
    if step == 1:
        CHANGE
    y.mean().backward()
    optimizer.step()
print("done", flush=True)
dist.destroy_process_group()
"""

WORKERS = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        x = torch.full((3,), float(index))
        x.add_(1)
        return x


if __name__ == "__main__":
    w = torch.ones(3, requires_grad=True)
    for batch in DataLoader(Data(), batch_size=2, num_workers=2, multiprocessing_context="START"):
        y = (w * batch).exp()
        y.data.zero_()
        y.sum().backward()
    print(w.grad)
"""


STARTED = """\
import multiprocessing
import torch


def work(number):
    y = torch.ones(3, requires_grad=True).exp()
    if number == 0:
        y = y + 1
    elif number == 1:
        y.data.zero_()
    else:
        y += 1
    y.sum().backward()


if __name__ == "__main__":
    for number in range(3):
        process = multiprocessing.get_context("START").Process(target=work, args=(number,))
        process.start()
        process.join()
        print(process.exitcode)
"""

SPAWNED = """\
import torch
import torch.distributed as dist


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    y = torch.ones(3, requires_grad=True).exp()
    CHANGE
    y.sum().backward()


if __name__ == "__main__":
    torch.multiprocessing.spawn(train, ("STORE",), nprocs=2)
"""

LIGHT = """\
import multiprocessing
import sys


def work():
    print("torch" in sys.modules)


if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
"""


WORKER = """\
import concurrent.futures
import multiprocessing
import torch
from torch.utils.data import DataLoader


def work(number):
    y = torch.ones(3, requires_grad=True).exp()
    if number == 1:
        y *= 2
    else:
        y += 1
    y.sum().backward()


class Data(list):
    def __getitem__(self, index):
        return work(super().__getitem__(index))


def ask(context, number):
    ASK


if __name__ == "__main__":
    context = multiprocessing.get_context("START")
    try:
        ask(context, 1)
    except RuntimeError:
        print("handled")
    ask(context, 2)
"""

ASKING = {
    "a loader": "list(DataLoader(Data([number]), num_workers=1, multiprocessing_context=context))",
    "a pool": "context.Pool(1).map(work, [number])",
    "an executor": "concurrent.futures.ProcessPoolExecutor(1, mp_context=context).submit(work, number).result()",
}
"""how the result of a worker is asked for"""


def gradguard(folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    """A run of `main.py` in a folder, by `torchrun` if its options are given."""
    bin_ = os.path.dirname(sys.executable)
    start = [sys.executable, "-m", "torch.distributed.run", *before, "--no-python"] if before else []
    command = [*start, os.path.join(bin_, "gradguard"), "run", "main.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


RANKS = ("--nproc-per-node=2", "--master-port=0", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0")


@pytest.mark.parametrize(("change", "code"), [("y += 1", "GG101"), ("y.data.zero_()", "GG111")])
def test_a_failure_of_two_ranks_is_told_once_with_the_name_of_one(tmp_path: Path, change: str, code: str) -> None:
    (tmp_path / "main.py").write_text(DDP.replace("CHANGE", change))
    got = gradguard(tmp_path, *RANKS)
    assert got.stderr.count(f"[{code}]") == 1, got.stderr
    assert f"{change}\n" in got.stderr
    assert sum(got.stderr.count(f"seen when it ran, by rank {rank} of 2") for rank in range(2)) == 1


def test_ranks_that_are_fine_train_as_they_do_without(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(DDP.replace("CHANGE", "y = y + 1"))
    got = gradguard(tmp_path, *RANKS)
    assert (got.returncode, got.stdout.count("done")) == (0, 2), got.stderr
    assert "GG1" not in got.stderr


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_the_workers_of_a_loader_work_and_what_is_done_with_their_batches_is_seen(tmp_path: Path, start: str) -> None:
    (tmp_path / "main.py").write_text(WORKERS.replace("START", start))
    got = gradguard(tmp_path)
    assert got.returncode == 0
    assert got.stderr.count("[GG111]") == 1, got.stderr
    assert "y.data.zero_()" in got.stderr
    plain = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True)
    assert got.stdout == plain.stdout


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_what_a_process_of_the_program_does_is_told(tmp_path: Path, start: str) -> None:
    (tmp_path / "main.py").write_text(STARTED.replace("START", start))
    plain = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True)
    got = gradguard(tmp_path)
    assert (got.returncode, got.stdout) == (plain.returncode, plain.stdout) == (0, "0\n0\n1\n")
    assert got.stderr.startswith(plain.stderr)
    report = got.stderr.removeprefix(plain.stderr)
    assert re.findall(r"(?:error|warning)\[GG\d+\]", report) == ["error[GG111]", "error[GG101]"], report
    assert ("y.data.zero_()\n" in report, "y += 1\n" in report) == (True, True)


@pytest.mark.parametrize(("change", "code"), [("y += 1", "GG101"), ("y.data.zero_()", "GG111")])
def test_what_pytorch_spawns_is_told_once_with_the_name_of_a_rank(tmp_path: Path, change: str, code: str) -> None:
    (tmp_path / "main.py").write_text(SPAWNED.replace("CHANGE", change).replace("STORE", str(tmp_path / "store")))
    got = gradguard(tmp_path)
    assert got.stderr.count("[GG1") == got.stderr.count(f"[{code}]") == 1, got.stderr
    assert sum(got.stderr.count(f"seen when it ran, by rank {rank} of 2") for rank in range(2)) == 1


def test_a_process_that_needs_no_pytorch_has_none(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(LIGHT)
    assert gradguard(tmp_path).stdout == "False\n"


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("asking", list(ASKING))
def test_what_a_worker_hands_on_is_told_where_nobody_handles_it(tmp_path: Path, asking: str, start: str) -> None:
    (tmp_path / "main.py").write_text(WORKER.replace("ASK", ASKING[asking]).replace("START", start))
    got = gradguard(tmp_path)
    assert (got.returncode, got.stdout, got.stderr.count("[GG1")) == (1, "handled\n", 1), got.stderr
    assert "y += 1\n" in got.stderr.partition("error[GG101]")[2]

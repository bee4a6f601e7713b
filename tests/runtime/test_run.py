"""`gradguard run`: what it says of a program, and that the program does what it does without."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SCRIPTED = """\
import io, torch

@torch.jit.script
def bump(x, y):
    x.add_(1)
    if x.dim() != 1:
        raise ValueError("no vector")
    return torch.equal(x, y)

def fold(x):
    return x.exp().reshape(x.shape[0] // 4, -1, x.shape[1] * 2)

print(bump(torch.ones(2), torch.full((2,), 2.0)))
folded = torch.jit.trace(fold, torch.ones(4, 6))
for _ in range(3):
    x = torch.ones(4, 6, requires_grad=True)
    folded(x).sum().backward()
    print(x.grad.sum())
torch.jit.save(folded, io.BytesIO())
mixed = torch.compile(lambda x: (bump(x, x), x.sin()), backend="eager")
print(mixed(torch.ones(2)))
bump(torch.ones(2, 2), torch.ones(2))
"""

STALE = """\
import torch

x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


def python(folder: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, **more)


def gradguard(folder: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = os.path.join(os.path.dirname(sys.executable), "gradguard")
    return subprocess.run([command, "run", *arguments], cwd=folder, capture_output=True, text=True, **more)


def write(folder: Path, text: str, name: str = "main.py") -> Path:
    path = folder / name
    path.write_text(dedent(text))
    return path


def seen(folder: Path, text: str, *arguments: str) -> list[dict[str, Any]]:
    """What a run of a program with this text sees."""
    write(folder, text)
    gradguard(folder, "--record", "record.json", *arguments, "main.py")
    record = json.loads((folder / "record.json").read_text())
    sightings: list[dict[str, Any]] = record["sightings"]
    return sightings


def test_a_failure_is_reported_after_the_traceback_which_is_pythons_own(tmp_path: Path) -> None:
    write(tmp_path, STALE)
    plain, observed = python(tmp_path, "main.py"), gradguard(tmp_path, "main.py")
    assert (observed.returncode, observed.stdout) == (plain.returncode, plain.stdout) == (1, "")
    assert observed.stderr.startswith(plain.stderr)
    report = observed.stderr.removeprefix(plain.stderr)
    assert report.startswith("error[GG101]: `y.sum().backward()` will raise: it needs `y`, which this changes\n")
    assert "`exp` saves `y` for backward at version 0 (its result)" in report
    assert "changes `y`: version 0 → 1" in report
    assert "seen when it ran; `gradguard check` finds it, too" in report
    assert "write `y = y + …`" in report


def test_what_the_text_does_not_show_is_seen(tmp_path: Path) -> None:
    program = """\
        import torch

        def spoil(table, key):
            getattr(table[key], "".join(["a", "dd", "_"]))(1)

        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        spoil({"".join("ab"): y}, "ab")
        y.sum().backward()
        """
    (one,) = seen(tmp_path, program)
    assert (one["kind"], one["saved"]["stack"][-1]["line"], one["saved"]["op"]) == ("stale-saved", 6, "exp")
    (write_,) = one["writes"]
    assert [spot["line"] for spot in write_["stack"]] == [7, 3]
    assert (write_["before"], write_["after"]) == (0, 1)


def test_the_last_eight_writes_are_told_and_how_many_there_were_before(tmp_path: Path) -> None:
    program = """\
        import torch
        y = torch.ones(3, requires_grad=True).exp()
        for _ in range(12):
            y.mul_(2)
        y.sum().backward()
        """
    (one,) = seen(tmp_path, program)
    assert [write_["after"] for write_ in one["writes"]] == [*range(5, 13)]
    assert one["more"] == 4


SILENT = {
    "y.data.zero_()": True,
    "y.data += 1": True,
    "y.detach().numpy()[0] = 7": True,
    "torch.from_dlpack(y.detach())[0] = 7": True,
    "y.data = torch.zeros(3)": False,  # backward has what `exp` gave, in its own memory
    "old = y.detach().clone(); y.data.zero_(); y.data.copy_(old)": False,
    "y.detach().numpy()": False,
    "y.data": False,
}
"""what may change without a counter's knowledge, and whether the content is another then"""


def test_a_change_that_no_counter_sees_is_told_if_the_content_is_another(tmp_path: Path) -> None:
    lines = ["import torch", "x = torch.ones(3, requires_grad=True)"]
    for change in SILENT:
        lines += ["y = x.exp()", change, "y.sum().backward()"]
    wrong = [("silent-stale", lines.index(change) + 1) for change, silent in SILENT.items() if silent]
    program = "\n".join(lines)
    told = [(one["kind"], one["stack"][-1]["line"]) for one in seen(tmp_path, program)]
    assert (told, seen(tmp_path, program, "--no-silent")) == (wrong, [])


def test_a_fused_optimizer_that_steps_too_early_is_silently_wrong(tmp_path: Path) -> None:
    program = """\
        import torch
        w = torch.ones(3, requires_grad=True)
        optimizer = torch.optim.SGD([w], 0.1, fused=True)
        first, second = (w ** 2).sum(), (w ** 3).sum()
        first.backward()
        optimizer.step()
        second.backward()
        """
    (one,) = seen(tmp_path, program)
    assert (one["kind"], one["writes"][-1]["stack"][-1]["line"], one["writes"][-1]["optimizer"]) == (
        "silent-stale",
        5,
        True,
    )


def test_the_backward_that_freed_a_graph_is_told_and_where_the_graph_was_made(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.ones(3, requires_grad=True)
        hidden = x.exp()
        hidden.sum().backward()
        (hidden * 2).sum().backward()
        """
    (one,) = seen(tmp_path, program)
    assert (one["kind"], one["made"][-1]["line"], one["saved"]["stack"][-1]["line"]) == ("freed-graph", 3, 2)


def test_where_a_view_was_made_is_told(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.ones(4, requires_grad=True) * 1
        first, second = x.split(2)
        first += 1
        """
    (one,) = seen(tmp_path, program)
    assert (one["kind"], one["name"], one["made"][-1]["line"], one["made_by"]) == (
        "multi-view-inplace",
        "first",
        2,
        "split",
    )


@pytest.mark.parametrize(
    "program",
    [
        "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)",
        "import torch, sys; print(sys.argv, __name__, __file__); assert sys.argv[1:] == ['--lr', '1', '-m']",
        "raise KeyError('shape')",
        "def f(:",
        "import atexit; atexit.register(print, 'bye')",
        "import threading; threading.Thread(target=lambda: 1 / 0).start()",
        "import torch, traceback\ntry:\n    torch.ones(1).backward()\nexcept RuntimeError:\n    traceback.print_exc()",
        "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))).__module__)",
        SCRIPTED,
    ],
)
def test_a_program_does_what_it_does_without(tmp_path: Path, program: str) -> None:
    write(tmp_path, program)
    arguments = ["main.py", "--lr", "1", "-m"]
    plain, observed = python(tmp_path, *arguments), gradguard(tmp_path, *arguments)
    assert (observed.returncode, observed.stdout, observed.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_what_a_script_does_is_that_of_the_line_that_calls_it(tmp_path: Path) -> None:
    program = """\
        import torch

        @torch.jit.script
        def bump(x):
            return x.add_(1)

        @torch.jit.script
        def grow(x):
            return x.exp()

        y = grow(torch.ones(3, requires_grad=True))
        with torch.no_grad():
            torch.ones(3) + y
        bump(y)
        y.sum().backward()
        """
    (one,) = seen(tmp_path, program)
    assert (one["saved"]["stack"][-1]["line"], one["writes"][-1]["stack"][-1]["line"]) == (10, 13)


def test_a_module_runs_as_python_runs_it(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    write(package, "import sys\nfrom . import other\nprint(__name__, __package__, sys.argv[1:])\n", "__main__.py")
    write(package, "", "other.py")
    plain, observed = (one(tmp_path, "-m", "package", "-x", "1") for one in (python, gradguard))
    assert (observed.returncode, observed.stdout, observed.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_a_program_that_is_killed_is_told_of_in_a_line_with_what_was_seen(tmp_path: Path) -> None:
    write(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    got = gradguard(tmp_path, "main.py")
    assert got.returncode == -signal.SIGKILL
    assert got.stderr == "gradguard: the program was killed by SIGKILL; until then nothing wrong was seen\n"


def test_a_program_that_is_not_there_is_told_of_in_a_line(tmp_path: Path) -> None:
    got = gradguard(tmp_path, "missing.py")
    assert (got.returncode, got.stderr) == (2, "gradguard: missing.py: No such file or directory\n")
    got = gradguard(tmp_path)
    assert (got.returncode, len(got.stderr.splitlines())) == (2, 1)


def test_without_pytorch_that_is_told_in_a_line(tmp_path: Path) -> None:
    write(tmp_path, "raise ImportError('No module named torch')", "torch.py")
    write(tmp_path, "print('never')")
    got = gradguard(tmp_path, "main.py", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (got.returncode, got.stdout) == (2, "")
    (line,) = got.stderr.splitlines()
    assert line.startswith("gradguard: PyTorch cannot be imported (No module named torch) by ")


def test_what_forked_processes_see_is_told_too(tmp_path: Path) -> None:
    program = """\
        import os, torch
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        y.data.zero_()
        if os.fork() == 0:
            y.sum().backward()
            os._exit(0)
        os.wait()
        """
    (one,) = seen(tmp_path, program)
    assert (one["kind"], one["stack"][-1]["line"]) == ("silent-stale", 5)


def test_the_ranks_of_a_job_tell_of_a_failure_once(tmp_path: Path) -> None:
    write(tmp_path, STALE)
    job = {**os.environ, "WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": f"job-{os.getpid()}"}
    first, second = (gradguard(tmp_path, "main.py", env={**job, "RANK": rank}) for rank in "01")
    assert "seen when it ran, by rank 0 of 2" in first.stderr
    assert second.stderr.endswith("gradguard: rank 1 of 2: the same failure as another rank tells of\n")


@pytest.mark.parametrize("form", ["json", "sarif", "concise", "github"])
def test_the_report_comes_in_the_forms_of_check(tmp_path: Path, form: str) -> None:
    write(tmp_path, STALE)
    got = gradguard(tmp_path, "--output-format", form, "-o", "report", "main.py")
    report = (tmp_path / "report").read_text()
    assert "GG101" in report
    assert "GG101" not in got.stderr

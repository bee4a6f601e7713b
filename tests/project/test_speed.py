"""What a short run costs: most of it is imports, so what is imported is held, and the time beside libcst's own."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).resolve().parents[1] / "programs" / "clean"
LINES = 300
MOST = 3.0
"""times what libcst takes to be imported and to parse the same file, in turns: other tests run at the same time"""
TURNS = 12
"""at most: the shortest of many is what it takes when nothing else runs"""
CHECK = ("-m", "gradguard", "check", "--no-cache")
PARSE = "import sys, libcst; libcst.parse_module(open(sys.argv[1]).read())"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 300 lines: real training code, and functions that repeat it."""
    chosen = ("cached_transformer", "normalising_flow", "soft_actor_critic")
    lines = [line for name in chosen for line in (PROGRAMS / name / "benign" / "main.py").read_text().splitlines()]
    lines += [f"def scale_{n}(x):\n    y = torch.exp(x)\n    return (y * {n}).sum()" for n in range(LINES)]
    path = tmp_path_factory.mktemp("speed") / "program.py"
    path.write_text("\n".join("\n".join(lines).split("\n")[: LINES - 1]) + "\n")
    return path


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Bytecode is kept, as it is where people install the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


def cpu_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def test_a_short_check_costs_little(program: Path) -> None:
    assert len(program.read_text().splitlines()) in range(LINES - 5, LINES + 1)
    check = parse = float("inf")
    for turn in range(TURNS):
        check = min(check, cpu_seconds(*CHECK, str(program)))
        parse = min(parse, cpu_seconds("-c", PARSE, str(program)))
        if turn > 0 and check < MOST * parse:
            return
    pytest.fail(f"a check takes {check / parse:.1f} times what libcst takes")


def test_a_check_imports_only_what_it_needs(program: Path) -> None:
    code = "import sys; from gradguard.cli.main import main; main(); print(*sys.modules)"
    done = run("-c", code, "check", "--no-cache", str(program))
    loaded = set(done.stdout.split())
    assert "gradguard.analyses.program.session" in loaded
    assert not {"pygls", "lsprotocol", "jedi", "rich", "torch", "numpy", "asyncio", "pathspec"} & loaded
    assert not {
        name for name in loaded if name.startswith(("gradguard.lsp", "gradguard.fixes", "gradguard.facts.meas"))
    }

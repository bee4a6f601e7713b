"""What a release holds installs and runs in an empty environment, on every supported Python at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "ARCHITECTURE.md", "CHANGELOG.md", "CITATION.cff")
SUPPORTED = range(10, 15)

STALE = """\
import torch
x = torch.rand(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("released")
    copy = folder / "copy"
    shutil.copytree(ROOT / "server", copy / "server", ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*PAPERS, "CONTRIBUTING.md", "SECURITY.md"):
        shutil.copy(ROOT / name, copy)
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(copy)]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    return folder


def test_the_source_distribution_holds_the_package_and_its_papers(released: Path) -> None:
    (path,) = released.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "server").rglob("*.py")}
    assert sources | {*PAPERS, "server/py.typed", "server/facts/table.json"} <= names
    assert not any(name.startswith("tests") for name in names)


@pytest.mark.parametrize("minor", SUPPORTED)
def test_it_runs_in_an_empty_environment(minor: int, released: Path, tmp_path: Path) -> None:
    interpreter = _python(minor)
    if interpreter is None:
        pytest.skip(f"no Python 3.{minor} here")
    (wheel,) = released.glob("*.whl")
    subprocess.run([interpreter, "-m", "venv", str(tmp_path / "venv")], check=True, timeout=120)
    scripts = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    install = [str(scripts / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    subprocess.run(install, check=True, timeout=300)
    (tmp_path / "train.py").write_text(STALE)
    done = subprocess.run(
        [str(scripts / "gradguard"), "check", "--output-format", "concise", "train.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("train.py:4:1: GG101 error")
    listed = subprocess.run([*install[:3], "list"], check=True, timeout=60, capture_output=True, text=True).stdout
    assert "gradguard" in listed
    assert "torch" not in listed  # nothing that it needs needs PyTorch


def _python(minor: int) -> str | None:
    """A Python 3 of that minor version that can make environments: this one, the PATH's, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [*([sys.executable] if minor == sys.version_info.minor else []), shutil.which(f"python3.{minor}")]
    found += sorted(map(str, pyenv.glob(f"versions/3.{minor}.*/bin/python")), reverse=True)
    return next((one for one in found if one is not None and _answers(one, minor)), None)


def _answers(interpreter: str, minor: int) -> bool:
    """Whether a command is that Python, and can make environments: a version manager's may be there and do nothing."""
    ask = [interpreter, "-c", "import ensurepip, sys; print(sys.version_info[1])"]
    done = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip() == str(minor)

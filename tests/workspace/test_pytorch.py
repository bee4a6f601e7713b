"""Which release of PyTorch a project runs with, told by what lies on the disk."""

import sys
from pathlib import Path

import pytest
from gradguard.facts import releases
from gradguard.workspace import pytorch
from gradguard.workspace.pytorch import Release, release_of


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on a machine with no environment, none beside GradGuard either."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "path", [])
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def environment(folder: Path, metadata: str) -> Path:
    (folder / "lib/python3.11/site-packages" / metadata).mkdir(parents=True)
    return folder


def number(folder: Path) -> str:
    return release_of(folder).number


def test_without_a_word_it_is_the_newest(project: Path) -> None:
    release = release_of(project)
    assert release.number == release.judged_by == releases.names()[-1]


def test_the_setting_goes_before_all_else(project: Path) -> None:
    environment(project / ".venv", "torch-2.8.0.dist-info")
    assert release_of(project, "2.6").number == "2.6"


@pytest.mark.parametrize("name", pytorch.ENVIRONMENTS)
@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ("torch-2.8.1+cu126.dist-info", "2.8.1+cu126"),
        ("torch-2.5.1-py3.11.egg-info", "2.5.1"),
        ("torch-2.16.0.dev20261101.dist-info", "2.16.0.dev20261101"),
    ],
)
def test_the_environment_beside_the_files_tells(project: Path, name: str, metadata: str, found: str) -> None:
    environment(project / name, metadata)
    assert number(project) == found


def test_other_packages_are_no_pytorch(project: Path) -> None:
    environment(project / ".venv", "torch_geometric-2.8.0.dist-info")
    environment(project / "venv", "torch-scatter-2.1.2.dist-info")
    assert number(project) == releases.names()[-1]


def test_conda_says_it_in_its_own_way(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "conda/conda-meta").mkdir(parents=True)
    (project / "conda/conda-meta/pytorch-2.5.1-py3.11_cuda12.4_cudnn9.1.0_0.json").touch()
    monkeypatch.setenv("CONDA_PREFIX", str(project / "conda"))
    assert number(project) == "2.5.1"


def test_an_environment_goes_before_locks_and_these_before_what_lies_beside_gradguard(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = environment(project.parent / "tools", "torch-2.13.0.dist-info")
    monkeypatch.setattr(sys, "path", [str(beside / "lib/python3.11/site-packages")])
    assert number(project) == "2.13.0"
    (project / "requirements.txt").write_text("numpy\ntorch>=2.4\n")
    assert number(project) == "2.13.0"
    (project / "requirements.txt").write_text("numpy\ntorch==2.6.0\n")
    assert number(project) == "2.6.0"
    active = environment(project.parent / "active", "torch-2.8.0.dist-info")
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    assert number(project) == "2.8.0"
    environment(project / ".venv", "torch-2.10.0.dist-info")
    assert number(project) == "2.10.0"
    chosen = environment(project.parent / "chosen", "torch-2.12.1.dist-info")
    assert release_of(project, python=str(chosen / "bin/python")).number == "2.12.1"


def test_the_python_that_the_shell_finds_is_the_last_to_ask(project: Path) -> None:
    environment(project.parent, "torch-2.7.1.dist-info")
    python = project.parent / "bin/python3"
    python.parent.mkdir()
    python.write_text("#!/bin/false\n")
    python.chmod(0o755)
    assert number(project) == "2.7.1"


def test_the_top_of_the_repository_counts_and_nothing_above_it(project: Path) -> None:
    (project / "services/training").mkdir(parents=True)
    (project.parent / "requirements.txt").write_text("torch==2.4.0\n")
    (project / "requirements.txt").write_text("torch==2.6.0\n")
    assert number(project / "services/training") == releases.names()[-1]
    (project / ".git").mkdir()
    assert number(project / "services/training") == "2.6.0"


LOCK = '[[package]]\nname = "torchvision"\nversion = "0.21.0"\n\n[[package]]\nname = "torch"\nversion = "2.6.0+cpu"\n'


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("uv.lock", LOCK, "2.6.0+cpu"),
        ("poetry.lock", LOCK, "2.6.0+cpu"),
        ("pylock.toml", LOCK.replace("[[package]]", "[[packages]]"), "2.6.0+cpu"),
        ("requirements.txt", "torch == 2.6.0 ; python_version < '3.13'\n", "2.6.0"),
        ("requirements.txt", "torchvision==0.21\n  torch[opt]~=2.6.1  # why\n", "2.6.1"),
        ("requirements-gpu.txt", "torch>=2.4,<2.7\n", "2.6"),
        ("requirements/base.txt", "torch<=2.6.1,!=2.5.0\n", "2.6"),
        ("requirements.txt", "torch<2.6.1\n", "2.6"),
        ("requirements.txt", "torch==2.6.*\n", "2.6"),
        ("pyproject.toml", '[project]\ndependencies = ["numpy", "torch==2.6.0"]\n', "2.6.0"),
        ("pyproject.toml", '[project.optional-dependencies]\ngpu = ["torch>=2.1,<2.7"]\n', "2.6"),
        ("pyproject.toml", '[dependency-groups]\ntest = [{include-group = "x"}, "torch==2.6.0"]\n', "2.6.0"),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "2.6.0"\n', "2.6.0"),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = {version = "~2.6", source = "pytorch"}\n', "2.6"),
        ("environment.yml", "dependencies:\n  - python=3.11\n  - pytorch::pytorch=2.6.0=py3.11_cuda12\n", "2.6.0"),
        ("environment.yaml", "dependencies:\n  - pip:\n    - torch==2.6.0\n", "2.6.0"),
    ],
)
def test_what_is_pinned_tells(project: Path, file: str, text: str, found: str) -> None:
    (project / file).parent.mkdir(exist_ok=True)
    (project / file).write_text(text)
    release = release_of(project)
    assert release.number == found
    assert file.rpartition("/")[2] in release.why


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("requirements.txt", "torch\n"),
        ("requirements.txt", "torch>=2.4\n"),
        ("requirements.txt", "torch!=2.4\n"),
        ("requirements.txt", "torch>=2.4,<3\n"),
        ("requirements.txt", "torch~=2.4\n"),
        ("requirements.txt", "# torch==2.4\ntorch-scatter==2.1\n"),
        ("requirements.txt", "torch==" + "9" * 9000 + ".1\n"),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.4"\n'),
        ("pyproject.toml", "[project\n"),
        ("pyproject.toml", 'project = 1\ndependency-groups = ["torch==2.4"]\n[tool]\npoetry = 1\n'),
        ("uv.lock", '[[package]]\nname = "torch"\nversion = "nightly"\n'),
        ("environment.yml", "dependencies:\n  - pytorch-cuda=12.1\n  - pytorch\n"),
    ],
)
def test_what_allows_the_next_release_tells_nothing(project: Path, file: str, text: str) -> None:
    (project / file).write_text(text)
    assert number(project) == releases.names()[-1]


def test_long_manifests_are_read_in_linear_time(project: Path) -> None:
    (project / "requirements.txt").write_text("\n" * 200_000 + " " * 200_000 + "torch" + "[" * 200_000)
    (project / "environment.yml").write_text("-" * 200_000 + "\n" + "- " * 200_000)
    (project / "uv.lock").write_text("[[package]]\n" * 100_000)
    assert number(project) == releases.names()[-1]


@pytest.mark.parametrize(
    ("release", "judge"),
    [("1.13.1", releases.names()[0]), ("2.13.1+cu126", "2.13"), ("99.0", releases.names()[-1])],
)
def test_a_release_is_judged_by_the_nearest_that_was_measured(release: str, judge: str) -> None:
    assert Release(release, "").judged_by == judge

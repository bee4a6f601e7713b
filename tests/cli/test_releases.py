"""`check --torch`: what would happen in another release, and what differs among them."""

import json
import os
from pathlib import Path

import pytest

SAVED_UP_TO_2_13 = """\
import torch

x = torch.rand(4, requires_grad=True).clone()
y = torch.combinations(x)
x.add_(1)
y.sum().backward()
"""
"""raises on PyTorch 2.13, and runs on 2.15, where `combinations` saves indices alone"""

DIFFERENTIABLE_SINCE = """\
import torch

x = torch.rand(4, requires_grad=True).clone()
y = torch.special.bessel_j1(x) + x
x.add_(1)
y.sum().backward()
"""
"""runs on PyTorch 2.13, where `bessel_j1` has no gradient, and raises on 2.15"""

ALWAYS = """\
import torch

x = torch.rand(4, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, text in (("old", SAVED_UP_TO_2_13), ("new", DIFFERENTIABLE_SINCE), ("always", ALWAYS)):
        (folder / f"{name}.py").write_text(text)
    return folder


@pytest.mark.parametrize(("release", "failing"), [("2.13.0", ["always", "old"]), ("2.15", ["always", "new"])])
def test_each_release_is_told_right(check, programs: Path, release: str, failing: list[str]) -> None:
    done = check("--torch", release, "--output-format", "json", str(programs))
    assert [Path(found["path"]).stem for found in json.loads(done.stdout)] == failing


def test_numbers_are_filled_into_overlapping_memory_since_2_15(check, programs: Path) -> None:
    program = programs / "filled.py"
    program.write_text("import torch\n\nx = torch.rand(1).expand(2, 3)\nx[:, 0] = 1.5\n")
    told = {release: check("--torch", release, str(program)).returncode for release in ("2.13", "2.14", "2.15")}
    assert told == {"2.13": 1, "2.14": 1, "2.15": 0}
    program.write_text("import torch\n\nx = torch.rand(1).expand(2, 3)\nx[:, 0] = torch.rand(2)\n")
    assert check("--torch", "2.15", str(program)).returncode == 1


def test_ldexp_could_not_write_what_requires_grad_up_to_2_10(check, programs: Path) -> None:
    program = programs / "scaled.py"
    program.write_text("import torch\n\nx = torch.rand(2, requires_grad=True) * 1\nx.ldexp_(torch.ones(2))\n")
    told = {release: check("--torch", release, str(program)) for release in ("2.4", "2.10", "2.12")}
    assert {release: done.returncode for release, done in told.items()} == {"2.4": 1, "2.10": 1, "2.12": 0}
    assert "GG206" in told["2.4"].stdout
    program.write_text("import torch\n\nx = torch.rand(2)\nx.ldexp_(torch.ones(2))\n")
    assert check("--torch", "2.4", str(program)).returncode == 0


def test_the_configuration_chooses(check, programs: Path) -> None:
    (programs / "gradguard.toml").write_text('torch = "2.15"\n')
    done = check("-v", "--output-format", "concise", str(programs))
    assert "new.py:5:1: GG101" in done.stdout
    assert "old.py:5" not in done.stdout
    assert "PyTorch 2.15 (`torch` in the settings)" in done.stderr


def test_the_environment_of_the_project_chooses(check, programs: Path) -> None:
    (programs / "gradguard.toml").touch()
    (programs / ".venv/lib/python3.12/site-packages/torch-2.15.1+cpu.dist-info").mkdir(parents=True)
    done = check("-v", "--output-format", "concise", str(programs))
    assert "new.py:5:1: GG101" in done.stdout
    assert "PyTorch 2.15.1+cpu (in " in done.stderr


def test_two_projects_in_one_check_have_each_their_own(check, programs: Path) -> None:
    for name, release in (("a", "2.13"), ("b", "2.15")):
        (programs / name).mkdir()
        (programs / name / "gradguard.toml").write_text(f'torch = "{release}"\n')
        (programs / name / "old.py").write_text(SAVED_UP_TO_2_13)
        (programs / name / "new.py").write_text(DIFFERENTIABLE_SINCE)
    done = check("--output-format", "json", str(programs / "a"), str(programs / "b"))
    found = [Path(one["path"]) for one in json.loads(done.stdout)]
    assert [(path.parent.name, path.stem) for path in found] == [("a", "old"), ("b", "new")]


def test_what_is_kept_of_one_release_is_not_told_of_another(check, programs: Path) -> None:
    kept = ("--cache-dir", str(programs / "kept"), "--output-format", "concise", str(programs))
    first, other, again = (check("--torch", release, *kept) for release in ("2.13", "2.15", "2.13"))
    assert "new.py:5" not in first.stdout
    assert "new.py:5" in other.stdout
    assert again.stdout == first.stdout


def test_all_releases_tell_what_differs(check, programs: Path) -> None:
    done = check("--torch", "all", str(programs))
    assert done.returncode == 1
    new, old, summary = done.stdout.splitlines()
    assert "new.py:5:1: GG101 error" in new and new.endswith("on]")
    assert "old.py:5:1: GG101 error" in old and "[up to 2.1" in old
    assert summary.startswith("2 found in some releases of PyTorch alone, 1 in all")


def test_all_releases_as_json(check, programs: Path) -> None:
    done = check("--torch", "all", "--output-format", "json", "--exit-zero", str(programs))
    assert done.returncode == 0
    found = {Path(one["path"]).stem: one["releases"] for one in json.loads(done.stdout)}
    assert found.keys() == {"new", "old"}
    assert "2.13" in found["old"] and "2.15" not in found["old"]
    assert "2.15" in found["new"] and "2.13" not in found["new"]


def test_what_all_releases_agree_on_is_no_difference(check, programs: Path) -> None:
    done = check("--torch", "all", str(programs / "always.py"))
    assert (done.returncode, done.stdout.count(os.linesep)) == (0, 1)


@pytest.mark.parametrize("wrong", [("--torch", "two"), ("--torch", "all", "--fix"), ("--torch", "all", "-")])
def test_wrong_usage_is_2(check, programs: Path, wrong: tuple[str, ...]) -> None:
    done = check(*wrong, str(programs))
    assert (done.returncode, done.stdout) == (2, "")
    assert "torch" in done.stderr


def test_a_finding_says_in_which_releases_it_does_not_hold(check, programs: Path) -> None:
    told = check("--torch", "2.13", str(programs / "old.py")).stdout
    assert "`combinations` saves `x` for backward at version 0 (its input); not so in PyTorch 2.14–2.15" in told
    told = check("--torch", "2.15", str(programs / "new.py")).stdout
    assert "`bessel_j1` saves `x` for backward at version 0 (its input); not so in PyTorch " in told
    assert "not so in" not in check(str(programs / "always.py")).stdout

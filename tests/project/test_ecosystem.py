"""The check of real packages (`ecosystem`): on a small package made here, and what it says of the real ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from gradguard.rules.rule import Severity
from gradguard.workspace.project import Project

from ecosystem.labels import read_labels
from ecosystem.packages import listed
from ecosystem.record import read_record

from ..oracle.client import run_program

ROOT = Path(__file__).resolve().parents[2]
ECOSYSTEM = ROOT / "ecosystem"
FINDS = sorted((ECOSYSTEM / "finds").glob("*.py"))

STALE = """\
import torch

x = torch.ones(3, requires_grad=True)
y = torch.exp(x)
y += 1
y.sum().backward()
"""
FINE = "import torch\n\nx = torch.ones(3, requires_grad=True)\n(x * 2).sum().backward()\n"
LABEL = """\
[[label]]
package = "tiny"
file = "tiny/stale.py"
rule = "GG101"
line = "y += 1"
verdict = "{}"
why = "exp saves its result"
"""


PLACES = {
    "packages": "packages.toml",
    "into": "source",
    "labels": "labels.toml",
    "record": "record.json",
    "page": "page.md",
}


class Corpus:
    """A corpus of one small package, and runs over it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "source" / "tiny-1.0" / "tiny"
        self.package.mkdir(parents=True)
        (folder / "packages.toml").write_text('[[package]]\nname = "tiny"\nversion = "1.0"\nsha256 = "none"\n')
        self.judge("")

    def write(self, name: str, text: str) -> None:
        (self.package / name).write_text(text)

    def judge(self, labels: str) -> None:
        (self.folder / "labels.toml").write_text(labels)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        places = [f"--{name}={self.folder / file}" for name, file in PLACES.items()]
        command = [sys.executable, "-m", "ecosystem", *arguments, *places]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path)


def test_an_alarm_is_recorded_and_has_to_be_judged(corpus: Corpus) -> None:
    corpus.write("stale.py", STALE)
    corpus.write("fine.py", FINE)
    done = corpus.run("--write")
    assert done.returncode == 1
    assert "not judged: tiny tiny/stale.py:5: GG101 error: y += 1" in done.stdout
    entry = json.loads((corpus.folder / "record.json").read_text())["tiny"]
    assert (entry["files"], entry["lines"], len(entry["alarms"])) == (2, 10, 1)
    assert entry["seconds"] > 0 and entry["memory"] > 10 and not entry["internal"] and not entry["timed_out"]

    corpus.judge(LABEL.format("right") + f'find = "{FINDS[0].stem}"\n')
    done = corpus.run("--write")
    assert done.returncode == 0, done.stdout
    assert "not judged" not in done.stdout
    page = (corpus.folder / "page.md").read_text()
    assert "**tiny 1.0**, `tiny/stale.py:5` (GG101): `y += 1`" in page and "exp saves its result" in page


def test_what_differs_from_the_record_is_told(corpus: Corpus) -> None:
    corpus.write("stale.py", STALE)
    corpus.run("--write")
    corpus.write("stale.py", "# moved by a line\n" + STALE)
    corpus.write("other.py", STALE)
    told = corpus.run().stdout.splitlines()
    assert [line for line in told if line[:2] in ("+ ", "- ")] == ["+ tiny tiny/other.py:5: GG101 error: y += 1"]
    corpus.write("stale.py", FINE)
    told = corpus.run().stdout.splitlines()
    assert "- tiny tiny/stale.py:5: GG101 error: y += 1" in told


def test_an_error_that_is_wrong_fails_the_run(corpus: Corpus) -> None:
    corpus.write("stale.py", STALE)
    corpus.judge(LABEL.format("wrong"))
    done = corpus.run()
    assert done.returncode == 1
    assert "an error that is wrong: tiny tiny/stale.py:5" in done.stdout
    assert "0 of 1 alarms are judged right" in done.stdout


OLD = """\
[[package]]
name = "tiny"
version = "1.0"
sha256 = "none"
old = true
mended = "1.1"
report = "https://example.org/1"
place = "tiny/stale.py:{}"
needs = "its defaults"
"""


@pytest.mark.parametrize(("line", "told"), [(5, "error"), (1, "—")])
def test_what_is_told_of_a_failure_that_was_reported(corpus: Corpus, line: int, told: str) -> None:
    corpus.write("stale.py", STALE)
    (corpus.folder / "packages.toml").write_text(OLD.format(line))
    corpus.run("--write")
    page = (corpus.folder / "page.md").read_text()
    row = f"| [tiny 1.0](https://example.org/1) | `tiny/stale.py:{line}` | its defaults | {told} | 1.1 |"
    assert row in page
    assert f"{int(told == 'error')} of\n1 are told" in page


def test_each_old_release_says_what_was_reported() -> None:
    for package in listed(ECOSYSTEM / "packages.toml"):
        told = (package.mended, package.report, package.place, package.needs)
        assert all(told) if package.old else not any(told), package.key


@pytest.mark.parametrize("path", FINDS, ids=lambda path: path.stem)
def test_a_find_fails_on_pytorch_and_is_found(path: Path) -> None:
    verdict = run_program(path)
    assert not verdict.ok
    kinds = {found.kind for found in Project(path.parent).check([str(path)], Severity.WARNING).findings}
    assert verdict.kind in kinds


def test_every_alarm_of_the_record_is_judged() -> None:
    labels, record = read_labels(ECOSYSTEM / "labels.toml"), read_record(ECOSYSTEM / "record.json")
    alarms = {(name, *alarm.key) for name, figures in record.items() for alarm in figures.alarms}
    assert alarms == {key for key in labels.by_key if key[0] in record}
    assert {label.find for label in labels.by_key.values()} - {None} == {path.stem for path in FINDS}


def test_the_record_is_of_the_packages_that_are_listed() -> None:
    packages = listed(ECOSYSTEM / "packages.toml")
    versions = {package.key: package.version for package in packages}
    assert len(versions) == len(packages) >= 25
    for name, figures in read_record(ECOSYSTEM / "record.json").items():
        assert versions[name] == figures.version


@pytest.mark.parametrize("verdict", ["right", "perhaps"])
def test_a_label_that_shows_nothing_is_refused(verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.toml"
    path.write_text(LABEL.format(verdict))
    with pytest.raises(ValueError, match=r"tiny/stale\.py: "):
        read_labels(path)

"""A project: what it reads, what it replays, and which findings are left.

The replay is a stand-in here, which finds a stale tensor at each `+=` and looks for what files import.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
from gradguard.analyses.domain.report import Failure, Report, Saved, Site, Write
from gradguard.rules.rule import Severity
from gradguard.syntax import ir
from gradguard.syntax.chunks import Source
from gradguard.workspace.config import Config, OwnOp
from gradguard.workspace.files import Document
from gradguard.workspace.problems import Unreadable
from gradguard.workspace.project import Project


class Replay:
    """Finds a failure at each `+=` of a module, saved by the statement before it; follows absolute imports."""

    def __init__(self) -> None:
        self.roots: list[str] = []
        self.loaded: list[Source | None] = []
        self.problems: list[str] = []

    def __call__(self, roots: Sequence[Source], modules: Project, *_: object) -> Report:
        self.roots = [source.path for source in roots]
        report = Report(problems=self.problems)
        for source in roots:
            body = list(source.body)
            for before, statement in itertools.pairwise(body):
                if isinstance(statement, ir.AugAssign):
                    report.failures.append(failure(before, statement))
                if isinstance(statement, ir.ImportFrom):
                    self.loaded.append(modules.load(statement.module or "", statement.level, source.path))
        return report


def failure(saver: ir.Stmt, change: ir.Stmt) -> Failure:
    site = Site(change.chunk, change)
    saved = Saved(Site(saver.chunk, saver), "exp", "result", "y", 0)
    return Failure("stale-saved", "inplace", site, "y", "+=", saved, Write(site, "+=", "y", 0, 1))


@pytest.fixture
def replay(monkeypatch: pytest.MonkeyPatch) -> Replay:
    stand_in = Replay()
    monkeypatch.setattr("gradguard.analyses.replay", stand_in, raising=False)
    return stand_in


def write(folder: Path, **files: str) -> list[str]:
    paths = []
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.write_text(text)
        paths.append(str(path))
    return paths


def told(project: Project, paths: list[str], least: Severity | None = None) -> list[tuple[str, int, str, bool]]:
    """File, line, rule and whether silenced, of each finding."""
    findings = project.check(paths, least).findings
    return [(Path(f.path).name, f.span.start_line + 1, f.rule.code, f.suppressed) for f in findings]


BAD = "y = torch.exp(x)\ny += 1\n"


def test_all_files_are_replayed_as_one_program(tmp_path: Path, replay: Replay) -> None:
    paths = write(tmp_path, b=BAD, a="\n" + BAD)
    assert told(Project(tmp_path), paths) == [("a.py", 3, "GG101", False), ("b.py", 2, "GG101", False)]
    assert replay.roots == paths


def test_files_without_torch_are_left_out_of_the_replay(tmp_path: Path, replay: Replay) -> None:
    (tmp_path / "pkg").mkdir()
    write(tmp_path / "pkg", __init__="", model="import torch\n", plain="import os\n")
    paths = write(
        tmp_path,
        main="def run():\n    import cli\n",
        cli="from pkg import model\nimport main\n",
        tools="from pkg.plain import x\nfrom missing import y\nimport tools\n",
        train="import torch\n",
        step="def step(loss):\n    loss.backward()\n",
    )
    Project(tmp_path).check(paths)
    assert [Path(path).name for path in replay.roots] == ["main.py", "cli.py", "train.py", "step.py"]


def test_a_finding_carries_its_places(tmp_path: Path, replay: Replay) -> None:
    paths = write(tmp_path, a=BAD)
    (finding,) = Project(tmp_path).check(paths).findings
    assert (finding.kind, finding.severity, finding.rule.code) == ("stale-saved", Severity.ERROR, "GG101")
    assert finding.message == finding.diagnostic.message
    assert [(place.path, place.span.start_line) for place in finding.related] == [(paths[0], 0)]


def test_what_is_found_in_an_imported_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main, _ = write(tmp_path, main="import helper", helper=BAD)
    project = Project(tmp_path)

    def replay(roots: Sequence[Source], modules: Project, *_: object) -> Report:
        source = modules.load("helper", 0, main)
        assert source is not None
        return Report(failures=[failure(*source.body)])

    monkeypatch.setattr("gradguard.analyses.replay", replay, raising=False)
    assert told(project, [main]) == [("helper.py", 2, "GG101", False)]
    (tmp_path / "helper.py").write_text(BAD.replace("+= 1", "+= 1  # gradguard: ignore"))
    assert told(project, [main]) == [("helper.py", 2, "GG101", True)]


def test_selection_and_threshold(tmp_path: Path, replay: Replay) -> None:
    paths = write(tmp_path, a=BAD + "z = 1  # gradguard: ignore[GG201]\n")
    idle = ("a.py", 3, "GG900", False)
    stale = ("a.py", 2, "GG101", False)
    assert told(Project(tmp_path), paths) == [stale, idle]
    assert told(Project(tmp_path), paths, Severity.ERROR) == [stale]
    assert told(Project(tmp_path, Config(tmp_path, select=("GG2", "GG900"))), paths) == [idle]
    assert told(Project(tmp_path, Config(tmp_path, ignore=("GG2",))), paths) == [stale]
    assert told(Project(tmp_path, Config(tmp_path, per_file_ignores={"a.py": ("ALL",)})), paths) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = torch.exp(x)\ny += 1  # gradguard: ignore[GG101]\n", [(2, "GG101", True)]),
        ("y = torch.exp(x)\ny += (\n 1  # gradguard: ignore\n)\n", [(2, "GG101", True)]),
        ("# gradguard: ignore-file\ny = torch.exp(x)\ny += 1\n", [(3, "GG101", True)]),
        ("y = torch.exp(x)\ny += 1  # noqa: GG101\n", [(2, "GG101", True)]),
        ("y = torch.exp(x)\ny += 1\n# gradguard: ignore\n", [(2, "GG101", False), (3, "GG900", False)]),
        ("y = torch.exp(x)\ny += 1  # gradguard: ignore[GG101, GG202]\n", [(2, "GG101", True), (2, "GG900", False)]),
        ("y = 1  # gradguard: ignore[GG201, GG900]\n", [(1, "GG900", True)]),
        ("# gradguard: ignore-file\ny = 1\n", [(1, "GG900", False)]),
        ("y = 1  # gradguard: typo\n", [(1, "GG900", False)]),
        ("y = 1  # gradguard: ignore[GG999]\n", [(1, "GG900", False)]),
        ("y = 1  # noqa\n", []),
    ],
)
def test_comments(tmp_path: Path, replay: Replay, text: str, expected: list[tuple[int, str, bool]]) -> None:
    paths = write(tmp_path, a=text)
    assert [(line, code, silenced) for _, line, code, silenced in told(Project(tmp_path), paths)] == expected


def test_comments_are_not_called_idle_where_the_analysis_is_not_complete(tmp_path: Path, replay: Replay) -> None:
    (broken,) = write(tmp_path, broken="x = 1  # gradguard: ignore\ny = (\n")
    (good,) = write(tmp_path, good="x = 1  # gradguard: ignore\n")
    assert told(Project(tmp_path), [broken]) == []
    replay.problems = ["a function was too hard"]
    assert told(Project(tmp_path), [good]) == []


def test_problems(tmp_path: Path, replay: Replay) -> None:
    paths = write(tmp_path, broken="a = 1\n(\n", good=BAD)
    (tmp_path / "latin.py").write_bytes(b"\xff")
    replay.problems = ["it went wrong"]
    result = Project(tmp_path).check([*paths, str(tmp_path / "latin.py"), str(tmp_path / "gone.py")])
    assert [(Path(problem.path).name, problem.line, problem.internal) for problem in result.problems] == [
        ("broken.py", 2, False),
        ("latin.py", 1, False),
        ("gone.py", None, False),
        (tmp_path.name, None, True),
    ]
    assert [finding.rule.code for finding in result.findings] == ["GG101"]
    assert result.checked == 2


def test_modules_are_read_through_the_project(tmp_path: Path, replay: Replay) -> None:
    (main,) = write(tmp_path, main="import torch\nfrom helper import f\nfrom missing import g\nfrom latin import h\n")
    write(tmp_path, helper="def f(): ...\n")
    (tmp_path / "latin.py").write_bytes(b"\xff")
    project = Project(tmp_path)
    project.check([main])
    assert replay.loaded == [project.source(str(tmp_path / "helper.py")), None, None]


def test_a_module_that_comes_later_is_found(tmp_path: Path, replay: Replay) -> None:
    (main,) = write(tmp_path, main="import torch\nfrom helper import f\n")
    project = Project(tmp_path)
    project.check([main])
    write(tmp_path, helper="def f(): ...\n")
    project.check([main])
    assert [source is None for source in replay.loaded] == [True, False]


def test_a_file_is_parsed_again_only_when_its_text_changes(tmp_path: Path) -> None:
    (path,) = write(tmp_path, a="x = 1\n")
    project = Project(tmp_path)
    first = project.source(path)
    assert project.source(path) is first
    Path(path).touch()
    assert project.source(path) is first
    Path(path).write_text("x = 22\n")
    assert project.source(path).text == "x = 22\n"


def test_an_open_document_stands_for_the_file(tmp_path: Path) -> None:
    (path,) = write(tmp_path, a="x = 1\n")
    project = Project(tmp_path)
    project.overlay(Document(path, "x = 2\n"))
    assert project.source(path).text == "x = 2\n"
    project.overlay(Document(path, "x = 3\n"))
    assert project.source(path).text == "x = 3\n"
    project.uncover(path)
    assert project.source(path).text == "x = 1\n"
    Path(path).unlink()
    with pytest.raises(Unreadable):
        project.source(path)


def test_operators_of_the_project(tmp_path: Path) -> None:
    ops = {"my.op": OwnOp(params=("input", "bias"), saves=("input", "out"), mutates=("state",))}
    project = Project(tmp_path, Config(tmp_path, ops=ops))
    fact = project.fact("my.op")
    assert fact is not None
    (case,) = fact.cases
    assert [param.name for param in fact.params] == ["input", "bias", "state"]
    assert [save.what for save in case.saves] == ["input", "out"]
    assert [(mutation.what, mutation.bumps) for mutation in case.mutates] == [("state", 1)]
    assert project.fact("torch.exp") is None

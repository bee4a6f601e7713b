"""Models of libraries in plain Python: what they do happens at the program's own call, and costs it nothing."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from gradguard.analyses import Report
from gradguard.analyses.domain import budget, registry
from gradguard.analyses.domain.modules import MODELS
from gradguard.analyses.libraries import load_models, polyfills
from gradguard.analyses.program.session import Session
from gradguard.syntax.chunks import Source, parse

from ..installed import FACTS

FOLDER = Path(polyfills.__file__).parent
FILES = sorted(path for path in FOLDER.rglob("*.py") if path.parent != FOLDER)


class Project:
    """A program of several files, by the names of their modules."""

    facts = FACTS

    def __init__(self, **texts: str) -> None:
        self.sources = {name: parse(dedent(text), f"{name}.py") for name, text in texts.items()}

    def load(self, name: str, level: int, importer: str) -> Source | None:
        return None if level else self.sources.get(name)


def report_of(program: str, model: str = "", **others: str) -> Report:
    """What a replay tells of a program that imports `library`, of which `model` tells, and `others` of its own."""
    project = Project(main=program, **others)
    models = {"library": parse(dedent(model), f"{MODELS}library.py")}
    session = Session(project)
    session.m.debug = True
    session.m.files.model_of = models.get
    return session.replay([project.sources["main"]])


def lines(report: Report) -> Sequence[tuple[str, str, int]]:
    return [(f.kind, f.site.chunk.path, f.site.chunk.line_of(f.site.node) + 1) for f in report.failures]


def test_what_a_model_does_happens_at_the_call() -> None:
    program = """
        import torch, library

        w = torch.ones(3, requires_grad=True)
        library.spoil(w)
    """
    report = report_of(program, "def spoil(w):\n    y = w.exp()\n    y.add_(1)\n    y.sum().backward()\n")
    assert lines(report) == [("stale-saved", "main.py", 5)]
    (failure,) = report.failures
    assert failure.saved is not None and failure.write is not None and failure.backward is not None
    sites = [failure.saved.site, failure.write.site, failure.backward, *(hop.site for hop in failure.hops)]
    assert {site.chunk.path for site in sites} == {"main.py"}
    assert failure.name is None and failure.write.name is None


def test_what_a_model_calls_of_the_program_is_on_its_own_ground() -> None:
    program = """
        import torch, library

        w = torch.ones(3, requires_grad=True)

        def step():
            y = w.exp()
            y.add_(1)
            return y

        library.run(step)
    """
    report = report_of(program, "def run(step):\n    loss = step().sum()\n    loss.backward()\n")
    assert lines(report) == [("stale-saved", "main.py", 8)]
    (failure,) = report.failures
    assert failure.name == "y" and failure.backward is not None and failure.write is not None
    assert failure.backward.chunk.line_of(failure.backward.node) == 10
    assert [site.chunk.path for site in failure.write.stack] == ["main.py"]


def test_rows_and_stories_are_the_programs_own() -> None:
    report = report_of(
        "import torch, library\nw = torch.ones(3)\nlibrary.f(w)\n", "def f(w):\n    v = w + 1\n    return v\n"
    )
    assert {row.name for row in report.rows} == {"w"}


def test_a_program_that_does_not_name_the_library_replays_nothing_of_it() -> None:
    asked: list[str] = []
    session = Session(Project())
    session.m.files.model_of = asked.append  # type: ignore[assignment]
    session.replay([parse("import torch\nw = torch.ones(3)\n", "main.py")])
    assert not any(map(polyfills.find, asked))


def test_the_projects_own_sources_go_first() -> None:
    program = "import torch, library\nw = torch.ones(3, requires_grad=True)\nlibrary.f(w)\n"
    model, own = "def f(w):\n    w.add_(1)\n", "def f(w):\n    pass\n"
    assert lines(report_of(program, model)) == [("leaf-inplace", "main.py", 3)]
    assert not lines(report_of(program, model, library=own))


def test_what_is_installed_in_the_project_comes_after_a_model() -> None:
    project = Project(main="import torch, library\nw = torch.ones(3, requires_grad=True)\nlibrary.f(w)\n")
    project.sources["library"] = parse("def f(w):\n    pass\n", "venv/lib/site-packages/library.py")
    session = Session(project)
    session.m.files.model_of = {"library": parse("def f(w):\n    w.add_(1)\n", f"{MODELS}library.py")}.get
    assert lines(session.replay([project.sources["main"]])) == [("leaf-inplace", "main.py", 3)]


def test_what_a_model_leaves_out_is_unknown() -> None:
    program = """
        import torch, library
        from library import missing
        from library.deep.down import Known

        class Own(Known):
            pass

        w = torch.ones(3, requires_grad=True)
        missing(w), library.other(w), Own().anything(w)
        assert Own.there is True
        w += 1
    """
    report = report_of(program, "class Known:\n    there = True\n")
    assert lines(report) == [("leaf-inplace", "main.py", 12)]
    assert not report.errors and not report.problems


def test_steps_of_a_model_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LIMITS", replace(budget.LIMITS, library_steps=100))
    program = "import torch, library\nw = torch.ones(3, requires_grad=True)\nlibrary.work({})\nw += 1\n"
    work = "def work(n):\n    for i in range(n):\n        for j in range(n):\n            i + j\n"
    assert lines(report_of(program.format(3), work)) == [("leaf-inplace", "main.py", 4)]
    assert not report_of(program.format(1000), work).problems


def test_what_the_library_calls_is_entered_as_it_does() -> None:
    program = """
        import torch, library

        class Mine(library.Base):
            def loss(self, x):
                y = self.w.exp()
                y += 1
                return y.sum()
    """
    library = """
        import torch
        from gradguard import data, from_outside

        class Base:
            __entries__ = ("loss",)

            def __init__(self):
                self.w = torch.ones(3, requires_grad=True)

            def __train__(self, names):
                assert names == ("loss",)
                from_outside(self.loss).backward()
    """
    report = report_of(program, library)
    assert lines(report) == [("stale-saved", "main.py", 7)]
    assert [(a.kind, a.subject) for a in report.failures[0].assumptions] == [("trained", "Mine")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_models_parse_and_use_only_intrinsics_that_there_are(path: Path) -> None:
    load_models()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not parse(path.read_text(encoding="utf-8"), str(path)).problems
    assert ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "gradguard":
            assert all(registry.function(f"gradguard.{alias.name}") for alias in node.names)
        assert not (isinstance(node, ast.ImportFrom) and node.level), "a model imports by whole names"


def test_what_a_models_signature_leaves_out_does_no_harm() -> None:
    program = """
        import torch, library

        def callback(a, b):
            w.add_(1)

        w = torch.ones(3, requires_grad=True)
        library.run(callback, of_a_later_release=True)
    """
    assert lines(report_of(program, "def run(callback):\n    callback(1)\n")) == [("leaf-inplace", "main.py", 5)]

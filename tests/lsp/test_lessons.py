"""What a hover says of an operator, held against PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from gradguard.facts.measure import derivatives as formulas
from gradguard.facts.model import Op
from gradguard.facts.releases import BASE
from gradguard.lsp.analysis import ProjectAnalyser
from gradguard.lsp.lessons import Lesson
from gradguard.lsp.settings import Settings
from gradguard.lsp.texts import Texts
from gradguard.workspace.files import Document

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Editor, Start

HEAD = (
    "import torch\nx = torch.rand(3, requires_grad=True)\nw = torch.rand(3, requires_grad=True)\na = x + 0\nb = w + 0\n"
)


def lesson(body: str, at: str) -> str | None:
    """What is said of the last place of `at` in a program that begins with `HEAD`."""
    text = HEAD + body
    analyser = ProjectAnalyser()
    analyser.configure(Settings(), [], "en")
    analysis = analyser.analyse("/a.py", {"/a.py": Document("/a.py", text)})
    source = analyser.source("/a.py")
    found = Lesson(analysis.report, source, Texts("en"), lambda site: site.chunk.line_of(site.node) + 1).at(
        text.rindex(at)
    )
    if found is None:
        return None
    said, start, end = found
    assert text[start:end] == at
    return "\n".join(said)


def assert_said(said: str, name: str, body: str, change: str) -> None:
    """A lesson says that a name is saved just where PyTorch refuses the backward after a change of it."""
    saved = f"- `{name}`, if" in said or (name == "y" and "- its result, if" in said)
    try:
        exec(f"{HEAD}{body}with torch.no_grad():\n    {change}\ny.sum().backward()\n", {})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        assert saved, (name, said)
    else:
        assert not saved, (name, said)


@pytest.mark.parametrize(
    ("call", "at"),
    [
        ("a * b", "*"),
        ("a + b", "+"),
        ("a / b", "/"),
        ("a ** 2", "**"),
        ("-a", "-"),
        ("a @ b", "@"),
        ("a.exp()", "exp"),
        ("torch.sin(a)", "sin"),
        ("a.sigmoid()", "sigmoid"),
        ("torch.where(a > 0, a, b)", "where"),
        ("torch.nn.functional.softplus(a)", "softplus"),
        ("a.clamp(min=0.1)", "clamp"),
        ("torch.maximum(a, b)", "maximum"),
        ("(a + b).tanh()", "tanh"),
        ("a[0:2]", "["),
        ("a[[0, 1]] * 2", "["),
    ],
)
def test_what_is_said_to_be_saved_may_not_be_changed_and_the_rest_may(call: str, at: str) -> None:
    said = lesson(f"y = {call}\n", at)
    for name in ("a", "b", "y"):
        assert_said(said, name, f"y = {call}\n", f"{name} += 1")


@pytest.mark.parametrize(
    "made", ["Linear(3, 3)", "Tanh()", "ReLU()", "LayerNorm(3)", "Softplus()", "PReLU()", "Hardtanh()"]
)
def test_of_a_module_is_said_what_it_saves(made: str) -> None:
    body = f"m = torch.nn.{made}\ny = m(a)\n"
    said = lesson(body, "m")
    for name in ("a", "y", "m.weight", "m.bias"):
        if name.startswith("m.") and not hasattr(eval(f"torch.nn.{made}"), name[2:]):
            continue
        assert_said(said, name, body, f"{name}.mul_(1)")


def test_a_module_is_the_one_that_its_class_makes() -> None:
    net = "class {}(torch.nn.Module):\n    def __init__(self):\n        self.f = torch.nn.{}\n"
    call = "    def forward(self, v):\n        return self.f(v)\n"
    other = net.format("A", "Tanh()") + call
    assert "torch.nn.Linear" in lesson(other + net.format("B", "Linear(3, 3)") + call, "f")
    assert lesson(other + net.format("B", "Tanh()") + "        self.f = g()\n" + call, "f") is None


def test_a_subscript_is_told_to_share_or_to_copy() -> None:
    assert "view of `a`" in lesson("c = a[0]\n", "[")
    assert "view" not in lesson("c = a[[0, 1]]\n", "[")
    assert "view" not in lesson("c = a[b > 0]\n", "["), "what the text does not tell"
    for at in ("[", "="):
        told = lesson("a[0] = 1.0\n", at)
        assert "changes `a` in place" in told
        assert "no operation had saved `a`" in told
    exec(HEAD + "c = a[0]\nbefore = a._version\na[0] = 1.0\nassert c._version == a._version == before + 1\n", {})


def test_the_reason_is_the_derivative() -> None:
    assert "the gradient of `a` is computed from it (`grad * result`)" in lesson("y = a.exp()\n", "exp")
    assert "the gradient of `b` is computed from it" in lesson("y = a * b\n", "*")


@pytest.mark.parametrize(
    ("body", "at", "words"),
    [
        ("a += 1\n", "+=", "no operation had saved `a`"),
        ("a += 1\nc = a.exp() * a\n", "+=", "`mul` (line 7) saves it only afterwards"),
        ("c = a.exp()\nc.sum().backward()\nc += 1\n", "+=", "`exp` (line 6) had saved it at version 0"),
        ("a.relu_()\n", "relu_", "changes `a` in place"),
    ],
)
def test_a_change_in_place_is_told_to_be_safe_or_not(body: str, at: str, words: str) -> None:
    assert words in lesson(body, at)
    exec(HEAD + body, {})


@pytest.mark.parametrize(
    ("body", "at", "words"),
    [
        ("c = a\n", "=", "copies nothing"),
        ("a += 1\n", "+=", "`a += …` is not short for `a = a + …`"),
        ("c = torch.nn.functional.relu(a, inplace=True)\n", "inplace", "mostly innocent"),
        ("a.sum().backward(retain_graph=True)\n", "retain_graph", "an older PyTorch"),
    ],
)
def test_myths_are_set_right_where_they_come_up(body: str, at: str, words: str) -> None:
    assert words in lesson(body, at)


@pytest.mark.parametrize(
    ("body", "at"),
    [
        ("c = 1 + 2\n", "+"),
        ("c = 1\n", "="),
        ("print(a)\n", "print"),
        ("f(inplace=False)\n", "inplace"),
        ("a.no_such()\n", "no_such"),
    ],
)
def test_of_all_else_nothing_is_said(body: str, at: str) -> None:
    assert lesson(body, at) is None


def test_the_formulas_are_pytorchs() -> None:
    assert BASE.rows("derivatives").all() == formulas.read()


def test_formulas_compute_the_gradient() -> None:
    """Those of functions of one tensor are evaluated as they stand."""
    checked = 0
    for name in BASE.table.names():
        fact = BASE.table.find(name)
        if not isinstance(fact, Op) or not name.startswith("torch.special.") or len(fact.params) != 1:
            continue
        (case,) = fact.cases
        formula = BASE.derivatives.find(case.node, "input", "input") or BASE.derivatives.find(case.node, "input", "out")
        if formula is None or "M_" in formula:  # a constant of C++
            continue
        x = torch.linspace(0.2, 0.8, 5, dtype=torch.float64, requires_grad=True)
        result = getattr(torch.special, name.rpartition(".")[2])(x)
        result.sum().backward()
        grad = torch.ones_like(x)
        known = {"grad": grad, "self": x.detach(), "result": result.detach()}
        torch.testing.assert_close(eval(formula, vars(torch), known), x.grad)
        checked += 1
    assert checked >= 3


async def test_an_operator_is_explained_in_the_editor(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    assert "**`exp`** saves for backward" in await editor.hover("a.py", 2, 7)
    why = await editor.hover("a.py", 3, 2)
    assert "GG101" in why
    assert "`exp` saved it for backward" in why
    assert "is in place" not in why  # the finding tells that


async def test_it_is_explained_in_chinese(start: Start, stale: str) -> None:
    editor = await start(locale="zh-CN")
    await editor.open("a.py", stale + "# GG101\n")
    assert "为反向传播保存" in await editor.hover("a.py", 2, 7)
    assert "就地修改" in await editor.hover("a.py", 3, 0)
    assert "## 为何失败" in await editor.hover("a.py", 5, 3)


def test_where_releases_differ_the_one_that_is_told_of_is_named(tmp_path: Path) -> None:
    text = HEAD + "y = torch.combinations(x)\nz = x.exp()\n"
    path = str(tmp_path / "a.py")
    for release, saves in (("2.13", True), ("2.15", False)):
        (tmp_path / "gradguard.toml").write_text(f'torch = "{release}"\n')
        analyser = ProjectAnalyser()
        analyser.configure(Settings(), [str(tmp_path)], "en")
        analysis = analyser.analyse(path, {path: Document(path, text)})
        lesson = Lesson(analysis.report, analyser.source(path), Texts("en"), lambda site: 1, analysis.release)
        said, _, _ = lesson.at(text.index("combinations")) or ([], 0, 0)
        assert ("saves for backward" in said[0]) is saves
        assert f"So it is in PyTorch {release} (`torch` in the settings). In PyTorch " in said[-1]
        said, _, _ = lesson.at(text.index("exp")) or ([], 0, 0)
        assert said
        assert "So it is in PyTorch" not in "\n".join(said)


def test_two_projects_in_one_server_have_each_their_own_release(tmp_path: Path) -> None:
    text = HEAD + "y = torch.combinations(a)\na.add_(1)\ny.sum().backward()\n"
    files = {}
    for name, release in (("a", "2.13"), ("b", "2.15")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "gradguard.toml").write_text(f'torch = "{release}"\n')
        path = str(tmp_path / name / "main.py")
        files[path] = Document(path, text)
    analyser = ProjectAnalyser()
    analyser.configure(Settings(), [str(tmp_path)], "en")
    for _ in range(2):  # in turns
        assert [len(analyser.analyse(path, files).findings) for path in files] == [1, 0]


def test_the_python_that_the_editor_has_chosen_tells_the_release(tmp_path: Path) -> None:
    (tmp_path / "chosen/lib/python3.12/site-packages/torch-2.15.0.dist-info").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    path = str(tmp_path / "project/a.py")
    analyser = ProjectAnalyser()
    analyser.configure(Settings(python=str(tmp_path / "chosen/bin/python")), [str(tmp_path / "project")], "en")
    release = analyser.analyse(path, {path: Document(path, HEAD)}).release
    assert release is not None
    assert (release.number, release.judged_by) == ("2.15.0", "2.15")

"""Every program in the pages does on PyTorch what its title states, and GradGuard says so; commands print what is
shown. So do other tools that a page compares with.

A program's title is its outcome, in the page's language: `runs`; `raises: PART OF THE MESSAGE · CODES`; `wrong
gradients, no error · CODES`; or `no gradient, only a warning · CODES`. The codes are those of the rules that GradGuard
reports, and no others. A block of commands is run beside the program above it, as `train.py`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
import yaml
from gradguard.rules.rule import Severity
from gradguard.workspace.config import FOUND, Config, load_config
from gradguard.workspace.project import Project

from website import ROOT
from website.blocks import Block, blocks
from website.gather import MEASURED, generated, navigation
from website.reference import command_line

from ..oracle.client import printed_error, run_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OUTCOMES = {
    "runs": None,
    "运行正常": None,
    "raises": "raises",
    "报错": "raises",
    "wrong gradients, no error": "silent-stale",
    "梯度错误，但不报错": "silent-stale",
    "no gradient, only a warning": "nonleaf-grad",
    "没有梯度，只有警告": "nonleaf-grad",
}
"""what the beginning of a title means: nothing happens, PyTorch raises, or a kind of failure without an error"""

ANOMALY_MODE = ("anomaly mode", "异常检测模式")
"""the titles of what is printed with it"""

OF_SEVERAL_FILES = ("your-libraries.md", "your-libraries.zh.md")
"""pages whose programs are several files: `tests/workspace/test_models.py` runs them"""

WRITTEN = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if path.name not in MEASURED  # the programs of those pages are tested with the runs that write them
}
REFERENCE = {path: text for path, text in generated() if path.startswith("reference/")}
BLOCKS = [
    (path, block)
    for path, text in (WRITTEN | REFERENCE).items()
    for block in blocks(text)
    if not path.endswith(OF_SEVERAL_FILES) or block.language == "toml"
]


def of(language: str) -> pytest.MarkDecorator:
    found = [(path, block) for path, block in BLOCKS if block.language == language]
    return pytest.mark.parametrize("block", [b for _, b in found], ids=[f"{path}:{b.line}" for path, b in found])


@of("python")
def test_a_program_does_what_its_title_states(block: Block, tmp_path: Path) -> None:
    beginning, part, codes = _title(block.title)
    path = tmp_path / "main.py"
    path.write_text(block.text, encoding="utf-8")
    verdict = run_program(path)
    kind = OUTCOMES[beginning]
    if kind == "raises":
        assert verdict.message is not None
        assert part
        assert part in verdict.message
    else:
        assert (verdict.kind, verdict.message) == (kind, None)
    assert _flagged(path) == codes


def _title(title: str) -> tuple[str, str, set[str]]:
    """How a title begins, the part of PyTorch's message in it, and the codes at its end."""
    outcome, _, codes = title.partition(" · ")
    beginning, part = re.fullmatch(r"([^:：]+)(?:[:：] ?(.*))?", outcome).groups(default="")
    return beginning, part.strip(), set(codes.split())


def _flagged(path: Path) -> set[str]:
    found = Project(path.parent).check([str(path)], Severity.WARNING).findings
    return {finding.rule.code for finding in found if not finding.suppressed}


def below_a_program(language: str) -> pytest.MarkDecorator:
    """The blocks of a language, each with the last program above it on its page."""
    found = []
    for path, text in WRITTEN.items():
        if path.endswith(OF_SEVERAL_FILES):
            continue
        program = ""
        for block in blocks(text):
            if block.language == "python":
                program = block.text
            elif block.language == language:
                found.append(pytest.param(program, block, id=f"{path}:{block.line}"))
    return pytest.mark.parametrize(("program", "block"), found)


@below_a_program("text")
def test_a_message_is_what_pytorch_says(program: str, block: Block, tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(program, encoding="utf-8")
    anomaly = block.title in ANOMALY_MODE
    printed = " ".join(printed_error(path, anomaly).replace(str(path), "train.py").split())
    if anomaly:
        pieces = block.text.splitlines()
        assert all(" ".join(piece.split()) in printed for piece in pieces)
        assert pieces[0].startswith("UserWarning: Error detected in ")
    else:
        assert block.text.startswith("RuntimeError: ")
        assert " ".join(block.text.split()) in printed


@below_a_program("console")
def test_a_command_prints_what_is_shown(program: str, block: Block, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(program, encoding="utf-8")
    for command, shown in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", block.text, re.MULTILINE):
        if shown:
            tool, *arguments = shlex.split(command)
            assert tool in ("gradguard", "ruff", "pytest")
            whole = [sys.executable, "-m", tool, *arguments]
            done = subprocess.run(whole, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
            report = done.stderr.partition("\nRuntimeError: ")[2].partition("\n")[2] if arguments[0] == "run" else ""
            printed = re.sub(
                r" in \d+\.\d+s$", " in 2.50s", done.stdout + report.rstrip("\n"), flags=re.MULTILINE
            )  # pytest's own time
            assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()


@of("toml")
def test_a_configuration_can_be_read(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(block.text, encoding="utf-8")
    if "[tool.gradguard" in block.text:
        assert load_config(path).path == path


@of("yaml")
def test_yaml_can_be_read(block: Block) -> None:
    assert yaml.safe_load(block.text) is not None


def test_every_page_is_there_in_both_languages() -> None:
    english = {path for path in WRITTEN if not path.endswith(".zh.md")}
    assert {path.removesuffix(".md") + ".zh.md" for path in english} == WRITTEN.keys() - english


def test_both_languages_show_the_same_programs() -> None:
    for path, text in WRITTEN.items():
        if not path.endswith(".zh.md"):
            other = WRITTEN[path.removesuffix(".md") + ".zh.md"]
            assert [b.text for b in blocks(text) if b.language == "python"] == [
                b.text for b in blocks(other) if b.language == "python"
            ]


def test_titles_in_the_navigation_have_chinese_words() -> None:
    """But for the names of editors and rules, which are the same."""
    titles = {title for entry in navigation() for title in _titles(entry)} - {"VS Code", "Neovim", "Emacs", "Vim"}
    translated = re.findall(r"^            ([A-Z][^:\n]*): \S", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
    assert {title for title in titles if not re.match(r"GG\d", title)} == set(translated)


def _titles(entry: dict[str, object]) -> Iterator[str]:
    for title, inside in entry.items():
        yield title
        for one in inside if isinstance(inside, list) else ():
            yield from _titles(one)


README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_names_every_setting() -> None:
    settings = {field.name.replace("_", "-") for field in fields(Config) if field.name not in FOUND}
    assert [name for name in sorted(settings) if not re.search(rf"`{name}[`.]", README)] == []


def test_the_readme_names_no_option_that_is_not_there() -> None:
    """Options in the readme are options of some command."""
    others = {"--help", "--install-extension"}  # the second one is VS Code's
    known = set(re.findall(r"--[a-z][a-z-]+", command_line("en")))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) <= known | others


def test_links_of_the_papers_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "RELEASING.md", "SECURITY.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)", text):
            assert target.startswith("https://") or (ROOT / target).exists(), f"{name}: {target}"

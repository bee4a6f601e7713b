"""Where things are in notebooks: for people by cell and line, for what knows no cells by the line of the file."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from gradguard.workspace.lines import Lines
from gradguard.workspace.notebook_file import NotebookFile

CELLS = [
    ("markdown", ["# \\u0041 title"]),
    ("code", ["import torch\n", "x = torch.ones(3, requires_grad=True)"]),
    ("code", '"é😀\\n"; y = x.exp()  # "quoted"'),
    ("code", []),
    ("code", ["\n", "y += 1  # \t\n", "z = y"]),
    ("code", "\ny.sum().backward()"),
]


def write(path: Path, **layout: object) -> str:
    cells = [{"metadata": {"source": "no"}, "cell_type": kind, "source": source} for kind, source in CELLS]
    path.write_text(json.dumps({"metadata": {}, "cells": cells, "nbformat": 4}, **layout), encoding="utf-8")
    return path.read_text(encoding="utf-8")


LAYOUTS = pytest.mark.parametrize(
    "layout", [{"indent": 1, "ensure_ascii": False}, {"indent": 1}, {"separators": (",", ":")}, {"indent": "\t"}]
)


@LAYOUTS
def test_each_character_of_a_cell_is_found_in_the_file(tmp_path: Path, layout: dict[str, object]) -> None:
    written = write(tmp_path / "n.ipynb", **layout)
    file, lines = NotebookFile(written), Lines(written)
    for number, (_, source) in enumerate(CELLS, 1):
        text = "".join(source)
        for offset, character in enumerate(text):
            line, column = file.place(number, offset)
            rest = written[lines.starts[line] + column :]
            length = next(n for n in (1, 2, 6, 12) if _decoded(rest[:n]) is not None)
            assert _decoded(rest[:length]) == character
        line, column = file.place(number, len(text))
        assert written[lines.starts[line] + column] == ('"' if text else "{")


def _decoded(piece: str) -> str | None:
    """The one character that a piece of a string of JSON means."""
    try:
        text = json.loads(f'"{piece}"')
    except ValueError:
        return None
    return text if len(text) == 1 and not re.fullmatch("[\ud800-\udfff]", text) else None


@LAYOUTS
def test_formats_without_cells_have_the_file_s_lines(check, tmp_path: Path, layout: dict[str, object]) -> None:
    written = write(tmp_path / "n.ipynb", **layout)
    at = written.index("y += 1")
    line = written.count("\n", 0, at) + 1
    column = at - (written.rfind("\n", 0, at) + 1) + 1
    bytes_before = len(written[at - column + 1 : at].encode())

    def told(name: str) -> str:
        return check("--output-format", name).stdout

    (result,) = json.loads(told("sarif"))["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": line, "startColumn": column, "endLine": line, "endColumn": column + 6}
    assert result["locations"][0]["logicalLocations"] == [{"name": "cell 5, line 2"}]
    assert f"line={line},endLine={line},col={column},endColumn={column + 6}::n.ipynb:cell 5:2:1:" in told("github")
    (issue,) = json.loads(told("gitlab"))
    assert issue["location"]["positions"]["begin"] == {"line": line, "column": column}
    case = next(ElementTree.fromstring(told("junit")).iter("testcase"))
    assert (case.get("line"), case.get("column")) == (str(line), str(column))
    (diagnostic,) = json.loads(told("rdjson"))["diagnostics"]
    assert diagnostic["location"]["range"]["start"] == {"line": line, "column": bytes_before + 1}


@LAYOUTS
def test_a_fix_in_sarif_is_one_of_the_file(check, tmp_path: Path, layout: dict[str, object]) -> None:
    """Each of them, made in the text of the file, leaves a notebook in which nothing is found."""
    path = tmp_path / "n.ipynb"
    written = write(path, **layout)
    (result,) = json.loads(check("--output-format", "sarif").stdout)["runs"][0]["results"]
    assert len(result["fixes"]) > 1
    lines = Lines(written)
    for fix in result["fixes"]:
        (change,) = fix["artifactChanges"]
        text = written
        for one in sorted(change["replacements"], key=lambda one: -one["deletedRegion"]["startLine"]):
            region = one["deletedRegion"]
            start, end = (
                lines.starts[region[f"{edge}Line"] - 1] + region[f"{edge}Column"] - 1 for edge in ("start", "end")
            )
            text = text[:start] + one["insertedContent"]["text"] + text[end:]
        path.write_text(text, encoding="utf-8")
        done = check("--output-format", "concise")
        assert done.stdout.startswith("Nothing found"), fix["description"]


def test_people_read_cells_and_lines_in_them(check, gradguard_command, tmp_path: Path) -> None:
    write(tmp_path / "n.ipynb")
    assert check().stdout.splitlines()[1:12] == [
        " --> n.ipynb:cell 5:2:1",
        "  |",
        "2 | y += 1  #",
        "  | ^^^^^^ changes `y`: version 0 → 1",
        " ::: n.ipynb:cell 3:1:13",
        "  |",
        '1 | "é😀\\n"; y = x.exp()  # "quoted"',
        "  |              ------- `exp` saves `y` for backward at version 0 (its result)",
        " ::: n.ipynb:cell 6:2:1",
        "  |",
        "2 | y.sum().backward()",
    ]
    assert "2 + y = y + 1" in check().stdout
    rows = json.loads(gradguard_command("versions", "n.ipynb", "--output-format", "json").stdout)
    assert ("y", 5, 2, 1) in [(row["name"], row["cell"], row["line"], row["version"]) for row in rows]
    told = gradguard_command("versions", "n.ipynb").stdout
    assert "n.ipynb:cell 5\n    2 | y += 1" in told

"""Notebooks as programs, and back."""

import json

import pytest
from gradguard.fixes.edit import Edit
from gradguard.workspace.files import Document, decode_document
from gradguard.workspace.mending import edited, written
from gradguard.workspace.notebook import Notebook


def document(*cells: tuple[str, str | list[str]]) -> Document:
    content = {
        "cells": [{"cell_type": kind, "metadata": {}, "source": source} for kind, source in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return decode_document(json.dumps(content).encode(), "n.ipynb")


def notebook(document: Document) -> Notebook:
    assert document.notebook is not None
    return document.notebook


SAMPLE = (("markdown", "# title"), ("code", ["x = 1\n", "y = 2"]), ("code", ""), ("raw", "?"), ("code", "z = x"))


def test_code_cells_are_one_program() -> None:
    sample = document(*SAMPLE)
    assert sample.text == "x = 1\ny = 2\n\nz = x\n"
    assert [notebook(sample).place(line) for line in range(4)] == [(2, 0), (2, 1), (3, 0), (5, 0)]


@pytest.mark.parametrize(
    ("source", "program"),
    [
        ("%matplotlib inline\nx = 1", "0#atplotlib inline\nx = 1"),
        ("for i in y:\n    !ls", "for i in y:\n    0#s"),
        ("%%bash\nls\n\nls", "#%bash\n#s\n\n#s"),
        ("x.shape?", "0#shape?"),
        ("y = (x\n  % (3))", "y = (x\n  % (3))"),
        ("!", "0"),
        ("%%time\nx = 1", "0#time\nx = 1"),
        ("%time y = f(x)", "0;    y = f(x)"),
        ("%time", "0#ime"),
        ("%time for x in y: f(x)", "0#ime for x in y: f(x)"),
        ("for x in y:\n    %time f(x)", "for x in y:\n    0;    f(x)"),
        ("y = %time f(x)", "y =       f(x)"),
        ("%timeit f(x)", "0;      f(x)"),
        ("%timeit -n 10 -r3 -qo f(x)", "0;                    f(x)"),
        ("t = %timeit -o f(x)", "t = 0;         f(x)"),
        ("%prun -s cumulative -l 5 f(x)", "0;                       f(x)"),
        ("%debug f(x)", "0;     f(x)"),
        ("%debug", "0#ebug"),
        ("%lprun -f net.forward net(x)", "0;                    net(x)"),
        ("%time f(x, \\\n  y)", "0;    f(x, \\\n  y)"),
        ("%time.sleep(1)", "0#ime.sleep(1)"),
        ("%timeit # f(x)", "0#imeit # f(x)"),
        ("%%timeit -n1 x = 1\nf(x)", "0;           x = 1\nf(x)"),
        ("%%prun -l 5\nf(x)", "0#prun -l 5\nf(x)"),
        ("%%debug\nf(x)", "0#debug\nf(x)"),
        ("%%capture --no-stderr out\nf(x)", "0#capture --no-stderr out\nf(x)"),
        ("%%timex\nf(x)", "#%timex\n#(x)"),
        ("!ls \\\n  -l\nx = 1", "0#s \\\n# -l\nx = 1"),
        ("files = !ls", "files = 0#s"),
        ("x = a \\\n%b", "x = a \\\n%b"),
        ("", ""),
    ],
)
def test_what_only_ipython_understands_is_overwritten(source: str, program: str) -> None:
    text = document(("code", source)).text
    assert text == program + "\n"
    assert len(text) == len(source) + 1


def test_a_notebook_without_code_is_an_empty_program() -> None:
    sample = document(("markdown", "m"))
    assert (sample.text, notebook(sample).sources) == ("", [])
    assert edited(sample, []) == sample


def test_edits_go_into_their_cells() -> None:
    sample = document(("code", "%time\nx = 1"), ("markdown", "m"), ("code", ["y = x\n", "é = y"]))
    at = sample.text.index("y\n", 15)
    after = edited(sample, [Edit("n.ipynb", at, at + 1, "y.clone()"), Edit("n.ipynb", 10, 11, "2")])
    assert after.text == "0#ime\nx = 2\ny = x\né = y.clone()\n"
    content = json.loads(written(after))
    assert [cell["source"] for cell in content["cells"]] == ["%time\nx = 2", "m", ["y = x\n", "é = y.clone()"]]
    assert decode_document(written(after), "n.ipynb") == after


def test_an_edit_within_one_cell_alone() -> None:
    sample = document(("code", "a = 1"), ("code", "b = 2"))
    with pytest.raises(ValueError, match="beyond"):
        edited(sample, [Edit("n.ipynb", 4, 10, "")])

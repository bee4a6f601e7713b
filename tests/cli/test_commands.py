"""The other commands, and what is true of all."""

import json
import re
import subprocess
import sys
from pathlib import Path

import gradguard.analyses
import jsonschema
import pytest


def test_version(gradguard_command) -> None:
    done = gradguard_command("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("gradguard ")


@pytest.mark.parametrize("arguments", [(), ("nonsense",), ("check", "--nonsense"), ("check", "--output-format", "x")])
def test_wrong_usage_is_2(gradguard_command, arguments: tuple[str, ...]) -> None:
    assert gradguard_command(*arguments).returncode == 2


def test_rules_are_listed(gradguard_command) -> None:
    from gradguard.rules import RULES

    done = gradguard_command("rules")
    assert done.returncode == 0
    for rule in RULES.values():
        assert rule.code in done.stdout
        assert rule.name in done.stdout


@pytest.mark.parametrize("name", ["GG101", "gg101", "inplace-on-saved"])
def test_explain(gradguard_command, name: str) -> None:
    done = gradguard_command("explain", name)
    assert done.returncode == 0
    assert "inplace-on-saved (GG101)" in done.stdout


FREED = "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors …"
STALE = """\
Traceback (most recent call last):
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace
operation: [torch.FloatTensor [3]], which is output 0 of ExpBackward0, is at version 1; expected version 0 instead.
"""


def test_explain_a_message(gradguard_command) -> None:
    told = gradguard_command("explain", FREED)
    assert told.returncode == 0
    assert "freed-graph" in told.stdout


def test_explain_a_traceback_from_standard_input(gradguard_command) -> None:
    told = gradguard_command("explain", "-", stdin=STALE)
    assert told.returncode == 0
    for code in ("GG101", "GG102", "GG103"):
        assert code in told.stdout


def test_explain_a_message_that_no_rule_is_about(gradguard_command, tmp_path: Path) -> None:
    message = "RuntimeError: grad can be implicitly created only for scalar outputs"
    told = gradguard_command("explain", message, "--project", str(tmp_path))
    assert told.returncode == 0
    assert "single number" in told.stdout
    assert "# Suspects" not in told.stdout


def test_explain_in_chinese(gradguard_command, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\nx = torch.rand(3, requires_grad=True)\nx += 1\n")
    message = "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."
    told = gradguard_command("explain", message, "--project", str(tmp_path), "--language", "zh-CN")
    assert told.returncode == 0
    assert "嫌疑" in told.stdout
    assert "`x` 是需要梯度的叶子张量" in told.stdout


@pytest.mark.parametrize(("typed", "meant"), [("GG1o1", "GG101"), ("inplace-on-save\n", "inplace-on-saved")])
def test_explain_a_mistyped_rule(gradguard_command, typed: str, meant: str) -> None:
    done = gradguard_command("explain", typed)
    assert done.returncode == 2
    assert f"did you mean `{meant}`?" in done.stderr


def test_explain_what_does_not_exist(gradguard_command) -> None:
    done = gradguard_command("explain", "GG999")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_facts(gradguard_command) -> None:
    done = gradguard_command("facts", "torch.exp")
    assert done.returncode == 0
    assert "saves" in done.stdout


@pytest.mark.parametrize(("name", "meant"), [("exp", "torch.exp"), ("torch.sigmiod", "torch.sigmoid")])
def test_facts_of_what_is_not_known(gradguard_command, name: str, meant: str) -> None:
    done = gradguard_command("facts", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert meant in done.stderr


COMBINATIONS = "torch.combinations"
"""saves its input in some releases"""


def test_facts_tell_of_the_release_that_is_asked_for_and_of_others(gradguard_command) -> None:
    old = gradguard_command("facts", COMBINATIONS, "--torch", "2.13")
    new = gradguard_command("facts", COMBINATIONS, "--torch", "2.15")
    assert "\n  saves input for backward" in old.stdout
    assert "\n  saves input for backward" not in new.stdout
    assert "in PyTorch 2.13 (as asked for)" in old.stdout
    assert re.search(r"from 2\.1[45] on:\n(  \+ .*\n)*  - saves input for backward", old.stdout)
    assert re.search(r"up to 2\.1[34]:\n  \+ saves input for backward", new.stdout)


def test_facts_of_what_only_other_releases_have(gradguard_command) -> None:
    done = gradguard_command("facts", "torch.linalg.polar", "--torch", "2.13")
    assert done.returncode == 0
    assert "torch.linalg.polar(A)" in done.stdout


def test_facts_as_json(gradguard_command) -> None:
    one = json.loads(gradguard_command("facts", COMBINATIONS, "--torch", "2.15.0", "--output-format", "json").stdout)
    assert (one["format"], one["torch"], one["measured"]) == (1, "2.15.0", "2.15")
    assert [case["node"] for case in one["facts"][COMBINATIONS]["cases"]] == ["IndexBackward0"]
    every = json.loads(gradguard_command("facts", "--torch", "2.13", "--output-format", "json").stdout)["facts"]
    assert len(every) > 1800
    assert every["torch.exp"]["cases"][0]["saves"] == [{"what": "out", "when": [["input"]]}]
    assert every["torch.nn.Linear"]["parameters"] == ["weight", "bias"]


@pytest.mark.parametrize("wrong", [("torch.exp", "--torch", "new"), (), ("torch.nothing", "--output-format", "json")])
def test_facts_that_nobody_can_tell(gradguard_command, wrong: tuple[str, ...]) -> None:
    done = gradguard_command("facts", *wrong)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.fixture
def versions(gradguard_command):
    if not hasattr(gradguard.analyses, "replay"):
        pytest.skip("the replay is not there yet")
    return lambda *arguments: gradguard_command("versions", *arguments)


def test_versions_as_json(versions, stale: Path) -> None:
    rows = json.loads(versions("stale.py", "--output-format", "json").stdout)
    assert all(
        row.keys() >= {"line", "name", "version", "min", "max", "requires_grad", "is_leaf", "storage"} for row in rows
    )
    state = {(row["line"], row["name"]): row for row in rows}
    assert state[4, "y"]["version"] == 0
    assert state[5, "y"]["version"] == 1
    assert state[3, "x"]["is_leaf"] is True
    assert state[5, "y"]["requires_grad"] is True
    assert state[4, "y"]["storage"] == state[5, "y"]["storage"] != state[3, "x"]["storage"]


def test_versions_as_text(versions, stale: Path) -> None:
    told = versions("stale.py").stdout.splitlines()
    at = next(i for i, line in enumerate(told) if line.endswith("| y += 1"))
    assert told[at].split() == ["5", "|", "y", "+=", "1"]
    assert "version 1" in told[at + 1]
    legend = told[told.index("") + 1 :]
    assert [line.split("  ")[0] for line in legend[1:]] == ["version", "leaf", "memory #1"]


def test_versions_say_what_a_loops_later_rounds_did(versions, tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text("import torch\nacc = torch.zeros(3)\nfor i in range(5):\n    acc += 1\n")
    told = versions("loop.py").stdout
    assert "version 5      no grad, leaf, memory #1 (version 1 the first time)\n" in told
    assert "\nfirst time  " in told


def test_versions_of_what_cannot_be_read(versions) -> None:
    done = versions("missing.py")
    assert (done.returncode, done.stderr) == (2, "missing.py: does not exist\n")


@pytest.mark.parametrize("address", ["localhost", "localhost:http", "localhost:70000"])
def test_a_wrong_address(gradguard_command, address: str) -> None:
    done = gradguard_command("server", "--tcp", address)
    assert done.returncode == 2
    assert "is not HOST:PORT" in done.stderr


def test_the_package_alone_loads_neither_server_nor_jedi() -> None:
    heavy = {"pygls", "lsprotocol", "jedi", "libcst", "rich", "torch"}
    probe = f"import sys, gradguard, gradguard.cli.main; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_reader_that_goes_away(stale: Path) -> None:
    command = f"{sys.executable} -m gradguard rules | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == ""


def test_explain_names_the_suspect_in_a_project(gradguard_command, stale: Path) -> None:
    raised = subprocess.run([sys.executable, str(stale)], capture_output=True, text=True, timeout=60).stderr
    told = gradguard_command("explain", "-", "--project", ".", stdin=raised)
    assert told.returncode == 0
    assert "1. `stale.py:5:1` GG101 error: `y.sum().backward()` will raise" in told.stdout
    assert "its `backward()` is the one in the traceback" in told.stdout


def test_explain_finds_no_suspect_in_a_clean_project(gradguard_command, clean: Path) -> None:
    told = gradguard_command("explain", FREED, "--project", clean.name)
    assert told.returncode == 0
    assert "Nothing in clean.py is found to fail in this way." in told.stdout


def test_the_schema_of_the_settings(gradguard_command) -> None:
    done = gradguard_command("schema")
    assert done.returncode == 0
    assert json.loads(done.stdout)["properties"]["min-severity"]["enum"] == ["error", "warning", "information", "hint"]


def test_the_schema_of_the_facts(gradguard_command) -> None:
    schema = json.loads(gradguard_command("schema", "facts").stdout)
    told = json.loads(gradguard_command("facts", "torch.exp", "--output-format", "json").stdout)
    jsonschema.validate(told, schema)


def test_bash_completes_commands_and_options(gradguard_command, tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    done = gradguard_command("completion", "bash")
    assert done.returncode == 0
    (tmp_path / "completion").write_text(done.stdout)
    program = (
        "source completion; COMP_WORDS=(gradguard check --out); COMP_CWORD=2;"
        " _shtab_gradguard; echo ${COMPREPLY[@]}; COMP_WORDS=(gradguard ver); COMP_CWORD=1;"
        " _shtab_gradguard; echo ${COMPREPLY[@]}"
    )
    told = subprocess.run(["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == ["--output-format --output-file", "versions"]

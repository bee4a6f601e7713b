"""What machines read: JSON, SARIF and GitHub's commands."""

import json
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname
from xml.etree import ElementTree

import jsonschema
import pytest

SCHEMA = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


def test_json(check, stale: Path) -> None:
    (finding,) = json.loads(check("--output-format", "json").stdout)
    assert finding.keys() == {"path", "code", "name", "kind", "severity", "message", "range", "related", "fixes"}
    assert (finding["path"], finding["code"], finding["kind"]) == ("stale.py", "GG101", "stale-saved")
    assert finding["range"] == {"start": {"line": 5, "column": 1}, "end": {"line": 5, "column": 7}}
    assert finding["related"][0]["range"]["start"] == {"line": 4, "column": 5}
    assert {fix["safety"] for fix in finding["fixes"]} <= {"safe", "unsafe"}
    assert all(edit.keys() == {"path", "range", "text"} for fix in finding["fixes"] for edit in fix["edits"])


def test_json_of_nothing(check, clean: Path) -> None:
    assert json.loads(check("--output-format", "json").stdout) == []


def test_json_lines(check, stale: Path) -> None:
    whole = json.loads(check("--output-format", "json").stdout)
    lines = check("--output-format", "json-lines").stdout.splitlines()
    assert [json.loads(line) for line in lines] == whole


def test_github(check, stale: Path) -> None:
    told = check("--output-format", "github").stdout
    assert told.startswith(
        "::error title=GradGuard (GG101),file=stale.py,line=5,endLine=5,col=1,endColumn=7::stale.py:5:1: GG101 "
    )
    assert told.count("\n") == 1


def test_gitlab(check, stale: Path) -> None:
    (issue,) = json.loads(check("--output-format", "gitlab").stdout)
    assert (issue["check_name"], issue["severity"], len(issue["fingerprint"])) == ("GG101", "critical", 64)
    assert issue["location"] == {
        "path": "stale.py",
        "positions": {"begin": {"line": 5, "column": 1}, "end": {"line": 5, "column": 7}},
    }


def test_junit(check, stale: Path, clean: Path) -> None:
    suites = ElementTree.fromstring(check("--output-format", "junit").stdout)
    assert (suites.get("tests"), suites.get("failures")) == ("1", "1")
    (case,) = suites.iter("testcase")
    assert (case.get("classname"), case.get("name"), case.get("line")) == ("stale.py", "GG101", "5")
    passed = ElementTree.fromstring(check("clean.py", "--output-format", "junit").stdout)
    assert (passed.get("tests"), passed.get("failures"), list(passed.iter("failure"))) == ("1", "0", [])


def test_rdjson_counts_bytes(check, stale: Path) -> None:
    stale.write_text(stale.read_text().replace("y += 1", "s = '漢'; y += 1"), encoding="utf-8")
    (diagnostic,) = json.loads(check("--output-format", "rdjson").stdout)["diagnostics"]
    assert diagnostic["code"]["value"] == "GG101"
    place = {"start": {"line": 5, "column": 12}, "end": {"line": 5, "column": 18}}
    assert diagnostic["location"] == {"path": "stale.py", "range": place}
    assert diagnostic["suggestions"]


@pytest.fixture
def sarif(check):
    def run(*arguments: str):
        log = json.loads(check("--output-format", "sarif", *arguments).stdout)
        jsonschema.validate(log, SCHEMA, format_checker=jsonschema.FormatChecker())
        return log["runs"][0]

    return run


def test_sarif(sarif, stale: Path) -> None:
    run = sarif()
    (result,) = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == "GG101"
    assert rule["name"] == "inplace-on-saved"
    assert rule["properties"]["kind"] == result["properties"]["kind"] == "stale-saved"
    assert Path(url2pathname(urlsplit(rule["helpUri"]).path)).read_text(encoding="utf-8") == rule["help"]["markdown"]
    assert result["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "stale.py"
    assert place["region"] == {"startLine": 5, "startColumn": 1, "endLine": 5, "endColumn": 7}
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 4
    assert result["fixes"][0]["artifactChanges"][0]["artifactLocation"]["uri"] == "stale.py"


def test_sarif_of_nothing_and_of_bad_input(sarif, tmp_path: Path) -> None:
    assert sarif()["results"] == []
    (tmp_path / "broken.py").write_text("x = (")
    notifications = sarif("broken.py", "missing.py")["invocations"][0]["toolExecutionNotifications"]
    assert [n["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for n in notifications] == [
        "missing.py",
        "broken.py",
    ]


def test_sarif_outside_of_the_working_directory(sarif, stale: Path, tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    moved = stale.rename(tmp_path / "a b" / "é.py")
    (result,) = sarif()["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%C3%A9.py"
    outside = tmp_path.parent / f"{tmp_path.name}-outside.py"
    moved.rename(outside)
    (result,) = sarif(str(outside))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == outside.as_uri()


def test_fingerprints_stay_when_lines_move(sarif, stale: Path) -> None:
    body = "\n    ".join(stale.read_text().splitlines()[2:])
    program = "import torch\n" + "".join(f"\n\ndef f{n}():\n    {body}\n" for n in range(2))
    stale.write_text(program)
    before = [result["partialFingerprints"] for result in sarif()["results"]]
    assert before[0] != before[1]
    stale.write_text("# a new line\n\n" + program)
    assert [result["partialFingerprints"] for result in sarif()["results"]] == before

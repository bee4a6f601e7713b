"""What CI systems need: baselines, shares, comments for what is left for later, hooks and actions."""

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


# -- baselines --------------------------------------------------------------------------------


def test_a_baseline_leaves_out_what_it_has_though_lines_move(check, stale: Path) -> None:
    written = check("--write-baseline", "known.json")
    assert (written.returncode, written.stderr) == (0, "1 finding written to known.json.\n")
    stale.write_text("# a new first line\n\n" + stale.read_text())
    done = check("--baseline", "known.json")
    assert (done.returncode, done.stdout) == (0, "Nothing found in 1 file, beside 1 in the baseline.\n")


def test_what_is_new_is_told_beside_a_baseline(check, stale: Path) -> None:
    check("--write-baseline", "known.json")
    (stale.parent / "new.py").write_text(stale.read_text())
    done = check("--baseline", "known.json", "--output-format", "concise")
    told = [line.partition(" ")[0] for line in done.stdout.splitlines()[:-2]]
    assert (done.returncode, told) == (1, ["new.py:5:1:"])


@pytest.mark.parametrize("text", [None, "{}", "not JSON", '{"version": 99, "findings": {}}'])
def test_a_baseline_that_cannot_be_used_is_told_of(check, stale: Path, text: str | None) -> None:
    if text is not None:
        (stale.parent / "known.json").write_text(text)
    done = check("--baseline", "known.json")
    assert done.returncode == 2
    assert "known.json" in done.stderr


def test_fingerprints_stay_when_lines_move(check, stale: Path) -> None:
    def fingerprints() -> list[str]:
        (run,) = json.loads(check("--output-format", "sarif").stdout)["runs"]
        return [result["partialFingerprints"]["gradguard/v1"] for result in run["results"]]

    before = fingerprints()
    stale.write_text("import os\n\n\n" + stale.read_text())
    assert fingerprints() == before != []


# -- comments ---------------------------------------------------------------------------------


def test_add_ignore_silences_what_is_found_and_nothing_else(check, stale: Path) -> None:
    done = check("--add-ignore")
    assert done.returncode == 0
    assert stale.read_text().splitlines()[4] == "y += 1  # gradguard: ignore[GG101]"
    assert (check().returncode, check("--min-severity", "hint").returncode) == (0, 0)


def test_add_ignore_only_shows_with_diff(check, stale: Path) -> None:
    before = stale.read_text()
    done = check("--add-ignore", "--diff")
    assert (done.returncode, stale.read_text()) == (1, before)
    assert "+y += 1  # gradguard: ignore[GG101]" in done.stdout


# -- shares -----------------------------------------------------------------------------------


def test_shares_merged_are_the_whole(check, gradguard_command, stale: Path) -> None:
    """Each file of its own project, so that there is more than one part."""
    for name in ("one", "two", "three"):
        (stale.parent / name).mkdir()
        (stale.parent / name / "gradguard.toml").write_text("")
        (stale.parent / name / "stale.py").write_text(stale.read_text())
    whole = check("--output-format", "sarif").stdout
    files = []
    for number in (1, 2):
        done = check("--shard", f"{number}/2", "--output-format", "sarif")
        assert len(json.loads(done.stdout)["runs"][0]["results"]) == 2
        files.append(f"share{number}.sarif")
        (stale.parent / files[-1]).write_text(done.stdout)
    merged = gradguard_command("merge", *files, "-o", "merged.sarif")
    assert (merged.returncode, merged.stderr) == (1, "")
    log = json.loads((stale.parent / "merged.sarif").read_text())
    jsonschema.validate(log, SCHEMA, format_checker=jsonschema.FormatChecker())
    assert log == json.loads(whole)


def test_merge_refuses_what_is_not_ours(gradguard_command, tmp_path: Path) -> None:
    (tmp_path / "other.sarif").write_text('{"runs": []}')
    done = gradguard_command("merge", "other.sarif")
    assert (done.returncode, "other.sarif: is no SARIF file" in done.stderr) == (2, True)


@pytest.mark.parametrize("share", ["0/2", "3/2", "1", "a/b"])
def test_a_share_that_there_is_not(check, clean: Path, share: str) -> None:
    assert check("--shard", share).returncode == 2


# -- processes and waiting --------------------------------------------------------------------


def test_jobs_make_no_difference(check, stale: Path) -> None:
    for name in ("one", "two"):
        (stale.parent / name).mkdir()
        (stale.parent / name / "gradguard.toml").write_text("")
        (stale.parent / name / "stale.py").write_text(stale.read_text())
    alone = check("--jobs", "1", "--no-cache", "--output-format", "json")
    assert check("--jobs", "3", "--no-cache", "--output-format", "json").stdout == alone.stdout
    assert len(json.loads(alone.stdout)) == 3


def test_nobody_at_the_address_of_a_cluster(check, clean: Path) -> None:
    pytest.importorskip("distributed")
    done = check("--dask", "tcp://127.0.0.1:9")
    assert (done.returncode, "no Dask scheduler answers at tcp://127.0.0.1:9" in done.stderr) == (2, True)


def test_watch_checks_again(stale: Path) -> None:
    pytest.importorskip("watchfiles")
    command = [sys.executable, "-m", "gradguard", "check", "--watch", "--output-format", "json-lines"]
    running = subprocess.Popen(
        command,
        cwd=stale.parent,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "WATCHFILES_FORCE_POLLING": "1"},
    )
    try:
        assert running.stdout is not None
        first = json.loads(running.stdout.readline())
        time.sleep(2)  # it begins to watch after it has told
        stale.write_text("# moved down\n" + stale.read_text())
        second = json.loads(running.stdout.readline())
    finally:
        running.kill()
        running.wait()
    assert [one["range"]["start"]["line"] for one in (first, second)] == [5, 6]


# -- hooks and actions ------------------------------------------------------------------------


def test_pre_commit_takes_the_hooks() -> None:
    clientlib = pytest.importorskip("pre_commit.clientlib")
    hooks = clientlib.load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))
    assert [hook["id"] for hook in hooks] == ["gradguard", "gradguard-fix"]


def test_the_hooks_entry_runs(gradguard_command, stale: Path) -> None:
    yaml = pytest.importorskip("yaml")
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")):
        command, *arguments = shlex.split(hook["entry"])
        assert command == "gradguard"
        assert "--force-exclude" in arguments
        assert gradguard_command(*arguments, "--diff", "stale.py").returncode in (0, 1)


def test_the_actions_command_runs(gradguard_command, stale: Path, tmp_path: Path) -> None:
    """The last step's script, as a runner would start it."""
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    script = action["runs"]["steps"][-1]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gradguard").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gradguard "$@"\n')
    (tmp_path / "bin" / "gradguard").chmod(0o755)
    inputs = {name: str(one["default"]) for name, one in action["inputs"].items()}

    def run(**given: str) -> subprocess.CompletedProcess[str]:
        chosen = {**inputs, **given}
        filled = {name: value.replace("${{ inputs.", "").replace(" }}", "") for name, value in script["env"].items()}
        env = {name: chosen[key] for name, key in filled.items()}
        path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-e", "-c", script["run"]],
            cwd=tmp_path,
            env={**os.environ, **env, "PATH": path},
            capture_output=True,
            text=True,
            timeout=60,
        )

    told = run()
    assert (told.returncode, told.stdout.startswith("::error title=GradGuard (GG101),file=stale.py")) == (1, True)
    assert run(**{"sarif-file": "out.sarif"}).returncode == 0
    assert len(json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]) == 1
    assert run(arguments="--ignore GG101").returncode == 0

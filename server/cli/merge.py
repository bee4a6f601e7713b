"""Join the SARIF files that the shares of a check have written, as one file.

exit status: as of `gradguard check`, for all that is in them
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..workspace.reading import read_regular_file
from .places import as_json
from .status import FOUND, OK

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

UNUSED = "GG900"
LEVELS = ("error", "warning")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard merge` takes."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="what `check --shard I/N --output-format sarif` wrote")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write (default: standard output)")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever was found")


def run(args: argparse.Namespace) -> int:
    """Write one log with the results of all files. Raises ConfigError for a file that can't be used."""
    log = merged([_read(Path(file)) for file in args.files])
    text = as_json(log)
    if args.output is None:
        sys.stdout.write(text)
    else:
        Path(args.output).write_text(text, encoding="utf-8")
    active = [one for one in log["runs"][0]["results"] if not one.get("suppressions") and one["level"] in LEVELS]
    return FOUND if active and not args.exit_zero else OK


def _read(path: Path) -> dict[str, Any]:
    from ..workspace.config import ConfigError

    try:
        log: dict[str, Any] = json.loads(read_regular_file(path))
        if log["runs"][0]["tool"]["driver"]["name"] == "GradGuard":
            return log
    except OSError as error:
        raise ConfigError(error.strerror or str(error), path) from None
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    raise ConfigError("is no SARIF file of GradGuard's", path)


def merged(logs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One log with each place of a rule once, from the most certain share, in the order of files and lines.

    A comment that silences nothing in one share may silence something in another.
    """
    runs = [log["runs"][0] for log in logs]
    best: dict[tuple[Any, ...], dict[str, Any]] = {}
    for result in (result for run in runs for result in run["results"]):
        key = (result["ruleId"], *_position(result))
        if key not in best or _rank(result) < _rank(best[key]):
            best[key] = result
    results = sorted(best.values(), key=_position)
    used = {(_position(one)[:2]) for one in results if one.get("suppressions")}
    results = [one for one in results if one["ruleId"] != UNUSED or _position(one)[:2] not in used]
    notes = [note for run in runs for note in run["invocations"][0]["toolExecutionNotifications"]]
    invocation = {
        "executionSuccessful": all(run["invocations"][0]["executionSuccessful"] for run in runs),
        "toolExecutionNotifications": _once(notes),
    }
    return {**logs[0], "runs": [{**runs[0], "invocations": [invocation], "results": results}]}


def _position(result: dict[str, Any]) -> tuple[str, int, int]:
    place = result["locations"][0]["physicalLocation"]
    return place["artifactLocation"]["uri"], place["region"]["startLine"], place["region"]["startColumn"]


def _rank(result: dict[str, Any]) -> int:
    levels = ("error", "warning", "note")
    level = result["level"]
    return levels.index(level) if level in levels else len(levels)


def _once(notes: Iterable[Any]) -> list[Any]:
    """Each item once, in order."""
    return list({json.dumps(note, sort_keys=True): note for note in notes}.values())

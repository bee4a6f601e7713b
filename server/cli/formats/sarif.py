"""SARIF 2.1.0, for code scanning and for editors that read it.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from ..places import Region, Results, as_json, uri

if TYPE_CHECKING:
    from ...fixes.edit import Fix
    from ...rules.rule import Rule
    from ...workspace.findings import Found, Place
    from ...workspace.problems import Problem

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def write(results: Results, out: TextIO) -> None:
    """Write all findings, silenced ones with their suppressions, and problems as notifications."""
    out.write(as_json(_log(results)))


def _log(results: Results) -> dict[str, Any]:
    from importlib.metadata import version

    from ...rules import RULES

    rules = list(RULES.values())
    indexes = {rule.code: index for index, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "GradGuard",
                "version": version("gradguard"),
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not any(problem.internal for problem in results.problems),
                "toolExecutionNotifications": [_notification(problem) for problem in results.problems],
            }
        ],
        "results": [
            _result(found, indexes[found.rule.code], fingerprint, results)
            for found, fingerprint in zip(results.findings, results.fingerprints(), strict=True)
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    from ...rules.page import page

    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.what, "markdown": rule.what},
        "help": {"text": page(rule), "markdown": page(rule)},
        "helpUri": rule.address(),
        "defaultConfiguration": {"level": rule.severity.level},
        "properties": {"kind": rule.kind, "tags": ["pytorch", "autograd"]},
    }


def _result(found: Found, index: int, fingerprint: str, results: Results) -> dict[str, Any]:
    result = {
        "ruleId": found.rule.code,
        "ruleIndex": index,
        "level": found.severity.level,
        "message": {"text": found.message},
        "locations": [_location(found, results)],
        "relatedLocations": [_related(number, place, results) for number, place in enumerate(found.related, 1)],
        "partialFingerprints": {"gradguard/v1": fingerprint},
        "properties": {"kind": found.kind, "severity": found.severity.label},
    }
    if found.suppressed:
        result["suppressions"] = [{"kind": "inSource"}]
    elif fixes := results.fixes(found):
        result["fixes"] = [_fix(fix, results) for fix in fixes]
    return result


def _related(number: int, place: Place, results: Results) -> dict[str, Any]:
    return {"id": number, **_location(place, results), "message": {"text": place.message}}


def _location(place: Found | Place, results: Results) -> dict[str, Any]:
    region, inside = results.file_region(place), results.region(place)
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": uri(region.path)}, "region": _region(region)}
    }
    if inside.cell is not None:
        location["logicalLocations"] = [{"name": f"cell {inside.cell}, line {inside.start[0]}"}]
    return location


def _region(region: Region) -> dict[str, int]:
    return {
        "startLine": region.start[0],
        "startColumn": region.start[1],
        "endLine": region.end[0],
        "endColumn": region.end[1],
    }


def _fix(fix: Fix, results: Results) -> dict[str, Any]:
    """A fix, with its edits by file as SARIF requires."""
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        region, text = results.file_edit(edit)
        replacement = {"deletedRegion": _region(region), "insertedContent": {"text": text}}
        changes.setdefault(edit.path, []).append(replacement)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": {"uri": uri(path)}, "replacements": replacements}
            for path, replacements in changes.items()
        ],
        "properties": {"safety": fix.safety, "preferred": fix.preferred},
    }


def _notification(problem: Problem) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": uri(problem.path)}}
    if problem.line is not None:
        location["region"] = {"startLine": problem.line, "startColumn": problem.column or 1}
    return {
        "level": "error",
        "message": {"text": problem.message},
        "locations": [{"physicalLocation": location}],
    }

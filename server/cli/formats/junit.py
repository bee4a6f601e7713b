"""JUnit's XML, which most CI systems can show: a test suite for each file, a failed test for each finding."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, TextIO
from xml.etree import ElementTree

from ..places import Results, shown, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...workspace.findings import Found


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences; a run without any is a single test that passed."""
    found = results.active
    root = _element("testsuites", name="gradguard", tests=max(len(found), 1), failures=len(found))
    for path, group in groupby(found, key=lambda finding: finding.path):
        root.append(_suite(path, list(group), results))
    if not found:
        suite = _element("testsuite", name="gradguard", tests=1, failures=0)
        suite.append(_element("testcase", name="no findings", classname="gradguard"))
        root.append(suite)
    ElementTree.indent(root)
    print('<?xml version="1.0"?>', ElementTree.tostring(root, encoding="us-ascii").decode(), sep="\n", file=out)


def _suite(path: str, group: Sequence[Found], results: Results) -> ElementTree.Element:
    suite = _element("testsuite", name=shown(path), tests=len(group), failures=len(group))
    for found in group:
        line, column = results.file_region(found).start
        case = _element("testcase", name=found.rule.code, classname=shown(path), line=line, column=column)
        failure = _element("failure", type=found.severity.label, message=visible(found.message))
        failure.text = visible(f"{results.region(found)}: {found.rule.code} {found.message}")
        case.append(failure)
        suite.append(case)
    return suite


def _element(tag: str, **attributes: object) -> ElementTree.Element:
    return ElementTree.Element(tag, {key: str(value) for key, value in attributes.items()})

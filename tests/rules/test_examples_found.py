"""What is said of every rule's examples: the rule itself, as an error, of the one that fails; else nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.rules import RULES, Rule
from gradguard.rules.diagnostic import Diagnostic, Severity, diagnose
from gradguard.syntax.chunks import parse

from ..installed import FACTS

if TYPE_CHECKING:
    from gradguard.syntax.chunks import Source

try:
    from gradguard.analyses import replay
except ImportError:
    pytest.skip("the replay is not there yet", allow_module_level=True)


class NoModules:
    """A program of one file imports nothing of its own."""

    facts = FACTS

    def load(self, name: str, level: int, importer: str) -> Source | None:
        return None


def found(program: str) -> list[Diagnostic]:
    return diagnose(replay([parse(program, "main.py")], NoModules()))


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.kinds], ids=lambda rule: rule.code)
def test_the_failing_example_is_found(rule: Rule) -> None:
    diagnostics = found(rule.fails)
    assert {d.rule.code for d in diagnostics} == {rule.code}
    assert {d.severity for d in diagnostics} <= {Severity.ERROR, Severity.WARNING}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_nothing_is_found_in_the_working_example(rule: Rule) -> None:
    assert [d.message for d in found(rule.works)] == []


def test_a_view_that_counts_as_a_leaf_is_told_with_what_made_its_memory_require_grad() -> None:
    program = """\
import torch

x = torch.ones(2, requires_grad=True)
buffer = torch.zeros(4)
first, second = buffer[:2], buffer[2:]
first.copy_(x)
second.copy_(x)
"""
    (diagnostic,) = found(program)
    assert "`second` counts as a leaf, being older than its graph" in diagnostic.message
    assert [related.message for related in diagnostic.related] == ["`second` is made here", "this changes `buffer`"]

"""The state of every tensor after every line: what the replay claims is what PyTorch has.

On the examples and on the harmless forms of all test programs, each version, flag and sharing that the
replay claims is held against a real run. It may leave open what depends on something unknown.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from gradguard.workspace.project import Project

from ..oracle.client import trace_versions
from .states import states_of, wrong_rows

TESTS = Path(__file__).parents[1]
EXAMPLES = sorted((TESTS.parent / "examples").glob("[0-9]*.py"))
HARMLESS = sorted(path for form in ("fixed", "benign") for path in (TESTS / "programs").glob(f"*/*/{form}/main.py"))

KNOWN = {
    "autograd/gradcheck_in_float32/benign": "Module.double() gives the parameters other memory",
    "autograd/gradcheck_in_float32/fixed": "Module.double() gives the parameters other memory",
    "autograd/rows_made_orthogonal/fixed": "a line of an inner loop with an unknown end may have run last",
    "autograd/slots_listed_without_grad/benign": "a yield is looked at when the generator goes on, not when it is left",
    "autograd/slots_listed_without_grad/fixed": "a yield is looked at when the generator goes on, not when it is left",
    "clean/distilled_tagger/benign": "update_bn() does not call the module",
    "clean/normalising_flow/benign": "a line under an unknown condition is taken to have run last when it may have",
    "data/generator_resumed_after_break/benign": "a yield is looked at when the generator goes on, not when it is left",
    "data/generator_resumed_after_break/fixed": "a yield is looked at when the generator goes on, not when it is left",
    "data/stack_of_contexts/benign": "a yield is looked at when the generator goes on, not when it is left",
    "data/stack_of_contexts/fixed": "a yield is looked at when the generator goes on, not when it is left",
    "loops/generator_with_send/benign": "a yield is looked at when the generator goes on, not when it is left",
    "loops/generator_with_send/fixed": "a yield is looked at when the generator goes on, not when it is left",
    "loops/retry_after_exception/fixed": "whether a line ran depends on a tensor's content",
    "whole/style_from_hooked_layers/benign": "LBFGS may evaluate its closure once alone",
}
"""programs of which the replay claims something that is not so, and why"""


def name(path: Path) -> str:
    return path.stem if path in EXAMPLES else path.parent.relative_to(TESTS / "programs").as_posix()


CASES = [
    pytest.param(
        path, id=name(path), marks=[pytest.mark.xfail(reason=KNOWN[name(path)])] if name(path) in KNOWN else []
    )
    for path in (*EXAMPLES, *HARMLESS)
]


@pytest.mark.parametrize("path", CASES)
def test_states_are_those_of_pytorch(path: Path) -> None:
    truth = trace_versions(path)
    states = states_of(row for row in Project(path.parent).report(str(path)).rows if row.site.chunk.path == str(path))
    known = {(row.line, row.name) for row in truth} & states.keys()
    assert known or not truth
    assert not wrong_rows(states, truth)

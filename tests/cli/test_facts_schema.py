"""The JSON schema of the facts takes what `gradguard facts` writes, and nothing else."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.cli.facts import as_object
from gradguard.facts import releases
from gradguard.facts.schema import schema
from gradguard.workspace.pytorch import Release
from jsonschema import Draft7Validator

if TYPE_CHECKING:
    from collections.abc import Callable

VALIDATOR = Draft7Validator(schema())


def written(release: str, *names: str) -> dict[str, Any]:
    return as_object(Release(release, "as asked for"), list(names or releases.of(release).table.names()))


def test_the_schema_is_one() -> None:
    Draft7Validator.check_schema(schema())


@pytest.mark.parametrize("release", releases.names())
def test_every_fact_of_every_release_is_taken(release: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(written(release))] == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda told: told.pop("format"),
        lambda told: told.update(format=2),
        lambda told: told["facts"]["torch.exp"].update(cases={}),
        lambda told: told["facts"]["torch.exp"].update(kind="function"),
        lambda told: told["facts"]["torch.exp"]["cases"][0]["saves"][0].pop("what"),
        lambda told: told["facts"]["torch.exp"]["cases"][0]["results"][0].update(kind="old"),
        lambda told: told["facts"]["torch.nn.Linear"].update(forward=["input"]),
        lambda told: told["facts"]["torch.optim.SGD"].update(bumps="2"),
    ],
)
def test_what_is_not_of_this_form_is_refused(spoil: Callable[[dict[str, Any]], object]) -> None:
    told = copy.deepcopy(written("2.13", "torch.exp", "torch.nn.Linear", "torch.optim.SGD"))
    assert VALIDATOR.is_valid(told)
    spoil(told)
    assert not VALIDATOR.is_valid(told)

"""The JSON schema takes what the reader of settings takes, and refuses what that refuses."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from gradguard.workspace.config import FOUND, Config, ConfigError, load_config
from gradguard.workspace.schema import schema
from jsonschema import Draft7Validator

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

GOOD = (
    "",
    'select = ["ALL"]\nignore = ["GG1", "GG101", "inplace-on-saved", "G"]',
    'min-severity = "hint"',
    'exclude = ["a/"]\nextend-exclude = ["*.ipynb"]\nsrc = ["lib"]',
    '[per-file-ignores]\n"tests/**" = ["GG3"]',
    '[ops."a.b"]\nparams = ["x"]\nsaves = ["out"]\nmutates = []',
)
BAD = (
    "selct = []",
    'select = "ALL"',
    'select = ["GG7777"]',
    'ignore = ["gg101"]',
    'min-severity = "fatal"',
    "src = [1]",
    '[per-file-ignores]\n"a.py" = ["XX1"]',
    '[ops."a.b"]\nsave = ["x"]',
    'ops = ["a.b"]',
)


def test_it_is_a_schema_of_every_setting() -> None:
    Draft7Validator.check_schema(schema())
    settings = {one.name.replace("_", "-") for one in fields(Config) if one.name not in FOUND}
    assert set(schema()["properties"]) == settings
    assert all(one["description"] for one in schema()["properties"].values())


@pytest.mark.parametrize("text", GOOD + BAD)
def test_it_agrees_with_the_reader(tmp_path: Path, text: str) -> None:
    path = tmp_path / "gradguard.toml"
    path.write_text(text)
    try:
        load_config(path)
        taken = True
    except ConfigError:
        taken = False
    assert taken is (text in GOOD)
    assert Draft7Validator(schema()).is_valid(tomllib.loads(text)) is taken

"""The page about libraries names each model, and the release that it is held against."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.libraries import polyfills

from website import SUFFIX
from website.libraries import libraries, modules, releases

if TYPE_CHECKING:
    from gradguard.rules.messages import Locale


@pytest.mark.parametrize("locale", SUFFIX)
def test_every_model_is_on_the_page_with_its_release(locale: Locale) -> None:
    page = libraries(locale)
    parts = dict(re.findall(r"^## (\w+)\n\n(.*)$", page, re.MULTILINE))
    assert parts.keys() == polyfills.known()
    assert all(any(release in said for release in releases().values()) for said in parts.values())


def test_every_module_says_what_is_modelled() -> None:
    assert dict(modules("pyro"))["pyro.infer"].startswith("Stochastic variational inference")
    assert all(said.endswith(".") for name in polyfills.known() for _, said in modules(name))

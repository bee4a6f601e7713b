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

UNHELD = {"mmdet", "mmpose", "mmpretrain", "mmseg"}


@pytest.mark.parametrize("locale", SUFFIX)
def test_every_model_is_on_the_page_with_its_release(locale: Locale) -> None:
    """Those of OpenMMLab that need compiled operators are held against none."""
    page = libraries(locale)
    parts = dict(re.findall(r"^## (\w+)\n\n(.*)$", page, re.MULTILINE))
    assert parts.keys() == polyfills.known()
    known = releases().values()
    assert {name for name, said in parts.items() if not any(release in said for release in known)} == UNHELD


def test_every_module_says_what_is_modelled() -> None:
    assert dict(modules("pyro"))["pyro.infer"].startswith("Stochastic variational inference")
    assert all(said.endswith(".") for name in polyfills.known() for _, said in modules(name))

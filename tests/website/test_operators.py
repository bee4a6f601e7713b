"""The page about operators has each that saves or changes something, each release, and where these differ."""

import re

import pytest
from gradguard.facts import releases
from gradguard.rules.messages import Locale

from website.operators import differing, operators


@pytest.mark.parametrize("locale", ["en", "zh-cn"])
def test_it_tells_of_operators_and_releases(locale: Locale) -> None:
    page = operators(locale)
    for name in releases.names():
        assert re.search(rf"^\| {re.escape(name)}\.\d+ \| \d{{4}} \|", page, re.M)
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.*) \| .* \|$", page, re.M))
    assert len(rows) > 1000
    assert rows["torch.mul"].startswith("`input`")
    assert "`self.weight`" in rows["torch.nn.Linear"]
    assert "torch.add" not in rows  # it keeps nothing


def test_it_tells_where_releases_differ() -> None:
    told = dict(differing())
    assert any("saves input for backward" in line for line in told["torch.combinations"])
    assert "torch.exp" not in told

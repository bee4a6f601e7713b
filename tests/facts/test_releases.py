"""What is known of releases of PyTorch: what differs is kept, small, and found again."""

import json
from pathlib import Path

import pytest
from gradguard.facts import history, record, releases
from gradguard.facts.encoding import decode, encode
from gradguard.facts.releases import BASE, KINDS

OTHERS = [name for name in releases.names() if name != BASE.name]
LARGEST = 60_000
"""bytes of what differs in a release"""


def test_releases_are_in_order_and_one_is_the_base() -> None:
    assert BASE.name in releases.names()
    assert list(releases.names()) == sorted(releases.names(), key=releases.version)
    assert releases.of(BASE.name) is BASE
    assert OTHERS


@pytest.mark.parametrize("name", OTHERS)
def test_what_differs_is_small_and_leads_to_the_base(name: str) -> None:
    assert releases.path_of(name).stat().st_size <= LARGEST
    told = releases.told(name)
    assert told["torch"].startswith(f"{name}.")
    steps = [name]
    while steps[-1] != BASE.name:
        steps.append(releases.told(steps[-1])["beside"])
    assert steps in (sorted(steps, key=releases.version), sorted(steps, key=releases.version, reverse=True))


@pytest.mark.parametrize("name", OTHERS)
def test_every_row_decodes_and_encodes_to_itself(name: str) -> None:
    table = releases.of(name).rows("table").all()
    assert all(encode(decode(one, row)) == row for one, row in table.items())
    assert list(table) == sorted(table)
    assert not [one for one in table if releases.of(name).table.find(one) is None]


def test_each_row_of_a_file_differs_from_the_release_beside() -> None:
    for name in OTHERS:
        told = releases.told(name)
        for kind in KINDS:
            beside = releases.of(told["beside"]).rows(kind)
            assert not [one for one, row in told.get(kind, {}).items() if beside.get(one) == row]


def test_what_is_recorded_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release is put between two others: these tell the same as before, by other differences."""
    monkeypatch.setattr(releases, "FOLDER", tmp_path / "releases")
    monkeypatch.setattr(record, "FOLDER", tmp_path / "releases")
    cached = (releases.names, releases.of, releases.told, releases._over)
    base = record.tables_of(BASE.name)
    major, minor = releases.version(BASE.name)
    after, last = f"{major}.{minor + 1}", f"{major}.{minor + 2}"
    further = {**base, "table": {**base["table"], "torch.new": base["table"]["torch.exp"]}}
    del further["table"]["torch.exp"]
    between = {**base, "views": {**base["views"], "torch.new": {"saved": {"input": "view"}}}}
    for name, tables in ((last, further), (after, between)):
        for one in cached:
            one.cache_clear()
        record.record(name, {kind: dict(rows) for kind, rows in tables.items()}, {"torch": f"{name}.0"})
    for one in cached:
        one.cache_clear()
    try:
        assert releases.names() == (BASE.name, after, last)
        assert releases.told(last)["beside"] == after
        assert record.tables_of(last) == further
        assert record.tables_of(after) == between
        assert releases.of(last).table.find("torch.exp") is None
        assert releases.of(last).table.makers("ExpBackward0")[0] == "torch.new"
        assert history.when([after, last]) == f"from {after} on"
    finally:
        for one in cached:
            one.cache_clear()


def test_what_was_only_declared_is_taken_from_the_release_beside() -> None:
    measured = {"table": {"torch.f": {"params": "input"}}, **{kind: {} for kind in KINDS[1:]}}
    measured["gradients"]["torch.f"] = {"input": ["same", None]}
    declared = {"table": {"torch.f": {"params": "x", "measured": False}}, **{kind: {} for kind in KINDS[1:]}}
    record.fall_back(declared, measured, {})
    assert declared == measured


def test_files_are_json() -> None:
    for name in OTHERS:
        assert json.loads(releases.path_of(name).read_text("utf-8"))["beside"] in releases.names()


@pytest.mark.parametrize(
    ("having", "words"),
    [
        (["1.1"], "up to 1.1"),
        (["1.2"], "in 1.2"),
        (["1.2", "1.3"], "from 1.2 to 1.3"),
        (["1.3", "1.4"], "from 1.3 on"),
        (["1.1", "1.4"], "up to 1.1, from 1.4 on"),
        (["1.1", "1.3"], "up to 1.1, in 1.3"),
    ],
)
def test_spans_of_releases_are_told_in_words(having: list[str], words: str) -> None:
    assert history.when(having, ["1.1", "1.2", "1.3", "1.4"]) == words


@pytest.mark.parametrize("text", ["", "2", "two.one", "v2.1", "12345.1"])
def test_what_is_no_release_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a release"):
        releases.version(text)

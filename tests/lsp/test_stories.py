"""What a hover says about a version counter, from hand-made stories."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gradguard.analyses.domain.report import Report, Saved, Site, Story, Told, Write
from gradguard.lsp.stories import Page, advice, life, markdown, plain, story_at, unmarked
from gradguard.lsp.texts import Texts
from gradguard.syntax.chunks import parse

TEXT = "y = x.exp()\ny += 1\nz = y.sin()\nprint(y.a)\n"
SOURCE = parse(TEXT, "a.py")
ENGLISH = Texts("en")


def site(line: int) -> Site:
    """The statement on a line, counted from 1."""
    stmt = list(SOURCE.body)[line - 1]
    return Site(stmt.chunk, stmt)


SAVED = Saved(site(1), "exp", "result", "y", 0)
CHANGED = Write(site(2), "+=", "y", 0, 1)
FRESH = Story(site(1), "y", 0, True, False, (), (), (), None, None, storage=1)


def line_of(place: Site) -> int:
    return place.chunk.line_of(place.node) + 1


def told(story: Story) -> Page:
    return life(story, ENGLISH, lambda place: str(line_of(place)))


def advised(story: Story) -> list[str]:
    return advice(story, ENGLISH, line_of)


def test_the_title_says_what_is_known() -> None:
    assert told(FRESH).title == "**`y`** · version 0 · requires grad"
    unknown = replace(FRESH, version=None, requires_grad=None, is_leaf=None)
    assert told(unknown).title == "**`y`** · version unknown"
    leaf = replace(FRESH, requires_grad=False, is_leaf=True, shape=(2, None), dtype="int64")
    assert told(leaf).title == "**`y`** · version 0 · int64 [2, ?] · requires no grad · leaf"


def test_the_table_is_in_the_order_of_the_versions() -> None:
    unknown = Write(site(4), "zero_", "y", None, None)
    later = Saved(site(3), "sin", "input", "v", 1)
    page = told(replace(FRESH, writes=(unknown, CHANGED), saves=(later, SAVED)))
    assert page.table == [
        ("version", "what happened", "line"),
        ("0", "`exp` saved it for backward (its result)", "1"),
        ("0 → 1", "`+=` changed it in place", "2"),
        ("1", "`sin` saved it for backward (its input, as `v`)", "3"),
        ("? → ?", "`zero_` changed it in place", "4"),
    ]


def test_a_silent_change_is_told_as_such() -> None:
    page = told(replace(FRESH, writes=(Write(site(2), ".data", "y", 0, 0),)))
    assert page.table[1] == ("—", "`.data` changed it where the counter cannot see it", "2")


def test_what_happens_in_a_loop_is_told_once() -> None:
    assert len(told(replace(FRESH, writes=(CHANGED, CHANGED))).table) == 2


def test_a_tensor_that_nobody_needs_may_be_changed() -> None:
    assert told(FRESH).notes == [ENGLISH("event-none")]
    assert advised(FRESH) == [ENGLISH("safe")]


def test_a_saved_tensor_may_not_be_changed() -> None:
    (note,) = advised(replace(FRESH, saves=(SAVED,)))
    assert "not safe" in note
    assert "`exp` (line 1) saved it at version 0" in note


@pytest.mark.parametrize(("saved", "now"), [(None, 0), (0, None), (None, None)])
def test_an_unknown_version_may_be_the_saved_one(saved: int | None, now: int | None) -> None:
    story = replace(FRESH, version=now, saves=(replace(SAVED, version=saved),))
    assert "not safe" in advised(story)[-1]


def test_a_stale_tensor_is_told_as_such() -> None:
    (note,) = advised(replace(FRESH, site=site(2), version=1, writes=(CHANGED,), saves=(SAVED,)))
    assert "stale already" in note
    assert "saved version 0, and the counter has moved on to 1" in note


def test_what_saves_it_further_down_does_no_harm_here() -> None:
    below = Saved(site(3), "sin", "input", "y", 1)
    story = replace(FRESH, site=site(2), version=1, writes=(CHANGED,), saves=(below,))
    assert advised(story) == [ENGLISH("safe")]
    assert "not safe" in advised(replace(story, site=site(4)))[0]


def test_a_leaf_raises_at_once() -> None:
    assert advised(replace(FRESH, is_leaf=True))[-1] == ENGLISH("unsafe-leaf")


def test_sharing_is_told() -> None:
    assert "with `v`, `self.w`." in told(replace(FRESH, aliases=("v", "self.w"))).notes[1]


def test_plain_text_has_aligned_columns_and_no_markup() -> None:
    page = told(replace(FRESH, writes=(CHANGED,), saves=(SAVED,), version=1, site=site(2), aliases=("v",)))
    title, table, note = plain(page).split("\n\n")
    assert title == "y · version 1 · requires grad"
    assert table.splitlines() == [
        "version  what happened                           line",
        "0        exp saved it for backward (its result)  1",
        "0 → 1    += changed it in place                  2",
    ]
    assert not set("*`") & set(note)


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    page = Page("t", [("version", "what", "line"), ("0", "`|=` changed it", "2")])
    assert "| 0 | `\\|=` changed it | 2 |" in markdown(page)


def test_only_web_links_keep_their_address() -> None:
    assert unmarked("[5](file:///a.py#L5) **x** `y`") == "5 x y"
    assert unmarked("[More](https://a.b/c)") == "More: https://a.b/c"


def test_the_smallest_name_under_the_cursor_counts() -> None:
    attribute = list(SOURCE.body)[3].value.args[0].value  # type: ignore[attr-defined]
    names = (attribute, "y.a"), (attribute.value, "y")
    stories = [replace(FRESH, site=Site(site(4).chunk, node), name=name) for node, name in names]
    report = Report(told=lambda: [Told([], stories)])
    at = TEXT.index("y.a")
    found = [story_at(report, "a.py", at + column) for column in range(4)]
    assert [story.name if story else None for story in found] == ["y", "y", "y.a", "y.a"]
    assert story_at(report, "a.py", at - 1) is None
    assert story_at(report, "b.py", at) is None

"""Hover, code actions, inlay hints and highlights over real stdio."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.rules import RULES
from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from .conftest import Editor, Start

SMALL_GPT = Path(__file__).parents[1] / "programs" / "clean" / "small_gpt" / "benign" / "main.py"
QUICK_FIX, FIX_ALL = types.CodeActionKind.QuickFix, "source.fixAll.gradguard"


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """Apply edits to an ASCII text, as an editor does."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]
    for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        start = starts[edit.range.start.line] + edit.range.start.character
        end = starts[edit.range.end.line] + edit.range.end.character
        text = text[:start] + edit.new_text + text[end:]
    return text


# -- the release of PyTorch -----------------------------------------------------------------------


async def test_the_release_is_logged_with_its_reason(start: Start, stale: str) -> None:
    editor = await start()
    (editor.folder / "gradguard.toml").write_text('torch = "2.15"\n')
    await editor.open("a.py", stale)
    await editor.open("b.py", stale)
    told = [one.message for one in editor.client.log_messages if one.type == types.MessageType.Info]
    assert told == ["Judged by what holds in PyTorch 2.15 (`torch` in the settings)."]


# -- hover ----------------------------------------------------------------------------------------


async def test_hover_tells_the_story_of_the_version_counter(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    story = await editor.hover("a.py", 2, 0) or ""
    assert "**`y`** · version 0 · float32 [3] · requires grad" in story
    assert "| version | what happened | line |" in story
    assert f"| 0 | `exp` saved it for backward (its result) | [3]({editor.uri('a.py')}#L3) |" in story
    assert "**An in-place change here is not safe**: `exp` (line 3) saved it at version 0" in story


async def test_hover_on_a_problem_leads_to_the_rule(editor: Editor, stale: str) -> None:
    """The story comes first; the message is not told again, editors show it with the squiggle."""
    await editor.open("a.py", stale)
    story = await editor.hover("a.py", 3, 0) or ""
    title, table = story.split("\n\n")
    assert title.startswith("**`y`** · version 1")
    assert table.startswith("| version |")
    assert "will raise" not in story
    assert title.endswith(f" · [GG101 inplace-on-saved]({RULES['GG101'].address('en')})"), "the way to the rule's page"


async def test_hover_without_markdown_is_plain_text(start: Start, stale: str) -> None:
    editor = await start(text_document=None)
    await editor.open("a.py", stale)
    story = await editor.hover("a.py", 3, 0) or ""
    assert "0 → 1    += changed it in place" in story
    assert not set("`*|") & set(story.replace("**", ""))
    assert story.endswith(f": {RULES['GG101'].address('en')}"), "the way to the rule's page"


@pytest.mark.parametrize("comment", ["# gradguard: ignore[GG101]", "# noqa: GG101", "# about GG101"])
async def test_hover_on_a_rule_code_shows_its_page(editor: Editor, stale: str, comment: str) -> None:
    await editor.open("a.py", stale.replace("y += 1", f"y += 1  {comment}"))
    page = await editor.hover("a.py", 3, 8 + comment.index("GG101")) or ""
    assert page.startswith("# inplace-on-saved (GG101)")


async def test_hover_on_a_string_that_looks_like_a_code_is_silent(editor: Editor) -> None:
    await editor.open("a.py", "x = 'GG101'\n")
    assert await editor.hover("a.py", 0, 6) is None


async def test_hover_is_told_in_the_locale(start: Start, stale: str) -> None:
    editor = await start(locale="zh-CN")
    await editor.open("a.py", stale)
    assert "| 版本 | 发生了什么 | 行 |" in (await editor.hover("a.py", 2, 0) or "")


# -- code actions ---------------------------------------------------------------------------------


async def test_a_quick_fix_resolves_applies_and_leaves_nothing(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    actions = await editor.actions("a.py", 3, [QUICK_FIX])
    (preferred,) = [action for action in actions if action.is_preferred]
    assert preferred.edit is None, "edits are resolved lazily"
    assert [one.code for one in preferred.diagnostics] == ["GG101"]
    text = applied(stale, await editor.resolve(preferred))
    assert text != stale
    assert not await editor.retype("a.py", text)


async def test_fix_all_leaves_nothing(editor: Editor, stale: str) -> None:
    two = stale + stale.replace("y", "z")
    assert await editor.open("a.py", two)
    (action,) = await editor.actions("a.py", 0, [FIX_ALL])
    assert action.kind == FIX_ALL
    assert not await editor.retype("a.py", applied(two, await editor.resolve(action)))


@pytest.mark.parametrize("title", ["GradGuard: Ignore GG101 here", "GradGuard: Ignore this file"])
async def test_ignoring(editor: Editor, stale: str, title: str) -> None:
    await editor.open("a.py", stale)
    (action,) = [one for one in await editor.actions("a.py", 3) if one.title == title]
    assert not await editor.retype("a.py", applied(stale, await editor.resolve(action)))


async def test_an_idle_comment_can_go(editor: Editor) -> None:
    text = "x = 1  # gradguard: ignore[GG101]\n"
    assert await editor.open("a.py", text)
    actions = await editor.actions("a.py", 0, [QUICK_FIX])
    (action,) = [one for one in actions if "GG900" not in one.title and one.is_preferred]
    assert applied(text, await editor.resolve(action)) == "x = 1\n"


async def test_actions_belong_to_the_line_and_the_kind(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    assert await editor.actions("a.py", 1) == []
    assert {action.kind for action in await editor.actions("a.py", 3)} == {QUICK_FIX, FIX_ALL}
    assert {action.kind for action in await editor.actions("a.py", 3, ["source"])} == {FIX_ALL}
    assert await editor.actions("a.py", 3, ["refactor", "source.organizeImports"]) == []


async def test_a_client_that_cannot_resolve_gets_the_edits_at_once(start: Start, stale: str) -> None:
    editor = await start(text_document=None, workspace=None)
    await editor.open("a.py", stale)
    for action in await editor.actions("a.py", 3):
        (edits,) = action.edit.changes.values()
        assert not await editor.retype("a.py", applied(stale, edits))
        await editor.retype("a.py", stale)


async def test_an_action_for_an_older_text_is_refused(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    action = (await editor.actions("a.py", 3))[0]
    await editor.retype("a.py", "\n" + stale)
    with pytest.raises(JsonRpcException) as error:
        await editor.client.code_action_resolve_async(action)
    assert error.value.code == types.LSPErrorCodes.ContentModified


async def test_fixes_belong_to_their_document(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    await editor.open("b.py", "\n\n" + stale.replace("y", "z"))
    (preferred,) = [one for one in await editor.actions("a.py", 3, [QUICK_FIX]) if one.is_preferred]
    assert not await editor.retype("a.py", applied(stale, await editor.resolve(preferred)))


async def test_looking_for_fixes_moves_nothing(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    before = await editor.hover("a.py", 3, 0)
    for action in await editor.actions("a.py", 3):
        await editor.resolve(action)
    assert await editor.hover("a.py", 3, 0) == before


# -- inlay hints and highlights -------------------------------------------------------------------


async def hints(editor: Editor, name: str, last: int = 100) -> list[tuple[int, int, str]]:
    document = types.TextDocumentIdentifier(editor.uri(name))
    whole = types.Range(types.Position(0, 0), types.Position(last, 0))
    found = await editor.client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    return [(hint.position.line, hint.position.character, hint.label) for hint in found or []]


async def test_hints_show_behind_lines_what_is_changed_though_it_was_saved(editor: Editor, stale: str) -> None:
    await editor.open("a.py", "import torch\nz = torch.ones(3)\nz += 1\n" + stale.replace("x.exp()", "x.exp()  # y"))
    assert await hints(editor, "a.py") == [(5, 16, "y: saved v0"), (6, 6, "y: v0 → v1")]
    assert await hints(editor, "a.py", last=6) == [(5, 16, "y: saved v0")]


async def test_a_line_has_one_hint(editor: Editor) -> None:
    text = "import torch\nx = torch.ones(3, requires_grad=True)\n"
    await editor.open("a.py", text + "y, z = x.exp(), x.sin(); w = z.sin(); y += 1; z.mul_(2)\n")
    ((line, column, label),) = await hints(editor, "a.py")
    assert (line, column) == (2, 55)
    assert label == "y: saved v0, v0 → v1; z: saved v0, v0 → v1"


@pytest.mark.parametrize(("setting", "count"), [("off", 0), ("changed", 2), ("saved", 3), ("all", 4)])
async def test_hints_follow_the_settings(start: Start, stale: str, setting: str, count: int) -> None:
    editor = await start(options={"inlayHints": setting})
    await editor.open("a.py", "import torch\nz = torch.ones(3)\nz += 1\n" + stale + "torch.sin(x).sum().backward()\n")
    assert len(await hints(editor, "a.py")) == count


async def test_a_faultless_program_has_no_hints(start: Start) -> None:
    """Weights that are initialised, and trained, are changed in place; nobody wants to read that at each line."""
    gpt = SMALL_GPT.read_text(encoding="utf-8")
    assert len(gpt.splitlines()) == 64
    for setting, quiet in (("changed", True), ("saved", False)):
        editor = await start(options={"inlayHints": setting})
        assert await editor.open("gpt.py", gpt) == []
        assert (await hints(editor, "gpt.py") == []) is quiet


async def highlights(editor: Editor, line: int, column: int) -> list[tuple[int, int, Any]] | None:
    document = types.TextDocumentIdentifier(editor.uri("a.py"))
    params = types.DocumentHighlightParams(document, types.Position(line, column))
    found = await editor.client.text_document_document_highlight_async(params)
    return found and [(one.range.start.line, one.range.start.character, one.kind) for one in found]


READ, WRITE = types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write
OF_Y = [(2, 0, READ), (2, 4, READ), (3, 0, WRITE), (4, 0, READ)]


async def test_highlights_tell_reads_from_writes(start: Start, stale: str) -> None:
    editor = await start(options={"highlight": "all"})
    await editor.open("a.py", stale)
    assert await highlights(editor, 2, 0) == OF_Y
    assert await highlights(editor, 0, 0) is None


async def test_highlights_of_names_are_left_to_others(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    assert [await highlights(editor, 3, column) for column in (0, 1, 3, 5)] == [None, None, OF_Y, None]
    assert [await highlights(editor, 2, column) for column in (0, 4, 6, 9)] == [None] * 4  # y, x, exp, ()
    await editor.retype("a.py", stale.replace("y += 1", "y.add_(1)"))
    assert [await highlights(editor, 3, column) for column in (0, 2, 6, 7)] == [None, OF_Y, OF_Y, None]
    # an operator that saves both of its operands
    await editor.retype("a.py", stale.replace("x.exp()", "x * x.exp()").replace("y += 1", "x @ y"))
    assert await highlights(editor, 3, 2) == [(1, 0, READ), (2, 0, READ), (2, 4, READ), (3, 0, READ), (4, 0, READ)]


async def test_highlights_can_be_off(start: Start, stale: str) -> None:
    editor = await start(options={"highlight": "off"})
    await editor.open("a.py", stale)
    assert await highlights(editor, 3, 3) is None


async def test_lessons_and_fixing_all_can_be_off(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    assert "**`exp`** saves for backward" in (await editor.hover("a.py", 2, 7) or "")
    assert any(action.kind == "source.fixAll.gradguard" for action in await editor.actions("a.py", 3))
    off = {"gradguard": {"hoverLessons": False, "fixAll": False}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(off))
    assert "saves for backward" not in (await editor.hover("a.py", 2, 7) or "")
    assert "**`y`**" in (await editor.hover("a.py", 3, 0) or "")
    assert all(action.kind == "quickfix" for action in await editor.actions("a.py", 3))
    assert await editor.actions("a.py", 3, ["source.fixAll"]) == []

"""The request `gradguard/versionStory`, by which an editor draws a counter's life."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradguard.lsp.version_story import METHOD

if TYPE_CHECKING:
    from .conftest import Editor


async def asked(editor: Editor, line: int, character: int) -> Any:
    position = {"line": line, "character": character}
    params = {"textDocument": {"uri": editor.uri("a.py")}, "position": position}
    return await editor.client.protocol.send_request_async(METHOD, params)


async def test_the_story_of_a_stale_tensor(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    story = await asked(editor, 2, 0)
    assert (story.name, story.version) == ("y", 0)
    told = [(place.kind, place.range.start.line, place.certain) for place in story.places]
    assert told == [("saved", 2, True), ("changed", 3, True), ("backward", 4, True)]
    assert [place.label for place in story.places] == ["saved v0 by exp (its result)", "v0 → v1 by +=", "✗ needs v0"]
    assert story.places[0].text == "0: exp saved it for backward (its result)"
    assert story.places[1].text == "0 → 1: += changed it in place"


CALLED_BY_NOBODY = """\
import torch
def f(x: torch.Tensor):
    y = x.exp()
    y += 1
    y.sum().backward()
"""


async def test_an_assumption_makes_it_possible(editor: Editor) -> None:
    """In a function that nobody calls the argument may not require grad."""
    await editor.open("a.py", CALLED_BY_NOBODY)
    story = await asked(editor, 2, 4)
    assert [place.certain for place in story.places if place.kind == "backward"] == [False]


async def test_off_any_tensor_there_is_none(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    assert await asked(editor, 0, 0) is None

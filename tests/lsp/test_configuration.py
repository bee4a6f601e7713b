"""Settings: from the editor, from the project's files, and wrong ones."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.lsp.settings import Settings, read
from gradguard.lsp.texts import CATALOGUES, Texts
from lsprotocol import types

from .test_diagnostics import until

if TYPE_CHECKING:
    from .conftest import Editor, Start

ASKING = types.WorkspaceClientCapabilities(
    configuration=True,
    did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
)


def test_settings_are_read_in_camel_case() -> None:
    value = {
        "diagnosticMode": "workspace",
        "inlayHints": "all",
        "highlight": "off",
        "hoverLessons": False,
        "fixAll": False,
        "minSeverity": "error",
        "select": ["GG1"],
        "ignore": [],
        "configuration": "a.toml",
        "python": "venv/bin/python",
    }
    settings = Settings("workspace", "all", "off", False, False, "error", ("GG1",), (), "a.toml", "venv/bin/python")
    assert len(value) == len(fields(Settings))
    reading = read(value, Texts("en"))
    assert reading.problems == []
    assert reading.settings == settings


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, ["an object", "3"]),
        ({"inlay": True}, ["`inlay` is unknown", "inlayHints"]),
        ({"inlayHints": True}, ["`inlayHints`", '"off" | "changed" | "saved" | "all"', "True"]),
        ({"diagnosticMode": "all"}, ["`diagnosticMode`", '"openFilesOnly" | "workspace"']),
        ({"highlight": 1}, ["`highlight`", '"off" | "operators" | "all"']),
        ({"fixAll": "yes"}, ["`fixAll`", "true | false"]),
        ({"minSeverity": "fatal"}, ["`minSeverity`", '"error"', "'fatal'"]),
        ({"select": "GG101"}, ["`select`", "'GG101'"]),
        ({"ignore": [1]}, ["`ignore`", "[1]"]),
        ({"ignor": []}, ["`ignor` is unknown", "did you mean `ignore`?"]),
        ({"select": ["GG1", "XY"]}, ["`select` names an unknown rule `XY`"]),
        ({"select": ["lost-leef"]}, ["unknown rule `lost-leef`; did you mean `lost-leaf`?"]),
        ({"configuration": {}}, ["`configuration`", "string"]),
    ],
)
def test_a_wrong_setting_is_named_and_the_others_hold(value: Any, words: list[str]) -> None:
    others = {"minSeverity": "hint"} if isinstance(value, dict) and "minSeverity" not in value else {}
    reading = read({**value, **others} if isinstance(value, dict) else value, Texts("en"))
    (problem,) = reading.problems
    assert all(word in problem for word in words)
    assert reading.settings == Settings(min_severity="hint" if others else None)


def test_no_settings_are_the_defaults() -> None:
    assert read(None, Texts("en")).settings == Settings()
    assert read({"select": None}, Texts("en")).settings == Settings()


def test_every_text_is_there_in_every_language() -> None:
    english = CATALOGUES["en"]
    for catalogue in CATALOGUES.values():
        assert catalogue.keys() == english.keys()
        for key, text in catalogue.items():
            assert sorted(_placeholders(text)) == sorted(_placeholders(english[key])), key


def _placeholders(text: str) -> list[str]:
    return [piece.split("}")[0] for piece in text.split("{")[1:]]


async def changed(editor: Editor, settings: Any) -> None:
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))


async def test_changed_settings_take_effect_at_once(editor: Editor, stale: str) -> None:
    assert await editor.open("a.py", stale)
    await changed(editor, {"gradguard": {"ignore": ["GG101"]}})
    assert await editor.published(editor.uri("a.py"), 1) == []
    await changed(editor, {"gradguard": {}})
    assert len(await editor.published(editor.uri("a.py"), 1)) == 1


async def test_a_wrong_setting_is_shown(start: Start) -> None:
    editor = await start(options={"inlayHints": "sometimes"})
    await editor.open("a.py", "")
    (message,) = editor.client.messages
    assert message.type == types.MessageType.Error
    assert "`inlayHints` must be" in message.message


async def test_settings_are_asked_for_where_the_client_wants_that(start: Start, stale: str) -> None:
    editor = await start(workspace=ASKING)
    assert await editor.open("a.py", stale)
    editor.client.set_configuration({"ignore": ["GG101"]}, section="gradguard")
    await changed(editor, None)
    assert await editor.published(editor.uri("a.py"), 1) == []


async def test_a_client_that_can_be_asked_sends_no_settings_along(start: Start) -> None:
    """VS Code would send its whole section, with settings that are the extension's own."""
    changes = types.DidChangeConfigurationClientCapabilities(dynamic_registration=True)
    for can_be_asked in (True, False):
        workspace = types.WorkspaceClientCapabilities(configuration=can_be_asked, did_change_configuration=changes)
        editor = await start(workspace=workspace)
        seen: list[types.Registration] = []

        @editor.client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams, seen: list[types.Registration] = seen) -> None:
            seen.extend(params.registrations)

        await until(lambda seen=seen: bool(seen))
        assert [one.register_options for one in seen] == [{} if can_be_asked else {"section": "gradguard"}]


async def test_the_project_file_counts_and_is_read_again(editor: Editor, stale: str) -> None:
    path = editor.folder / "gradguard.toml"
    path.write_text('ignore = ["GG101"]\n')
    assert await editor.open("a.py", stale) == []
    path.write_text("")
    event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    assert len(await editor.published(editor.uri("a.py"), 1)) == 1


async def test_a_broken_project_file_is_shown_once_and_the_defaults_hold(editor: Editor, stale: str) -> None:
    (editor.folder / "gradguard.toml").write_text("ignore = 3\n")
    assert len(await editor.open("a.py", stale)) == 1
    await editor.retype("a.py", stale + "\n")
    (message,) = editor.client.messages
    assert "gradguard.toml" in message.message


async def test_a_file_that_changes_on_disk_is_seen_by_its_importers(editor: Editor, stale: str) -> None:
    helper = editor.folder / "helper.py"
    helper.write_text("def keep(t):\n    return t.clone()\n")
    assert not await editor.open("main.py", "import helper\n" + stale.replace("y += 1", "y = helper.keep(y)\ny += 1"))
    helper.write_text("def keep(t):\n    return t\n")
    event = types.FileEvent(helper.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    assert await editor.published(editor.uri("main.py"), 1)


async def test_a_model_that_changes_on_disk_is_seen_by_what_it_is_for(editor: Editor) -> None:
    (editor.folder / "gradguard.toml").write_text('models = ["models"]\n')
    model = editor.folder / "models" / "fastnet.py"
    model.parent.mkdir()
    model.write_text("def halved(x):\n    return x.sin()\n")
    text = "import torch\nimport fastnet\nx = torch.ones(3, requires_grad=True) * 1\ny = fastnet.halved(x).sum()\n"
    assert len(await editor.open("main.py", text + "x += 1\ny.backward()\n")) == 1
    model.write_text("def halved(x):\n    return x / 2\n")
    event = types.FileEvent(model.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    assert not await editor.published(editor.uri("main.py"), 1)


async def test_watching_is_registered_where_the_client_can(start: Start) -> None:
    editor = await start(workspace=ASKING)
    seen: list[str] = []
    watched: set[str] = set()

    @editor.client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        seen.extend(one.method for one in params.registrations)
        watched.update(one["globPattern"] for one in params.registrations[0].register_options["watchers"])

    await until(lambda: bool(seen))
    assert seen == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
    assert watched >= {"**/*.py", "**/*.ipynb", "**/.gitignore", "**/gradguard.toml"}

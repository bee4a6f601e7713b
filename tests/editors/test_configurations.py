"""Configurations of editors that are not run here: they can be read, and they start the server."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import pytest

from .conftest import PATH, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}


def helix(text: str) -> list[str]:
    settings = tomllib.loads(text)
    (python,) = settings["language"]
    assert python["name"] == "python"
    (server,) = (settings["language-server"][name] for name in python["language-servers"])
    return [server["command"], *server["args"]]


def kate(text: str) -> list[str]:
    return json.loads(text)["servers"]["python"]["command"]


def pycharm(text: str) -> list[str]:
    template = json.loads(text)
    (mapping,) = template["fileTypeMappings"]
    assert mapping["languageId"] == "python"
    return template["programArgs"]["default"].split()


def sublime(text: str) -> list[str]:
    client = json.loads(text)["clients"]["gradguard"]
    assert client["enabled"]
    assert client["selector"] == "source.python"
    return client["command"]


def zed(text: str) -> list[str]:
    settings = json.loads(text)
    server = settings["lsp"][settings["languages"]["Python"]["language_servers"][0]]["binary"]
    return [server["path"], *server["arguments"]]


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("helix/languages.toml", helix),
        ("kate/settings.json", kate),
        ("pycharm/template.json", pycharm),
        ("sublime/LSP.sublime-settings", sublime),
        ("zed/settings.json", zed),
    ],
)
def test_the_server_answers(file: str, command: Callable[[str], list[str]]) -> None:
    answers(command((ROOT / "editors" / file).read_text(encoding="utf-8")))


def answers(command: list[str]) -> None:
    body = json.dumps(INITIALIZE)
    done = subprocess.run(
        command,
        input=f"Content-Length: {len(body)}\r\n\r\n{body}",
        env={**os.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert '"name":"gradguard"' in done.stdout.replace(" ", ""), done.stderr


def test_jupyterlab_finds_the_server() -> None:
    (entry,) = (one for one in entry_points(group="jupyter_lsp_spec_v1") if one.name == "gradguard")
    answers(entry.load()(None)["gradguard"]["argv"])


def test_jupyterlab_takes_the_description() -> None:
    """As jupyter-lsp holds it against its own schema, by which it leaves out what does not conform."""
    if not os.environ.get("REQUIRE_EDITORS"):
        pytest.importorskip("jupyter_lsp")
    manager = importlib.import_module("jupyter_lsp").LanguageServerManager()
    manager.initialize()
    assert manager.language_servers["gradguard"]["languages"] == ["python"]
    assert "gradguard" in manager.sessions

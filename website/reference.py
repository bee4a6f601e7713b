"""The reference pages, made from the code: the parsers of the command line, and the dataclasses of the settings."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING, Any

from gradguard.cli.main import parser
from gradguard.lsp.settings import Settings
from gradguard.workspace.config import Config, OwnOp
from gradguard.workspace.schema import documented

from . import ROOT
from .chinese import OPTIONS, SETTINGS, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradguard.rules.messages import Locale

WIDTH = 100
"""columns of a usage"""


def command_line(locale: Locale) -> str:
    """The page about the commands: of each its usage, what it does, and its options."""
    subparsers = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    parts = [f"# {_word('Command line', locale)}"]
    for name, command in subparsers.choices.items():
        command.formatter_class = _Wide
        about = (command.description or "").partition("\n")
        parts.append(f"## `gradguard {name}`")
        parts.append(_translated(f"{name}", about[0].strip(), locale))
        parts.append(f"```text\n{command.format_usage()}```")
        rows = list(_options(name, command, locale))
        if rows:
            parts.append(_table(("option", "what"), rows, locale))
        if rest := about[2].strip():
            parts.append(f"```text\n{_translated(f'{name} status', rest, locale)}\n```")
    return "\n\n".join(parts) + "\n"


class _Wide(argparse.HelpFormatter):
    """Usages as wide as a page, however wide the terminal is."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)


def _options(name: str, command: argparse.ArgumentParser, locale: Locale) -> Iterator[tuple[str, str]]:
    for action in command._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        shown = ", ".join(action.option_strings) or str(action.metavar or action.dest)
        if action.option_strings and action.nargs != 0:
            shown += f" {action.metavar or ''}".rstrip()
        choices = ", ".join(f"`{choice}`" for choice in action.choices or ())
        what = _translated(f"{name} {action.dest}", (action.help or "") % {"default": action.default}, locale)
        yield f"`{shown}`", f"{what} {choices}".strip()


def configuration(locale: Locale) -> str:
    """The page about the settings: of a project, of its own operators, of an editor, and of VS Code's extension."""
    shown = [setting for setting in documented(Config) if setting[0] not in ("root", "path")]
    return "\n\n".join(
        [
            f"# {_word('Configuration', locale)}",
            _word("project", locale),
            _table(("setting", "default", "what"), _rows("project", shown, locale), locale),
            _word("schema", locale),
            f"## {_word('Operators of your own', locale)} {{ #operators }}",
            _word("operators", locale),
            _table(("setting", "default", "what"), _rows("operator", documented(OwnOp), locale), locale),
            f"## {_word('Comments', locale)} {{ #comments }}",
            _word("comments", locale),
            f"## {_word('Editors', locale)} {{ #editors }}",
            _word("editors", locale),
            _table(
                ("setting", "default", "what"),
                _rows(
                    "editor", [(_camel(name), default, what) for name, default, what in documented(Settings)], locale
                ),
                locale,
            ),
            "## VS Code { #vs-code }",
            _table(("setting", "default", "what"), list(_extension(locale)), locale),
            "",
        ]
    )


def _rows(scope: str, settings: Any, locale: Locale) -> list[tuple[str, ...]]:
    dashed = (lambda name: name) if scope == "editor" else (lambda name: name.replace("_", "-"))
    return [
        (f"`{dashed(name)}`", _default(default), SETTINGS.get(f"{scope} {name}", what) if locale == "zh-cn" else what)
        for name, default, what in settings
    ]


def _default(value: object) -> str:
    if value is None or value == {}:
        return ""
    return f"`{json.dumps(list(value) if isinstance(value, tuple) else value)}`"


def _extension(locale: Locale) -> Iterator[tuple[str, str, str]]:
    """The settings of VS Code's extension, in the words of its own catalogues."""
    folder = ROOT / "vscode-client"
    manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    catalogue = "package.nls.json" if locale == "en" else "package.nls.zh-cn.json"
    words = json.loads((folder / catalogue).read_text(encoding="utf-8"))
    for name, setting in manifest["contributes"]["configuration"]["properties"].items():
        key = setting.get("markdownDescription") or setting["description"]
        yield f"`{name}`", f"`{json.dumps(setting['default'])}`", words[key.strip("%")]


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]], locale: Locale) -> str:
    lines = [[_word(name, locale) for name in head], ["---"] * len(head), *(map(_cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _word(key: str, locale: Locale) -> str:
    return WORDS[locale].get(key, key)


def _translated(key: str, text: str, locale: Locale) -> str:
    """The Chinese words of an option; what has none yet stays as the code has it."""
    return OPTIONS.get(key, text) if locale == "zh-cn" else text

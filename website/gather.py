"""The pages of the site, gathered in one folder: those that people wrote, and those made from the code."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

from gradguard.facts.schema import schema as facts_schema
from gradguard.rules import RULES
from gradguard.rules.messages import say
from gradguard.rules.page import catalogue, page
from gradguard.rules.pytorch_error import OTHERS
from gradguard.workspace.schema import schema

from . import ROOT, SUFFIX
from .libraries import libraries
from .operators import operators
from .reference import command_line, configuration

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gradguard.rules.messages import Locale

DOCS = ROOT / "docs"

MEASURED = {
    "accuracy.md": "make fuzz",
    "latency.md": "make bench",
    "speed.md": "make speed",
    "found-in-the-wild.md": "make ecosystem",
    "real-code.md": "make mutants",
}
"""pages that a run writes, and which; a site can be built before that run"""

MESSAGES = "<!-- generated: messages -->"
OTHER_ERRORS = "<!-- generated: others -->"
"""where a page has the table of messages that rules are about, and of those that none is about"""

CHINESE_BREAK = re.compile(
    r"(?<=[\u3000-\u9fff\uff00-\uffef”])\n *(?=[\u3000-\u9fff\uff00-\uffef“])|(?<=[，。：；、）！？])\n *(?=[\w*`\[])"
)
"""a line break that is no space: between ideographs, or after their punctuation"""

OF_THE_ROOT = {
    "ARCHITECTURE.md": "inside/how-it-works.md",
    "CONTRIBUTING.md": "inside/contributing.md",
    "CHANGELOG.md": "inside/changelog.md",
    "SECURITY.md": "inside/security.md",
}
"""pages of the repository that the site shows too"""


def navigation() -> list[dict[str, object]]:
    """The `nav` of MkDocs; mkdocs.yml has its words in Chinese."""
    return [
        {"Home": "index.md"},
        {
            "Start": [
                {"Command line": "start/command-line.md"},
                {"See it where it runs": "start/run.md"},
                {"VS Code": "start/vscode.md"},
                {"Neovim": "start/neovim.md"},
                {"Emacs": "start/emacs.md"},
                {"Vim": "start/vim.md"},
                {"Other editors": "start/other-editors.md"},
                {"Continuous integration": "start/ci.md"},
            ]
        },
        {
            "Learn": [
                {"How version counters work": "learn/version-counters.md"},
                {"Reading PyTorch's message": "learn/pytorch-messages.md"},
                {"Five failures, worked through": "learn/worked-examples.md"},
                {"What common advice gets wrong": "learn/common-advice.md"},
            ]
        },
        {
            "Help": [
                {"Questions that come up": "help/faq.md"},
                {"This is a false alarm": "help/false-alarm.md"},
                {"What is not followed": "help/not-followed.md"},
                {"Describe a library": "help/your-libraries.md"},
                {"Beside other ways to find it": "help/compared.md"},
                {"Beside ruff and Pylance": "help/beside.md"},
                {"Privacy": "help/privacy.md"},
            ]
        },
        {
            "Rules": [
                {"All rules": "rules/index.md"},
                *({f"{rule.code} {rule.name}": f"rules/{rule.name}.md"} for rule in RULES.values()),
            ]
        },
        {
            "Reference": [
                {"Command line": "reference/command-line.md"},
                {"Configuration": "reference/configuration.md"},
                {"Libraries": "reference/libraries.md"},
                {"Operators": "reference/operators.md"},
            ]
        },
        {
            "Measured": [
                {"Accuracy": "accuracy.md"},
                {"Speed in the editor": "latency.md"},
                {"Speed on the command line": "speed.md"},
                {"Found in the wild": "found-in-the-wild.md"},
                {"Edits in real code": "real-code.md"},
            ]
        },
        {
            "Inside": [
                {"How it works inside": "inside/how-it-works.md"},
                {"Contributing": "inside/contributing.md"},
                {"Security": "inside/security.md"},
                {"Changelog": "inside/changelog.md"},
            ]
        },
    ]


def gather(folder: Path) -> None:
    """Write all pages into `folder`, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder)
    for path in folder.rglob("*.md"):
        locale: Locale = "zh-cn" if path.name.endswith(SUFFIX["zh-cn"]) else "en"
        text = path.read_text(encoding="utf-8")
        text = text.replace(MESSAGES, _messages(locale)).replace(OTHER_ERRORS, _other_errors(locale))
        if path.name in MEASURED:
            text = re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", text)  # files that the site does not have
        path.write_text(CHINESE_BREAK.sub("", text) if locale == "zh-cn" else text, encoding="utf-8")
    for path, text in generated():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def generated() -> Iterator[tuple[str, str]]:
    """The pages that are made from the code, each with its path in the site."""
    for locale, suffix in SUFFIX.items():
        for rule in RULES.values():
            yield f"rules/{rule.name}{suffix}", page(rule, locale)
        yield f"rules/index{suffix}", _catalogue(locale)
        yield f"reference/command-line{suffix}", command_line(locale)
        yield f"reference/configuration{suffix}", configuration(locale)
        yield f"reference/libraries{suffix}", libraries(locale)
        yield f"reference/operators{suffix}", operators(locale)
    yield "reference/gradguard.schema.json", json.dumps(schema(), indent=2)
    yield "reference/facts.schema.json", json.dumps(facts_schema(), indent=2)
    for name, command in MEASURED.items():
        if not (DOCS / name).exists():
            yield (
                name,
                f"# {name.removesuffix('.md').replace('-', ' ').capitalize()}\n\n`{command}` writes this page.\n",
            )
    for name, path in OF_THE_ROOT.items():
        yield path, _relinked((ROOT / name).read_text(encoding="utf-8"))


def _messages(locale: Locale) -> str:
    """A table of the messages of PyTorch's, each with the rules about it."""
    rules: dict[str, list[str]] = {}
    for rule in RULES.values():
        for piece in rule.error:
            rules.setdefault(piece, []).append(f"[{rule.code}](../rules/{rule.name}.md) {rule.name}")
    head = {"en": "| PyTorch says | rules |", "zh-cn": "| PyTorch 的消息 | 规则 |"}[locale]
    return "\n".join([head, "|---|---|", *(f"| *{piece}* | {', '.join(names)} |" for piece, names in rules.items())])


def _other_errors(locale: Locale) -> str:
    """A table of errors that no rule is about, each with what is said of it."""
    head = {"en": "| PyTorch says | it means |", "zh-cn": "| PyTorch 的消息 | 含义 |"}[locale]
    rows = (f"| *{piece}* | {say(key, locale)} |" for piece, key in OTHERS.items())
    return "\n".join([head, "|---|---|", *rows])


def _catalogue(locale: Locale) -> str:
    heading = {"en": "All rules", "zh-cn": "所有规则"}[locale]
    linked = re.sub(r"^\| (GG\d+) \| ([a-z-]+) \|", r"| [\1](\2.md) | [\2](\2.md) |", catalogue(locale), flags=re.M)
    return f"# {heading}\n\n{linked}"


def _relinked(text: str) -> str:
    """A page of the repository with its links as the site has them; what it does not have is only named."""

    def link(found: re.Match[str]) -> str:
        label, target = found.groups()
        if target in OF_THE_ROOT:
            return f"[{label}]({OF_THE_ROOT[target].removeprefix('inside/')})"
        if target.startswith("docs/"):
            return f"[{label}](../{target.removeprefix('docs/')})"
        return found[0] if target.startswith("http") else label

    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", link, text)

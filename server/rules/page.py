"""The pages about rules, in Markdown: what `gradguard explain`, the documentation and the hover show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import RULES

if TYPE_CHECKING:
    from .rule import Rule


def page(rule: Rule) -> str:
    """The page of one rule."""
    said = "\n".join(f"> {piece}" for piece in rule.error)
    predicts = ", ".join(f"`{kind}`" for kind in rule.kinds)
    parts = [
        f"# {rule.name} ({rule.code})",
        rule.summary,
        f"Predicts: {predicts}. Severity: {rule.severity.label}." if predicts else f"Severity: {rule.severity.label}.",
        "## What it does",
        rule.what,
        "## Why it fails",
        rule.why,
        f"PyTorch says:\n\n{said}" if said else "",
        "## Example",
        _program(rule.fails),
        "Use instead:",
        _program(rule.works),
        "## Known limits",
        rule.limits,
        "## Fix safety",
        rule.fixes,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def catalogue() -> str:
    """A table of all rules: code, name, kind and summary."""
    head = ["| code | name | kind | summary |", "|---|---|---|---|"]
    return "\n".join(head + [_row(rule) for rule in RULES.values()]) + "\n"


def _row(rule: Rule) -> str:
    return f"| {rule.code} | {rule.name} | {' or '.join(rule.kinds)} | {rule.summary} |"


def _program(text: str) -> str:
    return f"```python\n{text}```"

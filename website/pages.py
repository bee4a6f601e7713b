"""Writes the rules' pages into the package, where links from diagnostics lead: `python -m website.pages`."""

from __future__ import annotations

from gradguard.rules import RULES
from gradguard.rules.page import page
from gradguard.rules.rule import PAGES

from . import SUFFIX


def write() -> None:
    """Write each page anew, in each language; those that no rule has go."""
    PAGES.mkdir(exist_ok=True)
    for stale in PAGES.iterdir():
        stale.unlink()
    for rule in RULES.values():
        for locale in SUFFIX:
            rule.file(locale).write_text(page(rule, locale), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()

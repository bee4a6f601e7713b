"""The documentation site: what it is made of besides the pages in `docs/`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradguard.rules.messages import Locale

ROOT = Path(__file__).resolve().parents[1]

SUFFIX: dict[Locale, str] = {"en": ".md", "zh-cn": ".zh.md"}
"""how the pages of a language end"""

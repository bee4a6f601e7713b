"""The documentation site: what it is made of besides the pages in `docs/`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

SUFFIX = {"en": ".md", "zh-cn": ".zh.md"}
"""how the pages of a language end"""

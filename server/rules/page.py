"""The pages about rules, in Markdown: what `gradguard explain`, the documentation and the hover show."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING

from ..facts.history import ranges, varying
from ..facts.model import ModuleFact, Op
from . import RULES
from .chinese import WORDS, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .messages import Locale
    from .rule import Mend, Rule

HEADINGS: dict[Locale, tuple[str, ...]] = {
    "en": (
        "Predicts: {kinds}. ",
        "Severity: {severity}.",
        "What it does",
        "Why it fails",
        "PyTorch says:",
        "Example",
        "Use instead:",
        "Known limits",
        "Fix safety",
        "Where releases differ",
    ),
    "zh-cn": (
        "预测：{kinds}。",
        "严重程度：{severity}。",
        "查找什么",
        "为何失败",
        "PyTorch 的消息：",
        "示例",
        "应改为：",
        "已知限制",
        "修复的安全性",
        "各版本的差别",
    ),
}


def words(rule: Rule, locale: Locale = "en") -> Rule | Words:
    """The texts of a rule in a language: `summary`, `what`, `why`, `limits` and `fixes`."""
    return rule if locale == "en" else _translated(rule.code)


@cache
def _translated(code: str) -> Words:
    """The Chinese texts of a rule, in which a line break is no space between two ideographs."""
    texts = asdict(WORDS[code])
    return Words(**{name: _SPACE.sub("", _BREAK.sub(" ", text)) for name, text in texts.items()})


_BREAK = re.compile(r"(?<=[^\n])\n *(?=[^\n -])")
_SPACE = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef]) (?=[\u3000-\u9fff\uff00-\uffef])")


def page(rule: Rule, locale: Locale = "en") -> str:
    """The page of one rule."""
    predicts, severity, does, fails, says, example, instead, limits, safety, differ = HEADINGS[locale]
    text = words(rule, locale)
    said = "\n".join(f"> {piece}" for piece in rule.error)
    kinds = ", ".join(f"`{kind}`" for kind in rule.kinds)
    parts = [
        f"# {rule.name} ({rule.code})",
        text.summary,
        (predicts.format(kinds=kinds) if kinds else "") + severity.format(severity=rule.severity.label),
        f"## {does}",
        text.what,
        f"## {fails}",
        text.why,
        f"{says}\n\n{said}" if said else "",
        f"## {example}",
        _program(rule.fails),
        instead,
        _program(rule.works),
        f"## {limits}",
        text.limits,
        f"## {safety}",
        text.fixes,
        f"## {differ}\n\n{differing}" if (differing := "\n".join(_differing(rule, locale))) else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


IN_SOME: dict[str, tuple[Callable[[Op | ModuleFact], bool], dict[Locale, str]]] = {
    "GG101": (
        lambda fact: any(case.saves for case in fact.cases),
        {
            "en": "Some callables save a tensor of the program's in these releases of PyTorch alone:",
            "zh-cn": "有些可调用对象仅在以下 PyTorch 版本中保存程序的张量：",
        },
    ),
    "GG205": (
        lambda fact: isinstance(fact, Op) and fact.overlapping,
        {
            "en": "Some callables write a tensor whose elements share memory in these releases of PyTorch alone:",
            "zh-cn": "有些可调用对象仅在以下 PyTorch 版本中允许写入元素共享内存的张量：",
        },
    ),
}
"""what a rule rests on that may be otherwise in another release, with the words above the list"""


def _differing(rule: Rule, locale: Locale) -> Iterator[str]:
    """The callables to which a rule applies in some releases alone."""
    tells, head = IN_SOME.get(rule.code, (None, {}))
    if tells is not None and (found := list(varying(tells))):
        yield f"{head[locale]}\n"
        yield from (f"- `{name}`: {ranges(having)}" for name, having in found)


def catalogue(locale: Locale = "en") -> str:
    """A table of all rules: code, name, severity, the best fix there is, and summary."""
    columns = COLUMNS[locale]
    head = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join(head + [_row(rule, locale) for rule in RULES.values()]) + "\n"


COLUMNS: dict[Locale, tuple[str, ...]] = {
    "en": ("code", "name", "severity", "fix", "what it finds"),
    "zh-cn": ("代码", "名称", "严重程度", "修复", "发现什么"),
}

MENDS: dict[Locale, dict[Mend, str]] = {
    "en": {"safe": "`--fix`", "unsafe": "`--unsafe-fixes`", "none": "by hand"},
    "zh-cn": {"safe": "`--fix`", "unsafe": "`--unsafe-fixes`", "none": "手动"},
}


def _row(rule: Rule, locale: Locale) -> str:
    mend = MENDS[locale][rule.mend]
    return f"| {rule.code} | {rule.name} | {rule.severity.label} | {mend} | {words(rule, locale).summary} |"


def _program(text: str) -> str:
    return f"```python\n{text}```"

"""What the server says in its own words, in each language that it speaks.

Rules and diagnostics have their texts in the room `rules`. Placeholders are those of `str.format`.
"""

from __future__ import annotations

from ..rules.messages import Locale, locale_of

ENGLISH = {
    "version": "version {version}",
    "version-unknown": "version unknown",
    "requires-grad": "requires grad",
    "no-grad": "requires no grad",
    "leaf": "leaf",
    "column-version": "version",
    "column-event": "what happened",
    "column-line": "line",
    "event-saved": "`{op}` saved it for backward ({role})",
    "event-saved-name": "`{op}` saved it for backward ({role}, as `{name}`)",
    "event-changed": "`{via}` changed it in place",
    "event-changed-name": "`{via}` changed it in place, through `{name}`",
    "event-silent": "`{via}` changed it where the counter cannot see it",
    "event-none": "Nothing has saved or changed it so far.",
    "shares": "It shares its memory, and this counter, with {names}.",
    "unsafe-saved": "**An in-place change here is not safe**: `{op}` (line {line}) saved it {at}, and its backward "
    "reads it again.",
    "at-version": "at version {version}",
    "at-unknown": "in its present state",
    "unsafe-leaf": "**An in-place change here raises at once**: it is a leaf that requires grad. Under "
    "`torch.no_grad()` it is allowed, but moves the version all the same.",
    "stale": "**It is stale already**: `{op}` (line {line}) saved version {saved}, and the counter has moved on to "
    "{version}. A `backward()` through `{op}` that is still to come raises.",
    "safe": "An in-place change here is safe: no operation whose backward is still to come has saved it.",
    "rule-more": "More about {code}",
    "hint-saved": "saved v{version}",
    "hint-saved-tip": "{op} saved this tensor for backward at version {version}.",
    "hint-silent": "v{before}, unseen",
    "hint-changed": "v{before} → v{after}",
    "hint-changed-tip": "{via} moves the version counter from {before} to {after}.",
    "fix-all": "Fix all GradGuard problems that have a safe fix",
    "ignore-here": "Ignore {code} here",
    "ignore-file": "Ignore GradGuard in this file",
    "setting-wrong": "GradGuard: setting {problem}",
    "settings-no-object": "the settings must be an object, not {value}",
    "setting-unknown": "`{name}` is unknown (known: {known})",
    "setting-value": "`{name}` must be {expected}, not {value}",
    "checking": "GradGuard: checking the workspace",
    "analysing": "GradGuard: analysing {name}",
}

SIMPLIFIED_CHINESE = {
    "version": "版本 {version}",
    "version-unknown": "版本未知",
    "requires-grad": "需要梯度",
    "no-grad": "不需要梯度",
    "leaf": "叶子张量",
    "column-version": "版本",
    "column-event": "发生了什么",
    "column-line": "行",
    "event-saved": "`{op}` 为反向传播保存了它（{role}）",
    "event-saved-name": "`{op}` 为反向传播保存了它（{role}，名为 `{name}`）",
    "event-changed": "`{via}` 就地修改了它",
    "event-changed-name": "`{via}` 通过 `{name}` 就地修改了它",
    "event-silent": "`{via}` 修改了它，而版本计数器看不到",
    "event-none": "到目前为止，没有操作保存或修改过它。",
    "shares": "它与 {names} 共享内存和这个计数器。",
    "unsafe-saved": "**在此处就地修改不安全**：`{op}`（第 {line} 行）{at}保存了它，其反向传播还会读取它。",
    "at-version": "在版本 {version} 时",
    "at-unknown": "以当前状态",
    "unsafe-leaf": "**在此处就地修改会立即报错**：它是需要梯度的叶子张量。在 `torch.no_grad()` 下允许修改，"
    "但版本同样会增加。",
    "stale": "**它已经过期**：`{op}`（第 {line} 行）保存的是版本 {saved}，而计数器已到 {version}。"
    "此后经过 `{op}` 的 `backward()` 会报错。",
    "safe": "在此处就地修改是安全的：没有尚待反向传播的操作保存过它。",
    "rule-more": "关于 {code} 的更多内容",
    "hint-saved": "已保存 v{version}",
    "hint-saved-tip": "{op} 在版本 {version} 时为反向传播保存了这个张量。",
    "hint-silent": "v{before}，未察觉",
    "hint-changed": "v{before} → v{after}",
    "hint-changed-tip": "{via} 使版本计数器从 {before} 变为 {after}。",
    "fix-all": "修复所有可安全修复的 GradGuard 问题",
    "ignore-here": "在此处忽略 {code}",
    "ignore-file": "在此文件中忽略 GradGuard",
    "setting-wrong": "GradGuard：设置{problem}",
    "settings-no-object": "必须是一个对象，而不是 {value}",
    "setting-unknown": "`{name}` 未知（可用：{known}）",
    "setting-value": "`{name}` 必须是{expected}，而不是 {value}",
    "checking": "GradGuard：正在检查工作区",
    "analysing": "GradGuard：正在分析 {name}",
}


CATALOGUES = {"en": ENGLISH, "zh-cn": SIMPLIFIED_CHINESE}


class Texts:
    """The texts of the language that serves readers of a language tag such as `zh-CN`."""

    __slots__ = ("locale",)

    def __init__(self, tag: str | None) -> None:
        self.locale: Locale = locale_of(tag)

    def __call__(self, key: str, **values: object) -> str:
        """Return the text of `key` with its placeholders filled; raises KeyError for an unknown key."""
        return CATALOGUES[self.locale][key].format(**values)

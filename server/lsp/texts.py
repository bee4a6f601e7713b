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
    "and": " and ",
    "op-saves": "**`{op}`** saves for backward:",
    "op-may-save": "**`{op}`** saves for backward, depending on its arguments:",
    "op-saved": "{what}, if {inputs} requires grad: the gradient of {inputs} is computed from it",
    "op-saved-several": "{what}, if {inputs} require grad: the gradients of {inputs} are computed from it",
    "op-formula": " (`{formula}`)",
    "op-result": "its result",
    "op-until": "What is saved must stay as it is until `backward()` has read it: a change in place before that "
    "raises.",
    "op-saves-nothing": "**`{op}` saves none of your tensors**: its backward reads neither what went in nor what came "
    "out, so both may be changed in place afterwards, as far as it is concerned.",
    "release": "Judged by what holds in {release}.",
    "op-releases": "So it is in PyTorch {release}. In PyTorch {others} it saves or changes something else: "
    "`gradguard facts {name}` tells what.",
    "op-view": "Its result is a view of {of}: they share their memory and one version counter, so that a change in "
    "place of either is a change of both.",
    "in-place": "**`{op}`** changes `{target}` in place: every name and view that shares the memory sees it, and the "
    "one version counter that they share moves, even if each value stays the same.",
    "myth-augmented": "**`{op}` on a tensor is in place.** `{target} {op} …` is not short for "
    "`{target} = {target} {short} …`: it changes the memory that every name and view shares, and moves their one "
    "version counter; the long form makes a new tensor, and leaves what was saved alone.",
    "myth-alias": "**`{target} = {value}` copies nothing and moves no version.** Both names mean one tensor with one "
    "counter: a change in place through either is a change of both. `{value}.clone()` copies, and autograd follows it.",
    "myth-inplace": "**`inplace=True` is mostly innocent.** What it overwrites is often the result of a convolution, a "
    "batch norm or a linear layer, which nobody saved, and what it saves is its own result. It does harm where its "
    "input was saved: after `sigmoid`, `tanh` or `exp`, or where a second branch has read the same tensor first.",
    "myth-retain": "**`retain_graph=True` only keeps what the graph saved**, so that a second `backward()` can read "
    "it. It cures no tensor that was changed in place, nor state that carries the graph of an earlier iteration: that "
    "grows from iteration to iteration, and wants `detach()`. Nor does an older PyTorch: where that lets the same "
    "program run, its gradients are wrong.",
    "change-safe": "Here (version {step}) that is **safe**: no operation had saved `{target}`.",
    "change-safe-later": "Here (version {step}) that is **safe**: `{op}` (line {line}) saves it only afterwards.",
    "change-saved": "Here (version {step}) `{op}` (line {line}) had saved it at version {at}: a `backward()` through "
    "`{op}` that comes later raises, one that came before has done no harm.",
    "hint-saved": "saved v{version}",
    "hint-saved-tip": "{op} saved this tensor for backward at version {version}.",
    "hint-silent": "v{before}, unseen",
    "hint-changed": "v{before} → v{after}",
    "hint-changed-tip": "{via} moves the version counter from {before} to {after}.",
    "label-saved": "saved v{version} by {op} ({role})",
    "label-changed": "v{before} → v{after} by {via}",
    "label-unseen": "changed by {via}, unseen by the counter",
    "label-needs": "✗ needs v{version}",
    "label-fails": "✗ fails",
    "action": "GradGuard: {title}",
    "fix-all": "GradGuard: Fix all problems that have a safe fix",
    "ignore-here": "GradGuard: Ignore {code} here",
    "ignore-file": "GradGuard: Ignore this file",
    "setting-wrong": "GradGuard: setting {problem}",
    "settings-no-object": "the settings must be an object, not {value}",
    "setting-unknown": "`{name}` is unknown (known: {known})",
    "setting-mistyped": "`{name}` is unknown; did you mean `{meant}`?",
    "setting-rule": "`{name}` names an unknown rule `{selector}`",
    "setting-rule-mistyped": "`{name}` names an unknown rule `{selector}`; did you mean `{meant}`?",
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
    "and": " 和 ",
    "op-saves": "**`{op}`** 为反向传播保存：",
    "op-may-save": "**`{op}`** 视参数而定，为反向传播保存：",
    "op-saved": "{what}（若 {inputs} 需要梯度）：{inputs} 的梯度由它算出",
    "op-saved-several": "{what}（若 {inputs} 都需要梯度）：{inputs} 的梯度由它算出",
    "op-formula": "（`{formula}`）",
    "op-result": "其结果",
    "op-until": "所保存的内容在 `backward()` 读取之前必须保持不变：在此之前就地修改会报错。",
    "op-saves-nothing": "**`{op}` 不保存您的任何张量**：其反向传播既不读取输入，也不读取结果，"
    "因此就它而言，两者之后都可以就地修改。",
    "release": "按 {release} 的行为判断。",
    "op-releases": "以上适用于 PyTorch {release}。在 PyTorch {others} 中，它所保存或修改的有所不同："
    "参见 `gradguard facts {name}`。",
    "op-view": "其结果是 {of} 的视图：两者共享内存和同一个版本计数器，因此就地修改其一就是修改两者。",
    "in-place": "**`{op}`** 就地修改 `{target}`：共享这块内存的每个名称和视图都会看到修改，"
    "它们共用的版本计数器也会增加，即使每个值都没有变。",
    "myth-augmented": "**对张量使用 `{op}` 是就地修改。** `{target} {op} …` 并不是 "
    "`{target} = {target} {short} …` 的简写：它修改所有名称和视图共享的内存，"
    "并使它们共用的版本计数器增加；而完整写法会创建新张量，不影响已保存的内容。",
    "myth-alias": "**`{target} = {value}` 不复制任何内容，也不改变版本。** 两个名称指同一个张量、同一个计数器："
    "通过任一名称就地修改，两者都会改变。`{value}.clone()` 才会复制，并且 autograd 会跟踪它。",
    "myth-inplace": "**`inplace=True` 大多无害。** 它覆盖的通常是卷积、批归一化或线性层的结果，没有谁保存过，"
    "而它保存的是自己的结果。只有当其输入已被保存时才有害：在 `sigmoid`、`tanh` 或 `exp` 之后，"
    "或者另一个分支先读取了同一个张量。",
    "myth-retain": "**`retain_graph=True` 只是保留计算图所保存的内容**，使第二次 `backward()` 还能读取。"
    "它既不能修复被就地修改的张量，也不能修复带着先前迭代计算图的状态：那样的计算图会随迭代不断增长，"
    "应使用 `detach()`。"
    "降级 PyTorch 也无济于事：旧版本即使能运行同样的程序，梯度也是错的。",
    "change-safe": "此处（版本 {step}）这样做是**安全**的：此前没有操作保存过 `{target}`。",
    "change-safe-later": "此处（版本 {step}）这样做是**安全**的：`{op}`（第 {line} 行）在此之后才保存它。",
    "change-saved": "此处（版本 {step}）之前，`{op}`（第 {line} 行）已在版本 {at} 保存了它：此后经过 `{op}` 的 "
    "`backward()` 会报错，此前的则不受影响。",
    "hint-saved": "已保存 v{version}",
    "hint-saved-tip": "{op} 在版本 {version} 时为反向传播保存了这个张量。",
    "hint-silent": "v{before}，未察觉",
    "hint-changed": "v{before} → v{after}",
    "hint-changed-tip": "{via} 使版本计数器从 {before} 变为 {after}。",
    "label-saved": "{op} 保存了 v{version}（{role}）",
    "label-changed": "{via} 使 v{before} → v{after}",
    "label-unseen": "{via} 修改了它，计数器未察觉",
    "label-needs": "✗ 需要 v{version}",
    "label-fails": "✗ 会失败",
    "action": "GradGuard：{title}",
    "fix-all": "GradGuard：修复所有可安全修复的问题",
    "ignore-here": "GradGuard：在此处忽略 {code}",
    "ignore-file": "GradGuard：忽略此文件",
    "setting-wrong": "GradGuard：设置{problem}",
    "settings-no-object": "必须是一个对象，而不是 {value}",
    "setting-unknown": "`{name}` 未知（可用：{known}）",
    "setting-mistyped": "`{name}` 未知；是否指 `{meant}`？",
    "setting-rule": "`{name}` 中的规则 `{selector}` 不存在",
    "setting-rule-mistyped": "`{name}` 中的规则 `{selector}` 不存在；是否指 `{meant}`？",
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

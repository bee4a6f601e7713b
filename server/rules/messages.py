"""Every sentence that a diagnostic, or the account of an error, says, in English and in Simplified Chinese.

A template's key is the same in both catalogues, and so are the placeholders in its braces. Fragments
that may be empty (`{versions}`, `{how}`, `{made}`, `{version}`, `{when}`) bring their own spacing.
"""

from __future__ import annotations

import re
from typing import Literal

Locale = Literal["en", "zh-cn"]

ENGLISH = {
    # a tensor, where it is, and what happened to it
    "tensor": "`{name}`",
    "tensor-unnamed": "this tensor",
    "tensor-it": "it",
    "tensor-some": "a tensor",
    "tensor-parameter": "a parameter",
    "tensor-state": "a tensor that outlives the iteration",
    "line": "line {line}",
    "cell-line": "cell {cell}, line {line}",
    "here": "here",
    "there": "in {place}",
    "made": " ({place})",
    "made-by": " (`{op}`, {place})",
    "how": " (`{via}`)",
    "versions": " (version {before} → {after})",
    "at-version": " at version {version}",
    "changed": "{tensor} is changed in place {where}{versions}",
    "changed-by": "`{via}` changes {tensor} in place {where}{versions}",
    "saver": "`{op}` ({place})",
    "saver-unknown": "an earlier operation",
    "an-operation": "this operation",
    "saved-it": "{saver} saved it{version}",
    "saved-other": "{saver} saved {other}{version}, whose memory it shares",
    "backward": "`backward()`",
    "backward-here": "`{call}`",
    "backward-at": "`{call}` ({place})",
    "backward-it": "it",
    "raises": "this raises at once",
    "raises-later": "the next use ({place}) raises",
    # what the program does not show
    "when": "{conditions}, ",
    "and": " and ",
    "quote": "`{text}`",
    "when-branch": "if {subject} holds{made}",
    "when-not-branch": "if {subject} does not hold{made}",
    "when-requires-grad": "if {subject} requires grad",
    "when-not-requires-grad": "if {subject} does not require grad",
    "when-backward": "when the caller calls `backward()` on {subject}",
    "when-iteration": "from the second iteration on",
    "when-iteration-at": "from the second iteration of the loop in {place} on",
    "when-trained": "when {subject} is trained",
    "when-guess": "assuming {subject}",
    "some-branch": "the condition",
    "some-requires-grad": "the input",
    "some-backward": "the result",
    "some-trained": "the module",
    "some-guess": "something that the program does not show",
    # the rules
    "stale": "{change}, but {saved}: {when}{backward} will raise.",
    "silent": (
        "{tensor} is changed {where}{how} where its version counter cannot see it, but {saved}: "
        "{when}{backward} will raise nothing and compute wrong gradients."
    ),
    "carried-stale": (
        "{state}{made} carries an earlier iteration's graph into this one. In it {saver} saved {tensor}{version}, "
        "and {change}: {when}{backward} will raise."
    ),
    "carried-freed": (
        "{state}{made} carries an earlier iteration's graph into this one, and that iteration's backward has freed "
        "what {saver} saved: {when}{backward} will raise."
    ),
    "leaf": "a leaf that requires grad",
    "leaf-assumed": "a leaf",
    "leaf-inplace": "{tensor} is changed in place here{how}, but it is {leaf}{made}: {when}{raises}.",
    "late-leaf-inplace": (
        "{tensor} is changed in place here{how}, but it is a view{made} of memory that came to require grad later, "
        "and counts as a leaf still: {when}{raises}."
    ),
    "view-of-leaf-inplace": ("{tensor} is changed in place here{how} through a view of {leaf}{made}: {when}{raises}."),
    "multi-view-inplace": (
        "{tensor} is changed in place here{how}, but one call{made} made several views of its memory: {when}{raises}."
    ),
    "function-view-inplace": (
        "{tensor} is changed in place here{how}, but it came as a view out of a custom Function or a hooked "
        "module{made}: {when}{raises}."
    ),
    "no-grad-view-inplace": (
        "{tensor} is changed in place here{how}, but it is a view made without grad mode{made}: {when}{raises}."
    ),
    "spoilt": "a view is used here whose memory has changed since: {change}, and {reason}: {when}{raises}.",
    "spoilt-multi-view-inplace": "one call{made} made several views of that memory",
    "spoilt-function-view-inplace": "it came as a view out of a custom Function or a hooked module{made}",
    "spoilt-no-grad-view-inplace": "it is a view made without grad mode{made}",
    "overlap-write": (
        "{tensor} is changed in place here{how}, but several of its elements share one place in memory{made}: "
        "{when}{raises}."
    ),
    "overlap-read": (
        "{tensor} is changed in place here{how} from values that lie in the same memory{made}: {when}{raises}."
    ),
    "out-grad": (
        "`out=` writes into {tensor} here, but autograd does not record `out=`, and one of the tensors requires "
        "grad{made}: {when}{raises}."
    ),
    "inference-changed": (
        "{tensor} is changed in place here{how}, but it is an inference tensor{made}: {when}{raises}."
    ),
    "inference-saved": (
        "{op} has to save {tensor} for backward here, but it is an inference tensor{made}: {when}{raises}."
    ),
    "inference-required": (
        "{tensor} is to require grad from here on, but it is an inference tensor{made}: {when}{raises}."
    ),
    "freed-graph": (
        "This backward needs what {saver} saved, but an earlier backward{made} has freed it: {when}{raises}."
    ),
    "nonleaf-grad": (
        "`.grad` of {tensor} is read here, but {tensor} is the result of an operation{made}, not a leaf: "
        "{when}it is None."
    ),
    "gradcheck": (
        "`{call}` compares gradients with finite differences, which need double precision, but {tensor} is "
        "{dtype}{made}: {when}it reports a mismatch."
    ),
    "gradcheck-backward": (
        "`{call}` compares the gradient of backward with finite differences, but this backward computes another "
        "derivative{made}: {when}it reports a mismatch."
    ),
    "gradcheck-random": (
        "`{call}` runs backward twice, but this backward draws random numbers{made}: {when}it reports that "
        "backward is not reentrant."
    ),
    "single-precision": "in single precision",
    "requires-grad-dtype": (
        "{tensor} is {dtype}{made}, and only floating point and complex tensors can require grad: {when}{raises}."
    ),
    "integer": "an integer tensor",
    "function-rule": (
        " A custom Function may change an input only where nothing has saved it, and says so with `ctx.mark_dirty`."
    ),
    "function-dirty-leaf": (
        "A custom Function marks {tensor} as changed in place here{how}, but it is a leaf that requires "
        "grad{made}: {when}{raises}."
    ),
    "function-dirty-lost": (
        "A custom Function marks {tensor} as changed in place here{how}, but `forward` does not return it: "
        "{when}{raises}."
    ),
    "function-gradient-count": (
        "The number of gradients that the `backward` of a custom Function returns here{how} is {given}, but its "
        "`forward` got {taken} inputs: {when}{raises}."
    ),
    "function-contract": "A custom Function breaks its contract with autograd here{how}: {when}{raises}.",
    "deepcopy-nonleaf": (
        "`deepcopy` reaches {tensor} here, which is the result of an operation{made}, not a leaf: {when}{raises}."
    ),
    "unused-suppression": "Nothing is reported here for {codes}: this suppression can go.",
    "unused-suppression-all": "Nothing is reported here: this suppression can go.",
    # the related places
    "related-saved": "{op} saves {tensor} here for backward{version} ({role})",
    "related-saved-here": "{tensor} is saved here for backward",
    "related-alias": "{tensor} names the same memory from here on",
    "related-passed": "{tensor} receives the same memory here",
    "related-stored": "{tensor} keeps it here beyond the iteration",
    "related-view": "{tensor} becomes a view here{how}",
    "related-leaf": "{tensor} becomes a leaf here",
    "related-built": "{tensor} is made here{how}",
    "related-freed": "this backward frees what the graph saved",
    "related-changed": "{tensor} is changed here{how}{versions}",
    "related-backward": "this backward needs it as it was when it was saved",
    "related-raised": "the error comes here",
    "role-input": "its input",
    "role-result": "its result",
    "role-weight": "its weight",
    "role-index": "its index",
    "role-mask": "its mask",
    "role-target": "its target",
    "role-other": "its `{role}`",
    # what PyTorch says, in plain words
    "error-stale": (
        "`backward()` needs a tensor as it was at version {expected} of its version counter, when an operation saved "
        "it. It is at version {version} now: it has been changed in place {times} since, and PyTorch refuses to "
        "compute a gradient from the wrong numbers."
    ),
    "error-once": "once",
    "error-times": "{count} times",
    "error-tensor": "The tensor: {dtype}, {shape}, on {device}.",
    "error-shape": "shape {shape}",
    "error-scalar": "a single number (shape ())",
    "error-integers": "Integers are saved, too: as an index, a target or a mask.",
    "error-no-node": (
        "No operation that autograd records has made it: it is a leaf, such as a parameter, an input, a buffer, an "
        "index or a target."
    ),
    "error-made-by": "It is output {output} of `{node}`, the result of {makers}.",
    "error-made": "It is output {output} of `{node}`.",
    "error-as-strided": (
        "It is output {output} of `{node}`: a view, whose history PyTorch wrote anew when the memory was changed "
        "through another name. The transposed weight of a linear layer looks like this after an `optimizer.step()`."
    ),
    "error-copy-slices": "It is output {output} of `{node}`: a part of it has been written to (`x[i] = y`).",
    "error-where": "{node} could not compute its gradient. It was called in {place}: `{text}`",
    "error-a-node": "The node `{node}`",
    "error-no-trace": (
        "Run the program with `torch.autograd.set_detect_anomaly(True)`: PyTorch then prints the line whose gradient "
        "failed, which tells the suspects apart."
    ),
    "clue-saved-in-trace": "anomaly mode's trace names the line that saved it",
    "clue-raised-in-traceback": "its `backward()` is the one in the traceback",
    "clue-node": "the node is the same",
    "clue-expected": "it was saved at the version that PyTorch expected",
    "clue-version": "the change leads to the version that PyTorch found",
    "clue-shape": "the shape is the same",
    "clue-dtype": "the dtype is the same",
    # errors that no rule is about
    "said-no-graph": (
        "`backward()` was called on a tensor that no graph leads to: nothing that it was computed from requires grad, "
        "or it was computed under `no_grad`, or something on the way cut the graph, such as `detach()`, `.data`, "
        "`.item()`, NumPy, `torch.tensor(…)`, `argmax` or a comparison."
    ),
    "said-not-scalar": (
        "`backward()` without an argument begins at a single number. Reduce the tensor (`y.mean().backward()`), or say "
        "how much each of its elements counts (`y.backward(torch.ones_like(y))`)."
    ),
    "said-unused": (
        "A gradient was asked for with respect to a tensor that the result was not computed from. Often the name has "
        "come to mean another tensor since (`x = x.to(device)`, `x = x * 2`), or this forward does not use that part."
    ),
    "said-not-requiring": (
        "A gradient was asked for with respect to a tensor that does not require grad. Call `requires_grad_()` on it "
        "before the forward."
    ),
    "said-numpy": (
        "NumPy knows of no graph. `x.detach().numpy()` gives an array that shares the memory of `x`: what is written "
        "there no version counter sees (GG111). `x.detach().numpy().copy()` is safe to write to."
    ),
    "said-flags": (
        "Only a leaf can be told whether it requires grad: the result of an operation requires it if what went in did. "
        "`detach()` gives the values without the graph."
    ),
    "said-detach-view": (
        "`detach_()` would have to cut the tensor that this one is a view of, too. `detach()` gives a new tensor "
        "instead, and leaves both alone."
    ),
    "said-detached-saved": (
        "An operation saved a tensor, and `detach_()` cut its graph before the backward. `detach()` gives a new tensor "
        "instead, and leaves what was saved alone."
    ),
    "said-optimizer": (
        "An optimizer takes leaves: their gradients arrive, and they can be written to. This one is the result of an "
        "operation, mostly because the name was rebound (`w = w.to(device)`, `w = w * 2`; GG302). Make the leaf last: "
        "`torch.randn(3, device=device, requires_grad=True)`."
    ),
    "said-captured": (
        "A function that `torch.func` transforms writes to a tensor from outside. Such a function must be pure: hand "
        "the tensor in as an argument, or compute a new one."
    ),
    "said-resize": "`resize_` changes memory in a way that autograd cannot follow. `view`, `reshape` or `pad` do.",
    "said-broadcast": (
        "A change in place keeps the shape of its target, so the other operand may not be larger. The operator out of "
        "place (`y = y + x`) broadcasts both."
    ),
    "said-cast": (
        "A change in place keeps the dtype of its target, and the result has one that does not fit. The operator out "
        "of place (`y = y * 0.5`) makes a tensor of the right dtype."
    ),
    "said-no-rule": "This is no failure that GradGuard looks for: it has no suspects.",
    # how an account of an error is laid out
    "comma": ", ",
    "account-clues": " ({clues})",
    "account-clue-and": "; ",
    "account-says": "What PyTorch says",
    "account-suspects": "Suspects",
    "account-nobody": "Nothing in {path} is found to fail in this way.",
    "account-more": "{count} more are less likely.",
    "account-rules": "Rules about this",
}

CHINESE = {
    "tensor": "`{name}`",
    "tensor-unnamed": "该张量",
    "tensor-it": "它",
    "tensor-some": "某个张量",
    "tensor-parameter": "某个参数",
    "tensor-state": "某个跨迭代存活的张量",
    "line": "第 {line} 行",
    "cell-line": "第 {cell} 个单元格第 {line} 行",
    "here": "在此处",
    "there": "在{place}",
    "made": "（{place}）",
    "made-by": "（`{op}`，{place}）",
    "how": "（`{via}`）",
    "versions": "（版本 {before} → {after}）",
    "at-version": "，版本为 {version}",
    "changed": "{tensor} {where}被就地修改{versions}",
    "changed-by": "`{via}` {where}就地修改了 {tensor}{versions}",
    "saver": " `{op}`（{place}）",
    "saver-unknown": "此前的某个操作",
    "an-operation": "该操作",
    "saved-it": "{saver}已为反向传播保存了它{version}",
    "saved-other": "{saver}已为反向传播保存了与它共享内存的 {other}{version}",
    "backward": "`backward()` ",
    "backward-here": "`{call}` ",
    "backward-at": "`{call}`（{place}）",
    "backward-it": "该调用",
    "raises": "此处会立即报错",
    "raises-later": "下一次使用（{place}）会报错",
    "when": "{conditions}，",
    "and": "，且",
    "quote": "`{text}`",
    "when-branch": "若 {subject} 成立{made}",
    "when-not-branch": "若 {subject} 不成立{made}",
    "when-requires-grad": "若 {subject} 需要梯度",
    "when-not-requires-grad": "若 {subject} 不需要梯度",
    "when-backward": "当调用方对 {subject} 调用 `backward()` 时",
    "when-iteration": "从第二次迭代起",
    "when-iteration-at": "从循环（{place}）的第二次迭代起",
    "when-trained": "当 {subject} 被训练时",
    "when-guess": "假定 {subject}",
    "some-branch": "该条件",
    "some-requires-grad": "输入",
    "some-backward": "结果",
    "some-trained": "该模块",
    "some-guess": "程序中未写明的情况成立",
    "stale": "{change}，但{saved}：{when}{backward}将报错。",
    "silent": (
        "{tensor} {where}被修改{how}，而其版本计数器看不到这次修改，但{saved}："
        "{when}{backward}不会报错，却会算出错误的梯度。"
    ),
    "carried-stale": (
        "{state}{made}把先前迭代的计算图带入了本次迭代。其中{saver}保存了 {tensor}{version}，而 {change}："
        "{when}{backward}将报错。"
    ),
    "carried-freed": (
        "{state}{made}把先前迭代的计算图带入了本次迭代，而那次迭代的反向传播已释放{saver}保存的内容：{when}{backward}将报错。"
    ),
    "leaf": "需要梯度的叶子张量",
    "leaf-assumed": "叶子张量",
    "leaf-inplace": "{tensor} 在此处被就地修改{how}，但它是{leaf}{made}：{when}{raises}。",
    "late-leaf-inplace": (
        "{tensor} 在此处被就地修改{how}，但它是一个视图{made}，其内存后来才需要梯度，因此它仍算作叶子张量："
        "{when}{raises}。"
    ),
    "view-of-leaf-inplace": "{tensor} 在此处通过{leaf}{made}的视图被就地修改{how}：{when}{raises}。",
    "multi-view-inplace": (
        "{tensor} 在此处被就地修改{how}，但有一次调用{made}为其内存同时创建了多个视图：{when}{raises}。"
    ),
    "function-view-inplace": (
        "{tensor} 在此处被就地修改{how}，但它是自定义 Function 或带钩子的模块返回的视图{made}：{when}{raises}。"
    ),
    "no-grad-view-inplace": "{tensor} 在此处被就地修改{how}，但它是在关闭梯度模式时创建的视图{made}：{when}{raises}。",
    "spoilt": "此处使用了一个视图，其内存此后已被修改：{change}，而{reason}：{when}{raises}。",
    "spoilt-multi-view-inplace": "一次调用{made}为这块内存创建了多个视图",
    "spoilt-function-view-inplace": "它是自定义 Function 或带钩子的模块给出的视图{made}",
    "spoilt-no-grad-view-inplace": "它是在关闭梯度模式时创建的视图{made}",
    "overlap-write": "{tensor} 在此处被就地修改{how}，但它的多个元素共用同一内存位置{made}：{when}{raises}。",
    "overlap-read": "{tensor} 在此处被就地修改{how}，而写入的值与它位于同一内存{made}：{when}{raises}。",
    "out-grad": ("`out=` 在此处写入 {tensor}，但 autograd 不记录 `out=`，而其中有张量需要梯度{made}：{when}{raises}。"),
    "inference-changed": "{tensor} 在此处被就地修改{how}，但它是推理张量{made}：{when}{raises}。",
    "inference-required": "{tensor} 在此处被要求计算梯度，但它是推理张量{made}：{when}{raises}。",
    "inference-saved": "{op} 需要在此处为反向传播保存 {tensor}，但它是推理张量{made}：{when}{raises}。",
    "freed-graph": "这次反向传播需要{saver}保存的内容，但此前的反向传播{made}已将其释放：{when}{raises}。",
    "nonleaf-grad": (
        "此处读取 {tensor} 的 `.grad`，但 {tensor} 是某个操作的结果{made}，不是叶子张量：{when}读到的是 None。"
    ),
    "gradcheck": ("`{call}` 将梯度与有限差分比较，这需要双精度，但 {tensor} 是{dtype}{made}：{when}它会报告不匹配。"),
    "gradcheck-backward": (
        "`{call}` 将反向传播的梯度与有限差分比较，但这个反向传播算出的是别的导数{made}：{when}它会报告不匹配。"
    ),
    "gradcheck-random": ("`{call}` 运行反向传播两次，但这个反向传播会取随机数{made}：{when}它会报告反向传播不可重入。"),
    "single-precision": "单精度的",
    "requires-grad-dtype": "{tensor} 是 {dtype}{made}，而只有浮点和复数张量才能需要梯度：{when}{raises}。",
    "integer": "整数张量",
    "function-rule": "自定义 Function 只能修改未被保存的输入，并须用 `ctx.mark_dirty` 声明。",
    "function-dirty-leaf": (
        "自定义 Function 在此处声明 {tensor} 被就地修改{how}，但它是需要梯度的叶子张量{made}：{when}{raises}。"
    ),
    "function-dirty-lost": (
        "自定义 Function 在此处声明 {tensor} 被就地修改{how}，但 `forward` 没有返回它：{when}{raises}。"
    ),
    "function-gradient-count": (
        "自定义 Function 的 `backward` 在此处返回{how} {given} 个梯度，但其 `forward` 得到 {taken} 个输入："
        "{when}{raises}。"
    ),
    "function-contract": "自定义 Function 在此处违反了与 autograd 的约定{how}：{when}{raises}。",
    "deepcopy-nonleaf": "`deepcopy` 在此处复制到 {tensor}，它是某个操作的结果{made}，不是叶子张量：{when}{raises}。",
    "unused-suppression": "此处没有 {codes} 的诊断：可以删除这条抑制注释。",
    "unused-suppression-all": "此处没有任何诊断：可以删除这条抑制注释。",
    "related-saved": "{op} 在此处为反向传播保存了 {tensor}{version}（{role}）",
    "related-saved-here": "{tensor} 在此处为反向传播而保存",
    "related-alias": "从此处起 {tensor} 指向同一内存",
    "related-passed": "{tensor} 在此处接收同一内存",
    "related-stored": "{tensor} 在此处将它保留到迭代之外",
    "related-view": "{tensor} 在此处成为视图{how}",
    "related-leaf": "{tensor} 在此处成为叶子张量",
    "related-built": "{tensor} 在此处产生{how}",
    "related-freed": "这次反向传播释放了计算图保存的内容",
    "related-changed": "{tensor} 在此处被修改{how}{versions}",
    "related-backward": "这次反向传播需要它被保存时的内容",
    "related-raised": "在此处报错",
    "role-input": "其输入",
    "role-result": "其结果",
    "role-weight": "其权重",
    "role-index": "其索引",
    "role-mask": "其掩码",
    "role-target": "其目标",
    "role-other": "其 `{role}`",
    "error-stale": (
        "`backward()` 需要某个张量在版本计数器为 {expected} 时的内容，那时有操作保存了它。现在它的版本是 {version}："
        "此后它被就地修改了 {times}，PyTorch 拒绝用错误的数值计算梯度。"
    ),
    "error-once": "1 次",
    "error-times": "{count} 次",
    "error-tensor": "该张量：{dtype}，{shape}，位于 {device}。",
    "error-shape": "形状 {shape}",
    "error-scalar": "单个数（形状 ()）",
    "error-integers": "整数张量也会被保存：作为索引、目标或掩码。",
    "error-no-node": "它不是由 autograd 记录的操作得到的：它是叶子张量，例如参数、输入、缓冲区、索引或目标。",
    "error-made-by": "它是 `{node}` 的第 {output} 个输出，即 {makers} 的结果。",
    "error-made": "它是 `{node}` 的第 {output} 个输出。",
    "error-as-strided": (
        "它是 `{node}` 的第 {output} 个输出：这是一个视图，其内存经由另一个名字被修改后，PyTorch 重写了它的历史。"
        "`optimizer.step()` 之后，线性层转置的权重就是这个样子。"
    ),
    "error-copy-slices": "它是 `{node}` 的第 {output} 个输出：它的一部分被写入过（`x[i] = y`）。",
    "error-where": "{node} 无法计算其梯度。它的调用位于 {place}：`{text}`",
    "error-a-node": "节点 `{node}`",
    "error-no-trace": (
        "请用 `torch.autograd.set_detect_anomaly(True)` 运行程序："
        "PyTorch 会打印出梯度计算失败的那一行，由此可以区分各个嫌疑。"
    ),
    "clue-saved-in-trace": "异常检测的回溯指向保存它的那一行",
    "clue-raised-in-traceback": "它的 `backward()` 就是报错回溯中的那一个",
    "clue-node": "节点相同",
    "clue-expected": "它被保存时的版本正是 PyTorch 期望的版本",
    "clue-version": "这次修改得到的版本与 PyTorch 看到的一致",
    "clue-shape": "形状相同",
    "clue-dtype": "dtype 相同",
    "said-no-graph": (
        "对一个没有计算图通向它的张量调用了 `backward()`：算出它的内容都不需要梯度，或者它是在 `no_grad` 下算出的，"
        "或者途中有什么切断了计算图，例如 `detach()`、`.data`、`.item()`、NumPy、`torch.tensor(…)`、"
        "`argmax` 或比较运算。"
    ),
    "said-not-scalar": (
        "不带参数的 `backward()` 从单个数开始。请先归约（`y.mean().backward()`），"
        "或者说明每个元素的权重（`y.backward(torch.ones_like(y))`）。"
    ),
    "said-unused": (
        "要求对某个张量求梯度，而结果并不是由它算出的。往往是该名称此后指向了另一个张量"
        "（`x = x.to(device)`、`x = x * 2`），或者这次前向没有用到那一部分。"
    ),
    "said-not-requiring": "要求对一个不需要梯度的张量求梯度。请在前向之前对它调用 `requires_grad_()`。",
    "said-numpy": (
        "NumPy 不了解计算图。`x.detach().numpy()` 给出的数组与 `x` 共享内存：对它的写入，版本计数器看不到（GG111）。"
        "`x.detach().numpy().copy()` 可以放心写入。"
    ),
    "said-flags": (
        "只有叶子张量可以指定是否需要梯度：运算的结果是否需要梯度，取决于输入。`detach()` 给出没有计算图的数值。"
    ),
    "said-detach-view": "`detach_()` 须同时切断此视图的基张量。请改用 `detach()`：它给出新张量，两者都不受影响。",
    "said-detached-saved": (
        "某个操作保存了一个张量，而 `detach_()` 在反向传播之前切断了它的计算图。"
        "请改用 `detach()`：它给出新张量，已保存的内容不受影响。"
    ),
    "said-optimizer": (
        "优化器只接受叶子张量：梯度到达那里，并且可以写入。这一个是运算的结果，多半因为名称被重新绑定"
        "（`w = w.to(device)`、`w = w * 2`；GG302）。"
        "请最后才使其成为叶子：`torch.randn(3, device=device, requires_grad=True)`。"
    ),
    "said-captured": (
        "由 `torch.func` 变换的函数写入了外部的张量。这样的函数必须是纯函数：把该张量作为参数传入，或者计算新张量。"
    ),
    "said-resize": "`resize_` 改变内存的方式是 autograd 无法跟踪的。请使用 `view`、`reshape` 或 `pad`。",
    "said-broadcast": (
        "就地修改保持目标的形状，因此另一个操作数不能更大。非就地的运算（`y = y + x`）会对两者进行广播。"
    ),
    "said-cast": (
        "就地修改保持目标的数据类型，而结果的类型与之不符。非就地的运算（`y = y * 0.5`）会创建类型合适的张量。"
    ),
    "said-no-rule": "这不是 GradGuard 所查找的失败：没有嫌疑可列。",
    "comma": "、",
    "account-clues": "（{clues}）",
    "account-clue-and": "；",
    "account-says": "PyTorch 说了什么",
    "account-suspects": "嫌疑",
    "account-nobody": "在 {path} 中没有发现会这样失败的内容。",
    "account-more": "还有 {count} 处可能性较小。",
    "account-rules": "相关规则",
}

_between_ideographs = re.compile("(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")

CATALOGUES: dict[Locale, dict[str, str]] = {"en": ENGLISH, "zh-cn": CHINESE}


def say(key: str, locale: Locale, **words: object) -> str:
    """The template `key` of a locale with its placeholders filled in. Raises KeyError where one is missing."""
    # A space sets off code from Chinese text; where a word has come to stand there instead, it goes.
    return _between_ideographs.sub("", CATALOGUES[locale][key].format(**words))


def locale_of(tag: str | None) -> Locale:
    """The locale that serves a reader whose language tag is `tag` (`zh-CN`, `zh_CN.UTF-8`, `de`): else English."""
    parts = (tag or "").split(".")[0].lower().replace("_", "-").split("-")
    traditional = {"hant", "tw", "hk", "mo"} & set(parts)
    return "zh-cn" if parts[0] == "zh" and not traditional else "en"

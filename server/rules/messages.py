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
    "tensor-some": "a tensor",
    "tensor-this": "this tensor",
    "tensor-parameter": "a parameter",
    "tensor-state": "what the loop keeps",
    "tensor-state-short": "the loop",
    "line": "line {line}",
    "cell-line": "cell {cell}, line {line}",
    "made": " ({place})",
    "made-by": " (`{op}`, {place})",
    "how": "`{via}`",
    "how-unknown": "this",
    "versions": ": version {before} → {after}",
    "at-version": " at version {version}",
    "saver": "`{op}` ({place})",
    "saver-unknown": "an earlier operation",
    "an-operation": "this operation",
    "it": "it",
    "here": "here",
    "there": "in {place}",
    "this": "this",
    "result": "the result of an operation",
    "result-short": "a result",
    "makes-version": "{changer} makes it version {after}",
    "makes-it": "{changer} changes it",
    "makes-other-version": "{changer} makes it version {after} through {tensor}, in the same memory",
    "makes-other": "{changer} changes it through {tensor}, in the same memory",
    "backward": "`backward()`",
    "backward-caller": "the caller's `backward()`",
    "backward-at": "the backward in {place}",
    "will-raise": "will raise",
    "may-raise": "may raise",
    "will-fail": "will fail",
    "may-fail": "may fail",
    "wrong": "Silently wrong gradients",
    "maybe-wrong": "Maybe wrong gradients",
    "is-none": "is None",
    "maybe-none": "may be None",
    "this-raises": "This raises",
    "this-may-raise": "This may raise",
    "use-raises": "The use in {place} raises",
    "use-may-raise": "The use in {place} may raise",
    # what the program does not show
    "when-detail": "{when}, {detail}",
    "if": "if {conditions}",
    "and": " and ",
    "comma-if": ", ",
    "quote": "`{text}`",
    "when-branch": "{subject} is true{made}",
    "when-not-branch": "{subject} is false{made}",
    "when-requires-grad": "{subject} requires grad",
    "when-not-requires-grad": "{subject} does not require grad",
    "when-module": "{subject} is an `nn.Module`",
    "when-linked": "{subject} passes gradients on",
    "when-needed": "{subject} passes gradients on",
    "when-backward": "the caller calls `backward()` on {subject}",
    "when-trained": "{subject} is trained",
    "when-guess": "{subject}",
    "when-dtype": "{subject}",
    "when-layout": "{subject}",
    "when-named": "{subject}",
    "when-iteration": "from the second iteration on",
    "when-iteration-at": "from the second iteration of the loop in {place} on",
    "some-branch": "the condition",
    "some-requires-grad": "the input",
    "some-backward": "the result",
    "some-returned": "what `{name}` returns",
    "some-trained": "the module",
    "some-guess": "something that the program does not show",
    # the rules: a headline of 80 characters at most, a label for the squiggle, and what else there is to say
    "message": "{headline}. {detail}.",
    "only-when": "only {when}",
    "label-changes": "{via} changes {tensor} in place",
    "label-written": "changes {written}{other}{versions}",
    "label-same-memory": ", which shares memory with {tensor}",
    "stale": "{backward} {raises}: it needs {tensor}, which {changer} changes",
    "detail-stale": "{saver} has saved it{version}, {makes}, and {reader} reads it again",
    "silent": "{wrong}: {backward} needs {tensor}, changed {place}",
    "detail-silent": (
        "{saver} has saved it{version}, {via} changes it where its version counter cannot see it, and {reader} reads "
        "it again"
    ),
    "seen-alone": " (Seen when it ran, {time}.)",
    "seen-confirmed": " (Confirmed: seen when it ran, {time}.)",
    "silent-somewhere": "{wrong}: {backward} needs {tensor}, changed since it was saved",
    "detail-silent-somewhere": (
        "{saver} has saved it{version}, and it holds something else now, though its version counter has not moved: "
        "something that is no operation of PyTorch's has written to its memory, as NumPy does"
    ),
    "silent-label": "changes {tensor}, unseen by its version counter",
    "carried": "{backward} {raises}: {state} carries an earlier iteration's graph",
    "detail-carried-stale": "{state}{made} leads to where {saver} has saved {tensor}{version}, and {makes}",
    "detail-carried-freed": "{state}{made} leads to what {saver} has saved, and that iteration's backward has freed it",
    "carried-freed-label": "reaches a graph that an earlier iteration has freed",
    "leaf": "a leaf that requires grad",
    "leaf-assumed": "a leaf",
    "changed-in-place": ", changed in place",
    "leaf-inplace": "{raises}: {tensor} is {leaf}{in_place}",
    "detail-leaf-inplace": "as the result of an operation {tensor}{made} would get no gradient any more",
    "late-leaf-inplace": "{raises}: {tensor} counts as a leaf, being older than its graph",
    "detail-late-leaf-inplace": "its memory came to require grad after this view{made} was taken",
    "view-of-leaf-inplace": "{raises}: {tensor} is a view of {leaf}{in_place}",
    "detail-view-of-leaf-inplace": (
        "a change of a view{made} changes its leaf, which would get no gradient any more as the result of an operation"
    ),
    "multi-view-inplace": "{raises}: {tensor} is one of several views{maker}",
    "detail-multi-view-inplace": "views that one call{made} made cannot be changed in place while gradients flow",
    "multi-view-base": "{raises}: {tensor} changes under several views{maker}",
    "detail-multi-view-base": "once it has, views that one call{made} made cannot be used while gradients flow",
    "maker": " that `{op}` made",
    "maker-unknown": " that one call made",
    "function-view-inplace": "{raises}: {tensor} is a view from a custom Function or hook",
    "detail-function-view-inplace": "such a view{made} cannot be changed in place: its own backward would be lost",
    "no-grad-view-inplace": "{raises}: {tensor} is a view made without grad mode",
    "detail-no-grad-view-inplace": "a view made so{made} cannot be changed in place where grad mode is on",
    "spoilt": "{raises}: it uses a view whose memory was changed in {place}",
    "spoilt-label": "uses the view",
    "detail-spoilt": "{change} has changed {tensor}{versions}, and {reason}",
    "spoilt-multi-view-base": "one call{made} made several views of that memory",
    "spoilt-multi-view-inplace": "one call{made} made several views of that memory",
    "spoilt-function-view-inplace": "the view came out of a custom Function or a hooked module{made}",
    "spoilt-no-grad-view-inplace": "the view was made without grad mode{made}",
    "overlap-write": "{raises}: several elements of {tensor} share one place in memory",
    "detail-overlap-write": "what is written to one element of {tensor}{made} would be read in others, too",
    "overlap-read": "{raises}: {tensor} is changed from values in the same memory",
    "detail-overlap-read": "some values of {tensor}{made} would be overwritten before they are read",
    "out-grad": "{raises}: `out=` cannot write {tensor} under grad",
    "detail-out-grad": "one of the tensors{made} requires grad, and autograd does not record `out=`",
    "out-grad-label": "writes into {tensor}",
    "inference-changed": "{raises}: {tensor} is an inference tensor, changed here",
    "detail-inference-changed": "made in inference mode{made}, it has no version counter that could tell of the change",
    "inference-saved": "{raises}: {op} saves {tensor}, an inference tensor",
    "detail-inference-saved": "made in inference mode{made}, it has no version counter that backward could check",
    "inference-saved-label": "saves {tensor} for backward",
    "inference-required": "{raises}: {tensor}, an inference tensor, cannot require grad",
    "detail-inference-required": "made in inference mode{made}, it is out of autograd's sight for good",
    "requires-grad-label": "asks {tensor} to require grad",
    "freed-graph": "{backward} {raises}: {freer} has freed its graph",
    "detail-freed-graph": (
        "it needs what {saver} has saved, which the first backward frees unless it has `retain_graph=True`"
    ),
    "freed-graph-label": "needs what {op} saved",
    "freer-unknown": "an earlier backward",
    "nonleaf-grad": "`.grad` of {tensor} {none}: it is {result}, not a leaf",
    "detail-nonleaf-grad": "backward keeps the gradients of leaves, and {tensor} was computed{made}",
    "nonleaf-grad-label": "reads a gradient that backward does not keep",
    "gradcheck": "`{call}` {fails}: {tensor} is {dtype}, not double precision",
    "detail-gradcheck": "it compares gradients with finite differences, which are noise in its precision{made}",
    "gradcheck-backward": "`{call}` {fails}: this backward computes another derivative",
    "detail-gradcheck-backward": (
        "it compares the gradient of backward with finite differences, and reports a mismatch"
    ),
    "gradcheck-random": "`{call}` {fails}: this backward draws random numbers",
    "detail-gradcheck-random": "it runs backward twice, and reports that backward is not reentrant",
    "gradcheck-label": "compares gradients with finite differences",
    "single-precision": "single",
    "requires-grad-dtype": "{raises}: {tensor} is {dtype}, and cannot require grad",
    "detail-requires-grad-dtype": "only floating point and complex tensors can",
    "integer": "an integer tensor",
    "detail-stale-function": (
        "{saver} has saved it{version}, and {makes}: a custom Function may change an input only where nothing has "
        "saved it, and says so with `ctx.mark_dirty`"
    ),
    "function-dirty-leaf": "{raises}: `mark_dirty` names {tensor}, {leaf}",
    "detail-function-dirty-leaf": "as the result of the custom Function the leaf{made} would get no gradient any more",
    "function-dirty-lost": "{raises}: {tensor} is marked dirty, but not returned",
    "detail-function-dirty-lost": "a custom Function has to return what it marks as changed in place",
    "function-gradient-count": "{raises}: `backward` does not return one gradient for each input",
    "detail-function-gradient-count": (
        "a custom Function's `backward` returns {given} here, and its `forward` got {taken} inputs"
    ),
    "function-unmarked": "{wrong}: {tensor} is changed without `mark_dirty`",
    "detail-function-unmarked": (
        "autograd does not know that the custom Function changes {tensor}: what reads it afterwards takes its gradient "
        "past the Function's `backward`"
    ),
    "function-kept": "{wrong}: {tensor} is changed, which {kept} keeps",
    "detail-function-kept": (
        "{saver} has kept it as {kept} and not by `ctx.save_for_backward`: nothing compares its version, and the "
        "Function's `backward` reads what is there now"
    ),
    "function-contract": "{raises}: a custom Function breaks its contract with autograd",
    "detail-function-contract": "its `forward` and its `backward` do not fit together",
    "function-label": "{via} breaks the contract",
    "deepcopy-nonleaf": "{raises}: `deepcopy` cannot copy {tensor}, {result}",
    "detail-deepcopy-nonleaf": "it copies leaves and plain data alone, and {tensor} was computed{made}",
    "deepcopy-nonleaf-label": "copies {tensor}",
    "unused-suppression": "Nothing is reported here for {codes}: this suppression can go",
    "unused-suppression-all": "Nothing is reported here: this suppression can go",
    "unknown-suppressed": "There is no rule {code}: this suppression can go",
    "unknown-suppressed-meant": "There is no rule {code}; did you mean {meant}?",
    "unused-suppression-label": "silences nothing",
    "full-stop": "{text}.",
    # the labels of the related places
    "related-saved": "{op} saves {tensor} for backward{version} ({role})",
    "not-in-releases": "; not so in PyTorch {releases}",
    "related-saved-here": "{op} saves what backward needs",
    "related-alias": "{tensor} names the same memory from here on",
    "related-passed": "this call changes {tensor}",
    "related-stored": "{tensor} carries it into the next iteration",
    "related-view": "{tensor} becomes a view{how}",
    "related-leaf": "{tensor} becomes a leaf",
    "related-built": "{tensor} is made here{how}",
    "related-how": " (`{via}`)",
    "related-freed": "frees what the graph saved",
    "related-changed": "{via} changes {tensor}{versions}",
    "related-backward": "needs {tensor}{version}",
    "related-reads": "reads the changed {tensor}",
    "related-read": "reads {tensor} with the history that it had before",
    "related-wrong": "computes wrong gradients",
    "related-caller": "its caller runs backward through what it returns",
    "related-raised": "raises",
    "role-input": "its input",
    "role-result": "its result",
    "role-weight": "its weight",
    "role-index": "its index",
    "role-mask": "its mask",
    "role-target": "its target",
    "role-other": "its argument `{role}`",
    "role-own": "its `{role}`",
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
    # what happened, where several rules share a message
    "said-freed": (
        "`backward()` frees what the operations on its way have saved. This one came to an operation that an earlier"
        " backward had been through. Either two losses share a part of the graph, or a tensor that was kept, such as a"
        " hidden state or a running total, still leads into an earlier iteration's graph."
    ),
    "said-several-views": (
        "The tensor is one of several views that one call made. PyTorch cannot record a change in place of one of them."
    ),
    "said-function-view": (
        "The tensor is a view that a custom Function made, or an input that it returned as it was. Recording a change"
        " in place of it would bypass the Function's own backward, so PyTorch refuses it."
    ),
    # what PyTorch's own advice is worth
    "advice-retain": (
        "“Specify retain_graph=True”: right only where you go through one and the same graph twice on purpose, in the"
        " earlier backward and before anything that it saved is changed. Two losses: add them up and call `backward()`"
        " once. A kept state: `.detach()` it, for otherwise each iteration goes back through all before it, and fails"
        " as soon as an optimizer has changed the weights."
    ),
    "advice-anomaly": (
        "“enable anomaly detection”: it names the operation that *saved* the tensor, not the line that changed it, and"
        " makes training much slower meanwhile."
    ),
    "advice-backtrace": (
        "“the backtrace further above … Good luck!”: it shows where the tensor was *saved*. What changed it comes"
        " later, in the lines between there and `backward()`."
    ),
    "advice-clone-output": (
        "“cloning the output of the custom Function”: right. Write `out = MyFunction.apply(x).clone()`, or change"
        " nothing in place there."
    ),
    "advice-out-of-place": (
        "“replace the inplace operation by an out-of-place one”: right. `q *= 2` becomes `q = q * 2`; the other views"
        " and their base keep the old values then."
    ),
    "advice-both-sides": (
        "“moving both the view and the inplace … inside the no_grad block … or both outside”: right. Inside, where no"
        " gradient is wanted, as for an update of weights; outside, where it is."
    ),
    "advice-normal-tensor": (
        "“make a clone to get a normal tensor”: right, where the clone is made *outside* of `inference_mode()`. Where"
        " you can, use `no_grad()` instead of `inference_mode()`."
    ),
    "advice-clone-first": (
        "“Please clone() the tensor”: right. Write `x = x.clone()` before the change, best where `expand()` made it."
    ),
    "account-advises": "What its advice is worth",
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
    # what to do about it where no fix can be proven
    "remedy-GG101": "use the out-of-place form of the change (`y = y + 1`), or change a `clone()`",
    "remedy-GG102": "call each `backward()` through these weights before the update, or run the forward again",
    "remedy-GG103": "call `.detach()` where the value is kept for the next iteration; of a loss keep `loss.item()`",
    "remedy-GG111": "change the tensor before it is used, or change a `clone()` of it, and not through `.data`",
    "remedy-GG201": "put an update under `torch.no_grad()`; what is computed from a leaf needs a name of its own",
    "remedy-GG202": "put an update under `torch.no_grad()`; in a computation change a `clone()` of the leaf",
    "remedy-GG203": "take the part by its index (`x[0]`), or change a `clone()` of it",
    "remedy-GG204": "make the view and change it both under `no_grad()`, or both outside of it",
    "remedy-GG205": "call `clone()` before the change, so that each element has a place of its own",
    "remedy-GG206": "leave out `out=`, and use what the function returns",
    "remedy-GG207": "use `no_grad()` in place of `inference_mode()`, or `clone()` the tensor outside of it",
    "remedy-GG301": "add up the losses and call `backward()` once, or compute the shared part again for the second one",
    "remedy-GG302": "call `retain_grad()` on it before `backward()`, or read the gradient of its leaf",
    "remedy-GG401": "pass inputs of `dtype=torch.double`, and call `.double()` on modules",
    "remedy-GG402": "make it floating-point: only such tensors have gradients",
    "remedy-GG403": "let `backward` return the derivative of what `forward` computes",
    "remedy-GG501": "tell what `forward` changes to `ctx.mark_dirty()`, and keep tensors by `ctx.save_for_backward()`",
    "remedy-GG601": "copy what is detached (`x.detach().clone()`), or copy the object before it holds results",
    "remedy-GG900": "remove the comment",
}

CHINESE = {
    "tensor": "`{name}`",
    "tensor-some": "某个张量",
    "tensor-this": "该张量",
    "tensor-parameter": "某个参数",
    "tensor-state": "循环保留的内容",
    "tensor-state-short": "循环",
    "line": "第 {line} 行",
    "cell-line": "第 {cell} 个单元格第 {line} 行",
    "made": "（{place}）",
    "made-by": "（`{op}`，{place}）",
    "how": "`{via}`",
    "how-unknown": "此处",
    "versions": "：版本 {before} → {after}",
    "at-version": "，版本为 {version}",
    "saver": "`{op}`（{place}）",
    "saver-unknown": "此前的某个操作",
    "an-operation": "该操作",
    "it": "它",
    "here": "在此处",
    "there": "在{place}",
    "this": "此处",
    "result": "操作的结果",
    "result-short": "结果",
    "makes-version": "{changer} 使其变为版本 {after}",
    "makes-it": "{changer} 修改了它",
    "makes-other-version": "{changer} 通过同一内存中的 {tensor} 使其变为版本 {after}",
    "makes-other": "{changer} 通过同一内存中的 {tensor} 修改了它",
    "backward": "`backward()`",
    "backward-caller": "调用方的 `backward()`",
    "backward-at": "{place}的反向传播",
    "will-raise": "将报错",
    "may-raise": "可能报错",
    "will-fail": "将失败",
    "may-fail": "可能失败",
    "wrong": "梯度错误而不报错",
    "maybe-wrong": "梯度可能错误而不报错",
    "is-none": "是 None",
    "maybe-none": "可能是 None",
    "this-raises": "此处会报错",
    "this-may-raise": "此处可能报错",
    "use-raises": "{place}的使用会报错",
    "use-may-raise": "{place}的使用可能报错",
    "when-detail": "{when}，{detail}",
    "if": "若 {conditions}",
    "and": "，且 ",
    "comma-if": "，",
    "quote": "`{text}`",
    "when-branch": "{subject} 为真{made}",
    "when-not-branch": "{subject} 为假{made}",
    "when-requires-grad": "{subject} 需要梯度",
    "when-not-requires-grad": "{subject} 不需要梯度",
    "when-module": "{subject} 是 `nn.Module`",
    "when-linked": "{subject} 把梯度传下去",
    "when-needed": "{subject} 把梯度传下去",
    "when-backward": "调用方对 {subject} 调用 `backward()`",
    "when-trained": "{subject} 被训练",
    "when-guess": "{subject}",
    "when-dtype": "{subject}",
    "when-layout": "{subject}",
    "when-named": "{subject}",
    "when-iteration": "从第二次迭代起",
    "when-iteration-at": "从循环（{place}）的第二次迭代起",
    "some-branch": "该条件",
    "some-requires-grad": "输入",
    "some-backward": "结果",
    "some-returned": "`{name}` 的返回值",
    "some-trained": "该模块",
    "some-guess": "程序中未写明的情况成立",
    "message": "{headline}。{detail}。",
    "only-when": "前提：{when}",
    "label-changes": "{via} 就地修改 {tensor}",
    "label-written": "修改 {written}{other}{versions}",
    "label-same-memory": "（与 {tensor} 共享内存）",
    "stale": "{backward} {raises}：它需要 {tensor}，而{changer}修改了它",
    "detail-stale": "{saver} 已保存它{version}，{makes}，而 {reader} 会再次读取它",
    "silent": "{wrong}：{backward} 需要 {tensor}，而它{place}被修改",
    "detail-silent": "{saver} 已保存它{version}，{via} 修改了它，而其版本计数器看不到，{reader} 会再次读取它",
    "seen-alone": "（运行时所见，{time}。）",
    "seen-confirmed": "（已证实：运行时所见，{time}。）",
    "silent-somewhere": "{wrong}：{backward} 需要 {tensor}，而它在保存之后被修改",
    "detail-silent-somewhere": (
        "{saver} 已保存它{version}，版本计数器没有变化，而内容已经不同："
        "某个并非 PyTorch 操作的代码（例如 NumPy）写入了它的内存"
    ),
    "silent-label": "修改 {tensor}，而其版本计数器看不到",
    "carried": "{backward} {raises}：{state} 带着先前迭代的计算图",
    "detail-carried-stale": "{state}{made} 通向那里，{saver} 在其中保存了 {tensor}{version}，而 {makes}",
    "detail-carried-freed": "{state}{made} 通向 {saver} 保存的内容，而那次迭代的反向传播已将其释放",
    "carried-freed-label": "到达先前迭代已释放的计算图",
    "leaf": "需要梯度的叶子张量",
    "leaf-assumed": "叶子张量",
    "changed-in-place": "，不能就地修改",
    "leaf-inplace": "{raises}：{tensor} 是{leaf}{in_place}",
    "detail-leaf-inplace": "{tensor}{made} 若成为操作的结果，就不再得到梯度",
    "late-leaf-inplace": "{raises}：{tensor} 算作叶子张量，因为它早于其计算图",
    "detail-late-leaf-inplace": "其内存在取得这个视图{made} 之后才需要梯度",
    "view-of-leaf-inplace": "{raises}：{tensor} 是{leaf}的视图{in_place}",
    "detail-view-of-leaf-inplace": "修改视图{made} 就是修改其叶子张量，而叶子张量若成为操作的结果，就不再得到梯度",
    "multi-view-inplace": "{raises}：{tensor} 是{maker}多个视图之一",
    "detail-multi-view-inplace": "涉及梯度时，一次调用{made} 同时创建的视图不能就地修改",
    "multi-view-base": "{raises}：{tensor} 被修改，而它有{maker}多个视图",
    "detail-multi-view-base": "此后，一次调用{made} 同时创建的视图在涉及梯度时不能再使用",
    "maker": " `{op}` 同时创建的",
    "maker-unknown": "一次调用同时创建的",
    "function-view-inplace": "{raises}：{tensor} 是自定义 Function 或带钩子的模块给出的视图",
    "detail-function-view-inplace": "这样的视图{made} 不能就地修改：修改会取代它自己的反向传播",
    "no-grad-view-inplace": "{raises}：{tensor} 是在关闭梯度模式时创建的视图",
    "detail-no-grad-view-inplace": "这样的视图{made} 在梯度模式开启时不能就地修改",
    "spoilt": "{raises}：它使用的视图，其内存已在{place}被修改",
    "spoilt-label": "使用该视图",
    "detail-spoilt": "{change} 修改了 {tensor}{versions}，而{reason}",
    "spoilt-multi-view-base": "一次调用{made} 为这块内存创建了多个视图",
    "spoilt-multi-view-inplace": "一次调用{made} 为这块内存创建了多个视图",
    "spoilt-function-view-inplace": "该视图由自定义 Function 或带钩子的模块给出{made}",
    "spoilt-no-grad-view-inplace": "该视图是在关闭梯度模式时创建的{made}",
    "overlap-write": "{raises}：{tensor} 的多个元素共用同一内存位置",
    "detail-overlap-write": "写入 {tensor}{made} 的一个元素，其他元素读到的也会改变",
    "overlap-read": "{raises}：写入 {tensor} 的值与它位于同一内存",
    "detail-overlap-read": "{tensor}{made} 的一些值在读取之前就会被覆盖",
    "out-grad": "{raises}：有张量需要梯度时，`out=` 不能写入 {tensor}",
    "detail-out-grad": "其中有张量{made} 需要梯度，而 autograd 不记录 `out=`",
    "out-grad-label": "写入 {tensor}",
    "inference-changed": "{raises}：{tensor} 是推理张量，却在推理模式之外被修改",
    "detail-inference-changed": "它在推理模式下创建{made}，没有版本计数器可以记录这次修改",
    "inference-saved": "{raises}：{op} 保存 {tensor}，而它是推理张量",
    "detail-inference-saved": "它在推理模式下创建{made}，没有版本计数器可供反向传播检查",
    "inference-saved-label": "为反向传播保存 {tensor}",
    "inference-required": "{raises}：{tensor} 是推理张量，不能需要梯度",
    "detail-inference-required": "它在推理模式下创建{made}，autograd 始终看不到它",
    "requires-grad-label": "要求 {tensor} 需要梯度",
    "freed-graph": "{backward} {raises}：{freer} 已释放其计算图",
    "detail-freed-graph": "它需要 {saver} 保存的内容，而第一次反向传播若没有 `retain_graph=True` 就会将其释放",
    "freed-graph-label": "需要 {op} 保存的内容",
    "freer-unknown": "此前的反向传播",
    "nonleaf-grad": "{tensor} 的 `.grad` {none}：它是{result}，不是叶子张量",
    "detail-nonleaf-grad": "反向传播只保留叶子张量的梯度，而 {tensor} 是算出来的{made}",
    "nonleaf-grad-label": "读取反向传播不保留的梯度",
    "gradcheck": "`{call}` {fails}：{tensor} 是 {dtype}，不是双精度",
    "detail-gradcheck": "它将梯度与有限差分比较，而在其精度{made} 下差分只是噪声",
    "gradcheck-backward": "`{call}` {fails}：这个反向传播算出的是别的导数",
    "detail-gradcheck-backward": "它将反向传播的梯度与有限差分比较，并报告不匹配",
    "gradcheck-random": "`{call}` {fails}：这个反向传播会取随机数",
    "detail-gradcheck-random": "它运行反向传播两次，并报告反向传播不可重入",
    "gradcheck-label": "将梯度与有限差分比较",
    "single-precision": "单精度",
    "requires-grad-dtype": "{raises}：{tensor} 是 {dtype}，不能需要梯度",
    "detail-requires-grad-dtype": "只有浮点和复数张量才能需要梯度",
    "integer": "整数张量",
    "detail-stale-function": (
        "{saver} 已保存它{version}，而 {makes}：自定义 Function 只能修改未被保存的输入，并须用 `ctx.mark_dirty` 声明"
    ),
    "function-dirty-leaf": "{raises}：`mark_dirty` 声明了 {tensor}，而它是{leaf}",
    "detail-function-dirty-leaf": "该叶子张量{made} 若成为自定义 Function 的结果，就不再得到梯度",
    "function-dirty-lost": "{raises}：`mark_dirty` 声明了 {tensor}，而 `forward` 没有返回它",
    "detail-function-dirty-lost": "自定义 Function 必须返回其声明为就地修改的内容",
    "function-gradient-count": "{raises}：`backward` 返回的梯度与输入的数目不同",
    "detail-function-gradient-count": (
        "自定义 Function 的 `backward` 在此处返回 {given} 个梯度，而其 `forward` 得到 {taken} 个输入"
    ),
    "function-unmarked": "{wrong}：{tensor} 被修改而未用 `mark_dirty` 声明",
    "detail-function-unmarked": (
        "autograd 不知道自定义 Function 修改了 {tensor}：此后读取它的操作，其梯度会绕过该 Function 的 `backward`"
    ),
    "function-kept": "{wrong}：{kept} 保存的 {tensor} 被修改",
    "detail-function-kept": (
        "{saver} 将它保存为 {kept}，而没有用 `ctx.save_for_backward`：没有谁比较其版本，"
        "该 Function 的 `backward` 读取的是现在的内容"
    ),
    "function-contract": "{raises}：自定义 Function 违反了与 autograd 的约定",
    "detail-function-contract": "其 `forward` 与 `backward` 彼此不符",
    "function-label": "{via} 违反约定",
    "deepcopy-nonleaf": "{raises}：`deepcopy` 不能复制 {tensor}，它是{result}",
    "detail-deepcopy-nonleaf": "它只复制叶子张量和普通数据，而 {tensor} 是算出来的{made}",
    "deepcopy-nonleaf-label": "复制 {tensor}",
    "unused-suppression": "此处没有 {codes} 的诊断：可以删除这条抑制注释",
    "unused-suppression-all": "此处没有任何诊断：可以删除这条抑制注释",
    "unknown-suppressed": "没有规则 {code}：可以删除这条抑制注释",
    "unknown-suppressed-meant": "没有规则 {code}；是否指 {meant}？",
    "unused-suppression-label": "没有抑制任何内容",
    "full-stop": "{text}。",
    "related-saved": "{op} 为反向传播保存了 {tensor}{version}（{role}）",
    "not-in-releases": "；PyTorch {releases} 中并非如此",
    "related-saved-here": "{op} 保存了反向传播所需的内容",
    "related-alias": "从此处起 {tensor} 指向同一内存",
    "related-passed": "这次调用修改了 {tensor}",
    "related-stored": "{tensor} 将它带入下一次迭代",
    "related-view": "{tensor} 成为视图{how}",
    "related-leaf": "{tensor} 成为叶子张量",
    "related-built": "{tensor} 在此处产生{how}",
    "related-how": "（`{via}`）",
    "related-freed": "释放计算图保存的内容",
    "related-changed": "{via} 修改 {tensor}{versions}",
    "related-backward": "需要 {tensor}{version}",
    "related-reads": "读取被修改的 {tensor}",
    "related-read": "读取 {tensor}，而其计算图仍是修改之前的",
    "related-wrong": "算出错误的梯度",
    "related-caller": "调用方会对其返回值进行反向传播",
    "related-raised": "报错",
    "role-input": "其输入",
    "role-result": "其结果",
    "role-weight": "其权重",
    "role-index": "其索引",
    "role-mask": "其掩码",
    "role-target": "其目标",
    "role-other": "其参数 `{role}`",
    "role-own": "其 `{role}`",
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
    "said-freed": (
        "`backward()` 会释放沿途各操作所保存的内容。这次反向传播走到了一个先前的反向传播已经走过的操作。"
        "要么两个损失共用了计算图的一部分，要么某个被保留下来的张量（例如隐藏状态或累计值）仍然通向先前迭代的计算图。"
    ),
    "said-several-views": "该张量是一次调用产生的多个视图之一。PyTorch 无法记录对其中一个的就地修改。",
    "said-function-view": (
        "该张量是自定义 Function 产生的视图，或是它原样返回的输入。记录对它的就地修改会绕过该 Function 自己的"
        " backward，因此 PyTorch 予以拒绝。"
    ),
    "advice-retain": (
        "“Specify retain_graph=True”：只有在您有意两次走过同一个计算图时才正确，要写在先前的那次反向传播上，"
        "并且在那之前不得修改它所保存的内容。两个损失：先相加，再调用一次 `backward()`。被保留的状态："
        "对它调用 `.detach()`，否则每次迭代都要走回之前的所有迭代，而且优化器一旦修改权重就会失败。"
    ),
    "advice-anomaly": (
        "“enable anomaly detection”：它指出的是*保存*该张量的操作，而不是修改它的那一行，并且会使训练慢很多。"
    ),
    "advice-backtrace": (
        "“the backtrace further above … Good luck!”：它显示张量在何处被*保存*。修改它的代码在其后，"
        "位于该处与 `backward()` 之间。"
    ),
    "advice-clone-output": (
        "“cloning the output of the custom Function”：正确。写成 `out = MyFunction.apply(x).clone()`，"
        "或不在那里就地修改。"
    ),
    "advice-out-of-place": (
        "“replace the inplace operation by an out-of-place one”：正确。`q *= 2` 改为 `q = q * 2`；"
        "此后其他视图及其基张量保持原值。"
    ),
    "advice-both-sides": (
        "“moving both the view and the inplace … inside the no_grad block … or both outside”：正确。"
        "不需要梯度时（例如更新权重）都放在里面，需要梯度时都放在外面。"
    ),
    "advice-normal-tensor": (
        "“make a clone to get a normal tensor”：正确，但要在 `inference_mode()` *之外*克隆。可以的话，"
        "用 `no_grad()` 代替 `inference_mode()`。"
    ),
    "advice-clone-first": (
        "“Please clone() the tensor”：正确。在修改之前写 `x = x.clone()`，最好写在 `expand()` 产生它的地方。"
    ),
    "account-advises": "它的建议是否可取",
    "said-no-rule": "这不是 GradGuard 所查找的失败：没有嫌疑可列。",
    "comma": "、",
    "account-clues": "（{clues}）",
    "account-clue-and": "；",
    "account-says": "PyTorch 说了什么",
    "account-suspects": "嫌疑",
    "account-nobody": "在 {path} 中没有发现会这样失败的内容。",
    "account-more": "还有 {count} 处可能性较小。",
    "account-rules": "相关规则",
    # 无法证明任何修复正确时该怎么做
    "remedy-GG101": "改用非就地的写法（`y = y + 1`），或修改它的 `clone()`",
    "remedy-GG102": "在更新之前完成经过这些权重的所有 `backward()`，或在更新之后重新做一次前向",
    "remedy-GG103": "在为下一次迭代保留该值的地方用 `.detach()` 切断计算图；损失只保留 `loss.item()`",
    "remedy-GG111": "在使用之前修改该张量，或修改它的 `clone()`，不要通过 `.data`",
    "remedy-GG201": "更新要放在 `torch.no_grad()` 之下；由叶子算出的结果要用另外的名字",
    "remedy-GG202": "更新要放在 `torch.no_grad()` 之下；要由叶子算出结果，就修改它的 `clone()`",
    "remedy-GG203": "用下标取出该部分（`x[0]`），或修改它的 `clone()`",
    "remedy-GG204": "创建视图和修改视图要么都在 `no_grad()` 之下，要么都在其外",
    "remedy-GG205": "在修改之前调用 `clone()`，使每个元素有自己的内存位置",
    "remedy-GG206": "去掉 `out=`，使用函数的返回值",
    "remedy-GG207": "用 `no_grad()` 代替 `inference_mode()`，或在其外对该张量调用 `clone()`",
    "remedy-GG301": "先把损失相加，再调用一次 `backward()`；或为第二次重新计算共用的部分",
    "remedy-GG302": "在 `backward()` 之前对它调用 `retain_grad()`，或读取它所来自的叶子的梯度",
    "remedy-GG401": "传入 `dtype=torch.double` 的输入，并对模块调用 `.double()`",
    "remedy-GG402": "改为浮点类型：只有浮点张量才有梯度",
    "remedy-GG403": "让 `backward` 返回 `forward` 所算内容的导数",
    "remedy-GG501": "用 `ctx.mark_dirty()` 标记 `forward` 修改的张量，用 `ctx.save_for_backward()` 保存张量",
    "remedy-GG601": "复制切断后的张量（`x.detach().clone()`），或在对象持有计算结果之前复制它",
    "remedy-GG900": "删除这条注释",
}

_IDEOGRAPH, _PUNCTUATION = "[\u4e00-\u9fff]", "[（），：。]"
_needless_blank = re.compile(f"(?<={_IDEOGRAPH}) (?={_IDEOGRAPH})|(?<={_PUNCTUATION}) | (?={_PUNCTUATION})")

CATALOGUES: dict[Locale, dict[str, str]] = {"en": ENGLISH, "zh-cn": CHINESE}


def say(key: str, locale: Locale, **words: object) -> str:
    """The template `key` of a locale with its placeholders filled in. Raises KeyError if one is missing."""
    # A space sets off code from Chinese text; where a word or a bracket has come to stand there instead, it goes.
    return _needless_blank.sub("", CATALOGUES[locale][key].format(**words))


def locale_of(tag: str | None) -> Locale:
    """The locale that serves a reader whose language tag is `tag` (`zh-CN`, `zh_CN.UTF-8`, `de`): else English."""
    parts = (tag or "").split(".")[0].lower().replace("_", "-").split("-")
    traditional = {"hant", "tw", "hk", "mo"} & set(parts)
    return "zh-cn" if parts[0] == "zh" and not traditional else "en"

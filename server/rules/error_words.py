"""One of PyTorch's errors in plain words: what each part of its message means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import table
from .messages import Locale, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .pytorch_error import PytorchError, StaleTensor

MOST_MAKERS = 3
"""so many operations are named that a node may come from"""

REWRITTEN = {"AsStrided": "error-as-strided", "CopySlices": "error-copy-slices"}
"""nodes that no operation of the program has made, but a change in place of memory that views share"""


def retell(error: PytorchError, locale: Locale) -> str:
    """What happened, as Markdown: a paragraph, and a point for each part of the message."""
    if error.tensor is None:
        return "\n".join(f"- {rule.summary}" for rule in error.rules)
    points = [*_tensor(error.tensor, locale), *_trace(error, locale)]
    return "\n".join([_versions(error.tensor, locale), "", *(f"- {point}" for point in points)])


def clue(name: str, locale: Locale) -> str:
    """What speaks for a suspect."""
    return say(f"clue-{name}", locale)


def _versions(tensor: StaleTensor, locale: Locale) -> str:
    count = tensor.version - tensor.expected
    times = say("error-once", locale) if count == 1 else say("error-times", locale, count=count)
    return say("error-stale", locale, expected=tensor.expected, version=tensor.version, times=times)


def _tensor(tensor: StaleTensor, locale: Locale) -> Iterator[str]:
    shape = say("error-shape", locale, shape=tensor.shape) if tensor.shape else say("error-scalar", locale)
    told = say("error-tensor", locale, dtype=tensor.dtype, shape=shape, device=tensor.device)
    if "float" not in tensor.dtype and "complex" not in tensor.dtype:
        told += " " + say("error-integers", locale)
    yield told
    yield _node(tensor, locale)


def _node(tensor: StaleTensor, locale: Locale) -> str:
    if tensor.node is None:
        return say("error-no-node", locale)
    name = bare(tensor.node)
    if name in REWRITTEN:
        return say(REWRITTEN[name], locale, node=tensor.node, output=tensor.output)
    # The releases of PyTorch write `Exp`, `ExpBackward` or `ExpBackward0`; the table has the last of these.
    makers = table.makers(f"{name}Backward0")[:MOST_MAKERS]
    if not makers:
        return say("error-made", locale, node=tensor.node, output=tensor.output)
    quoted = ", ".join(say("quote", locale, text=maker) for maker in makers)
    return say("error-made-by", locale, node=tensor.node, output=tensor.output, makers=quoted)


def _trace(error: PytorchError, locale: Locale) -> Iterator[str]:
    if not error.forward:
        yield say("error-no-trace", locale)
        return
    frame = error.forward[-1]
    node = say("error-a-node", locale, node=error.forward_node)
    yield say("error-where", locale, node=node, place=f"{frame.path}:{frame.line}", text=frame.text)


def bare(node: str) -> str:
    """A node's name without what PyTorch's releases write differently: `Exp` for `ExpBackward0`."""
    return node.rpartition("::")[2].rstrip("0123456789").removesuffix("Backward")

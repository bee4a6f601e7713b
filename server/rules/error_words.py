"""One of PyTorch's errors in plain words: what each part of its message means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.releases import BASE
from .messages import Locale, say
from .page import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .pytorch_error import PytorchError, StaleTensor
    from .rule import Rule

MOST_MAKERS = 3
"""how many operations are named that a node may come from"""

REWRITTEN = {"AsStrided": "error-as-strided", "CopySlices": "error-copy-slices"}
"""nodes that no operation of the program has made, but a change in place of memory that views share"""


def retell(error: PytorchError, locale: Locale) -> str:
    """What happened, as Markdown: a paragraph, and a point for each part of the message."""
    points = [say(key, locale) for key in (*error.others, *error.said)]
    if not error.rules:
        points.append(say("said-no-rule", locale))
    if error.tensor is None:
        points += [words(rule, locale).summary for rule in error.rules]
        return _list(points)
    points += [*_tensor(error.tensor, locale), *_trace(error, locale)]
    return f"{_versions(error.tensor, locale)}\n\n{_list(points)}"


def _list(points: Iterable[str]) -> str:
    return "\n".join(f"- {point}" for point in points)


def _numbered(points: Iterable[str]) -> list[str]:
    return [f"{number}. {point}" for number, point in enumerate(points, 1)]


def account(error: PytorchError, locale: Locale) -> str:
    """What PyTorch says, as a section, and what its advice is worth, as another."""
    says = f"# {say('account-says', locale)}\n\n{retell(error, locale)}\n"
    if not error.advice:
        return says
    judged = "\n".join(_numbered(say(key, locale) for key in error.advice))
    return f"{says}\n# {say('account-advises', locale)}\n\n{judged}\n"


def lineup(told: Sequence[str], more: int, path: str, locale: Locale) -> str:
    """The likeliest suspects in `path`, as a section; `more` were found."""
    lines = _numbered(told) or [say("account-nobody", locale, path=path)]
    if more:
        lines.append(f"\n{say('account-more', locale, count=more)}")
    return "\n".join([f"# {say('account-suspects', locale)}", "", *lines, ""])


def further(rules: Iterable[Rule], locale: Locale) -> str:
    """Where to read on, as a section."""
    lines = [f"`gradguard explain {rule.code}` ({rule.name}): {words(rule, locale).summary}" for rule in rules]
    return f"# {say('account-rules', locale)}\n\n{_list(lines)}\n"


def clues(names: Sequence[str], locale: Locale) -> str:
    """The reasons for a suspect, in brackets; empty if there are none."""
    told = say("account-clue-and", locale).join(say(f"clue-{name}", locale) for name in names)
    return say("account-clues", locale, clues=told) if told else ""


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
    makers = BASE.table.makers(f"{name}Backward0")[:MOST_MAKERS]
    if not makers:
        return say("error-made", locale, node=tensor.node, output=tensor.output)
    quoted = say("comma", locale).join(say("quote", locale, text=maker) for maker in makers)
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

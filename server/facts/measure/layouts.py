"""Measure how the results of a call lie in memory, depending on how its tensors lie.

Each rule predicts a result's strides, and those stay that are never wrong. The predictions are PyTorch's own:
`empty_like` lies as the first tensor does, and a sum of tensors with the arguments' shapes and strides lies as
`TensorIterator` decides.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from .modules import constructor_params
from .probe import RAISED, fresh
from .samples import Arguments, call, of_entry, tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..layouts import Layout
    from .catalogue import Entry
    from .modules import Call

SAMPLES = 24

RULES: tuple[Layout, ...] = ("rows", "first", "operands", "columns")
"""the plainest first: of several that fit, it is taken"""

Seen = dict[tuple[int, bool], set["Layout"]]
"""the rules that were right each time, by result, and by whether all tensors were contiguous"""


def measure(
    entries: Iterable[Entry], calls: Mapping[str, Sequence[Call]], device: str
) -> dict[str, list[list[Layout | None]]]:
    """Return, by callable, how its results lie: the rows that `facts/layouts.py` reads.

    `calls` are the calls of modules by class.
    """
    found: dict[str, list[list[Layout | None]]] = {}
    for entry in entries:
        seen: Seen = {}
        for _, arguments in of_entry(entry, device, SAMPLES):
            _observe(partial(call, entry), arguments, seen)
        _add(found, entry.name, seen)
    for name, some in calls.items():
        seen = {}
        for one in some:
            if not any(p.name == "inplace" and one.constructor.get("inplace") for p in constructor_params(one.cls)):
                _observe(partial(_called, one), one.forward, seen)
        _add(found, name, seen)
    return dict(sorted(found.items()))


def _called(one: Call, given: Arguments) -> Any:
    return one.build()(**given)


def _add(found: dict[str, list[list[Layout | None]]], name: str, seen: Seen) -> None:
    """Add a callable's row, unless all its results lie row by row whatever it is given."""
    count = max((result for result, _ in seen), default=-1) + 1
    told = [
        [_written(seen.get((result, True)), "rows"), _written(seen.get((result, False)))] for result in range(count)
    ]
    if any(pair != ["rows", "rows"] for pair in told):
        found[name] = told


def _written(rules: set[Layout] | None, unseen: Layout | None = None) -> Layout | None:
    """Return the plainest of the rules, None if none is left; `unseen` if no call has shown anything."""
    if rules is None:
        return unseen
    return next((rule for rule in RULES if rule in rules), None)


def _observe(run: Callable[[Arguments], Any], arguments: Arguments, seen: Seen) -> None:
    """Add to `seen` what calls with these arguments show, laid out in several ways."""
    for laid in _laid_out(fresh(arguments, grad=False)):
        given = [t for t in tensors(laid) if t.layout == torch.strided]
        before = [(t.shape, t.stride()) for t in given]
        memory = {t.untyped_storage().data_ptr() for t in given}
        torch.manual_seed(0)
        try:
            made = [t if isinstance(t, torch.Tensor) else None for t in flat(run(laid))]
        except RAISED:
            continue
        plain = all(t.is_contiguous() for t in given)
        for number, t in enumerate(made[:4]):
            own = t is not None and t.layout == torch.strided and t.untyped_storage().data_ptr() not in memory
            if own and t is not None and t.numel() and sum(size > 1 for size in t.shape) > 1:
                right = {rule for rule in RULES if _foretold(rule, t, before) == _strides(t.shape, t.stride())}
                seen[number, plain] = seen.get((number, plain), set(RULES)) & right


def flat(made: Any) -> list[Any]:
    """Return what a call returned, however nested, in one list."""
    return [t for item in made for t in flat(item)] if isinstance(made, (list, tuple)) else [made]


def _laid_out(arguments: Arguments) -> Iterator[Arguments]:
    """Yield the arguments with their tensors contiguous, transposed (all of them, or one), with gaps, and expanded."""
    count = len(tensors(arguments))
    if max((t.ndim for t in tensors(arguments)), default=2) == 1:
        yield from _laid_out(_relaid(arguments, lambda t: torch.stack([t.clone()] * 3), range(count)))
    yield fresh(arguments, grad=False)
    yield _relaid(arguments, lambda t: t.clone(memory_format=torch.contiguous_format), range(count))
    yield _relaid(arguments, _transposed, range(count))
    if 1 < count < 4:
        for one in range(count):
            yield _relaid(arguments, _transposed, [one])
    yield _relaid(arguments, _with_gaps, range(count))
    yield _relaid(arguments, _expanded, range(count))


def _relaid(value: Any, how: Callable[[torch.Tensor], torch.Tensor], which: Iterable[int]) -> Any:
    """Return the arguments with some of their tensors laid out anew: those whose number is in `which`."""
    wanted, number = set(which), iter(range(1000))

    def relaid(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            strided = value.layout == torch.strided and not value.is_quantized
            return how(value.detach()) if next(number) in wanted and strided else fresh(value, grad=False)
        if isinstance(value, dict):
            return {key: relaid(item) for key, item in value.items()}
        return type(value)(map(relaid, value)) if type(value) in (list, tuple) else value

    return relaid(value)


def _transposed(t: torch.Tensor) -> torch.Tensor:
    return t.clone() if t.ndim < 2 else t.transpose(-2, -1).contiguous().transpose(-2, -1)


def _with_gaps(t: torch.Tensor) -> torch.Tensor:
    return t.repeat_interleave(2, -1)[..., ::2] if t.ndim else t.clone()


def _expanded(t: torch.Tensor) -> torch.Tensor:
    return t[:1].clone().expand_as(t) if t.ndim and t.is_floating_point() else t.clone()


Strides = tuple[int, ...]


def _foretold(rule: Layout, made: torch.Tensor, given: Sequence[tuple[torch.Size, Strides]]) -> tuple[int, ...] | None:
    """Return the strides that a rule predicts for a result; None if the rule can't make one of its shape."""
    if rule == "rows":
        return _strides(made.shape, torch.empty(made.shape).stride())
    if rule == "columns":
        return _strides(made.shape, torch.empty(made.mT.shape).mT.stride())
    like = [torch.empty_strided(shape, strides) for shape, strides in given]
    if rule == "first":
        fits = like and like[0].shape == made.shape
        return _strides(made.shape, torch.empty_like(like[0]).stride()) if fits else None
    laid = _iterated(like)
    return _strides(made.shape, laid.stride()) if laid is not None and laid.shape == made.shape else None


OPERATORS: dict[int, Callable[..., torch.Tensor]] = {1: torch.neg, 2: torch.add, 3: torch.addcmul}
"""elementwise operators by the number of their operands"""


def _iterated(operands: Sequence[torch.Tensor]) -> torch.Tensor | None:
    """Return what `TensorIterator` makes of the operands; None if no operator here takes them."""
    try:
        return OPERATORS[len(operands)](*operands) if len(operands) in OPERATORS else None
    except RuntimeError:
        return None


def _strides(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return the strides that matter: those of dimensions with more than one element."""
    return tuple(stride for size, stride in zip(shape, strides, strict=True) if size > 1)

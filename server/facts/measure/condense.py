"""Condense what the samples of one callable showed into cases: a small decision tree over its arguments.

Samples agree if one case can say what all of them did. If they don't agree, the test on one argument that leaves the
purest halves splits them, and each half may be split again. The samples of `torch.pow` need one split:

    pow(x, y)   saves `input`, `exponent` and its result    the first case, if `exponent` is a tensor
    pow(x, 2)   saves `input`                               the second case, otherwise

Where no test explains a disagreement, the majority counts; with less than two thirds, it is marked as uncertain.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from ..model import REQUIRED, Case, Grads, Mutation, Param, Result, Save, Test
from .probe import Subset
from .samples import NUMERIC, Arguments, tensors

if TYPE_CHECKING:
    from .probe import Observation

DEPTH = 5
"""how many tests lead to a case at most"""

FREE = frozenset({"pattern", "equation", "device", "dtype", "index"})
"""parameters that no test compares with a value: each program has its own"""

TOLD = ("flow", "mutate", "count", "result")
"""the kinds of observations that a case can only say one thing of, so that its samples have to agree"""


@dataclass(frozen=True, slots=True)
class Sample:
    """The arguments of one call, and what the call showed (`probe.py`)."""

    arguments: Arguments
    seen: Observation


def condense(params: Sequence[Param], samples: Sequence[Sample], *, sequence: bool = False) -> tuple[Case, ...]:
    """Return the cases that the samples show; the first whose tests hold applies.

    `sequence`: a tuple of results may have any length, by the callable's schema.
    """
    leaves = _leaves(params, _as_sequences(params, samples, sequence=sequence), (), DEPTH)
    chooses_dtype = any(p.name == "dtype" for p in params)
    return tuple(_case(group, tests, chooses_dtype=chooses_dtype) for tests, group in leaves)


Leaf = tuple[tuple[Test, ...], Sequence["Sample"]]
"""a leaf of the tree: the tests that lead to it, and its samples"""


def _leaves(params: Sequence[Param], samples: Sequence[Sample], tests: tuple[Test, ...], depth: int) -> list[Leaf]:
    """Return the leaves of the tree that grows from these samples; one leaf if no split is worth it.

    Two splits are tried: the one with the least cost, then the one with the least cost that settles a side. A split is
    kept if it explains a contradiction or settles a side, and its leaves don't all say the same.
    """
    contradictions = _contradictions(samples)
    splits = sorted(_splits(params, samples), key=lambda split: split.cost) if contradictions and depth else []
    settling = [split for split in splits if split.settles]
    for split in dict.fromkeys((*splits[:1], *settling[:1])):
        grown = _leaves(params, split.holds, (*tests, split.test), depth - 1)
        grown += _leaves(params, split.fails, tests, depth - 1)
        explains = bool(contradictions.difference(*(_contradictions(group) for _, group in grown)))
        if (explains or split.settles) and len({_said(group) for _, group in grown}) > 1:
            return grown
    return [(tests, samples)]


def _said(samples: Sequence[Sample]) -> Case:
    """Return the case of the samples, without what doesn't distinguish cases."""
    case = _case(samples, ())
    saves = tuple(replace(s, certain=True) for s in case.saves)
    return replace(case, node=None, saves=saves, mutates=tuple(replace(m, certain=True) for m in case.mutates))


# -- the tests -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The samples for which a test holds, and those for which it doesn't."""

    test: Test
    holds: list[Sample]
    fails: list[Sample]
    cost: tuple[float, int, int]
    """the impurity that remains, then how odd the test is, then the parameter's place: the least is the best"""

    @property
    def settles(self) -> bool:
        """Whether one side has no contradictions left, and at least an eighth of the samples."""
        enough = (len(self.holds) + len(self.fails)) / 8
        return any(len(side) >= enough and not _contradictions(side) for side in (self.holds, self.fails))


def _splits(params: Sequence[Param], samples: Sequence[Sample]) -> Iterator[Split]:
    """Yield the splits that leave the samples purer than they are together."""
    impurity = _impurity(samples) - 1e-9
    for place, param in enumerate(params):
        for test in _tests(param, samples):
            holds = [s for s in samples if holds_for(test, param, s.arguments)]
            fails = [s for s in samples if not holds_for(test, param, s.arguments)]
            if holds and fails and (remaining := _impurity(holds) + _impurity(fails)) < impurity:
                yield Split(test, holds, fails, (remaining, _oddity(test), place))


def _tests(param: Param, samples: Sequence[Sample]) -> Iterator[Test]:
    """Yield the tests that could be made on a parameter: what kind of argument it is, and whether it has some value."""
    yield Test(param.name, "tensor", True)
    yield Test(param.name, "given", True)
    if param.name in ("index", "b"):
        yield Test(param.name, "advanced", True)
    values = {s.arguments.get(param.name, param.default): None for s in samples if _tells(param, s.arguments)}
    for value in values:
        yield Test(param.name, "is", value)


def _tells(param: Param, arguments: Arguments) -> bool:
    """Whether an argument's value may select another formula, so that it is worth a test; sizes and the like don't."""
    if param.name in FREE:
        return False
    value = arguments.get(param.name, param.default)
    if isinstance(value, (bool, str)):
        return True
    return param.name in NUMERIC and isinstance(value, (int, float)) and (abs(value) <= 4 or math.isinf(value))


def _oddity(test: Test) -> int:
    """How far-fetched a test is: the plainer of two that split equally well is the likelier reason."""
    if test.op != "is":
        return 0
    return 1 if isinstance(test.value, bool) else 2


def holds_for(test: Test, param: Param, arguments: Arguments) -> bool:
    """Whether the test holds for these arguments; `param` is the parameter that it names."""
    value = arguments.get(param.name, param.default)
    if test.op == "tensor":
        return bool(tensors(value)) is test.value
    if test.op == "given":
        return (value is not None and value is not REQUIRED) is test.value
    if test.op == "advanced":
        return is_advanced(value) is test.value
    equal = isinstance(value, (bool, str, int, float)) and value == test.value
    return equal is (test.op == "is")


def is_advanced(index: object) -> bool:
    """Whether an index selects by a tensor, list or bool (NumPy's advanced indexing).

    A list with a slice in it counts as a tuple (`treatSequenceAsTuple` in PyTorch's python_variable_indexing.cpp).
    """
    parts = index if isinstance(index, (tuple, list)) else (index,)
    if isinstance(index, list) and not any(part is None or part is ... or isinstance(part, slice) for part in parts):
        return True
    return any(isinstance(part, (bool, list, tuple, torch.Tensor)) for part in parts)


# -- agreement -------------------------------------------------------------------------------


def _contradictions(samples: Iterable[Sample]) -> set[object]:
    """Return the labels of what one case can't say of all the samples.

    A set of inputs that saves something contradicts a larger set that doesn't: a case has conditions (`Grads`) only of
    the kind "if these require grad".
    """
    pooled = _pooled(samples)
    differing = {key for key, values in pooled.items() if len(values) > 1 and key[0] in TOLD}
    return differing | {label for label, held in _held(pooled).items() if not _is_monotone(held)}


def _impurity(samples: Iterable[Sample]) -> float:
    """Return the Gini impurity of what the samples showed, summed over all that was observed; 0 if they all agree."""
    pooled = (values for key, values in _pooled(samples).items() if key[0] in (*TOLD, "save", "frees"))
    return sum(values.total() - sum(n * n for n in values.values()) / values.total() for values in pooled)


Held = dict[Any, dict[Subset, Counter[bool]]]
"""for each label (`"frees"` stands for the graph) and subset that requires grad: how often it was saved, and how often
not"""

Pooled = dict[tuple[Any, ...], Counter[Any]]
"""the observations of several samples by key: how often each value was seen"""


def _pooled(samples: Iterable[Sample]) -> Pooled:
    pooled: Pooled = defaultdict(Counter)
    for sample in samples:
        for key, value in sample.seen.items():
            pooled[key][value] += 1
    return pooled


def _held(pooled: Pooled) -> Held:
    """Return from the pooled observations those of what is saved."""
    held: Held = defaultdict(dict)
    for key, values in pooled.items():
        if key[0] == "save":
            held["save", key[1]][key[2]] = values
        elif key[0] == "frees":
            held["frees"][key[1]] = values
    return held


def _is_monotone(held: Mapping[Subset, Counter[bool]]) -> bool:
    """Whether all subsets around one that saves save, too."""
    return not any(values[False] for values in _expected(held))


def _expected(held: Mapping[Subset, Counter[bool]]) -> list[Counter[bool]]:
    """Return the counts where it should be saved: of the subsets that contain a minimal one that saves."""
    saving = minimal(s for s, values in held.items() if values[True])
    return [values for s, values in held.items() if any(m <= s for m in saving)]


def _is_usual(held: Mapping[Subset, Counter[bool]]) -> bool:
    """Whether it was saved in at least two thirds of the samples in which it should be."""
    seen = sum(_expected(held), Counter[bool]())
    return seen[True] >= 2 * seen[False]


def minimal(subsets: Iterable[Subset]) -> Grads:
    """Return the minimal sets: those that contain no other of the sets."""
    found: list[Subset] = []
    for s in sorted(set(subsets), key=lambda s: (len(s), sorted(s))):
        if not any(m <= s for m in found):
            found.append(s)
    return tuple(found)


# -- one case --------------------------------------------------------------------------------


def _case(samples: Sequence[Sample], tests: tuple[Test, ...], *, chooses_dtype: bool = False) -> Case:
    pooled = _pooled(samples)
    held = _held(pooled)
    count = _common(pooled, "count") or 0
    size = 1 if count == "sequence" else _size(count)
    results = tuple(_result(pooled, i, chooses_dtype=chooses_dtype) for i in range(size))
    mutates = tuple(_mutations(pooled))
    return Case(
        tests=tests,
        flows=frozenset(str(key[1]) for key, values in pooled.items() if key[0] == "flow" and True in values),
        saves=tuple(_saves(held, results, {m.what for m in mutates})),
        frees=minimal(s for s, values in held.get("frees", {}).items() if values[True]),
        mutates=mutates,
        results=results,
        sequence=count == "sequence",
        node=_common(pooled, "node"),
    )


def _common(pooled: Pooled, key: str) -> Any:
    values = pooled.get((key,))
    return values.most_common(1)[0][0] if values else None


def _size(count: object) -> int:
    return count[1] if isinstance(count, tuple) else count if isinstance(count, int) else 0


def _saves(held: Held, results: Sequence[Result], changed: set[str]) -> Iterator[Save]:
    """Yield what is saved. A tensor that is both an input and a result is named once: as a result if it was changed."""
    same = {i: r.of for i, r in enumerate(results) if r.kind in ("same", "view")}
    for key, subsets in held.items():
        if key == "frees":
            continue
        label = key[1]
        if label in changed & set(same.values()) or (label in same and same[label] not in changed):
            continue
        when = minimal(s for s, values in subsets.items() if values[True])
        if when:
            name = label if isinstance(label, str) else "out" if len(results) == 1 else f"out{label}"
            yield Save(name, when, certain=_is_usual(subsets))


def _mutations(pooled: Pooled) -> Iterator[Mutation]:
    for key, values in pooled.items():
        moved = {bumps: count for bumps, count in values.items() if key[0] == "mutate" and bumps is not None}
        if moved:
            usual = max(moved, key=lambda bumps: (moved[bumps], bumps))
            yield Mutation(str(key[1]), usual, certain=moved[usual] * 3 >= values.total() * 2)


def _result(pooled: Pooled, i: int, *, chooses_dtype: bool) -> Result:
    relations = pooled.get(("result", i), Counter())
    kinds, sources = {r[0] for r in relations}, {r[1] for r in relations} - {None}
    dtypes = {output for output, _ in pooled.get(("dtype", i), ())}
    inputs = {given for _, given in pooled.get(("dtype", i), ())}
    versions = [v for key, values in pooled.items() if key[:2] == ("version", i) for v in values]
    fixed = len(inputs) > 1 or (inputs == {None} and not any("float" in str(d) for d in dtypes))
    return Result(
        kind=kinds.pop() if len(kinds) == 1 else "depends",
        of=str(sorted(map(str, sources))[0]) if sources else None,
        multi=True in pooled.get(("multi", i), ()),
        differentiable=("differentiable", i) in pooled,
        dtype=str(dtypes.pop()) if len(dtypes) == 1 and fixed and not chooses_dtype else None,
        version=(min(versions, default=0), max(versions, default=0)),
    )


# -- sequences -------------------------------------------------------------------------------


def _as_sequences(params: Sequence[Param], samples: Sequence[Sample], *, sequence: bool) -> list[Sample]:
    """Return the samples with tuples of varying length, or of pieces of one tensor, as sequences of like results."""
    counts = _counts(samples)
    tuples = {c for c in counts if isinstance(c, tuple)}
    varying = sequence or "sequence" in counts or any(s.seen.get(("multi", 0)) for s in samples)
    varying = varying or (len(tuples) > 1 and not _is_counted_by_flag(params, samples))
    return [Sample(s.arguments, _merged(s.seen)) if varying and _many(s.seen) else s for s in samples]


def _counts(samples: Iterable[Sample]) -> set[object]:
    return {s.seen["count",] for s in samples}


def _is_counted_by_flag(params: Sequence[Param], samples: Sequence[Sample]) -> bool:
    """Whether a flag decides how many results there are (`get_infos`): the number is then a fact of each case."""
    for p in params:
        on, off = ([s for s in samples if s.arguments.get(p.name, p.default) is flag] for flag in (True, False))
        if len(on) + len(off) == len(samples) and len(_counts(on)) == len(_counts(off)) == 1:
            return True
    return False


def _many(seen: Observation) -> bool:
    return not isinstance(seen["count",], int)


def _merged(seen: Observation) -> Observation:
    """Return the observations, with those of all results as result 0's; a bool is True if it is for any result."""
    merged: Observation = {}
    for key, value in seen.items():
        if len(key) > 1 and isinstance(key[1], int):
            first = (key[0], 0, *key[2:])
            merged[first] = bool(merged.get(first) or value) if isinstance(value, bool) else merged.get(first, value)
        else:
            merged[key] = value
    merged["count",] = "sequence"
    return merged

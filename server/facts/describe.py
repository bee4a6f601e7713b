"""A fact in plain words, for `gradguard facts NAME` and hovers:

torch.exp(input)
  out= is changed in place (version +1); refused where a tensor requires grad
  saves its result for backward if input requires grad
  returns a new tensor
  gradient flows to input by ExpBackward0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .encoding import write_params
from .model import Case, Fact, Grads, ModuleFact, Mutation, Op, OptimizerFact, OutGraph, Result, Save, Test

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

OUT_GRAPH: dict[OutGraph, str] = {
    "refused": "refused where a tensor requires grad",
    "joins": "takes part in the graph",
    "joins, no leaf": "takes part in the graph unless it is a leaf that requires grad, which is refused",
    "unseen": "autograd doesn't see it",
    "depends": "refused where a tensor requires grad, or takes part in the graph, by the arguments",
}
"""what happens to `out=` where gradients are recorded"""


def describe(fact: Fact) -> str:
    """Return the entry of a callable: its signature, then what it changes, saves and returns, case by case."""
    if isinstance(fact, OptimizerFact):
        return "\n".join(_optimizer(fact))
    return "\n".join([*_heading(fact), *_body(fact)])


def _heading(fact: Op | ModuleFact) -> Iterator[str]:
    yield f"{fact.name}({write_params(fact.params)})"
    if isinstance(fact, ModuleFact):
        yield f"  called with ({write_params(fact.forward)})"
        if fact.parameters:
            yield f"  parameters: {', '.join(fact.parameters)}"
        if fact.buffers:
            yield f"  buffers: {', '.join(fact.buffers)}"
        return
    if fact.inplace_of:
        yield f"  the in-place form of {fact.inplace_of}"
    if fact.accepts_out:
        yield f"  out= is changed in place ({_bumps(*fact.out_bumps)}); {OUT_GRAPH[fact.out_graph]}"
    if fact.apart:
        yield f"  refused where {' or '.join(sorted(fact.apart))} shares memory with what is changed"
    if fact.loose:
        yield f"  {' and '.join(sorted(fact.loose))} may share a part of the memory of what is changed"
    if fact.overlapping:
        yield "  takes tensors whose elements share memory (expanded ones)"
    if fact.as_out:
        yield "  writes as out= does: refused where anything requires grad"
    if not fact.measured:
        yield "  not measured: this is what its schema declares, what it saves is unknown"


def _body(fact: Op | ModuleFact) -> Iterator[str]:
    for i, case in enumerate(fact.cases):
        if len(fact.cases) > 1:
            yield f"  {_condition(case.tests, first=i == 0)}:"
        indent = "    " if len(fact.cases) > 1 else "  "
        yield from (indent + line for line in _case(case, measured=not isinstance(fact, Op) or fact.measured))


def _condition(tests: Sequence[Test], *, first: bool) -> str:
    if not tests:
        return "otherwise"
    return ("if " if first else "else if ") + " and ".join(map(_test, tests))


def _test(test: Test) -> str:
    if test.op in ("is", "is_not"):
        return f"{test.param}={test.value!r}" if test.op == "is" else f"{test.param} is not {test.value!r}"
    positive, negative = {
        "tensor": ("is a tensor", "is not a tensor"),
        "given": ("is given", "is not given"),
        "advanced": ("has a tensor, list or bool in it", "is made of ints, slices, None and ... alone"),
    }[test.op]
    return f"{test.param} {positive if test.value else negative}"


def _case(case: Case, *, measured: bool) -> Iterator[str]:
    for mutation in case.mutates:
        yield _changes(mutation)
    yield from (_saves(save) for save in case.saves)
    if measured and not case.saves:
        yield "saves a tensor of its own for backward" if case.frees else "saves nothing for backward"
    if case.results:
        yield "returns " + _returns(case)
    if case.flows:
        node = f" by {case.node.removeprefix('torch::autograd::')}" if case.node else ""
        yield f"gradient flows to {_listed(sorted(case.flows))}{node}"
    elif measured and case.results:
        yield "no gradient flows through it"


def _changes(mutation: Mutation) -> str:
    how = _bumps(mutation.bumps) if mutation.bumps else "silently: its version stays"
    return f"{'changes' if mutation.certain else 'may change'} {mutation.what} in place ({how})"


def _bumps(least: int, most: int | None = None) -> str:
    return f"version +{least}" if most in (None, least) else f"version +{least} to +{most}"


def _saves(save: Save) -> str:
    what = "its result" if save.what == "out" else f"its result {save.what[3:]}" if _is_result(save.what) else save.what
    return f"{'saves' if save.certain else 'may save'} {what} for backward if {_grads(save.when)}"


def _is_result(name: str) -> bool:
    return name.startswith("out") and name[3:].isdigit()


def _grads(when: Grads) -> str:
    if all(len(inputs) == 1 for inputs in when):
        names = sorted(name for inputs in when for name in inputs)
        return f"{_listed(names, 'or')} requires grad"
    return " or ".join(f"{_listed(sorted(inputs))} require grad" for inputs in when)


def _returns(case: Case) -> str:
    if case.sequence:
        return "a sequence, each " + _result(case.results[0])
    if len(case.results) == 1:
        return _result(case.results[0])
    return f"{len(case.results)} results: " + "; ".join(map(_result, case.results))


def _result(result: Result) -> str:
    words = {
        "new": "a new tensor",
        "view": f"a view of {result.of}",
        "same": f"{result.of} itself",
        "depends": f"{result.of} itself, a view of it or a new tensor, depending on strides and dtype",
        "alias": f"a tensor that shares {result.of}'s memory, but not its version counter",
    }[result.kind]
    if result.dtype:
        words += f" of dtype {result.dtype}"
    return words + ", one of several views of one call" if result.multi else words


def _listed(names: Iterable[str], word: str = "and") -> str:
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


def _optimizer(fact: OptimizerFact) -> Iterator[str]:
    yield f"{fact.name}({write_params(fact.params)})"
    exact = "" if fact.exact else ", depending on its arguments and on the step"
    yield f"  step() changes each parameter that has a gradient in place ({_bumps(fact.bumps)}{exact})"
    if fact.needs_closure:
        yield "  step() needs a closure"
    for test in fact.silent_when:
        yield f"  with {_test(test)}, silently: the version stays, gradients go wrong without an error"

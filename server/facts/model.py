"""What a measured fact says: plain data, which `measure/` writes and `table.py` reads.

Callables have the names that users call them by: `torch.exp`, `torch.Tensor.exp_`, `torch.nn.functional.relu`,
`torch.nn.Linear`, `torch.optim.SGD`. Parameters have their names in PyTorch's signature; a method's tensor is `self`. A
result is `out`, or `out0`, `out1` … if a call returns several. A module's own tensors are `self.weight` and so on.

The fact of `torch.exp` in words, as `describe.py` puts it: saves its result if `input` requires grad (`Save("out",
(frozenset({"input"}),))`), returns a new tensor (`Result("new")`), gradient flows to `input` by `ExpBackward0`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Grads = tuple[frozenset[str], ...]
"""A condition on which inputs require grad, as alternatives: it holds if every member of one of the sets requires grad.
`()` never holds, `(frozenset(),)` always does. The parameters of a module that has many are measured as one: `self`
stands for all of them."""


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a callable. `default` is a literal, or `REQUIRED` if the parameter must be passed."""

    name: str
    default: object
    keyword_only: bool = False
    variadic: bool = False
    """takes all further positional arguments, or one tuple or list of them (`x.view(2, 3)`); its default is None"""
    aliases: tuple[str, ...] = ()
    """other names of this parameter: in other overloads (`torch.max(x, other)`), or NumPy's (`axis`)"""


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on one argument, which distinguishes the cases of a callable.

    - `tensor`: it is a tensor (`value` True), or it isn't (False).
    - `given`: it is passed and not None (True), or it is left out or None (False).
    - `is`: it equals `value`. `is_not`: it doesn't.
    - `advanced`: it is an index with a tensor, list or bool in it (True), or of int, slice, None and `...` (False).

    For a module, the parameter is one of its constructor's, or `training`. If the callable has no parameter `device`, a
    test of that name asks on which device the tensors are (`cuda`).
    """

    param: str
    op: Literal["tensor", "given", "is", "is_not", "advanced"]
    value: object


@dataclass(frozen=True, slots=True)
class Save:
    """A tensor that the call saves for backward, together with its version."""

    what: str
    """a parameter (each of its tensors if it takes several), `out` or `out1` …, or `self.weight` …"""
    when: Grads
    certain: bool = True
    """False: fewer than two thirds of the samples saved it, and no test tells which"""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A tensor that the call changes. `bumps` is how far its version counter moves; 0 is a silent write.

    `what` is a parameter. It ends in `.grad` if that parameter's gradient is changed (`clip_grad_norm_`).
    """

    what: str
    bumps: int
    certain: bool = True
    """False: fewer than two thirds of the samples showed just that, and no test tells which"""


@dataclass(frozen=True, slots=True)
class Result:
    """One result of the call.

    - `new`: it has memory of its own.
    - `view`: it shares the memory and the version counter of `of`.
    - `same`: it is `of` itself.
    - `depends`: one of these, depending on strides, dtype or device (`reshape`, `contiguous`, `to`).
    - `alias`: it shares the memory of `of`, but has a counter of its own (`unsafe_chunk`).
    """

    kind: Literal["new", "view", "same", "depends", "alias"]
    of: str | None = None
    multi: bool = False
    """whether it is one of several views that one call made (`CreationMeta::MULTI_OUTPUT_NODE`)"""
    differentiable: bool = True
    """whether it gets a grad_fn if an input requires grad (False: indices, masks, sizes)"""
    dtype: str | None = None
    """`bool`, `int64`, … if it always has that dtype; None: it follows from the inputs"""
    version: tuple[int, int] = (0, 0)
    """the lowest and the highest version that a new result came with: the call itself may have changed it in place"""


@dataclass(frozen=True, slots=True)
class Case:
    """What a call does if all `tests` hold. Of a callable's cases, the first whose tests hold applies."""

    tests: tuple[Test, ...]
    flows: frozenset[str]
    """the inputs that a gradient flows to: the result requires grad if one of them does"""
    saves: tuple[Save, ...]
    frees: Grads
    """when its nodes save anything, be it the user's tensors or temporary ones: a second backward then raises"""
    mutates: tuple[Mutation, ...]
    results: tuple[Result, ...]
    sequence: bool = False
    """whether the results come as a tuple or list of any length, all like `results[0]` (split, unbind)"""
    node: str | None = None
    """the name of the result's grad_fn, as PyTorch prints it in messages (`ExpBackward0`)"""


OutGraph = Literal["refused", "joins", "joins, no leaf", "unseen", "depends"]
"""What happens to a tensor that is passed as `out=` where gradients are recorded.

- `refused`: neither it nor an input may require grad.
- `joins`: it joins the graph, like a tensor that is changed in place.
- `joins, no leaf`: so it does, but a leaf that requires grad is refused.
- `unseen`: autograd doesn't see the call.
- `depends`: one of these, depending on the arguments."""


@dataclass(frozen=True, slots=True)
class Op:
    """A function or method. What it writes below is a tensor that it changes in place, or its `out=`."""

    name: str
    params: tuple[Param, ...]
    cases: tuple[Case, ...]
    inplace_of: str | None = None
    """the out-of-place callable whose result an in-place one writes: `torch.Tensor.exp` for `torch.Tensor.exp_`"""
    accepts_out: bool = False
    out_bumps: tuple[int, int] = (1, 1)
    """how far the version of a tensor that is passed as `out=` moves, at least and at most"""
    out_resized: tuple[int, int] = (1, 1)
    """the same if that tensor has another shape than the result, and is resized"""
    out_graph: OutGraph = "refused"
    out_early: bool = False
    """whether it refuses an `out=` whose elements share memory even if that tensor is to be resized"""
    apart: frozenset[str] = frozenset()
    """inputs that must not be the very tensor that is written; other ops allow that"""
    loose: frozenset[str] = frozenset()
    """inputs that may share a part of the memory that is written; other ops refuse that"""
    overlapping: bool = False
    """whether it writes a tensor whose elements share memory, as few ops do; for `x[i] = v`, if `v` is a number"""
    as_out: bool = False
    """whether an in-place one hands what it writes on as `out=`, which PyTorch refuses where anything requires grad"""
    measured: bool = True
    """False: no sample runs it. What it changes and returns comes from its schema, what it saves is unknown"""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class ModuleFact:
    """A class of `torch.nn`: its constructor, its tensors, and what calling it does."""

    name: str
    params: tuple[Param, ...]
    parameters: tuple[str, ...]
    """the dotted names that its parameters have with default arguments (`weight`, `out_proj.weight`)"""
    buffers: tuple[str, ...]
    """the same for its buffers (`running_mean`)"""
    forward: tuple[Param, ...]
    """the parameters of `forward`, where `params` are the constructor's"""
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class OptimizerFact:
    """A class of `torch.optim`: what `step()` does to parameters that have a gradient."""

    name: str
    params: tuple[Param, ...]
    bumps: int
    """how far each parameter's version moves, with default arguments"""
    exact: bool
    """whether it is the same in all measured configurations"""
    silent_when: tuple[Test, ...]
    """the constructor's arguments with which a write doesn't move the version (`fused=True` on CPU)"""
    needs_closure: bool
    """whether `step()` must be given a closure (`LBFGS`)"""


class Required:
    """The default of a parameter that has none: it must be passed."""

    def __repr__(self) -> str:
        return "REQUIRED"

    def __reduce__(self) -> str:
        """The same object wherever it is sent: it is compared by identity."""
        return "REQUIRED"


REQUIRED = Required()

Fact = Op | ModuleFact | OptimizerFact

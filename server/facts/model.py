"""What a measured fact says. Plain data; `table.py` reads it, `measure/` writes it.

Names are users' names: `torch.exp`, `torch.Tensor.exp_`, `torch.nn.functional.relu`, `torch.nn.Linear`,
`torch.optim.SGD`. Parameters are named as in PyTorch's signature; a method's tensor is `self`. A
result is `out`, or `out0`, `out1` … if a call returns several; a module's own tensors are
`self.weight` and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Grads = tuple[frozenset[str], ...]
"""A condition on which inputs require grad, as alternatives: it holds if, for one of the sets, every
member requires grad. `()` never holds, `(frozenset(),)` always does. In a module of many parameters,
they are measured as one: `self` stands for all of them."""


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a callable. `default` is a literal where PyTorch has one, else `REQUIRED`."""

    name: str
    default: object
    keyword_only: bool = False
    variadic: bool = False
    """takes all further positional arguments, or one tuple or list of them (`x.view(2, 3)`); its default is None"""
    aliases: tuple[str, ...] = ()
    """other names of this parameter, in other overloads (`torch.max(x, other)`) or as in NumPy (`axis`)"""


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on one argument, which distinguishes the cases of a callable.

    `tensor`: it is a tensor (`value` True) or not (False); `given`: it is passed and not None (True) or
    left out or None (False); `is`: it equals `value`; `is_not`: it differs from `value`; `advanced`: it is
    an index with a tensor, list or bool in it (True) or made of int, slice, None and `...` alone (False).
    For a module the parameter is one of its constructor's, or `training`. The parameter `device` may be no
    parameter of the callable: it is then where the tensors are, and tells facts of devices apart (`cuda`).
    """

    param: str
    op: Literal["tensor", "given", "is", "is_not", "advanced"]
    value: object


@dataclass(frozen=True, slots=True)
class Save:
    """A tensor that the call saves for backward, together with its version."""

    what: str
    """a parameter (each of its tensors if it takes several), `out`/`outN`, or `self.weight` …"""
    when: Grads
    certain: bool = True
    """False: fewer than two thirds of the measured samples saved it, and no test distinguishes them"""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A tensor that the call changes. `bumps` is how far its version counter moves; 0 is a silent write.

    `what` ends in `.grad` if it is the gradient of that parameter (`clip_grad_norm_`).
    """

    what: str
    bumps: int
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """One result of the call.

    `new`: memory of its own. `view`: shares `of`'s memory and counter. `same`: `of` itself. `depends`:
    one of these, depending on strides, dtype or device (`reshape`, `contiguous`, `to`). `alias`: shares
    memory but has a counter of its own (`unsafe_chunk`).
    """

    kind: Literal["new", "view", "same", "depends", "alias"]
    of: str | None = None
    multi: bool = False
    """it is one of several views that one call made (`CreationMeta::MULTI_OUTPUT_NODE`)"""
    differentiable: bool = True
    """whether it gets a grad_fn if an input requires grad (False: indices, masks, sizes)"""
    dtype: str | None = None
    """`bool`, `int64`, … if it always has that dtype; None: follows the inputs"""
    version: tuple[int, int] = (0, 0)
    """the lowest and the highest version of a new result, which the call itself may have changed in place"""


@dataclass(frozen=True, slots=True)
class Case:
    """What the call does when all of `tests` hold. A callable's first matching case applies."""

    tests: tuple[Test, ...]
    flows: frozenset[str]
    """the inputs that a gradient flows to: the result requires grad if one of them does"""
    saves: tuple[Save, ...]
    frees: Grads
    """when its nodes have saved anything, the user's or temporary: a second backward then raises"""
    mutates: tuple[Mutation, ...]
    results: tuple[Result, ...]
    sequence: bool = False
    """the results come as a tuple or list of unknown length, all like `results[0]` (split, unbind)"""
    node: str | None = None
    """the name of the result's grad_fn, as PyTorch's messages print it (`ExpBackward0`)"""


OutGraph = Literal["refused", "joins", "joins, no leaf", "unseen", "depends"]
"""What becomes of a tensor given as `out=` where gradients are recorded. `refused`: neither it nor an input may require
grad. `joins`: it becomes a part of the graph, as what is changed in place; or it does unless it is a leaf, which is
refused. `unseen`: autograd knows nothing of the call. `depends`: one of these, by the arguments."""


@dataclass(frozen=True, slots=True)
class Op:
    """A function or method. `inplace_of` names the out-of-place op whose result an `op_` writes."""

    name: str
    params: tuple[Param, ...]
    cases: tuple[Case, ...]
    inplace_of: str | None = None
    accepts_out: bool = False
    out_bumps: tuple[int, int] = (1, 1)
    """how far the version of a tensor passed as `out=` moves, at least and at most"""
    out_resized: tuple[int, int] = (1, 1)
    """the same if that tensor has another shape, and is resized to that of the result"""
    out_graph: OutGraph = "refused"
    out_early: bool = False
    """whether it refuses an `out=` whose elements share memory even if that is to be resized"""
    apart: frozenset[str] = frozenset()
    """inputs that must not share memory with what is written (`out=` too), not even all of it"""
    loose: frozenset[str] = frozenset()
    """inputs that may share a part of that memory; most must not"""
    overlapping: bool = False
    """whether it writes a tensor whose elements share memory, as few ops do; for `x[i] = v`, if `v` is a number"""
    measured: bool = True
    """False: no sample runs it; mutations and results come from its schema, what it saves is unknown"""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class ModuleFact:
    """A class of `torch.nn`: its constructor, its tensors, and what calling it does."""

    name: str
    params: tuple[Param, ...]
    parameters: tuple[str, ...]
    """dotted names of its parameters with default arguments (`weight`, `in_proj_weight`, `out_proj.weight`)"""
    buffers: tuple[str, ...]
    forward: tuple[Param, ...]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class OptimizerFact:
    """A class of `torch.optim`: what `step()` does to parameters that have a gradient."""

    name: str
    params: tuple[Param, ...]
    bumps: int
    """how far each parameter's version moves, with default arguments"""
    exact: bool
    """whether that is the same in all measured configurations"""
    silent_when: tuple[Test, ...]
    """the constructor arguments with which the write doesn't move the version (`fused=True` on CPU)"""
    needs_closure: bool


class Required:
    """The default of a parameter that has none: it must be passed."""

    def __repr__(self) -> str:
        return "REQUIRED"

    def __reduce__(self) -> str:
        """The same object wherever it is sent: it is compared by identity."""
        return "REQUIRED"


REQUIRED = Required()

Fact = Op | ModuleFact | OptimizerFact

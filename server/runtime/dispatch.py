"""What PyTorch's dispatcher does with an operation: what it writes, whether it counts that, and which keys see it.

A dispatch mode runs behind autograd, with the dispatch keys left out that come before it. An operation whose counters
are raised by what it calls would raise none there. These keys are put back (c10/core/impl/LocalDispatchKeySet.h), or
the program wouldn't fail as it does without a mode.

    plan = Plan(torch.ops.aten.add_.Tensor)     # plan.written == (0,): it writes its first argument
    run(torch.ops.aten.add_.Tensor, plan, (x, 1), {})
"""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from typing import Any, TypeGuard

import torch

STATISTICS = {
    "native_batch_norm": (3, 4, 5),
    "cudnn_batch_norm": (3, 4, 5),
    "miopen_batch_norm": (3, 4, 5),
}
"""operations whose kernels write arguments that their schema doesn't mark: their numbers, and last the number of the
argument that says whether they do"""

COUNTING = ("ADInplaceOrView", "CompositeImplicitAutograd")
"""the dispatch keys with which an operation raises the counters of what it writes: itself, or by calling others"""
RAISED = "/ADInplaceOrView"
"""how the name ends under which `torch.library` keeps a function of its own that raises counters"""

_has_kernel: Any = torch._C._dispatch_has_kernel_for_dispatch_key
_excluded: Any = torch._C._dispatch_tls_local_exclude_set
_included: Any = torch._C._dispatch_tls_local_include_set
_forced: Any = torch._C._ForceDispatchKeyGuard
_COUNTERS: Any = torch._C.DispatchKey.ADInplaceOrView
_BEHIND: Any = torch._C._after_ADInplaceOrView_keyset
_PLAIN = _included(), _excluded()
"""the keys where no mode is on"""
_GRAPH: tuple[Any, ...] = tuple(
    getattr(torch._C.DispatchKey, f"Autograd{name}") for name in ("CPU", "Other", "NestedTensor")
)
"""autograd's dispatch keys; that of one device stands for those of all"""


class Plan:
    """What an operation does to its arguments, by its schema.

    - `written`, `switch`: the numbers of the arguments that it writes, and of the one that says whether it does.
    - `unseen`: those of them whose counter it doesn't raise: statistics, and what it fills beside what it returns.
    - `delegates`: it raises no counter itself, but the operations that it calls do (`_foreach_add_`). Below a dispatch
      mode PyTorch leaves that out for these; it has to be put back, or the program wouldn't fail as it does.
    - `enters`: a library defined it, and what its kernel calls may go through all of autograd. If it has a kernel of
      its own for autograd, that runs again, and leaves out again what it leaves out.
    - `is_raised`: a function of `torch.library` raises the counters before it runs, and the operations that it calls
      then raise theirs.
    """

    __slots__ = ("delegates", "enters", "is_raised", "is_view", "name", "names", "switch", "unseen", "written")

    def __init__(self, func: Any) -> None:
        schema = getattr(func, "_schema", None)
        arguments = schema.arguments if schema is not None else ()
        self.name: str = schema.name.rpartition("::")[2] if schema is not None else getattr(func, "__name__", "")
        self.names = [argument.name for argument in arguments]
        statistics = STATISTICS.get(self.name)
        self.switch = statistics[-1] if statistics else None
        marked = [i for i, argument in enumerate(arguments) if _is_written(argument)]
        self.written: tuple[int, ...] = statistics[:-1] if statistics else tuple(marked)
        is_counted = any(_has_kernel(func.name(), key) for key in COUNTING) if schema is not None else True
        self.is_raised = schema is not None and func.name().replace("::", "/") + RAISED in torch.library._impls
        self.delegates = (self.is_raised and not _calls_raise_none()) or (bool(marked) and not is_counted)
        self.enters = schema is not None and not is_counted and not schema.name.startswith(("aten::", "prim"))
        returns = schema.returns if schema is not None else ()
        all_unseen = statistics is not None or self.name.startswith("_fused_")
        given_back = set().union(*(r.alias_info.before_set for r in returns if _is_written(r)))
        kept = [i for i in marked if given_back and given_back.isdisjoint(arguments[i].alias_info.before_set)]
        self.unseen = frozenset(self.written if all_unseen else kept)
        self.is_view = any(r.alias_info is not None and not r.alias_info.is_write for r in returns)

    def targets(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[torch.Tensor, bool]]:
        """The tensors that a call with these arguments writes, and of each whether it is `unseen`."""
        if self.switch is not None and not self.argument(self.switch, args, kwargs):
            return []
        found: list[tuple[torch.Tensor, bool]] = []
        for index in self.written:
            value = self.argument(index, args, kwargs)
            ones = value if isinstance(value, (list, tuple)) else (value,)
            found += [(one, index in self.unseen) for one in ones if is_tensor(one)]
        return found

    def argument(self, index: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An argument of a call by its number; None if it isn't passed."""
        return args[index] if index < len(args) else kwargs.get(self.names[index])


def _is_written(argument: Any) -> bool:
    """Whether an argument or a result of a schema is one that the operation writes."""
    return argument.alias_info is not None and argument.alias_info.is_write


def run(func: Any, plan: Plan, args: Any, kwargs: Any) -> Any:
    """Run an operation below a mode, so that it raises the counters that it raises without one."""
    if not plan.delegates:
        return func(*args, **kwargs)
    with _forced(_included(), _excluded().remove(_COUNTERS)):
        return func.redispatch(_behind(args), *args, **kwargs) if plan.is_raised else func(*args, **kwargs)


def through_autograd() -> Any:
    """A context in which operations go through autograd and raise counters, as they do outside of a mode."""
    keys = _excluded().remove(_COUNTERS)
    for key in _GRAPH:
        keys = keys.remove(key)
    return _forced(_included(), keys)


def _behind(args: Any) -> Any:
    """The dispatch keys of these arguments that come after the one that raises counters."""
    given = [one for arg in args for one in (arg if isinstance(arg, (list, tuple)) else (arg,))]
    return reduce(or_, map(torch._C._dispatch_keys, filter(is_tensor, given))) & _BEHIND


@cache
def _calls_raise_none() -> bool:
    """Whether what a function of `torch.library`'s calls raises no counter, after it has; PyTorch 2.13 has it do so."""

    def bump(x: torch.Tensor) -> None:
        x.add_(1)

    with _forced(*_PLAIN):
        x = torch.zeros(())
        torch.library.custom_op("gradguard::bump", bump, mutates_args=("x",), schema="(Tensor(a!) x) -> ()")(x)
    return version(x) == 1


def version(tensor: torch.Tensor) -> int:
    """A tensor's version; -1 for an inference tensor, which has none."""
    try:
        return int(tensor._version)
    except RuntimeError:
        return -1


def is_tensor(value: object) -> TypeGuard[torch.Tensor]:
    """Whether a value is a tensor."""
    return isinstance(value, torch.Tensor)


def are_inference(args: Any) -> bool:
    """Whether an operation takes only inference tensors, outside inference mode."""
    for one in args:
        if isinstance(one, torch.Tensor):
            return one.is_inference() and not torch.is_inference_mode_enabled() and _none_counts(args)
    return False


def _none_counts(args: Any) -> bool:
    return all(one.is_inference() for one in args if isinstance(one, torch.Tensor))

"""Runs a program on real PyTorch and notes each loss, the gradients that come of it, and what is printed.

Also what each step of an optimizer finds in the parameters' `.grad`, and what becomes of the leaves.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import runpy
import signal
import sys
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
import torch._dynamo  # imported by optimizers, which would cost each child a second
from torch.autograd.graph import saved_tensors_hooks
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

torch.set_num_threads(1)

RRELU = torch.ops.aten.rrelu_with_noise, torch.ops.aten.rrelu_with_noise_
FILLING = {packet.default for packet in RRELU}
"""what fills a buffer that it is given, and has saved; by their schemas, no others are recorded"""

SECONDS = 30
"""of the processor's time that a program may take"""


@dataclass
class Run:
    """What a run gave: each loss, the gradients of the leaves after its backward, and what it raised.

    The roots of `autograd.grad` are losses too, and what it returns are the gradients. `steps` are the gradients that
    each step of an optimizer uses, `final` the values at the end of all leaves that a backward has reached, `lost` the
    lines that read `.grad` of a non-leaf, `resized` those whose `out=` is given another shape. `printed` is the output
    but for what a tensor's text says of its node.
    """

    losses: list[torch.Tensor] = field(default_factory=list)
    gradients: list[list[torch.Tensor | None]] = field(default_factory=list)
    steps: list[list[torch.Tensor | None]] = field(default_factory=list)
    final: list[torch.Tensor | None] = field(default_factory=list)
    lost: int = 0
    resized: int = 0
    error: str | None = None
    printed: str = ""

    def upto(self, other: Run) -> Run:
        """As much of the run as there is of the other."""
        losses, gradients = self.losses[: len(other.losses)], self.gradients[: len(other.gradients)]
        return Run(losses, gradients, self.steps[: len(other.steps)], error=self.error)


def roots(tensors: torch.Tensor | Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """What a backward begins with."""
    return [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)


def leaves(beginnings: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The leaves that a backward reaches, in the order of the graph."""
    found, seen, todo = [], set(), [root.grad_fn for root in beginnings]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return found


def copied(saved: torch.Tensor) -> torch.Tensor:
    return saved.detach().clone()


class Meant(TorchDispatchMode):
    """Copies whatever autograd saves when it saves it, and whatever the program's own hooks pack.

    A buffer that the operator itself fills, as `rrelu` does with its noise, is saved before that: it is copied again.
    """

    def __init__(self) -> None:
        super().__init__()
        self.copies: dict[int, torch.Tensor] = {}
        """by the address of what was saved, the last copy of it"""
        self.hooks = saved_tensors_hooks(self.pack, lambda packed: packed)
        self.pushed = torch._C._autograd._push_saved_tensors_default_hooks
        self.pushing = patch.object(torch._C._autograd, self.pushed.__name__, self.push)

    def __enter__(self) -> Meant:
        self.hooks.__enter__()
        self.pushing.start()
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.pushing.stop()
        self.hooks.__exit__(*error)

    def push(self, pack: Callable[[torch.Tensor], Any], unpack: Callable[[Any], torch.Tensor]) -> None:
        """Have hooks of the program called, with a copy of what is saved."""
        self.pushed(lambda saved: pack(self.pack(saved)), unpack)

    def pack(self, saved: torch.Tensor) -> torch.Tensor:
        copy = self.copies[saved.data_ptr()] = copied(saved)
        return copy

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in FILLING:
            noise = args[1]
            self.copies[noise.data_ptr()].copy_(noise)
        return result


def run(folder: Path, meant: bool = False, double: bool = False, grad: bool = True) -> Run:
    """Run `folder`'s main.py in a process of its own.

    With `meant`, whatever autograd saves is copied, so that no later change reaches it, and no backward frees it: the
    gradients are those that the author meant. (`allow_mutation_on_saved_tensors` doesn't see changes by views that
    begin elsewhere in the memory, nor those that move no version counter.) With `double`, what the program gives no
    dtype is of double precision. Without `grad`, the program begins with grad mode off: what it raises then has nothing
    to do with autograd.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(writer, "wb") as pipe:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                torch.set_default_dtype(torch.float64 if double else torch.float32)
                torch.set_grad_enabled(grad)
                pipe.write(_packed(_run(folder, meant)))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return torch.load(io.BytesIO(data), weights_only=False) if data else Run(error="killed")


def _packed(result: Run) -> bytes:
    """A run as bytes, without what cannot be written down, such as tensors of a class of the program's own."""
    packed = io.BytesIO()
    try:
        torch.save(result, packed)
    except Exception:
        packed = io.BytesIO()
        torch.save(Run(error=result.error, printed=result.printed), packed)
    return packed.getvalue()


def _run(folder: Path, meant: bool) -> Run:
    result, out = Run(), io.StringIO()
    backward, grad = torch.autograd.backward, torch.autograd.grad
    reached: dict[int, torch.Tensor] = {}

    def noted(tensors: Any, *args: Any, **kwargs: Any) -> None:
        found = leaves(roots(tensors))
        if torch._C._current_graph_task_id() == -1:  # that of a reentrant checkpoint reaches leaves of its own
            reached.update((id(leaf), leaf) for leaf in found)
        result.losses += [root.detach().clone() for root in roots(tensors)]
        _called(backward, meant, tensors, *args, **kwargs)
        result.gradients.append([_gradient(leaf) for leaf in found])

    def returned(outputs: Any, *args: Any, **kwargs: Any) -> Any:
        result.losses += [root.detach().clone() for root in roots(outputs)]
        gradients = _called(grad, meant, outputs, *args, **kwargs)
        result.gradients.append([None if one is None else copied(one) for one in gradients])
        return gradients

    def stepped(optimizer: torch.optim.Optimizer, *_: object) -> None:
        groups = optimizer.param_groups
        result.steps.append([_gradient(one) for group in groups for one in group["params"]])

    mode = Meant() if meant else contextlib.nullcontext()
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True, warn_only=True)  # fills what `torch.empty` gives
    sys.path.insert(0, str(folder))
    sys.argv = [str(folder / "main.py")]
    try:
        with (
            mode,
            warnings.catch_warnings(record=True) as heard,
            contextlib.redirect_stdout(out),
            patch.object(torch.autograd, "backward", noted),
            patch.object(torch.autograd, "grad", returned),
            stepping(stepped),
        ):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("always", message="(?s).*not a leaf Tensor is being|An output with .* was resized")
            runpy.run_path(str(folder / "main.py"), run_name="__main__")
    except Exception as error:  # the program's own
        result.error = f"{type(error).__name__}: {error}"
    lines = {(one.filename, one.lineno, "leaf" in str(one.message)) for one in heard}
    result.lost = sum(of_leaf for *_, of_leaf in lines)
    result.resized = len(lines) - result.lost
    result.final = [copied(leaf) for leaf in reached.values()]
    result.printed = re.sub(r",?\s*grad_fn=<\w+>", "", out.getvalue())
    return result


def _called(backward: Callable[..., Any], keeping: bool, *args: Any, **kwargs: Any) -> Any:
    """Call `backward()` or `grad()`, and let it keep the graph."""
    bound = inspect.signature(backward).bind(*args, **kwargs)
    if keeping:
        bound.arguments["retain_graph"] = True
    return backward(*bound.args, **bound.kwargs)


@contextlib.contextmanager
def stepping(hear: Any) -> Iterator[None]:
    """Let `hear` be called before each step of any optimizer."""
    handle = register_optimizer_step_pre_hook(hear)
    try:
        yield
    finally:
        handle.remove()


def _gradient(leaf: torch.Tensor) -> torch.Tensor | None:
    return None if leaf.grad is None else copied(leaf.grad)


def same_losses(one: Run, other: Run) -> bool:
    """Whether two runs have bit for bit the same losses."""
    return len(one.losses) == len(other.losses) and all(map(_same, one.losses, other.losses))


def near_losses(one: Run, other: Run) -> bool:
    """Whether two runs in double precision have the same losses but for rounding."""
    return len(one.losses) == len(other.losses) and all(map(_near, one.losses, other.losses))


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def _near(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)


def same_gradients(one: Run, other: Run) -> bool:
    """Whether two runs have the same gradients, up to the order in which the engine adds up three or more.

    Another form of an operation may have its inputs, and with them the leaves of a backward, in another order.
    """
    return _alike(one.gradients, other.gradients)


def same_steps(one: Run, other: Run) -> bool:
    """Whether the optimizers of two runs have used the same gradients."""
    return _alike(one.steps, other.steps)


def same_leaves(one: Run, other: Run) -> bool:
    """Whether the leaves of two runs end as the same."""
    return _matched(one.final, list(other.final))


def _alike(ones: list[list[torch.Tensor | None]], others: list[list[torch.Tensor | None]]) -> bool:
    return len(ones) == len(others) and all(
        len(a) == len(b) and _matched(a, list(b)) for a, b in zip(ones, others, strict=True)
    )


def _matched(ones: list[torch.Tensor | None], others: list[torch.Tensor | None]) -> bool:
    for one in ones:
        index = next((i for i, other in enumerate(others) if _equal(one, other)), None)
        if index is None:
            return False
        del others[index]
    return True


def _equal(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-5, atol=1e-7, equal_nan=True)

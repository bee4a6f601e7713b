"""What hooks keep for saved tensors: `save_on_cpu` and those of programs, whose versions PyTorch doesn't compare."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import gradguard.runtime
import pytest
import torch
from gradguard.runtime.places import OWN
from torch import nn
from torch.utils.checkpoint import checkpoint

from .observing import leaf, observed, text

if TYPE_CHECKING:
    from collections.abc import Callable


def test_hooks_of_the_program_nest() -> None:
    packed = []

    def runs() -> None:
        x = leaf()
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t.clone(), lambda t: t):
            y = x.exp()
        y.data.zero_()
        y.sum().backward()
        with torch.autograd.graph.save_on_cpu():
            x.exp().sum().backward()

    assert not observed(runs)
    assert len(packed) == 1


class Box:
    """What a hook may make of a tensor."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


hooks = torch.autograd.graph.saved_tensors_hooks
PACKING: dict[str, tuple[Callable[[], Any], bool]] = {
    "save_on_cpu": (torch.autograd.graph.save_on_cpu, True),
    "the tensor itself": (lambda: hooks(lambda t: t, lambda t: t), True),
    "a row of its numbers": (lambda: hooks(lambda t: t.view(-1), lambda t: t.view(2, 2)), True),
    "in a box": (lambda: hooks(lambda t: {"box": [Box(t.detach())]}, lambda p: p["box"][0].tensor), True),
    "a copy": (lambda: hooks(lambda t: t.clone(), lambda t: t), False),
    "a copy in other digits": (lambda: hooks(lambda t: t.half(), lambda t: t.float()), False),
}


def in_place(y: torch.Tensor) -> None:
    y += 1


def put_back(y: torch.Tensor) -> None:
    y += 1
    y -= 1


CHANGES = [in_place, lambda y: y.data.add_(1), lambda y: y.detach().numpy().fill(7)]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("packing", PACKING)
def test_a_change_of_what_a_hook_keeps_is_told(packing: str, change: Callable[[torch.Tensor], None]) -> None:
    def runs(change: Callable[[torch.Tensor], object]) -> None:
        x = torch.ones(2, 2, requires_grad=True)
        mode, _ = PACKING[packing]
        with mode():
            y = x.exp()
        change(y)
        y.sum().backward()

    _, keeps = PACKING[packing]
    seen = observed(lambda: runs(change))
    assert [one.kind for one in seen] == ["silent-stale"] * keeps
    for one in seen:
        assert one.saved is not None
        assert (one.saved.op, one.saved.role, one.saved.spot.text.strip()) == ("exp", "result", "y = x.exp()")
    assert not observed(lambda: runs(put_back))
    assert not observed(lambda: runs(torch.exp))


def test_a_change_of_what_a_hook_keeps_is_told_by_the_lines() -> None:
    def runs() -> None:
        weight, scratch = leaf(), torch.ones(4)
        with torch.autograd.graph.save_on_cpu():
            y = weight * scratch
            z = scratch.sigmoid_() * weight
        scratch.zero_()
        (y + z).sum().backward()

    first, second = sorted(observed(runs), key=lambda one: len(one.writes))
    assert text(first) == ("z = scratch.sigmoid_() * weight", "scratch.zero_()", "(y + z).sum().backward()")
    assert text(second) == ("y = weight * scratch", "scratch.zero_()", "(y + z).sum().backward()")
    assert [len(one.writes) for one in (first, second)] == [1, 2]


def test_what_a_custom_function_saves_through_a_hook_is_told_when_it_is_read() -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, reads: bool) -> torch.Tensor:
            ctx.save_for_backward(x)
            ctx.reads = reads
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
            return (grad * ctx.saved_tensors[0] if ctx.reads else grad), None

    def runs(reads: bool) -> None:
        x = leaf() * 1
        with torch.autograd.graph.save_on_cpu():
            y = Scale.apply(x, reads)
        x.zero_()
        y.sum().backward()

    (one,) = observed(lambda: runs(True))
    assert one.saved is not None
    assert (one.saved.op, one.saved.spot.text.strip()) == ("Scale", "y = Scale.apply(x, reads)")
    assert not observed(lambda: runs(False))


def test_the_statistics_of_a_batch_norm_that_trains_are_no_alarm_in_a_hook() -> None:
    net = nn.BatchNorm1d(4)

    def runs() -> None:
        with torch.autograd.graph.save_on_cpu():
            first = net(torch.rand(3, 4))
            second = net(torch.rand(3, 4))
        (first + second).sum().backward()

    def is_wrong() -> None:
        net.eval()
        x = torch.rand(3, 4, requires_grad=True)
        with torch.autograd.graph.save_on_cpu():
            y = net(x)
        with torch.no_grad():
            net.running_var.mul_(2)  # type: ignore[operator,union-attr]
        y.sum().backward()

    assert not observed(runs)
    (one,) = observed(is_wrong)
    assert one.writes[-1].spot.text.strip().startswith("net.running_var.mul_(2)")


def test_what_one_thread_saves_is_no_matter_of_another() -> None:
    """Each counts its nodes from 0, and a new one may have the number of one that has ended."""
    kept: list[torch.Tensor] = []

    def keep() -> None:
        with torch.autograd.graph.save_on_cpu():
            kept.append(leaf().exp())

    def use() -> None:
        y = leaf().exp()
        in_place(kept[0])
        y.sum().backward()

    def run(target: Callable[[], None]) -> None:
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()

    assert not observed(lambda: (run(keep), run(use)))


def test_a_hook_is_called_when_it_is_without_and_fails_with_its_own_traceback() -> None:
    def taken(table: dict[int, torch.Tensor]) -> None:
        def pack(tensor: torch.Tensor) -> int:
            table[len(table)] = tensor.clone()
            return len(table) - 1

        y = leaf().exp()
        old = y.detach().clone()
        y.data.zero_()
        y.data.copy_(old)
        with hooks(pack, table.pop):
            z = y.sin()
        z = checkpoint(lambda z: z.exp().sin(), z, use_reentrant=False)
        z.sum().backward()

    def refuse(tensor: torch.Tensor) -> None:
        raise ValueError("no room")

    assert not observed(lambda: taken({}))
    with (
        pytest.raises(ValueError, match="no room") as refused,
        gradguard.runtime.watch(tell=False),
        hooks(refuse, leaf),
    ):
        leaf().exp()
    assert not [entry for entry in refused.traceback if str(entry.path).startswith(OWN)]

"""Measure the classes of `torch.optim` with the configurations of PyTorch's `optim_db`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import torch
from torch.testing._internal.common_optimizers import optim_db

from ..model import OptimizerFact, Test
from .functions import Tally
from .probe import RAISED
from .signatures import of_signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Options = dict[str, Any]

STEPS = 8
"""how many steps are run: RAdam writes differently from the sixth on"""


def infos() -> list[Any]:
    """Return the OptimizerInfos of PyTorch's tests, by the name of the class."""
    return sorted(optim_db, key=lambda info: str(info.optim_cls))


def name_of(info: Any) -> str:
    """Return the name of an optimizer, as programs write it."""
    return f"torch.optim.{info.optim_cls.__name__}"


def measure(infos: Iterable[Any], device: str) -> tuple[list[OptimizerFact], dict[str, Tally]]:
    """Return the facts of some optimizers, and for each class how often its configurations ran and raised."""
    facts, tallies = [], {}
    for info in infos:
        name = name_of(info)
        tally = tallies[name] = Tally()
        seen = [(o, bumps) for o in _options(info, device) if (bumps := _observed(info, o, device, tally)) is not None]
        facts.append(_fact(name, info, seen))
    return facts, tallies


def _fact(name: str, info: Any, seen: list[tuple[Options, tuple[int, ...]]]) -> OptimizerFact:
    moving = {bumps for options, steps in seen for bumps in steps if not options.get("fused")}
    fused = {bumps for options, steps in seen for bumps in steps if options.get("fused")}
    return OptimizerFact(
        name,
        of_signature(inspect.signature(info.optim_cls.__init__))[1:],
        bumps=next(steps[0] for options, steps in seen if not options),
        exact=len(moving) == 1,
        silent_when=(Test("fused", "is", True),) if fused == {0} else (),
        needs_closure=info.step_requires_closure,
    )


def _options(info: Any, device: str) -> Iterator[Options]:
    """Yield the constructor's arguments: none, then each configuration in each implementation (`foreach`, `fused`)."""
    yield {}
    for given in info.optim_inputs_func(device=device):
        for implementation in ("plain", *info.supported_impls):
            options = dict(given.kwargs)
            if options.get("capturable") or implementation == "differentiable":
                continue
            if "foreach" in info.supported_impls:
                options["foreach"] = implementation == "foreach"
            if implementation == "fused":
                options = {**options, "foreach": None, "fused": True}
            yield options


def _observed(info: Any, options: Options, device: str, tally: Tally) -> tuple[int, ...] | None:
    """Return how far each of the first steps moves a parameter's version; None if one raises."""
    try:
        bumps = tuple(_steps(info, options, device))
    except RAISED as error:
        tally.raised += 1
        tally.reason = f"{type(error).__name__}: {error}"
        return None
    tally.ran += 1
    return bumps


def _steps(info: Any, options: Options, device: str) -> Iterator[int]:
    torch.manual_seed(0)
    parameter = torch.randn(3, 2, device=device, requires_grad=True)
    optimizer = info.optim_cls([parameter], **options)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (parameter**4).sum()
        torch.autograd.backward(loss)
        if info.only_supports_sparse_grads and parameter.grad is not None:
            parameter.grad = parameter.grad.to_sparse()
        return loss

    for _ in range(STEPS):
        closure()
        before = parameter._version
        optimizer.step(closure if info.step_requires_closure else None)
        yield parameter._version - before

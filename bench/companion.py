"""What a training step costs under observation, beside anomaly mode: ratios that one run measures, and peak memory.

    python bench/companion.py [--rounds N]

Three nets: a convolutional one, a transformer, and one of tiny operations, where nothing hides the cost of each. The
ways take turns, and of each the fastest step counts. Memory is what the allocator has out at its peak in one step.
"""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from gradguard.runtime.inspection import Inspector
from gradguard.runtime.recorder import Recorder
from gradguard.runtime.watching import watching
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

LIMITS = {"convolutional": 1.0, "transformer": 1.0, "tiny operations": 1.3}
"""how much a step may cost at most beside anomaly mode"""
MEMORY = 1.05
"""how much the peak of memory may be at most beside a plain step, but for tiny operations"""


class Tiny(nn.Module):
    """Many operations on few numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Fifty small layers."""
        for _ in range(50):
            x = torch.tanh(x @ self.weight) * 0.9 + x * 0.1
        return x


def nets() -> dict[str, tuple[nn.Module, torch.Tensor]]:
    """The nets, and a batch for each."""
    blocks = [
        layer
        for index in range(4)
        for layer in (nn.Conv2d(32 if index else 3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU())
    ]
    layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    return {
        "convolutional": (
            nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)),
            torch.randn(8, 3, 48, 48),
        ),
        "transformer": (nn.TransformerEncoder(layer, 3, enable_nested_tensor=False), torch.randn(16, 32, 128)),
        "tiny operations": (Tiny(), torch.randn(4, 8)),
    }


def step_of(net: nn.Module, batch: torch.Tensor) -> Callable[[], None]:
    """A training step."""
    optimizer = torch.optim.AdamW(net.parameters(), 1e-4)

    def step() -> None:
        optimizer.zero_grad()
        loss = net(batch).square().mean()
        loss.backward()
        optimizer.step()

    return step


def observed() -> AbstractContextManager[None]:
    """What a step runs in that is observed."""
    recorder = Recorder()
    return watching(recorder, Inspector(recorder), lambda sighting: None)


WAYS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "plain": nullcontext,
    "anomaly mode": partial(torch.autograd.set_detect_anomaly, True),
    "observed": observed,
}


def times(step: Callable[[], None], rounds: int) -> dict[str, float]:
    """The fastest step of each way, in seconds; they take turns."""
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(rounds):
        for way, context in WAYS.items():
            with context():
                step()  # what is made once
                for _ in range(3):
                    began = time.perf_counter()
                    step()
                    best[way] = min(best[way], time.perf_counter() - began)
    return best


def peak(step: Callable[[], None]) -> dict[str, int]:
    """The bytes that tensors have at most at a time in one step, plain and observed, by PyTorch's profiler."""
    found = {}
    for way in ("plain", "observed"):
        with (
            WAYS[way](),
            torch.profiler.profile(profile_memory=True, activities=[torch.profiler.ProfilerActivity.CPU]) as p,
        ):
            step()
        total = most = 0
        events = [e for e in p.profiler.kineto_results.events() if e.name() == "[memory]"]
        for event in sorted(events, key=lambda event: event.start_ns()):
            total += event.nbytes()
            most = max(most, total)
        found[way] = most
    return found


def main() -> int:
    """Print a line for each net; the exit status is 1 where a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    torch.manual_seed(0)
    passed = False
    print("| net | anomaly mode | observed | observed / anomaly mode | peak of memory |\n|---|---|---|---|---|")
    for name, (net, batch) in nets().items():
        step = step_of(net, batch)
        step()
        took, memory = times(step, rounds), peak(step)
        plain, beside = took["plain"], took["observed"] / took["anomaly mode"]
        more = memory["observed"] / max(memory["plain"], 1)
        ratios = f"{took['anomaly mode'] / plain:.2f} × | {took['observed'] / plain:.2f} × | {beside:.2f} ×"
        print(f"| {name} | {ratios} | {more:.3f} × |")
        passed = passed or beside > LIMITS[name] or (name != "tiny operations" and more > MEMORY)
    return int(passed)


if __name__ == "__main__":
    raise SystemExit(main())

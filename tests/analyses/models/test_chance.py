"""Random choices and progress bars hand on the tensors that they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement, told

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kept", ["h", "h.detach()"])
@pytest.mark.parametrize("take", ["random.sample(memory, 1)[0]", "random.choice(memory)", "random.choices(memory)[0]"])
def test_a_memory_that_keeps_graphs(tmp_path: Path, take: str, kept: str) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import random
        from collections import deque

        import torch
        from torch import nn

        random.seed(0)
        net, head = nn.Linear(3, 3), nn.Linear(3, 1)
        memory = deque(maxlen=1)
        h = net(torch.randn(2, 3)).tanh()
        for _ in range(3):
            memory.append({kept})
            loss = head({take}).mean()
            loss.backward()
        """,
    )


@pytest.mark.parametrize("bar", ["tqdm(batches)", "tqdm(enumerate(batches))", "trange(2)"])
def test_a_progress_bar(bar: str) -> None:
    program = f"""
import torch
from torch import nn
from tqdm import tqdm, trange

net = nn.Linear(3, 3)
batches = [torch.randn(2, 3) for _ in range(2)]
bar = {bar}
for x in bar:
    h = net(batches[0]).exp()
    loss = h.sum()
    h += 1
    loss.backward()
    bar.set_postfix(loss=loss.item())
"""
    assert told(program) == {"stale-saved"}
    assert told(program.replace("h += 1", "h = h + 1")) == set()

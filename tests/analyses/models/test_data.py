"""Datasets and loaders: what of their tensors' history reaches a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement, told

if TYPE_CHECKING:
    from pathlib import Path

SETUP = """
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, TensorDataset, random_split

torch.manual_seed(0)
net = nn.Linear(3, 2)
head = nn.Linear(2, 1)
rows = torch.randn(8, 3)


class Rows(Dataset):
    def __init__(self, features):
        self.features = features

    def __len__(self):
        return len(self.features)

    def __getitem__(self, i):
        return {"x": self.features[i], "i": i, "name": "row"}


class Stream(IterableDataset):
    def __init__(self, features):
        self.features = features

    def __iter__(self):
        for row in self.features.detach():
            yield row, row.sum()

"""

DATASETS = {
    "TensorDataset({f}, rows)": "batch[0]",
    "Rows({f})": "batch['x']",
    "Subset(TensorDataset({f}), [0, 2, 4, 6])": "batch[0]",
    "random_split(TensorDataset({f}), [6, 2])[0]": "batch[0]",
    "ConcatDataset([TensorDataset({f}), TensorDataset({f})])": "batch[0]",
    "{f}": "batch",
}


@pytest.mark.parametrize("features", ["net(rows)", "net(rows).detach()", "rows[:, :2]"])
@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("options", ["batch_size=4", "batch_size=3, shuffle=True, drop_last=True", ""])
def test_a_graph_in_the_dataset(tmp_path: Path, options: str, dataset: str, features: str) -> None:
    made = dataset.format(f="features")
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
features = {features}
features = features.tanh()
for batch in DataLoader({made}, {options}):
    loss = head({DATASETS[dataset]}).square().mean()
    loss.backward()
""",
    )


@pytest.mark.parametrize("dataset", DATASETS)
def test_batches_may_be_changed(tmp_path: Path, dataset: str) -> None:
    made = dataset.format(f="features")
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
features = rows[:, :2].clone()
for epoch in range(2):
    for i, batch in enumerate(DataLoader({made}, batch_size=2)):
        x = {DATASETS[dataset]}
        x += 0.1
        loss = head(x).square().mean()
        loss.backward()
""",
    )
    assert kinds == set()


@pytest.mark.parametrize("change", ["x.mul_(2)", "rows.mul_(2)", "h.mul_(2)"])
@pytest.mark.parametrize("loader", ["DataLoader(TensorDataset(rows), batch_size=4)", "DataLoader(rows, batch_size=4)",
                                    "DataLoader(Stream(rows), batch_size=2)"])  # fmt: skip
def test_a_change_after_the_forward(tmp_path: Path, loader: str, change: str) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
for batch in {loader}:
    x = batch[0] if isinstance(batch, (list, tuple)) else batch
    h = net(x).exp()
    loss = h.sum()
    {change}
    loss.backward()
""",
    )


@pytest.mark.parametrize("join", ["torch.stack", "torch.cat", "list"])
def test_the_programs_own_collate_function(tmp_path: Path, join: str) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
def collate(items):
    return {join}([item["x"] for item in items])

features = net(rows).tanh()
for batch in DataLoader(Rows(features), batch_size=2, collate_fn=collate):
    x = batch[0] if isinstance(batch, list) else batch
    x.sum().backward()
""",
    )


def test_batches_of_unknown_data_require_no_grad() -> None:
    assert told(
        """
import torch
from torch import nn
from torch.utils.data import DataLoader
from elsewhere import images

net = nn.Linear(4, 2)
for x, y in DataLoader(images, batch_size=8):
    x = x.to("cpu").float()
    x -= 0.5
    h = net(x).softmax(-1)
    h[:, 0] = 0
    h.sum().backward()
"""
    ) == {"stale-saved"}


@pytest.mark.parametrize(("size", "drop", "count"), [(3, False, 3), (3, True, 2), (8, False, 1)])
def test_the_number_of_batches(tmp_path: Path, size: int, drop: bool, count: int) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
loader = DataLoader(TensorDataset(rows), batch_size={size}, drop_last={drop})
seen = [x.shape[0] for (x,) in loader]
if len(loader) == {count} and len(seen) == {count} and sum(seen) == {size * count if drop else 8}:
    head.weight.mul_(2)
""",
    )
    assert kinds == {"leaf-inplace"}


def test_a_loader_without_items(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + """
loader = DataLoader(TensorDataset(rows[:0]), batch_size=3)
seen = list(loader)
try:
    next(iter(loader))
except StopIteration:
    head.weight.mul_(2)
""",
    )
    assert kinds == {"leaf-inplace"}


@pytest.mark.parametrize("given", ["self.kept", "self.kept.clone()"])
@pytest.mark.parametrize("options", ["", ", collate_fn=lambda row: row * 1 if row.dim() > 1 else row"])
def test_items_are_taken_as_they_are_yielded(tmp_path: Path, options: str, given: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
class Endless(IterableDataset):
    def __init__(self):
        self.kept = torch.zeros(3)

    def __iter__(self):
        while True:
            self.kept.uniform_(-1, 1)
            yield {given}


losses = []
for i, row in enumerate(DataLoader(Endless(), batch_size=None{options})):
    losses.append(net(row).square().sum())
    if i == 2:
        break
sum(losses).backward()
""",
    )
    assert kinds == ({"stale-saved"} if given == "self.kept" else set())

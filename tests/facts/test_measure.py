"""The committed table is what PyTorch does: measured again, the facts are the same.

Every fifth function and the most used modules are measured; `python -m gradguard.facts.measure` does all.
"""

import warnings
from collections.abc import Iterator
from functools import partial

import pytest

torch = pytest.importorskip("torch")

from gradguard.facts.measure import apart, functions, modules, optimizers  # noqa: E402
from gradguard.facts.measure.catalogue import entries  # noqa: E402

from ..installed import FACTS  # noqa: E402

PARTS = 8
STEP = 5
SLOW = ("multi_head_attention_forward", "linear_cross_entropy", "triplet_margin_with_distance_loss")
CLASSES = (
    *("ReLU", "Dropout", "Linear", "Conv2d", "BatchNorm2d", "LayerNorm", "GroupNorm", "Embedding", "GELU", "Softmax"),
    *("MaxPool2d", "MSELoss", "InstanceNorm2d", "LeakyReLU", "Flatten", "Identity", "LSTMCell", "PReLU"),
)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("part", range(PARTS))
def test_functions_measure_as_the_table_says(part: int) -> None:
    chosen = [e for e in entries() if not e.name.endswith(SLOW)][::STEP][part::PARTS]
    ways = [partial(functions.measure, device="cpu", limit=functions.SAMPLES, varied=some) for some in (True, False)]
    parts = [told for _, told in apart.of(ways, chosen) if told is not None]
    measured = {fact.name: fact for fact in functions.joined(parts).facts}
    known = {e.name: FACTS.table.find(e.name) for e in chosen if e.name in measured}
    assert len(measured) > 20
    assert measured == known


def test_modules_measure_as_the_table_says() -> None:
    calls = modules.calls("cpu", functions.SAMPLES)
    chosen = {f"torch.nn.{name}": calls[f"torch.nn.{name}"] for name in CLASSES}
    facts, _ = modules.measure(chosen)
    assert {fact.name: fact for fact in facts} == {name: FACTS.table.find(name) for name in chosen}


def test_optimizers_measure_as_the_table_says() -> None:
    facts, _ = optimizers.measure(optimizers.infos(), "cpu")
    assert {fact.name: fact for fact in facts} == {fact.name: FACTS.table.find(fact.name) for fact in facts}

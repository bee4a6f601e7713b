"""The table's file: what it holds, how it is read, and how fast."""

import json
import subprocess
import sys
import time
import timeit

import pytest
from gradguard.facts import rows
from gradguard.facts.encoding import decode, encode
from gradguard.facts.model import REQUIRED, ModuleFact, Op, OptimizerFact
from gradguard.facts.releases import BASE, Facts


def test_every_line_decodes_and_encodes_to_itself() -> None:
    raw = json.loads(rows.path_of("table").read_text(encoding="utf-8"))
    assert all(encode(decode(name, plain)) == plain for name, plain in raw.items())


def test_names_are_sorted_and_found() -> None:
    names = list(BASE.table.names())
    assert names == sorted(names)
    assert len(names) > 1500
    assert all(BASE.table.find(name) is not None for name in names)


@pytest.mark.parametrize("name", ["torch.nothing", "exp", "", "torch", "torch.exp\n", 'torch.exp":{', "numpy.exp"])
def test_unknown_names_are_not_found(name: str) -> None:
    assert BASE.table.find(name) is None


@pytest.mark.parametrize(
    "name",
    [
        *("torch.softmax", "torch.Tensor.softmax", "torch.nn.functional.softmax", "torch.special.softmax"),
        *("torch.linalg.inv", "torch.inverse", "torch.fft.rfft", "torch.special.expit", "torch.Tensor.__getitem__"),
        *("torch.Tensor.__setitem__", "operator.mul", "operator.imul", "operator.getitem", "torch.Tensor.__iter__"),
        *("torch.argmax", "torch.zeros", "torch.randn", "torch.arange", "torch.tensor", "torch.from_numpy"),
        *("torch.zeros_like", "torch.Tensor.new_zeros", "torch.Tensor.bernoulli_", "torch.Tensor.normal_"),
        *("torch.Tensor.fill_", "torch.Tensor.zero_", "torch.Tensor.copy_", "torch.Tensor.data", "torch.Tensor.T"),
        *("torch.nn.init.xavier_uniform_", "torch.nn.utils.clip_grad_norm_", "einops.rearrange"),
        *("torch.Tensor.requires_grad_", "torch.Tensor.detach_", "torch.Tensor.numpy", "torch.Tensor.item"),
    ],
)
def test_functions_are_known_by_their_users_names(name: str) -> None:
    assert isinstance(BASE.table.find(name), Op)


def test_classes_are_known() -> None:
    assert isinstance(BASE.table.find("torch.nn.Conv2d"), ModuleFact)
    assert isinstance(BASE.table.find("torch.optim.AdamW"), OptimizerFact)


def test_parameters_are_those_that_users_write() -> None:
    fact = BASE.table.find("torch.max")
    assert isinstance(fact, Op)
    places = [(p.name, p.default) for p in fact.params]
    assert places == [("input", REQUIRED), ("dim", None), ("keepdim", False)]
    assert "other" in fact.params[1].aliases

    view = BASE.table.find("torch.Tensor.view")
    assert isinstance(view, Op)
    assert [p.name for p in view.params] == ["self", "size"]
    assert view.params[1].variadic

    sparse = BASE.table.find("torch.sparse_coo_tensor")
    assert isinstance(sparse, Op)
    assert [(p.name, p.variadic) for p in sparse.params][:2] == [("indices", False), ("values", False)]

    linear = BASE.table.find("torch.nn.Linear")
    assert isinstance(linear, ModuleFact)
    assert [p.name for p in linear.params] == ["in_features", "out_features", "bias", "device", "dtype"]
    assert linear.parameters == ("weight", "bias")
    assert [p.name for p in linear.forward] == ["input"]


def test_reading_is_fast() -> None:
    """Loading costs a read of the file: less than parsing it all."""

    def load() -> None:
        rows.lines.cache_clear()
        Facts(BASE.name).table.find("torch.where")

    def parse() -> None:
        json.loads(rows.path_of("table").read_text(encoding="utf-8"))

    loading, parsing = (min(timeit.repeat(work, timer=time.process_time, number=1)) for work in (load, parse))
    assert loading < parsing


def test_the_server_does_not_import_torch() -> None:
    code = "import sys; from gradguard.facts.releases import BASE; BASE.table.find('torch.exp'); print([*sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "'gradguard.facts.table'" in done.stdout
    assert "'torch'" not in done.stdout

"""An entry of the table in plain words."""

from gradguard.facts.describe import describe
from gradguard.facts.releases import BASE


def entry(name: str) -> str:
    fact = BASE.table.find(name)
    assert fact is not None
    return describe(fact)


def test_every_fact_can_be_told() -> None:
    assert all(entry(name).startswith(name) for name in BASE.table.names())


def test_a_function() -> None:
    assert entry("torch.exp") == (
        "torch.exp(input)\n"
        "  out= is changed in place (version +1); refused where a tensor requires grad\n"
        "  saves its result for backward if input requires grad\n"
        "  returns a new tensor\n"
        "  gradient flows to input by ExpBackward0"
    )


def test_cases_are_told_apart() -> None:
    assert entry("torch.nn.functional.relu") == (
        "torch.nn.functional.relu(input, inplace=False)\n"
        "  if inplace=False:\n"
        "    saves its result for backward if input requires grad\n"
        "    returns a new tensor\n"
        "    gradient flows to input by ReluBackward0\n"
        "  otherwise:\n"
        "    changes input in place (version +1)\n"
        "    saves its result for backward if input requires grad\n"
        "    returns input itself\n"
        "    gradient flows to input by ReluBackward0"
    )


def test_a_module_names_its_tensors() -> None:
    text = entry("torch.nn.BatchNorm2d")
    assert "  parameters: weight, bias\n" in text
    assert "    changes self.running_mean in place (silently: its version stays)\n" in text
    assert "    changes self.num_batches_tracked in place (version +1)\n" in text


def test_an_optimizer_warns_of_silent_writes() -> None:
    assert "  step() changes each parameter that has a gradient in place (version +2)\n" in entry("torch.optim.AdamW")
    assert entry("torch.optim.SGD").endswith(
        "with fused=True, silently: the version stays, gradients go wrong without an error"
    )
    assert "step() needs a closure" in entry("torch.optim.LBFGS")


def test_pieces_and_aliases() -> None:
    assert "a sequence, each a view of tensor, one of several views of one call" in entry("torch.split")
    assert "a tensor that shares self's memory, but not its version counter" in entry("torch.Tensor.data")

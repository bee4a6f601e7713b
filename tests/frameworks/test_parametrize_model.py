"""The models of `torch.nn.utils` beside PyTorch's own: the same calls give the same names and the same values."""

from __future__ import annotations

import importlib
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gradguard.analyses.libraries import polyfills
from torch import nn

from .loading import WORDS, loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

UTILS = "torch.nn.utils"
FOLDER = Path(polyfills.__file__).parent / UTILS.replace(".", "/")

Seen = tuple[str, Any]


@contextmanager
def in_the_place_of_torchs(words: ModuleType) -> Iterator[SimpleNamespace]:
    """The models, each found by the others under its name."""
    names = ("parametrize", "_spectra", "parametrizations", "prune", "_hooks")
    made = SimpleNamespace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "gradguard", words)
        for name in names:
            module = loaded(f"{UTILS}.{name}", FOLDER / f"{name}.py", patch)
            patch.setattr(f"{UTILS}.{name}", module, raising=False)
            setattr(made, name, module)
        package = loaded("package", FOLDER / "__init__.py")
        made.__dict__.update({name: value for name, value in vars(package).items() if name.endswith("norm")})
        yield made


@pytest.fixture(scope="module")
def words() -> ModuleType:
    """What the intrinsics mean under real Python."""
    return loaded("gradguard_words", WORDS)


def seen(layer: nn.Module) -> Iterator[Seen]:
    """The names and values of a module's tensors, its class, and what it computes."""
    yield type(layer).__name__, [one.__name__ for one in type(layer).__mro__]
    for name, t in (*layer.named_parameters(), *layer.named_buffers()):
        yield name, (t.detach().clone(), t.requires_grad, type(t))
    weight = layer.weight
    yield "weight", (weight.detach().clone(), weight.requires_grad, type(weight))
    yield "result", layer(torch.ones(1, 4, *([5] if isinstance(layer, nn.Conv1d) else []))).detach()


def trained(layer: nn.Module) -> Iterator[Seen]:
    """What is seen before and after a step, and in evaluation."""
    yield from seen(layer)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(1, 4, *([5] if isinstance(layer, nn.Conv1d) else []))).square().sum().backward()
    yield "grads", [None if p.grad is None else p.grad.clone() for p in layer.parameters()]
    optimizer.step()
    yield from seen(layer)
    layer.eval()
    yield from seen(layer)
    yield from seen(layer)
    layer.train()


class Exponential(nn.Module):
    def forward(self, w: torch.Tensor) -> torch.Tensor:
        return w.exp()

    def right_inverse(self, w: torch.Tensor) -> torch.Tensor:
        return w.abs().log()


class Symmetric(nn.Module):
    def forward(self, w: torch.Tensor) -> torch.Tensor:
        return w.triu() + w.triu(1).T


class Factors(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.unsqueeze(-1) @ b.unsqueeze(-2)

    def right_inverse(self, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return w[:, 0].clone(), w[0].clone()


def removed(layer: nn.Module, remove: Callable[[], object]) -> Iterator[Seen]:
    """What is seen before and after something that was registered is removed."""
    yield from trained(layer)
    remove()
    yield from seen(layer)


def of_parametrization(m: Any, make: Callable[[], nn.Module], leave: bool = True) -> Iterator[Seen]:
    layer = nn.Linear(4, 4)
    yield "before", m.parametrize.is_parametrized(layer)
    yield "same", m.parametrize.register_parametrization(layer, "weight", make()) is layer
    yield "asked", [m.parametrize.is_parametrized(layer, name) for name in (None, "weight", "bias")]
    yield "before it", m.parametrize.type_before_parametrizations(layer).__name__
    yield from removed(layer, lambda: m.parametrize.remove_parametrizations(layer, "weight", leave))
    yield "after", m.parametrize.is_parametrized(layer)


def exponential(m: Any) -> Iterator[Seen]:
    yield from of_parametrization(m, Exponential)


def exponential_left(m: Any) -> Iterator[Seen]:
    yield from of_parametrization(m, Exponential, leave=False)


def symmetric(m: Any) -> Iterator[Seen]:
    yield from of_parametrization(m, Symmetric)


def factors(m: Any) -> Iterator[Seen]:
    yield from of_parametrization(m, Factors)


def several(m: Any) -> Iterator[Seen]:
    """Two parametrizations of one tensor, one of another, and a buffer's."""
    layer = nn.Linear(4, 4)
    layer.register_buffer("scale", torch.ones(4))
    for name, step in (("weight", Exponential()), ("weight", Exponential()), ("bias", Exponential())):
        m.parametrize.register_parametrization(layer, name, step)
    m.parametrize.register_parametrization(layer, "scale", Exponential())
    yield from trained(layer)
    layer.weight = torch.full((4, 4), 2.0).exp()
    yield from seen(layer)
    other = nn.Linear(4, 4)
    m.parametrize.transfer_parametrizations_and_params(layer, other, "weight")
    yield from seen(other)
    m.parametrize.remove_parametrizations(layer, "weight")
    yield from seen(layer)


def cached(m: Any) -> Iterator[Seen]:
    """Within `cached()` a tensor is computed once."""
    layer = m.parametrize.register_parametrization(nn.Linear(4, 4), "weight", Exponential())
    yield "plain", layer.weight is layer.weight
    with m.parametrize.cached():
        first = layer.weight
        with m.parametrize.cached():
            yield "within", layer.weight is first
        yield "still", layer.weight is first
    with m.parametrize.cached():
        yield "anew", layer.weight is first


def new_weight_norm(m: Any) -> Iterator[Seen]:
    for dim in (0, 1, None):
        layer = m.parametrizations.weight_norm(nn.Linear(4, 3), dim=dim)
        yield from removed(layer, lambda layer=layer: m.parametrize.remove_parametrizations(layer, "weight"))


def new_spectral_norm(m: Any) -> Iterator[Seen]:
    for make in (lambda: nn.Linear(4, 3), lambda: nn.Conv1d(4, 3, 2), lambda: nn.ConvTranspose1d(4, 3, 2)):
        layer = make()
        m.parametrizations.spectral_norm(layer, n_power_iterations=2)
        yield "buffers", [t.clone() for t in layer.buffers()]
        if isinstance(layer, nn.ConvTranspose1d):
            yield "weight", layer.weight.detach()
        else:
            yield from removed(layer, lambda layer=layer: m.parametrize.remove_parametrizations(layer, "weight"))
    yield "vector", m.parametrizations.spectral_norm(nn.Linear(4, 3), "bias").bias.detach()


def old_weight_norm(m: Any) -> Iterator[Seen]:
    layer = m.weight_norm(nn.Linear(4, 3))
    yield from removed(layer, lambda: m.remove_weight_norm(layer))


def old_spectral_norm(m: Any) -> Iterator[Seen]:
    for layer in (nn.Linear(4, 3), nn.Conv1d(4, 3, 2)):
        m.spectral_norm(layer, n_power_iterations=2)
        yield from removed(layer, lambda layer=layer: m.remove_spectral_norm(layer))


def pruned(m: Any, prune: Callable[[nn.Module], object]) -> Iterator[Seen]:
    layer = nn.Linear(4, 4)
    yield "before", m.prune.is_pruned(nn.Sequential(layer))
    prune(layer)
    yield "pruned", m.prune.is_pruned(nn.Sequential(layer))
    yield from removed(layer, lambda: m.prune.remove(layer, "weight"))
    yield "after", m.prune.is_pruned(layer)


def l1(m: Any) -> Iterator[Seen]:
    for amount in (0.5, 3, 0):
        yield from pruned(m, lambda one, amount=amount: m.prune.l1_unstructured(one, "weight", amount))


def l1_by_scores(m: Any) -> Iterator[Seen]:
    scores = torch.arange(16.0).reshape(4, 4)
    yield from pruned(m, lambda one: m.prune.l1_unstructured(one, "weight", 5, importance_scores=scores))


def ln(m: Any) -> Iterator[Seen]:
    for amount, dim in ((0.5, 0), (1, -1), (0, 0)):
        yield from pruned(m, lambda one, a=amount, d=dim: m.prune.ln_structured(one, "weight", a, n=2, dim=d))


def by_chance(m: Any) -> Iterator[Seen]:
    """Which elements are left depends on random numbers, how many of them doesn't."""
    for prune in (
        lambda one: m.prune.random_unstructured(one, "weight", 0.25),
        lambda one: m.prune.random_structured(one, "weight", 2, dim=0),
    ):
        layer = nn.Linear(4, 4)
        prune(layer)
        yield "left", layer.weight_mask.sum()
        yield "product", torch.equal(layer.weight, layer.weight_orig * layer.weight_mask)


def by_mask(m: Any) -> Iterator[Seen]:
    yield from pruned(m, lambda one: m.prune.custom_from_mask(one, "weight", torch.eye(4)))
    yield from pruned(m, lambda one: m.prune.identity(one, "weight"))


def twice(m: Any) -> Iterator[Seen]:
    """A second method chooses among what the first has left."""

    def prune(layer: nn.Module) -> None:
        m.prune.l1_unstructured(layer, "weight", 3)
        m.prune.ln_structured(layer, "weight", 1, n=2, dim=1)
        m.prune.l1_unstructured(layer, "weight", 2)

    yield from pruned(m, prune)


def everywhere(m: Any) -> Iterator[Seen]:
    """The least of all weights of several modules."""
    layers = [nn.Linear(4, 4), nn.Linear(4, 4)]
    m.prune.l1_unstructured(layers[0], "weight", 2)
    m.prune.global_unstructured(
        [(layer, "weight") for layer in layers], pruning_method=m.prune.L1Unstructured, amount=9
    )
    for layer in layers:
        yield from seen(layer)


def of_a_program(m: Any) -> Iterator[Seen]:
    """A method of pruning that a program defines."""

    class Odd(m.prune.BasePruningMethod):  # type: ignore[misc]
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t: torch.Tensor, default_mask: torch.Tensor) -> torch.Tensor:
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask

    yield from pruned(m, lambda one: Odd.apply(one, "weight"))


def told(made: Callable[[Any], Iterator[Seen]], m: Any) -> list[Seen]:
    """What is seen, with the same random numbers each time."""
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        return list(made(m))


MADE = (exponential, exponential_left, symmetric, factors, several, cached, new_weight_norm, new_spectral_norm,
        old_weight_norm, old_spectral_norm, l1, l1_by_scores, ln, by_chance, by_mask, twice, everywhere,
        of_a_program)  # fmt: skip


@pytest.mark.parametrize("made", MADE)
def test_values_are_those_of_pytorch(words: ModuleType, made: Callable[[Any], Iterator[Seen]]) -> None:
    names = ("parametrize", "parametrizations", "prune")
    own = {name: value for name, value in vars(nn.utils).items() if name.endswith("norm")}
    theirs = told(made, SimpleNamespace(**own, **{one: importlib.import_module(f"{UTILS}.{one}") for one in names}))
    with in_the_place_of_torchs(words) as models:
        ours = told(made, models)
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    for (name, one), (_, other) in zip(ours, theirs, strict=True):
        agree(name, one, other)


def agree(name: str, one: Any, other: Any) -> None:
    """Hold two values against each other, tensors by their numbers."""
    if isinstance(one, torch.Tensor):
        torch.testing.assert_close(one, other)
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other), name
        for a, b in zip(one, other, strict=True):
            agree(name, a, b)
    else:
        assert one == other, name


@pytest.mark.parametrize("trivial", [True, False])
def test_orthogonal_has_the_names_of_pytorch(words: ModuleType, trivial: bool) -> None:
    def named(m: Any) -> list[str]:
        layer = m.parametrizations.orthogonal(nn.Linear(4, 3), use_trivialization=trivial)
        return [name for name, _ in (*layer.named_parameters(), *layer.named_buffers(), *layer.named_modules())]

    theirs = named(nn.utils)
    with in_the_place_of_torchs(words) as models:
        assert named(models) == theirs

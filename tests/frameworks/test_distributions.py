"""The model of `torch.distributions` beside PyTorch's own: the same parameters give the same values and gradients."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gradguard.analyses.libraries import polyfills

from .loading import WORDS, loaded

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = Path(polyfills.__file__).parent / "torch/distributions"
NAME = "torch.distributions"

A, B = torch.tensor([0.4, 0.6, 0.7]), torch.tensor([0.5, 0.8, 0.3])
UNIT, WHOLE = torch.tensor([0.2, 0.3, 0.5]), torch.tensor([1.0, 0.0, 2.0])
FAMILIES: dict[str, torch.Tensor] = {
    "Normal(a, b)": UNIT,
    "Normal(0, 1)": UNIT,
    "Normal(a, 1.0)": UNIT,
    "Laplace(a, b)": UNIT,
    "Cauchy(a, b)": UNIT,
    "StudentT(a, b, b)": UNIT,
    "Uniform(a, b + 1)": UNIT + 0.5,
    "Exponential(a)": UNIT,
    "Gamma(a, b)": UNIT,
    "Chi2(a)": UNIT,
    "FisherSnedecor(a, b)": UNIT,
    "Dirichlet(a)": UNIT,
    "Beta(a, b)": UNIT,
    "Bernoulli(probs=a)": torch.tensor([1.0, 0.0, 1.0]),
    "Bernoulli(logits=a)": torch.tensor([1.0, 0.0, 1.0]),
    "Geometric(probs=a)": WHOLE,
    "Geometric(logits=a)": WHOLE,
    "Binomial(4, probs=a)": WHOLE,
    "Binomial(4, logits=a)": WHOLE,
    "NegativeBinomial(4, logits=a)": WHOLE,
    "Poisson(a)": WHOLE,
    "Categorical(probs=a)": torch.tensor(1),
    "Categorical(logits=a.expand(2, 3))": torch.tensor([1, 2]),
    "OneHotCategorical(logits=a)": torch.tensor([0.0, 1.0, 0.0]),
    "OneHotCategoricalStraightThrough(probs=a)": torch.tensor([0.0, 1.0, 0.0]),
    "Multinomial(3, logits=a)": WHOLE,
    "RelaxedBernoulli(b[0], logits=a)": UNIT,
    "RelaxedOneHotCategorical(b[0], probs=a)": UNIT,
    "MultivariateNormal(a, scale_tril=torch.diag_embed(b))": UNIT,
    "MultivariateNormal(a, torch.diag_embed(b))": UNIT,
    "MultivariateNormal(a, precision_matrix=torch.diag_embed(b))": UNIT,
    "LogNormal(a, b)": UNIT,
    "HalfNormal(a)": UNIT,
    "HalfCauchy(a)": UNIT,
    "Gumbel(a, b)": UNIT,
    "InverseGamma(a, b)": UNIT,
    "Weibull(a, b)": UNIT,
    "Pareto(a, b)": UNIT + 1,
    "Kumaraswamy(a, b)": UNIT,
    "LogisticNormal(a, b)": torch.tensor([0.1, 0.2, 0.3, 0.4]),
    "Independent(Normal(a, b), 1)": UNIT,
    "TransformedDistribution(Normal(a, b), TanhTransform())": UNIT,
    "TransformedDistribution(Normal(a, b), [AffineTransform(a, b), SigmoidTransform()])": UNIT,
    "TransformedDistribution(Normal(a, b), ComposeTransform([ExpTransform(), PowerTransform(2.0)]))": UNIT,
    "TransformedDistribution(Normal(a, b), [SoftplusTransform(), AbsTransform()])": UNIT,
    "MixtureSameFamily(Categorical(logits=a), Normal(b, b))": torch.rand(4),
    "MixtureSameFamily(Categorical(a), Independent(Normal(b[:, None], torch.ones(3, 2)), 1))": torch.ones(4, 2),
    "Normal(a, b).expand((2, 3))": UNIT,
    "Categorical(logits=a).expand((2,))": torch.tensor([1, 2]),
}
PAIRS = {
    "Normal": "(a, b), (b, a)",
    "Laplace": "(a, b), (b, a)",
    "Categorical": "(logits=a), (probs=b)",
    "Bernoulli": "(logits=a), (probs=b)",
    "Poisson": "(a), (b)",
    "Exponential": "(a), (b)",
    "Gamma": "(a, b), (b, a)",
    "Dirichlet": "(a), (b)",
    "Beta": "(a, b), (b, a)",
    "OneHotCategorical": "(logits=a), (logits=b)",
    "MultivariateNormal": "(a, scale_tril=torch.diag_embed(b)), (b, torch.diag_embed(a))",
    "LogNormal": "(a, b), (b, a)",
}
DRAWN_UNSEEN = ("StudentT", "Gamma", "Chi2", "Fisher", "Dirichlet", "Beta", "InverseGamma", "Multinomial", "NegativeB")
"""Families whose samples the model doesn't draw as PyTorch does."""
ATTRIBUTES = ("batch_shape", "event_shape", "has_rsample", "mean", "variance", "stddev", "mode", "probs", "logits",
              "loc", "scale", "rate", "concentration", "scale_tril", "covariance_matrix")  # fmt: skip
NOT_MODELLED = AttributeError, NotImplementedError


@pytest.fixture(scope="module")
def model() -> dict[str, Any]:
    """What a program finds in the model, which Python itself has run in the place of PyTorch's package."""
    words = loaded("gradguard", WORDS)
    words.known = lambda value: True  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{NAME}.")]:
            patch.delitem(sys.modules, name)
        patch.setitem(sys.modules, "gradguard", words)
        patch.setattr(torch, "distributions", None)
        made = loaded(NAME, FOLDER / "__init__.py", patch)
        found = names(made)
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{NAME}.")]:
            del sys.modules[name]
    return found


def names(module: ModuleType) -> dict[str, Any]:
    """What a program finds by `from torch.distributions import *`."""
    return {name: getattr(module, name) for name in module.__all__} | {"torch": torch}


def assert_same(one: Any, other: Any, what: str) -> None:
    if isinstance(other, torch.Tensor):
        assert one.shape == other.shape and one.dtype == other.dtype and torch.allclose(one, other, atol=1e-5), what
        assert one.requires_grad == other.requires_grad, what
    else:
        assert one == other, what


def leaves() -> dict[str, torch.Tensor]:
    return {"a": A.clone().requires_grad_(), "b": B.clone().requires_grad_()}


def gradients(result: torch.Tensor, given: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    found = torch.autograd.grad(
        result.sum(), list(given.values()), retain_graph=True, allow_unused=True, materialize_grads=True
    )
    return list(found)


@pytest.mark.parametrize("maker", FAMILIES)
def test_a_family_gives_what_pytorch_gives(model: dict[str, Any], maker: str) -> None:
    value, both = FAMILIES[maker], (leaves(), leaves())
    worlds = model, names(torch.distributions)
    ours, theirs = (eval(maker, dict(world), given) for world, given in zip(worlds, both, strict=True))
    for name in ATTRIBUTES:
        try:
            expected = getattr(theirs, name)
            got = getattr(ours, name)
        except NOT_MODELLED:
            continue
        if not (isinstance(expected, torch.Tensor) and expected.isnan().any()):
            assert_same(got, expected, name)
    drawn = not maker.startswith(DRAWN_UNSEEN)
    for ask in ("d.log_prob(value)", "d.entropy()", "d.rsample()", "d.rsample((2,))", "d.sample()", "d.cdf(value)"):
        try:
            torch.manual_seed(0)
            expected = eval(ask, {"d": theirs, "value": value})
            torch.manual_seed(0)
            got = eval(ask, {"d": ours, "value": value})
        except NOT_MODELLED:
            continue
        if drawn or "sample" not in ask:
            assert_same(got, expected, ask)
            if expected.requires_grad:
                for one, other in zip(gradients(got, both[0]), gradients(expected, both[1]), strict=True):
                    assert torch.allclose(one, other, atol=1e-4), ask
        else:
            assert got.shape == expected.shape and got.requires_grad == expected.requires_grad, ask


@pytest.mark.parametrize("family", PAIRS)
def test_a_divergence_is_that_of_pytorch(model: dict[str, Any], family: str) -> None:
    pair = PAIRS[family].replace("(", f"{family}(", 1).replace(", (", f", {family}(")
    ask, both = f"kl_divergence({pair})", (leaves(), leaves())
    worlds = model, names(torch.distributions)
    got, expected = (eval(ask, dict(world), given) for world, given in zip(worlds, both, strict=True))
    assert_same(got, expected, ask)
    for one, other in zip(gradients(got, both[0]), gradients(expected, both[1]), strict=True):
        assert torch.allclose(one, other, atol=1e-4), ask


def test_the_model_has_all_of_pytorchs_names(model: dict[str, Any]) -> None:
    missing = {"biject_to", "transform_to"}
    assert set(torch.distributions.__all__) - missing <= model.keys()

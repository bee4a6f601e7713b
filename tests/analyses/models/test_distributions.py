"""What distributions save of their parameters and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

DISTRIBUTIONS = {
    "Normal(loc=a, scale=b)": "torch.rand(3)",
    "LogNormal(loc=a, scale=b)": "torch.rand(3) + 0.1",
    "Laplace(loc=a, scale=b)": "torch.rand(3)",
    "Cauchy(loc=a, scale=b)": "torch.rand(3)",
    "Gumbel(loc=a, scale=b)": "torch.rand(3)",
    "HalfNormal(scale=a)": "torch.rand(3)",
    "StudentT(df=a, loc=b, scale=b)": "torch.rand(3)",
    "Exponential(rate=a)": "torch.rand(3)",
    "Gamma(concentration=a, rate=b)": "torch.rand(3)",
    "Dirichlet(concentration=a)": "torch.tensor([0.2, 0.3, 0.5])",
    "Poisson(rate=a)": "torch.tensor([1.0, 2.0, 3.0])",
    "Bernoulli(probs=a)": "torch.tensor([1.0, 0.0, 1.0])",
    "Bernoulli(logits=a)": "torch.tensor([1.0, 0.0, 1.0])",
    "Categorical(probs=a)": "torch.tensor(1)",
    "Categorical(logits=a)": "torch.tensor(1)",
    "OneHotCategorical(logits=a)": "torch.tensor([0.0, 1.0, 0.0])",
    "MultivariateNormal(loc=a, scale_tril=torch.diag_embed(b))": "torch.rand(3)",
    "MultivariateNormal(loc=a, covariance_matrix=torch.diag_embed(b))": "torch.rand(3)",
    "MultivariateNormal(loc=a, precision_matrix=torch.diag_embed(b))": "torch.rand(3)",
    "Uniform(low=a, high=b + 1)": "torch.rand(3) * 0.1 + 0.9",
    "Beta(concentration1=a, concentration0=b)": "torch.rand(3) * 0.5 + 0.1",
    "Chi2(df=a)": "torch.rand(3) + 0.1",
    "FisherSnedecor(df1=a, df2=b)": "torch.rand(3) + 0.1",
    "InverseGamma(concentration=a, rate=b)": "torch.rand(3) + 0.1",
    "HalfCauchy(scale=a)": "torch.rand(3)",
    "Weibull(scale=a, concentration=b)": "torch.rand(3) + 0.1",
    "Pareto(scale=a, alpha=b)": "torch.rand(3) + 2",
    "Kumaraswamy(concentration1=a, concentration0=b)": "torch.rand(3) * 0.5 + 0.1",
    "LogisticNormal(loc=a, scale=b)": "torch.tensor([0.1, 0.2, 0.3, 0.4])",
    "Geometric(probs=a * 0.5)": "torch.tensor([1.0, 0.0, 2.0])",
    "Geometric(logits=a)": "torch.tensor([1.0, 0.0, 2.0])",
    "Binomial(total_count=4, probs=a * 0.5)": "torch.tensor([1.0, 0.0, 2.0])",
    "Binomial(4, logits=a)": "torch.tensor([1.0, 0.0, 2.0])",
    "NegativeBinomial(4.0, logits=a)": "torch.tensor([1.0, 0.0, 2.0])",
    "Multinomial(3, logits=a)": "torch.tensor([1.0, 0.0, 2.0])",
    "RelaxedBernoulli(torch.tensor(0.5), logits=a)": "torch.rand(3) * 0.5 + 0.1",
    "RelaxedOneHotCategorical(torch.tensor(0.5), logits=a)": "torch.tensor([0.2, 0.3, 0.5])",
    "OneHotCategoricalStraightThrough(logits=a)": "torch.tensor([0.0, 1.0, 0.0])",
    "Independent(Normal(a, b), 1)": "torch.rand(3)",
    "Normal(a, b).expand((2, 3))": "torch.rand(2, 3)",
    "TransformedDistribution(Normal(a, b), [AffineTransform(a, b), SigmoidTransform()])": "torch.rand(3) * 0.5 + 0.1",
    "TransformedDistribution(Normal(a, b), SoftplusTransform())": "torch.rand(3) + 0.1",
    "TransformedDistribution(Normal(a, b), TanhTransform())": "torch.rand(3) * 0.5",
    "MixtureSameFamily(Categorical(logits=a), Normal(b, b))": "torch.rand(4)",
    "MixtureSameFamily(Categorical(a), Independent(Normal(b[:, None], torch.ones(3, 3)), 1))": "torch.rand(4, 3)",
}

RESULTS = ("d.log_prob(value)", "d.rsample()", "d.entropy()", "d.sample().sum() * (a + b)")

WITHOUT_SAMPLE = ("Poisson", "Bernoulli", "Categorical", "OneHotCategorical(", "Mixture", "Geometric", "Binomial",
                  "NegativeBinomial", "Multinomial")  # fmt: skip
WITHOUT_ENTROPY = ("Poisson", "Transformed", "Mixture", "FisherSnedecor", "LogisticNormal", "Binomial",
                   "NegativeBinomial", "Multinomial", "Relaxed")  # fmt: skip


def cases() -> list[tuple[str, str, str]]:
    """Each distribution with each result, and what is changed after it."""
    found = []
    for maker in DISTRIBUTIONS:
        for result in RESULTS:
            if ("rsample" in result and maker.startswith(WITHOUT_SAMPLE)) or (
                "entropy" in result and maker.startswith(WITHOUT_ENTROPY)
            ):
                continue
            changed = ["a", "result"] + (["b"] if "b" in maker.partition("(")[2] else [])
            changed += ["value"] if "value" in result else []
            found += [(maker, result, one) for one in changed]
    return found


@pytest.mark.parametrize(("maker", "result", "changed"), cases())
def test_a_change_after_the_result(tmp_path: Path, maker: str, result: str, changed: str) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch
        from torch.distributions import *

        torch.manual_seed(0)
        leaf = torch.rand(2, 3).requires_grad_()
        a, b = leaf[0] * 0.5 + 0.3, leaf[1] * 0.5 + 0.3
        value = {DISTRIBUTIONS[maker]}
        d = {maker}
        result = {result}
        total = result.sum() + leaf.sum()
        {changed}.mul_(1)
        total.backward()
        """,
    )


@pytest.mark.parametrize("changed", ["a", "b", "c", "e", "kl"])
@pytest.mark.parametrize("pair", ["Normal(a, b), Normal(c, e)", "Categorical(logits=a), Categorical(logits=c)"])
def test_a_change_after_a_divergence(tmp_path: Path, pair: str, changed: str) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch
        from torch.distributions import *

        leaf = torch.rand(4, 3).requires_grad_()
        a, b, c, e = leaf[0] + 0.3, leaf[1] + 0.3, leaf[2] + 0.3, leaf[3] + 0.3
        kl = kl_divergence({pair})
        total = kl.sum()
        {changed}.mul_(1)
        total.backward()
        """,
    )


def test_actor_steps_before_the_second_loss(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        """
        import torch
        from torch import nn
        from torch.distributions import Categorical

        actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
        optimizer = torch.optim.Adam(actor.parameters())
        policy = Categorical(logits=actor(torch.randn(5, 4)))
        action = policy.sample()
        loss = -policy.log_prob(action).mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        (-policy.entropy().mean()).backward()
        """,
    )
    assert kinds == {"stale-saved"}


def test_actions_are_changed_after_the_density(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        """
        import torch
        from torch import nn
        from torch.distributions import Normal

        net = nn.Linear(4, 2)
        mean = net(torch.randn(5, 4))
        policy = Normal(mean, torch.ones(2))
        action = policy.sample()
        log = policy.log_prob(action).sum(-1)
        action.clamp_(-1, 1)
        (-log.mean()).backward()
        """,
    )
    assert kinds == set()

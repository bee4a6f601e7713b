"""`torch.distributions`: what a density, a reparametrised sample or an entropy saves of the parameters.

The formulas are those of `torch/distributions/*.py`. Without a formula here, the results have a graph that leads to the
parameters and saves none of the program's tensors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry
from ...autograd.tensors import Node, Tensor
from ...domain.registry import BASES, method_of, model, property_of
from ...domain.values import ABSENT, Args, Instance, ListV, Unknown, Value
from ...operators import calls_by_name, cases
from ...python import attributes
from .formulas import Term, linked, plain, torch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...python.machine import Machine

HOME = "torch.distributions."
BASE = f"{HOME}Distribution"

LOG_2PI = 1.8378770664093453


class Parts:
    """The parameters of a distribution, as terms: `p.loc`."""

    def __init__(self, m: Machine, obj: Instance) -> None:
        self.m = m
        self.obj = obj

    def __getattr__(self, name: str) -> Term:
        return Term(self.m, attributes.get(self.m, self.obj, name))


@dataclass(frozen=True, slots=True)
class Family:
    """A distribution: the parameters of its constructor, and formulas of these and a value or noise."""

    parameters: tuple[str, ...]
    log_prob: Callable[[Parts, Term], Value] | None = None
    rsample: Callable[[Parts, Term], Value] | None = None
    entropy: Callable[[Parts, Term], Value] | None = None
    mean: Callable[[Parts, Term], Value] | None = None
    variance: Callable[[Parts, Term], Value] | None = None
    reparametrised: bool = True
    event_dims: int = 0
    """how many dimensions of the first parameter belong to one event"""
    extra: Mapping[str, object] = field(default_factory=dict)
    """defaults of the parameters"""


def weighted(p: Parts, weight: Value, x: Value) -> Term:
    """`torch.xlogy(weight, x)`."""
    return torch(p.m, "xlogy", weight, x)


def binary_cross_entropy(p: Parts, logits: Value, target: Value) -> Term:
    """`binary_cross_entropy_with_logits(logits, target, reduction="none")`."""
    return torch(p.m, "nn.functional.binary_cross_entropy_with_logits", logits, target, reduction="none")


def normal_log_prob(p: Parts, x: Term) -> Term:
    """`normal.py`."""
    var = p.scale**2
    return -((x - p.loc) ** 2) / (2 * var) - p.scale.do("log") - 0.5 * LOG_2PI


def gamma_log_prob(p: Parts, x: Term) -> Term:
    """`gamma.py`."""
    shape = p.concentration
    return weighted(p, shape, p.rate) + weighted(p, shape - 1, x) - p.rate * x - shape.do("lgamma")


def sampled(p: Parts, parameter: Tensor) -> Term:
    """A sample whose node saves the parameter and the result, like that of `torch._standard_gamma`."""
    made = linked(p.m, [parameter])
    node = p.m.state.resolve(made.grad_fn)
    if isinstance(node, Node):
        p.m.grad.save(node, parameter, "input")
        p.m.grad.save(node, made, "result")
    return Term(p.m, made)


def gamma_entropy(p: Parts, _: Term) -> Term:
    """`gamma.py`."""
    shape = p.concentration
    return shape - p.rate.do("log") + shape.do("lgamma") + (1.0 - shape) * shape.do("digamma")


def dirichlet_log_prob(p: Parts, x: Term) -> Term:
    """`dirichlet.py`."""
    shape = p.concentration
    return (
        weighted(p, shape - 1.0, x).do("sum", -1) + shape.do("sum", -1).do("lgamma") - shape.do("lgamma").do("sum", -1)
    )


def student_log_prob(p: Parts, x: Term) -> Term:
    """`studentT.py`."""
    y = (x - p.loc) / p.scale
    z = p.scale.do("log") + 0.5 * p.df.do("log") + (0.5 * p.df).do("lgamma") - (0.5 * (p.df + 1.0)).do("lgamma")
    return -0.5 * (p.df + 1.0) * (y**2.0 / p.df).do("log1p") - z


def student_rsample(p: Parts, noise: Term) -> Term:
    """`studentT.py`: a normal sample over the root of a chi-squared one."""
    squared = Term(p.m, linked(p.m, [p.df.value]))
    return p.loc + p.scale * (noise * torch(p.m, "rsqrt", squared / p.df))


def student_entropy(p: Parts, _: Term) -> Term:
    """`studentT.py`."""
    half = 0.5 * (p.df + 1.0)
    return p.scale.do("log") + half * (half.do("digamma") - (0.5 * p.df).do("digamma")) + 0.5 * p.df.do("log")


def dirichlet_rsample(p: Parts, _: Term) -> Term:
    """`dirichlet.py`: the Function `_Dirichlet` saves its input and its result."""
    return sampled(p, p.concentration.value)


def dirichlet_entropy(p: Parts, _: Term) -> Term:
    """`dirichlet.py`."""
    shape = p.concentration
    total = shape.do("sum", -1)
    return total * total.do("digamma") - ((shape - 1.0) * shape.do("digamma")).do("sum", -1)


def categorical_log_prob(p: Parts, x: Term) -> Term:
    """`categorical.py`: gather saves the index, which is a view of the value if its dtype is int64 already."""
    index = x.do("long").do("unsqueeze", -1)
    return p.logits.do("gather", -1, index).do("squeeze", -1)


def categorical_entropy(p: Parts, _: Term) -> Term:
    """`categorical.py`."""
    return -(p.logits.do("clamp", min=-3e38) * p.probs).do("sum", -1)


def multivariate_log_prob(p: Parts, x: Term) -> Term:
    """`multivariate_normal.py`: the triangular solve saves the factor, its diagonal's log a view of it."""
    diff = x - p.loc
    solved = torch(p.m, "linalg.solve_triangular", p.scale_tril, diff.do("unsqueeze", -1), upper=False)
    return -0.5 * (solved**2).do("sum", -2) - half_log_det(p)


def half_log_det(p: Parts) -> Term:
    """The log of the determinant of a triangular factor."""
    return p.scale_tril.do("diagonal", dim1=-2, dim2=-1).do("log").do("sum", -1)


def location_scale(p: Parts, noise: Term) -> Term:
    """A sample of a family with a location and a scale."""
    return p.loc + noise * p.scale


FAMILIES: dict[str, Family] = {
    "Normal": Family(
        ("loc", "scale"),
        normal_log_prob,
        location_scale,
        lambda p, _: 0.5 + 0.5 * LOG_2PI + p.scale.do("log"),
        lambda p, _: p.loc,
        lambda p, _: p.scale.do("pow", 2),
    ),
    "LogNormal": Family(
        ("loc", "scale"),
        lambda p, x: normal_log_prob(p, x.do("log")) - x.do("log"),
        lambda p, noise: location_scale(p, noise).do("exp"),
        lambda p, _: 0.5 + 0.5 * LOG_2PI + p.scale.do("log") + p.loc,
        lambda p, _: (p.loc + p.scale.do("pow", 2) / 2).do("exp"),
    ),
    "Laplace": Family(
        ("loc", "scale"),
        lambda p, x: -((2 * p.scale).do("log")) - (x - p.loc).do("abs") / p.scale,
        lambda p, noise: p.loc - p.scale * noise,
        lambda p, _: 1 + (2 * p.scale).do("log"),
        lambda p, _: p.loc,
        lambda p, _: 2 * p.scale.do("pow", 2),
    ),
    "Cauchy": Family(
        ("loc", "scale"),
        lambda p, x: -p.scale.do("log") - (((x - p.loc) / p.scale) ** 2).do("log1p"),
        location_scale,
        lambda p, _: 2.5310242469692907 + p.scale.do("log"),
    ),
    "Gumbel": Family(
        ("loc", "scale"),
        lambda p, x: ((p.loc - x) / p.scale) - ((p.loc - x) / p.scale).do("exp") - p.scale.do("log"),
        location_scale,
        lambda p, _: p.scale.do("log") + 1.5772156649,
        lambda p, _: p.loc + p.scale * 0.5772156649,
    ),
    "HalfNormal": Family(
        ("scale",),
        lambda p, x: -(x**2) / (2 * p.scale**2) - p.scale.do("log"),
        lambda p, noise: (noise * p.scale).do("abs"),
        lambda p, _: 0.5 + p.scale.do("log"),
        lambda p, _: p.scale * 0.7978845608,
        lambda p, _: p.scale.do("pow", 2) * 0.3633802276,
    ),
    "StudentT": Family(
        ("df", "loc", "scale"),
        student_log_prob,
        student_rsample,
        student_entropy,
        extra={"loc": 0.0, "scale": 1.0},
    ),
    "Uniform": Family(
        ("low", "high"),
        lambda p, x: -((p.high - p.low).do("log")),
        lambda p, noise: p.low + noise * (p.high - p.low),
        lambda p, _: (p.high - p.low).do("log"),
        lambda p, _: (p.high + p.low) / 2,
        lambda p, _: (p.high - p.low).do("pow", 2) / 12,
    ),
    "Exponential": Family(
        ("rate",),
        lambda p, x: p.rate.do("log") - p.rate * x,
        lambda p, noise: noise / p.rate,
        lambda p, _: 1.0 - p.rate.do("log"),
        lambda p, _: p.rate.do("reciprocal"),
        lambda p, _: p.rate.do("pow", -2),
    ),
    "Gamma": Family(
        ("concentration", "rate"),
        gamma_log_prob,
        lambda p, _: sampled(p, p.concentration.value) / p.rate,
        gamma_entropy,
        lambda p, _: p.concentration / p.rate,
        lambda p, _: p.concentration / p.rate.do("pow", 2),
    ),
    "Beta": Family(("concentration1", "concentration0")),
    "Dirichlet": Family(("concentration",), dirichlet_log_prob, dirichlet_rsample, dirichlet_entropy, event_dims=1),
    "Poisson": Family(
        ("rate",),
        lambda p, x: torch(p.m, "xlogy", x, p.rate) - p.rate - (x + 1).do("lgamma"),
        mean=lambda p, _: p.rate,
        variance=lambda p, _: p.rate,
        reparametrised=False,
    ),
    "Bernoulli": Family(
        ("probs", "logits"),
        lambda p, x: -binary_cross_entropy(p, p.logits, x),
        entropy=lambda p, _: binary_cross_entropy(p, p.logits, p.probs),
        mean=lambda p, _: p.probs,
        variance=lambda p, _: p.probs * (1 - p.probs),
        reparametrised=False,
    ),
    "Geometric": Family(("probs", "logits"), reparametrised=False),
    "Binomial": Family(("total_count", "probs", "logits"), reparametrised=False, extra={"total_count": 1}),
    "NegativeBinomial": Family(("total_count", "probs", "logits"), reparametrised=False),
    "ContinuousBernoulli": Family(("probs", "logits")),
    "Categorical": Family(
        ("probs", "logits"), categorical_log_prob, entropy=categorical_entropy, reparametrised=False, event_dims=1
    ),
    "OneHotCategorical": Family(
        ("probs", "logits"),
        lambda p, x: categorical_log_prob(p, x.do("argmax", -1)),
        entropy=categorical_entropy,
        mean=lambda p, _: p.probs,
        reparametrised=False,
        event_dims=1,
    ),
    "OneHotCategoricalStraightThrough": Family(("probs", "logits"), event_dims=1),
    "Multinomial": Family(("total_count", "probs", "logits"), reparametrised=False, event_dims=1),
    "RelaxedBernoulli": Family(("temperature", "probs", "logits")),
    "RelaxedOneHotCategorical": Family(("temperature", "probs", "logits"), event_dims=1),
    "MultivariateNormal": Family(
        ("loc", "covariance_matrix", "precision_matrix", "scale_tril"),
        multivariate_log_prob,
        lambda p, noise: p.loc + torch(p.m, "matmul", p.scale_tril, noise.do("unsqueeze", -1)).do("squeeze", -1),
        lambda p, _: half_log_det(p) + 1.0,
        lambda p, _: p.loc,
        event_dims=1,
    ),
    "LowRankMultivariateNormal": Family(("loc", "cov_factor", "cov_diag"), event_dims=1),
    "VonMises": Family(("loc", "concentration"), reparametrised=False),
    "Weibull": Family(("scale", "concentration")),
    "Pareto": Family(("scale", "alpha")),
    "Kumaraswamy": Family(("concentration1", "concentration0")),
    "FisherSnedecor": Family(("df1", "df2")),
    "Chi2": Family(("df",)),
    "InverseGamma": Family(("concentration", "rate")),
    "HalfCauchy": Family(("scale",)),
    "LogisticNormal": Family(("loc", "scale"), event_dims=1),
    "LKJCholesky": Family(("dim", "concentration"), reparametrised=False, event_dims=1),
    "Wishart": Family(("df", "covariance_matrix", "precision_matrix", "scale_tril"), event_dims=2),
}

BASES[BASE] = ()
BASES[f"{HOME}ExponentialFamily"] = (BASE,)


def family_of(obj: Instance) -> Family:
    """The family of a distribution; an empty one for a class of the program."""
    for c in obj.cls.mro:
        found = FAMILIES.get(c.qualname.rpartition(".")[2]) if c.qualname.startswith(HOME) else None
        if found is not None:
            return found
    return Family(())


# -- construction ---------------------------------------------------------------------------------------


def construct(m: Machine, args: Args) -> Value:
    """Keep the parameters; numbers among them become tensors (`broadcast_all`)."""
    obj = m.state.resolve(args[0])
    if not isinstance(obj, Instance):
        return None
    family = family_of(obj)
    for i, name in enumerate(family.parameters, 1):
        v = m.state.resolve(args.get(i, name, family.extra.get(name)))
        if isinstance(v, Unknown) and (v.parameter or v.tensor is not None):
            v = m.as_tensor(v)
        elif isinstance(v, (int, float)) and name != "total_count":
            v = m.grad.tensor(None, "float32")
        if v is not None:
            m.state.set(obj.attributes, name, v)
    if "probs" in family.parameters and family.event_dims:
        normalise(m, obj)
    return None


def normalise(m: Machine, obj: Instance) -> None:
    """A categorical distribution normalises its parameter (`Categorical.__init__`)."""
    for name in ("probs", "logits"):
        v = obj.attributes.get(name)
        if isinstance(v, Tensor):
            given = Term(m, v)
            made = given / given.do("sum", -1, True) if name == "probs" else given - given.do("logsumexp", -1, True)
            m.state.set(obj.attributes, name, made.value)


def other_parameter(name: str, make: Callable[[Machine, Instance], Value]) -> Callable[[Machine, Instance], Value]:
    """A `lazy_property`: computed with grad mode on when it is first asked for, and kept."""

    def get(m: Machine, obj: Instance) -> Value:
        with m.grad.within(grad=True):
            v = make(m, obj)
        m.state.set(obj.attributes, name, v)
        return v

    return get


def logits_of(m: Machine, obj: Instance) -> Value:
    """`probs_to_logits`."""
    probs = obj.attributes.get("probs", ABSENT)
    if probs is ABSENT:
        return Unknown("logits")
    clamped = Term(m, probs).do("clamp", min=1e-7, max=1 - 1e-7)
    logs = clamped.do("log")
    return (logs if family_of(obj).event_dims else logs - torch(m, "log1p", -clamped)).value


def probs_of(m: Machine, obj: Instance) -> Value:
    """`logits_to_probs`."""
    logits = obj.attributes.get("logits", ABSENT)
    if logits is ABSENT:
        return Unknown("probs")
    return (
        torch(m, "nn.functional.softmax", logits, -1) if family_of(obj).event_dims else torch(m, "sigmoid", logits)
    ).value


def scale_tril_of(m: Machine, obj: Instance) -> Value:
    """The triangular factor of a covariance or precision."""
    given = obj.attributes.get("covariance_matrix", obj.attributes.get("precision_matrix", ABSENT))
    return torch(m, "linalg.cholesky", given).value if given is not ABSENT else Unknown("scale_tril")


def scale_of(m: Machine, obj: Instance) -> Value:
    """`stddev`: the scale itself for a normal distribution, else the root of the variance."""
    if "scale" in obj.attributes and obj.cls.name == "Normal":
        return obj.attributes["scale"]
    return Term(m, attributes.get(m, obj, "variance")).do("sqrt").value


for _name, _make in {"logits": logits_of, "probs": probs_of, "scale_tril": scale_tril_of}.items():
    property_of(BASE, _name)(other_parameter(_name, _make))
property_of(BASE, "stddev")(scale_of)


# -- results ----------------------------------------------------------------------------------------------


def parameters_of(m: Machine, obj: Instance) -> list[Tensor]:
    """The tensors that a distribution depends on, including those of the distributions that it is composed of."""
    found: list[Tensor] = []
    for v in obj.attributes.values():
        v = m.state.pick(v)
        found += parameters_of(m, v) if isinstance(v, Instance) else cases.tensors_in(m, v)
    return found


def inputs_of(m: Machine, args: Args) -> list[Tensor]:
    """The parameters of a distribution or transform, and the tensors among a method's arguments."""
    return [*parameters_of(m, args[0]), *cases.tensors_in(m, tuple(args.pos[1:]))]


def noise(m: Machine, obj: Instance, sample_shape: Value) -> Tensor:
    """Random numbers of the shape of a sample."""
    shape = shape_of(m, obj, sample_shape)
    return m.grad.tensor(Geometry.contiguous(shape) if shape is not None else None, None)


def shape_of(m: Machine, obj: Instance, sample_shape: Value) -> tuple[int | None, ...] | None:
    """The shape of a sample: `sample_shape`, followed by the shape of the parameters."""
    parameters = [t for t in parameters_of(m, obj) if t.shape is not None]
    ahead = () if sample_shape is None else m.state.resolve(sample_shape)
    if not parameters or not isinstance(ahead, tuple) or not all(isinstance(n, int) for n in ahead):
        return None
    widest = max((t.shape for t in parameters if t.shape is not None), key=len)
    if obj.cls.name in ("MultivariateNormal", "LowRankMultivariateNormal"):
        widest = parameters[0].shape or ()
    return (*ahead, *(widest[:-1] if obj.cls.name == "Categorical" else widest))


def evaluate(m: Machine, obj: Instance, name: str, x: Value) -> Value:
    """The family's formula at a value; without one, a plain graph that leads to the parameters."""
    formula = getattr(family_of(obj), name)
    if formula is None:
        return linked(m, [*parameters_of(m, obj), *cases.tensors_in(m, x)])
    return plain(formula(Parts(m, obj), Term(m, x)))


def log_prob(m: Machine, args: Args) -> Value:
    """`d.log_prob(value)`."""
    x = m.state.resolve(args.get(1, "value"))
    if isinstance(x, Unknown):
        x = m.as_tensor(x)
    return calls_by_name.split(m, Args([x]), lambda one: evaluate(m, args[0], "log_prob", one.pos[0]))


def rsample(m: Machine, args: Args) -> Value:
    """`d.rsample(sample_shape)`: a sample with a graph; refused by families without one."""
    obj, shape = args[0], args.get(1, "sample_shape")
    if not family_of(obj).reparametrised:
        return noise(m, obj, shape)
    return evaluate(m, obj, "rsample", noise(m, obj, shape))


def sample(m: Machine, args: Args) -> Value:
    """`d.sample(sample_shape)`: under no_grad."""
    made = noise(m, args[0], args.get(1, "sample_shape"))
    if args[0].cls.name == "Categorical":
        made.dtype_ = "int64"
    return made


def expand(m: Machine, args: Args) -> Value:
    """`d.expand(batch_shape)`: the same parameters."""
    return args[0]


def computed(name: str) -> Callable[[Machine, Instance], Value]:
    """An attribute that is computed by a formula."""
    return lambda m, obj: evaluate(m, obj, name, None)


method_of(BASE, "__init__")(construct)
method_of(BASE, "log_prob")(log_prob)
method_of(BASE, "rsample")(rsample)
method_of(BASE, "sample")(sample)
method_of(BASE, "entropy")(lambda m, args: evaluate(m, args[0], "entropy", None))
method_of(BASE, "expand")(expand)
method_of(BASE, "cdf", "icdf", "perplexity", "enumerate_support")(lambda m, args: linked(m, inputs_of(m, args)))
for _name in ("mean", "variance"):
    property_of(BASE, _name)(computed(_name))
property_of(BASE, "mode")(lambda m, obj: linked(m, parameters_of(m, obj)))
property_of(BASE, "has_rsample")(lambda m, obj: family_of(obj).reparametrised)

for _name in FAMILIES:
    BASES[f"{HOME}{_name}"] = (BASE,)


# -- distributions made of others -----------------------------------------------------------------------------


for _name in ("Independent", "TransformedDistribution", "MixtureSameFamily"):
    BASES[f"{HOME}{_name}"] = (BASE,)
TRANSFORM = f"{HOME}transforms.Transform"
BASES[TRANSFORM] = ()
for _name in ("TanhTransform", "ExpTransform", "SigmoidTransform", "AffineTransform", "SoftmaxTransform",
              "ComposeTransform", "AbsTransform"):  # fmt: skip
    BASES[f"{HOME}transforms.{_name}"] = (TRANSFORM,)
    BASES[f"{HOME}{_name}"] = (TRANSFORM,)


@method_of(f"{HOME}Independent", "__init__")
@method_of(f"{HOME}TransformedDistribution", "__init__")
def init_made_of(m: Machine, args: Args) -> Value:
    """`Independent(base, n)`, `TransformedDistribution(base, transforms)`."""
    m.state.set(args[0].attributes, "base_dist", args.get(1, "base_distribution"))
    m.state.set(args[0].attributes, "transforms", args.get(2, "transforms"))
    return None


@method_of(f"{HOME}MixtureSameFamily", "__init__")
def init_mixture(m: Machine, args: Args) -> Value:
    """`MixtureSameFamily(mixture, components)`."""
    m.state.set(args[0].attributes, "mixture_distribution", args.get(1, "mixture_distribution"))
    m.state.set(args[0].attributes, "component_distribution", args.get(2, "component_distribution"))
    return None


@method_of(f"{HOME}MixtureSameFamily", "log_prob")
def mixture_log_prob(m: Machine, args: Args) -> Value:
    """`logsumexp` of each component's density and weight (`mixture_same_family.py`)."""
    obj = args[0]
    mixture, component = obj.attributes["mixture_distribution"], m.state.pick(obj.attributes["component_distribution"])
    joint = isinstance(component, Instance) and component.cls.derives(f"{HOME}Independent")
    value = Term(m, args.get(1, "value")).do("unsqueeze", -2 if joint else -1)
    shares = Term(m, attributes.get(m, mixture, "logits")).do("log_softmax", -1)
    return (Term(m, component).do("log_prob", value.value) + shares).do("logsumexp", -1).value


def of_base(m: Machine, obj: Instance, name: str, *args: Value) -> Term:
    """A method of the base distribution."""
    return Term(m, obj.attributes["base_dist"]).do(name, *args)


@method_of(f"{HOME}Independent", "log_prob", "entropy")
def independent(m: Machine, args: Args) -> Value:
    """The sum over the last dimensions."""
    name = "log_prob" if len(args.pos) > 1 or "value" in args.kw else "entropy"
    given = [args.get(1, "value")] if name == "log_prob" else []
    return of_base(m, args[0], name, *given).do("sum", -1).value


@method_of(f"{HOME}Independent", "rsample")
def independent_rsample(m: Machine, args: Args) -> Value:
    """A sample of the base distribution."""
    return of_base(m, args[0], "rsample", *args.pos[1:]).value


def of_base_attribute(name: str) -> Callable[[Machine, Instance], Value]:
    """An attribute of the base distribution."""
    return lambda m, obj: attributes.get(m, attributes.get(m, obj, "base_dist"), name)


for _name in ("mean", "variance", "stddev", "mode"):
    property_of(f"{HOME}Independent", _name)(of_base_attribute(_name))


@method_of(f"{HOME}TransformedDistribution", "rsample")
def transformed_rsample(m: Machine, args: Args) -> Value:
    """A sample passed through the transforms."""
    obj = args[0]
    x = of_base(m, obj, "rsample", *args.pos[1:]).value
    transforms = m.state.pick(obj.attributes.get("transforms"))
    several = m.state.tuple_of(transforms.items) if isinstance(transforms, ListV) else (transforms,)
    for t in several:
        x = m.call(t, Args([x]))
    return x


@method_of(f"{HOME}TransformedDistribution", "log_prob")
def transformed_log_prob(m: Machine, args: Args) -> Value:
    """The density of the base at the untransformed value, corrected by the transforms' Jacobians."""
    obj, x = args[0], cases.tensors_in(m, args.get(1, "value"))
    return (of_base(m, obj, "log_prob", linked(m, x)) - linked(m, x)).value


@method_of(TRANSFORM, "__call__")
def transform(m: Machine, args: Args) -> Value:
    """`transform(x)`: as `transforms.py` computes it."""
    obj, x = args[0], args.get(1, "x")
    method = {"TanhTransform": "tanh", "ExpTransform": "exp", "SigmoidTransform": "sigmoid"}.get(obj.cls.name)
    if method is not None:
        return Term(m, x).do(method).value
    if obj.cls.name == "AffineTransform":
        loc = obj.model_state.get(0, obj.model_state.get("loc", 0.0))
        return (Term(m, loc) + obj.model_state.get(1, obj.model_state.get("scale", 1.0)) * Term(m, x)).value
    return linked(m, [*parameters_of(m, obj), *cases.tensors_in(m, x)])


@method_of(TRANSFORM, "inv", "log_abs_det_jacobian")
def transform_other(m: Machine, args: Args) -> Value:
    """The inverse of a transform, or its log determinant."""
    return linked(m, inputs_of(m, args))


# -- divergences ------------------------------------------------------------------------------------------------


@model("torch.distributions.kl_divergence", "torch.distributions.kl.kl_divergence")
def kl_divergence(m: Machine, args: Args) -> Value:
    """`kl_divergence(p, q)` (`kl.py`)."""
    p, q = m.state.resolve(args.get(0, "p")), m.state.resolve(args.get(1, "q"))
    if not isinstance(p, Instance) or not isinstance(q, Instance):
        return Unknown("a divergence")
    if p.cls.name == q.cls.name == "Independent":
        return (
            torch(m, "distributions.kl_divergence", p.attributes["base_dist"], q.attributes["base_dist"])
            .do("sum", -1)
            .value
        )
    a, b = Parts(m, p), Parts(m, q)
    if p.cls.name == q.cls.name == "Normal":
        ratio = (a.scale / b.scale).do("pow", 2)
        return (0.5 * (ratio + ((a.loc - b.loc) / b.scale).do("pow", 2) - 1 - ratio.do("log"))).value
    if p.cls.name == q.cls.name == "Categorical":
        return (a.probs * (a.logits - b.logits)).do("sum", -1).value
    return linked(m, [*parameters_of(m, p), *parameters_of(m, q)])

"""The options of a module that nobody has built: what a parameter is left to be is tried, and what a table lists."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Any

import pytest
from gradguard.analyses import replay
from gradguard.analyses.domain.report import MAX_BRANCHES
from gradguard.rules.diagnostic import Severity, diagnose
from gradguard.syntax.chunks import parse

from .refused import told_of_refused
from .replaying import Alone

MODULE = """\
import functools
from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn
from torch.nn import functional as F

{before}

class Mlp(nn.Module):
    def __init__(self, dim, {parameter}):
        super().__init__()
        self.act = {made}
        self.lin = nn.Linear(dim, dim)

    def forward(self, x):
        out = self.act(self.lin(x))
        out += x
        return out
"""


@dataclass(frozen=True, slots=True)
class Option:
    """How a module gets its activation: `usual` stands for the one that it is left to be.

    `named`: what the message says of a table's choices.
    """

    parameter: str
    made: str
    fails: str
    works: str
    before: str = ""
    given: str = ""
    named: str = ""

    def text(self, usual: str) -> str:
        before = dedent(self.before)
        return MODULE.format(before=before, parameter=self.parameter, made=self.made).replace("USUAL", usual)


OPTIONS = {
    "named_tuple": Option(
        "options=Options()",
        "options.act()",
        "nn.ReLU",
        "nn.GELU",
        """
        from typing import NamedTuple

        class Options(NamedTuple):
            width: int = 3
            act: type = USUAL
        """,
    ),
    "class": Option("act=USUAL", "act()", "nn.ReLU", "nn.GELU"),
    "object": Option("act=USUAL", "act", "nn.ReLU()", "nn.GELU()"),
    "function": Option("act=USUAL", "act", "F.relu", "F.gelu"),
    "lambda": Option("act=lambda t: t.USUAL()", "act", "relu", "cos"),
    "partial": Option("act=functools.partial(USUAL)", "act()", "nn.Sigmoid", "nn.GELU"),
    "name_of_a_class": Option("act='USUAL'", "getattr(nn, act)()", "ReLU", "GELU"),
    "name_of_a_function": Option("act='USUAL'", "getattr(F, act)", "relu", "gelu"),
    "own_class": Option(
        "act=Act",
        "act()",
        "sigmoid",
        "cos",
        """
        class Act(nn.Module):
            def forward(self, x):
                return x.USUAL()
        """,
    ),
    "configuration": Option(
        "config: Config",
        "config.act()",
        "nn.ReLU",
        "nn.GELU",
        """
        @dataclass
        class Config:
            width: int = 3
            act: type = USUAL
        """,
        "Config()",
    ),
    "name_in_a_configuration": Option(
        "config: Config",
        "getattr(nn, config.act)()",
        "ReLU",
        "GELU",
        """
        @dataclass
        class Config:
            act: str = "USUAL"
        """,
        "Config()",
    ),
    "configuration_left_out": Option(
        "config=Config()",
        "config.act()",
        "nn.ReLU",
        "nn.GELU",
        """
        @dataclass
        class Config:
            act: type = USUAL
        """,
    ),
    "configuration_by_its_name": Option(
        "cfg",
        "getattr(nn, cfg.act)()",
        "ReLU",
        "GELU",
        """
        @dataclass
        class ModelConfig:
            act: str = "USUAL"
        """,
        "ModelConfig()",
    ),
    "listed_by_an_annotation": Option(
        "act: Literal['gelu', 'USUAL', 'silu']",
        "getattr(F, act)",
        "relu",
        "softplus",
        "ACT = 'USUAL'",
        "ACT",
        "`act == 'relu'` is true",
    ),
    "registry": Option(
        "act='own'",
        "REGISTRY.get(act)()",
        "sigmoid",
        "cos",
        """
        class Registry:
            def __init__(self):
                self.known = {}

            def register(self, name):
                def add(cls):
                    self.known[name] = cls
                    return cls
                return add

            def get(self, name):
                return self.known[name]

        REGISTRY = Registry()

        @REGISTRY.register("gelu")
        class Gelu(nn.Module):
            def forward(self, x):
                return F.gelu(x)

        @REGISTRY.register("own")
        class Own(nn.Module):
            def forward(self, x):
                return x.USUAL()
        """,
        named="== 'own'",
    ),
    "large_table": Option(
        "act='usual'",
        "ACTS[act]()",
        "nn.ReLU",
        "nn.GELU",
        """
        ACTS = {"gelu": nn.GELU, "silu": nn.SiLU, "mish": nn.Mish, "soft": nn.Softplus, "usual": USUAL}
        """,
        named="`act == 'usual'` is true",
    ),
    "table_of_objects": Option(
        "act='gelu'",
        "made(act)",
        "nn.ReLU()",
        "nn.SiLU()",
        """
        def made(name):
            return {"gelu": nn.GELU(), "other": USUAL}[name]
        """,
        "'other'",
        "`name == 'gelu'` is false",
    ),
    "tests_in_a_row": Option(
        "act='gelu'",
        "made(act)",
        "nn.ReLU()",
        "nn.SiLU()",
        """
        def made(name):
            if name == "gelu":
                return nn.GELU()
            elif name == "other":
                return USUAL
            raise ValueError(name)
        """,
        "'other'",
        '`name == "gelu"` is false',
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_the_option_that_fails_is_told(name: str) -> None:
    option = OPTIONS[name]
    text = option.text(option.fails)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        trained(text, option.given)
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING
    assert option.named in found.words.when


@pytest.mark.parametrize("name", OPTIONS)
def test_one_that_works_is_silent(name: str) -> None:
    option = OPTIONS[name]
    text = option.text(option.works)
    trained(text, option.given)
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


def trained(text: str, given: str) -> None:
    scope: dict[str, Any] = {"__name__": __name__}  # a dataclass looks its module up
    exec(text, scope)
    exec(f"Mlp(3, {given})(torch.randn(2, 3)).sum().backward()", scope)


@pytest.mark.parametrize("given", ["nn.GELU", "act=nn.GELU", "**{'act': nn.GELU}"])
def test_what_the_program_passes_is_what_it_is(given: str) -> None:
    text = OPTIONS["class"].text("nn.ReLU") + f"\nMlp(3, {given})(torch.randn(2, 3)).sum().backward()\n"
    exec(text, {"__name__": __name__})
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


def test_options_that_come_from_outside_may_be_others() -> None:
    text = OPTIONS["class"].text("nn.ReLU")
    text += "\nimport json\nMlp(3, **json.load(open('options.json')))(torch.randn(2, 3)).sum().backward()\n"
    assert not any(one.severity is Severity.ERROR for one in diagnose(replay([parse(text, "main.py")], Alone())))


INHERITED = """\
import functools

import torch
from torch import nn


class Block(nn.Module):
    kind = nn.GELU

    def __init__(self, act=None):
        super().__init__()
        self.act = act or self.kind()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        out = self._activated(self.lin(x))
        out += x
        return out

    def _activated(self, x):
        return self.act(x)


class Mlp(Block):
"""

VARIED = {
    "constructor": "    def __init__(self):\n        super().__init__(nn.USUAL())\n",
    "attribute": "    kind = nn.USUAL\n",
    "method": "    def _activated(self, x):\n        return nn.USUAL()(x)\n",
    "partialmethod": "    __init__ = functools.partialmethod(Block.__init__, act=nn.USUAL())\n",
}


@pytest.mark.parametrize("name", VARIED)
def test_a_subclass_is_trained_for_what_it_overrides(name: str) -> None:
    text = INHERITED + VARIED[name].replace("USUAL", "ReLU")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        built_and_trained(text)
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING
    assert "`Mlp` is trained" in found.words.when


@pytest.mark.parametrize("name", VARIED)
def test_a_subclass_that_works_is_silent(name: str) -> None:
    text = INHERITED + VARIED[name].replace("USUAL", "SiLU")
    built_and_trained(text)
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


def test_a_subclass_that_the_program_trains_is_left_to_it() -> None:
    text = INHERITED + VARIED["constructor"].replace("USUAL", "SiLU")
    text = text.replace("def __init__(self):", "def __init__(self, act=nn.ReLU()):").replace("nn.SiLU()", "act")
    text += "\nMlp(nn.SiLU())(torch.randn(2, 3)).sum().backward()\n"
    exec(text, {"__name__": __name__})
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


def built_and_trained(text: str) -> None:
    exec(text + "\nMlp()(torch.randn(2, 3)).sum().backward()\n", {"__name__": __name__})


BASES = {"batchnorm._BatchNorm": "4, 3, 2, 2", "instancenorm._InstanceNorm": "4, 3, 5, 5"}


@pytest.mark.parametrize("base", BASES)
def test_a_base_inside_torch_has_the_forward_of_its_kind(base: str) -> None:
    home, name = base.split(".")
    text = f"""\
import torch
from torch.nn.modules.{home} import {name}


class Norm({name}):
    def _check_input_dim(self, x):
        pass

    def _get_no_batch_dim(self):
        return 3

    def forward(self, x):
        y = super().forward(x).sigmoid()
        y += 1
        return y
"""
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(f"{text}\nNorm(3, affine=True)(torch.randn({BASES[base]})).sum().backward()", {"__name__": __name__})
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize("base", ["loss._Loss", "loss._WeightedLoss", "dropout._DropoutNd", "pooling._MaxPoolNd"])
def test_a_base_inside_torch_is_known_to_be_a_module(base: str) -> None:
    home, name = base.split(".")
    text = f"""\
import torch
from torch.nn import functional as F
from torch.nn.modules.{home} import {name}


class Last({name}):
    def __init__(self, given):
        super().__init__(*given)

    def forward(self, x):
        y = F.logsigmoid(x).exp()
        y.relu_()
        return y.mean()


net = torch.nn.Linear(3, 3)
Last({"(2,)" if "Pool" in name else "()"})(net(torch.randn(2, 3))).backward()
"""
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(text, {"__name__": __name__})
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.ERROR


FLAGS = """\
import torch
from torch import nn


class Loss(nn.Module):
    def __init__(self, sigmoid=False, softmax=False, batch=False):
        super().__init__()
        self.sigmoid, self.softmax, self.batch = sigmoid, softmax, batch

    def forward(self, x: torch.Tensor):
        if self.sigmoid:
            x = torch.sigmoid(x)
        if self.softmax:
            if x.shape[1] == 1:
                print("one channel")
            else:
                x = torch.softmax(x, 1)
        if self.batch:
            x = x + 1
        x *= 0.5
        return x
"""


def test_options_at_their_defaults_are_no_branches_that_must_be_taken() -> None:
    found = told_of_refused(FLAGS, "Loss(softmax=True)(nn.Linear(3, 3)(torch.randn(2, 3)))")
    assert found.severity is Severity.WARNING
    assert len([one for one in found.failure.assumptions if one.kind == "branch"]) > MAX_BRANCHES


TYPES = """\
from typing import Tuple, Union

import torch
from torch import nn


class Filter(nn.Module):
    def __init__(self, size: Union[int, Tuple[int, int]], stride: int | list[int] = 1):
        super().__init__()
        if isinstance(size, int):
            self.conv = nn.Conv2d(3, 3, size)
        else:
            self.conv = None
        if isinstance(stride, {stride}):
            self.pool = nn.AvgPool2d(stride)
        else:
            self.pool = None

    def forward(self, x: torch.Tensor, size=None, y=None):
        if isinstance(x, torch.Tensor):
            x = self.pool(self.conv(x).exp())
        else:
            x = self.pool(x[0])
        z = x.exp()
        other = torch.zeros_like(x)
        changed = z if size else other
        changed = changed if y else other
        changed += 1
        return z * 2
"""


@pytest.mark.parametrize(("stride", "severity"), [("int", Severity.WARNING), ("list", Severity.HINT)])
def test_the_type_that_comes_first_is_no_branch_that_must_be_taken(stride: str, severity: Severity) -> None:
    text = TYPES.format(stride=stride)
    given = {"int": "1", "list": "[1, 1]"}[stride]
    found = told_of_refused(text, f"Filter(1, {given})(torch.randn(1, 3, 4, 4), True, True)")
    assert found.severity is severity, found.words.message


SPELLED = """\
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, dims, channels):
        super().__init__()
        self.conv = getattr(nn, f"Conv{dims}d")(channels, channels, 1)
        self.norm = getattr(nn, f"BatchNorm{dims}d")(channels)
        self.pool = getattr(F, f"adaptive_avg_pool{dims}d")

    def forward(self, x):
        y = self.conv(x)
        z = self.norm(y)
        {changed} += 1
        return self.pool(z, 1)
"""


WAYS = {
    "f-string": ('f"Conv{dims}d"', 'f"BatchNorm{dims}d"'),
    "format": ('"Conv{}d".format(dims)', '"BatchNorm{0}d".format(dims)'),
    "by name": ('"Conv{n}d".format(n=dims)', '"BatchNorm{n}d".format(n=dims)'),
    "percent": ('"Conv%dd" % dims', '"BatchNorm%sd" % (dims,)'),
    "sum": ('"Conv" + str(dims) + "d"', '"BatchNorm" + str(dims) + "d"'),
}
"""how a program may write the names"""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("changed", ["x", "y"])
def test_a_name_that_is_known_in_part_stands_for_those_that_fit(changed: str, way: str) -> None:
    conv, norm = WAYS[way]
    text = SPELLED.replace("{changed}", changed).replace(WAYS["f-string"][0], conv).replace(WAYS["f-string"][1], norm)
    found = told_of_refused(text, "Block(2, 3)(torch.randn(2, 3, 4, 4))")
    assert (found.severity, f"`{changed}`" in found.words.message) == (Severity.WARNING, True)


def test_a_text_is_unknown_where_what_is_put_into_it_may_be_anything() -> None:
    text = "import torch, docs\nabout = '{size}'.format(**docs.notes)\n"
    text += "y = torch.ones(3, requires_grad=True).exp()\ny += 1\ny.sum().backward()\n"
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.ERROR


LAYERS = """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, dims, kind):
        super().__init__()
        self.conv = getattr(nn, f"Conv{dims}d")(3, 3, 1)
        self.norm = getattr(nn, "{}Norm{}d".format(kind.capitalize(), dims))(3)
        self.drop = getattr(nn, f"Dropout{dims}d")(0.5)
        self.pool = getattr(nn, f"AdaptiveAvgPool{dims}d")(1)

    def forward(self, x):
        y = self.drop(self.norm(self.conv(x)).relu())
        z = self.pool(y).exp()
        z += 1
        return z
"""


def test_names_with_the_same_number_in_them_are_chosen_together() -> None:
    found = told_of_refused(LAYERS, "Layer(2, 'batch')(torch.randn(2, 3, 4, 4))")
    assert found.severity is Severity.WARNING


def test_a_name_that_is_known_in_part_stands_for_few() -> None:
    text = SPELLED.replace("{changed}", "z").replace('f"BatchNorm{dims}d"', 'f"{dims}"')
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


NESTED = """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, {options}):
        super().__init__()
        self.fc = nn.Linear(3, 3)
{kept}
    def forward(self, x):
        y = self.fc(x).exp()
{asked}
{indent}y += 1
        return y
"""


@pytest.mark.parametrize("usual", [True, False])
@pytest.mark.parametrize("count", [3, 6, 9])
def test_of_options_nested_too_deep_the_side_of_the_default_is_followed(count: int, usual: bool) -> None:
    names = [f"use_{n}" for n in range(count)]
    text = NESTED.format(
        options=", ".join(f"{name}={usual}" for name in names),
        kept="".join(f"        self.{name} = {name}\n" for name in names),
        asked="\n".join(f"{' ' * (8 + 4 * n)}if {'' if usual else 'not '}self.{name}:" for n, name in enumerate(names)),
        indent=" " * (8 + 4 * count),
    )
    found = told_of_refused(text, "Layer()(torch.ones(3))")
    assert found.severity is Severity.WARNING

"""What a file alone is taken to be used with: options at their defaults, wrappers that call on, the usual dtype."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import torch
from gradguard.analyses.program.session import Session
from gradguard.analyses.python import guesses
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse
from gradguard.workspace.project import Project

from .refused import told_of_refused
from .replaying import Alone

if TYPE_CHECKING:
    from pathlib import Path

LOOKUPS = {
    "a table": ("TABLE.get(self.config.kind, eager)", SimpleNamespace(kind="none")),
    "a mapping": ("Table().chosen(self.config.kind, eager)", SimpleNamespace(kind="none")),
    "an attribute": ("getattr(self.config, 'attention', eager)", SimpleNamespace()),
    "settings": ("self.config.get('attention', eager)", {}),
    "something unseen": (
        "self.config.get_interface('attention', eager)",
        SimpleNamespace(get_interface=lambda *a: a[1]),
    ),
}
TABLES = """
import torch
from collections.abc import MutableMapping
from torch import nn

def first(q, k): return q + k
def second(q, k): return q - k
def third(q, k): return q / 2 + k
def fourth(q, k): return q / 3 + k
def fifth(q, k): return q / 4 + k

TABLE = {"first": first, "second": second, "third": third, "fourth": fourth, "fifth": fifth}

class General(MutableMapping):
    shared = {}

    def __init__(self):
        self.own = {}

    def __getitem__(self, key):
        return self.own[key] if key in self.own else self.shared[key]

    def __setitem__(self, key, value):
        self.own.update({key: value})

    def __delitem__(self, key):
        del self.own[key]

    def __iter__(self):
        return iter({**self.shared, **self.own})

    def __len__(self):
        return len(self.shared.keys() | self.own.keys())

class Table(General):
    shared = TABLE

    def chosen(self, kind, default):
        if kind.startswith("own|"):
            kind = kind.removeprefix("own|")
        return super().get(kind, default)

def eager(q, k):
    return q @ k

class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.q, self.k = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        q, k = self.q(x), self.k(x)
        attend = LOOKUP
        y = attend(q, k)
        k.mul_(2)
        return y
"""


def warnings(folder: Path, **files: str) -> list[str]:
    """What is told of the first of a program's files, without a script; hints are left out."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    found = Project(folder).check([str(folder / f"{next(iter(files))}.py")], Severity.WARNING)
    assert not found.problems
    return [one.message for one in found.active]


def refused(folder: Path, monkeypatch: pytest.MonkeyPatch, *given: object) -> bool:
    """Whether PyTorch refuses to train the `Net` of `main.py`, built with what is `given`."""
    monkeypatch.syspath_prepend(str(folder))
    for one in folder.glob("*.py"):
        monkeypatch.delitem(sys.modules, one.stem, raising=False)
    net = importlib.import_module("main").Net(*given)
    try:
        net(torch.rand(8, 8)).sum().backward()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False


@pytest.mark.parametrize("what", LOOKUPS)
def test_a_lookup_gives_the_default_that_it_is_given(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookup, config = LOOKUPS[what]
    assert len(warnings(tmp_path, main=TABLES.replace("LOOKUP", lookup))) == 1
    assert refused(tmp_path, monkeypatch, config)


def test_what_a_lookup_may_make_is_no_option(tmp_path: Path) -> None:
    text = TABLES.replace("LOOKUP", "self.config.get_or_make('attention', eager)")
    assert not warnings(tmp_path, main=text)


WRAPPERS = """
from functools import wraps

SETTINGS = ("use_cache", "output_all", "strategy", "ratio", "layer", "size")

def with_settings(f):
    @wraps(f)
    def wrapper(self, *args, **kwargs):
        for name in SETTINGS:
            at = None
            if name in f.__code__.co_varnames:
                at = f.__code__.co_varnames.index(name) - 1
            if at is not None and len(args) > at and args[at] is not None:
                value = args[at]
            elif kwargs.get(name) is not None:
                value = kwargs[name]
            else:
                value = getattr(self.config, name, None)
            if value is not None:
                if at is not None and len(args) > at:
                    args = list(args)
                    args[at] = value
                else:
                    kwargs[name] = value
        return f(self, *args, **kwargs)
    return wrapper
"""
WRAPPED = """
from torch import nn
from wrappers import with_settings

class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    @with_settings
    def forward(self, x, mask=None, use_cache=None, size=None):
        y = self.first(x)
        z = self.second(y)
        y += 1
        return z
"""


def test_a_wrapper_that_looks_through_its_arguments_calls_what_it_wraps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(warnings(tmp_path, main=WRAPPED, wrappers=WRAPPERS)) == 1
    assert refused(tmp_path, monkeypatch, SimpleNamespace())


PARTS = """
from torch import nn

def norm_of(name, size, affine, bias):
    if name == "":
        return nn.Identity()
    if name == "layer" and affine:
        return nn.LayerNorm(size)
    if name == "group":
        return nn.GroupNorm(1, size, affine=affine) if bias else nn.Identity()
    raise ValueError(name)

class Block(nn.Module):
    def __init__(self, size, norm, affine, bias):
        super().__init__()
        self.norm = norm_of(norm, size, affine, bias)

    def forward(self, x):
        return self.norm(x)
"""
OPTIONS = """
from torch import nn
from parts import Block

class Net(nn.Module):
    def __init__(self, size, norm="layer", affine=True, bias: bool = True):
        super().__init__()
        self.first = nn.Linear(size, size)
        self.blocks = nn.ModuleList([Block(size, norm, affine, bias) for _ in range(2)])

    def forward(self, x):
        y = self.first(x)
        for block in self.blocks:
            z = block(y)
            y += 1
            y = z
        return y
"""


def test_another_files_code_gets_the_defaults_of_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (told,) = warnings(tmp_path, main=OPTIONS, parts=PARTS)
    assert "If `Net` is trained, `LayerNorm`" in told
    assert refused(tmp_path, monkeypatch, 8)


BASE = """
from torch import nn

class Base(nn.Module):
    def __init__(self, reduction="sum"):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.reduction = reduction
"""
DERIVED = """
from bases import Base

class Net(Base):
    def __init__(self, reduction="sum"):
        super().__init__(reduction=reduction)

    def forward(self, x):
        y = self.layer(x).sigmoid()
        if self.reduction == "sum":
            y = y.sum()
        y *= 2
        return y
"""


def test_the_constructor_of_a_base_gets_what_other_options_lead_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (told,) = warnings(tmp_path, main=DERIVED, bases=BASE)
    assert '`self.reduction == "sum"` is false' in told
    assert refused(tmp_path, monkeypatch, "none")


DTYPES = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, other):
        super().__init__()
        self.layer, self.other = nn.Linear(8, 8), other

    def forward(self, x: torch.Tensor):
        y = x.CONVERTED
        z = self.layer(y).exp()
        loss = (x * z).sum()
        y += 1
        return loss
"""


@pytest.mark.parametrize(
    ("converted", "usual"),
    [
        ("float()", True),
        ("to(torch.float32)", True),
        ("to(dtype=torch.float32)", True),
        ("type_as(self.layer.weight)", True),
        ("to(self.layer.weight)", True),
        ("double().float()", False),
        ("bfloat16().float()", False),
    ],
)
def test_a_conversion_to_the_usual_dtype_gives_the_tensor_itself(
    converted: str, usual: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        DTYPES.replace("CONVERTED", converted)
        .replace("y = x", "x = x * 1\n        y = x")
        .replace("(y).exp", "(x).exp")
    )
    assert ["gives the tensor itself" in one for one in warnings(tmp_path, main=text)] == [True] * usual
    assert refused(tmp_path, monkeypatch, torch.rand(8, 8)) is usual


CONVERTING = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, other=torch.ones(8, 8)):
        super().__init__()
        self.layer, self.other = nn.Linear(8, 8), other
        self.second = Second()

    def forward(self, x):
        return self.second(self.layer(x), self.other)

class Second(nn.Module):
    def forward(self, x, other):
        mean = x.to(DTYPE).pow(2).mean(-1, keepdim=True)
        x *= torch.rsqrt(mean + 1)
        return x + other
"""


@pytest.mark.parametrize("dtype", ["torch.float32", "x.dtype", "other.dtype", "dtype=torch.float32"])
def test_what_a_module_brings_to_a_dtype_is_a_tensor(
    dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(warnings(tmp_path, main=CONVERTING.replace("DTYPE", dtype))) == 1
    assert refused(tmp_path, monkeypatch)


DEEP = """
from torch import nn

class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, kept):
        y = self.layer(x)
STATEMENTS
        return y

class Net(nn.Module):
    def __init__(self, kept=None):
        super().__init__()
        self.first, self.deep = nn.Linear(8, 8), Deep()

    def forward(self, x):
        kept = []
        y = self.deep(x, kept)
        z = y.exp()
        z += 1
        return z
"""


def test_what_is_made_behind_a_call_that_is_cut_short_is_no_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = DEEP.replace("STATEMENTS", "        y = y * 2 + 1\n" * 100)
    assert len(warnings(tmp_path, main=text)) == 1
    assert refused(tmp_path, monkeypatch)


UNSEEN = """
import torch
from torch import nn
from unseen import Passing

class Net(Passing, nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        h = self.layer(x).relu()
        y = self.propagate(h)
        h += 1
        return y, self.layer(x)
"""


def test_one_unseen_call_of_a_trained_module_passes_gradients_on(tmp_path: Path) -> None:
    assert len(warnings(tmp_path, main=UNSEEN)) == 1


HANDED_ON = """
import torch
from torch import nn
from unseen import repeated

class Block(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.layer, self.act = nn.Linear(8, 8), act()

    def forward(self, x):
        y = self.act(self.layer(x))
        y *= 2
        return y

class Net(nn.Module):
    def __init__(self, act=ACT):
        super().__init__()
        self.blocks = repeated(lambda: Block(act), 3)

    def forward(self, x):
        return self.blocks(x)
"""
OTHER = "\ndef make(act=nn.GELU):\n    return Net(act)\n"


def test_an_option_is_what_its_file_has_for_it_by_default(tmp_path: Path) -> None:
    """`Block` fails with a sigmoid; with SiLU it doesn't, and nobody knows with one of several."""
    assert len(warnings(tmp_path, main=HANDED_ON.replace("ACT", "nn.Sigmoid"))) == 1
    assert not warnings(tmp_path, main=HANDED_ON.replace("ACT", "nn.SiLU"))
    assert not warnings(tmp_path, main=HANDED_ON.replace("ACT", "nn.Sigmoid") + OTHER)
    assert len(warnings(tmp_path, main=HANDED_ON.replace("ACT", "nn.Sigmoid") + OTHER.replace("GELU", "Sigmoid"))) == 1


def test_an_option_of_functions_on_both_sides_of_a_branch_is_one_of_several(tmp_path: Path) -> None:
    sides = (
        "import sys\nif len(sys.argv) > 1:\n    def first(act=nn.GELU): pass\nelse:\n    def first(act=nn.SiLU): pass\n"
    )
    text = HANDED_ON.replace("ACT", "nn.Sigmoid").replace("class Block", f"{sides}\nclass Block")
    assert not warnings(tmp_path, main=text)


def test_an_option_follows_an_edit_of_the_default() -> None:
    session = Session(Alone())
    source = None
    for act, expected in (("nn.Sigmoid", 1), ("nn.SiLU", 0), ("nn.Sigmoid", 1)):
        for rest, too in ((OTHER, 0), ("", expected)):
            source = parse(HANDED_ON.replace("ACT", act) + rest, "main.py", source)
            assert len(session.replay([source]).failures) == too


ASKED_FOR = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, kept=None, size=None):
        super().__init__()
        if kept is None and size is None:
            raise ValueError("how large?")
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        y = self.layer(self.layer(self.layer(x))).exp()
        y += 1
        return y
"""


def test_a_constructor_that_raises_without_it_gets_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(warnings(tmp_path, main=ASKED_FOR)) == 1
    assert refused(tmp_path, monkeypatch, 8)


OWN_GETATTR = """\
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self._register_load_state_dict_pre_hook(lambda *args: None)

    def __getattr__(self, name):
        if "_parameters" in self.__dict__ and name in self.__dict__["_parameters"]:
            return self.__dict__["_parameters"][name]
        return super().__getattr__(name)

    def register_parameter(self, name, parameter):
        if "_parameters" not in self.__dict__:
            raise AttributeError(name)
        super().register_parameter(name, parameter)


class Net(Base):
    def __init__(self):
        super().__init__()
        self.register_parameter("scale", nn.Parameter(torch.ones(3)))

    def forward(self, x):
        y = self.scale.exp()
        y += 1
        return x * y
"""


def test_a_module_with_its_own_attributes_has_those_of_every_module_too() -> None:
    told_of_refused(OWN_GETATTR, "Net()(torch.rand(3))")


def test_what_is_in_every_module_is_what_pytorch_puts_there() -> None:
    assert set(vars(torch.nn.Module())) == guesses.IN_MODULES

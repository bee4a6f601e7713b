"""What a layer, an operator or a tensor's method gets is a tensor, whatever the text says of it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Diagnostic, Severity, diagnose
from gradguard.syntax.chunks import parse

from .refused import told_of_refused
from .replaying import Alone

ENCODER = """\
import torch
from torch import nn
from torch.nn import functional as F


class Inner(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, h):
        return self.fc(h)


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = {layer}
        self.w = nn.Parameter(torch.randn(dim, dim))

    def forward(self, x{annotation}):
        y = {used}
        {changed}
        return x + y
"""

LAYERS = (
    "nn.Linear(dim, dim)",
    "nn.Conv1d(dim, dim, 1)",
    "nn.LayerNorm(dim)",
    "nn.GELU()",
    "nn.Sequential(nn.Linear(dim, dim), nn.ReLU())",
    "nn.PReLU()",
    "Inner(dim)",
)
USES = (
    "x.square()",
    "F.linear(x, self.w)",
    "torch.matmul(x, self.w)",
    "torch.einsum('bij,jk->bik', x, self.w)",
    "nn.LSTM(4, 4)(x)[0]",
)
CHANGES = ("x += 1", "x *= 2", "x[:, 0] = 0", "x.add_(1)", "F.relu(x, inplace=True)")


@pytest.mark.parametrize("changed", CHANGES)
@pytest.mark.parametrize(
    ("layer", "used"), [*((layer, "self.layer(x)") for layer in LAYERS), *(("nn.Identity()", used) for used in USES)]
)
def test_a_change_is_told_as_with_an_annotation(layer: str, used: str, changed: str) -> None:
    text, annotated = (
        ENCODER.format(layer=layer, used=used, changed=changed, annotation=one) for one in ("", ": torch.Tensor")
    )
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["Encoder"](4)(torch.randn(4, 4, 4).requires_grad_() * 2).sum().backward()
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    (other,) = diagnose(replay([parse(annotated, "main.py")], Alone()))
    assert (found.severity, found.words) == (other.severity, other.words)
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize("held", ["self.h", "kept[0]", "kept['h']"])
def test_what_is_kept_and_given_to_a_layer_is_a_tensor(held: str) -> None:
    text = f"""\
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        kept = {{0: None}}
        {held} = x
        y = self.fc({held})
        {held} += y
        return y
"""
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["Encoder"](4)(torch.randn(4, 4)).sum().backward()
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING


HARMLESS = {
    "a_number_that_a_tensor_is_multiplied_by": (
        "def f(x, scale):\n    y = x.exp() * scale\n    scale *= 2\n    return y * scale",
        "f(torch.ones(3, requires_grad=True), 0.5).sum().backward()",
    ),
    "a_list_that_is_joined": (
        "def f(xs, more):\n    y = torch.cat(xs).exp()\n    xs += [more]\n    xs[0] = more\n    return y",
        "f([torch.ones(3, requires_grad=True)], torch.ones(3)).sum().backward()",
    ),
    "an_attribute_that_is_set_anew": (
        """\
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)

    def forward(self, batch):
        batch.x = self.fc(batch.x)
        batch.x += 1
        return batch.x""",
        "import types; Net()(types.SimpleNamespace(x=torch.ones(3))).sum().backward()",
    ),
    "a_list_on_the_other_side_of_a_test": (
        """\
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)

    def forward(self, x, lengths):
        if isinstance(x, torch.Tensor):
            y = self.fc(x)
        else:
            y = torch.zeros(3)
            x += [1]
        lengths += 1
        return y""",
        "Net()([], 3); Net()(torch.ones(3), 3).sum().backward()",
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_may_be_something_else_is_none(name: str) -> None:
    text, call = HARMLESS[name]
    text = f"import torch\n\n\n{text}\n"
    exec(text + call, {})
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


FUSE = """\
import torch
from torch import nn


class Fuse(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, xs):
        {body}
"""
LISTED, NAMED = "[torch.ones(3) for _ in range(3)]", "dict(h=torch.ones(3), g=torch.ones(3))"
OBJECT = f"__import__('types').SimpleNamespace(**{NAMED})"

CHANGED_ITEMS = {
    "o = self.b(xs[1]); xs[1] += 1; return o": (LISTED, "xs[1]"),
    "z = xs[1]; o = self.b(xs[1]); z += self.a(xs[0]); return o + z": (LISTED, "z"),
    "x, z = xs[:2]; o = self.b(z); z += 1; return o": (LISTED, "z"),
    "o = [(self.b(xs[i]), xs[i].add_(1))[0] for i in range(len(xs))]; return o[0] + o[1]": (LISTED, "xs[i]"),
    "xs[1] = self.a(xs[0]).exp(); xs[1] += 1; return xs[1]": (LISTED, "xs[1]"),
    "o = self.b(xs['h']); xs['h'] += 1; return o": (NAMED, "xs['h']"),
    "o = self.b(xs.h); xs.h += 1; return o": (OBJECT, "xs.h"),
}
OTHER_ITEMS = {
    "o = self.b(xs[1]); xs[1] = self.a(xs[0]); xs[1] += 1; return o": LISTED,
    "o = self.b(xs[1]); xs.insert(0, self.a(o)); xs[1] += 1; return o + xs[1]": "[torch.ones(3), torch.zeros(3)][::-1]",
    "o = self.b(xs[0]); xs[1] += 1; return o + xs[1]": LISTED,
    "o = self.b(xs[1]); xs = [x.clone() for x in xs]; xs[1] += 1; return o + xs[1]": LISTED,
    "o = self.b(xs[1]); xs[1] = xs[1].clone() if self.training else o; xs[1] += 1; return o + xs[1]": LISTED,
    "o = self.b(xs[1]); del xs[1]; xs[1] += 1; return o + xs[1]": LISTED,
    "[xs[i - 1].add_(self.a(xs[i])) for i in range(len(xs) - 1, 0, -1)]; return xs[0]": LISTED,
    "o = self.b(xs['h']); xs.update(h=xs['g']); xs['h'] += 1; return o + xs['h']": NAMED,
    "o = self.b(xs.h); xs.h = o.clone(); xs.h += 1; return xs.h": OBJECT,
}


def run_fuse(body: str, given: str) -> list[Diagnostic]:
    """Train a `Fuse` with such a body on real PyTorch, and return what is told of it."""
    text = FUSE.format(body=body.replace("; ", "\n        "))
    scope: dict[str, Any] = {}
    exec(text, scope)
    scope["Fuse"]()(eval(given, scope)).sum().backward()
    return diagnose(replay([parse(text, "main.py")], Alone()))


@pytest.mark.parametrize("body", CHANGED_ITEMS)
def test_an_item_that_is_read_twice_is_one_tensor(body: str) -> None:
    given, name = CHANGED_ITEMS[body]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        run_fuse(body, given)
    text = FUSE.format(body=body.replace("; ", "\n        "))
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING
    assert f"needs `{name}`" in found.words.headline


@pytest.mark.parametrize("body", OTHER_ITEMS)
def test_an_item_that_may_be_another_by_then_is_none(body: str) -> None:
    assert not run_fuse(body, OTHER_ITEMS[body])


ITEMS = {
    "b = s[:, 0].detach()": "torch.ones(2, 2)",
    "b = s[0].detach()": "torch.ones(2, 2)",
    "b = s['h'].detach()": "dict(h=torch.ones(2))",
    "b = s[0]['h'].detach()": "[dict(h=torch.ones(2))]",
    "for b in s: b = b.detach()": "[torch.ones(2)]",
}


@pytest.mark.parametrize("body", ITEMS)
def test_what_is_detached_out_of_an_argument_is_a_tensor(body: str) -> None:
    text = f"import torch\n\n\ndef raise_it(s):\n    {body}.requires_grad_(); b += 1\n"
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        scope["raise_it"](eval(ITEMS[body], {"torch": torch}))
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert (found.severity, found.rule.code) == (Severity.ERROR, "GG201")


PLAIN = {
    "h = s[0].size; h += 1": "[__import__('numpy').ones(3)]",
    "h = s[0].mean(0); h += 1": "[__import__('numpy').ones(3)]",
    "h = s[0].split(','); h += [1]": "['a,b']",
    "h = s[0].shape[0]; h += 1": "[__import__('numpy').ones(3)]",
    "h = s[0].copy(); h += 1": "[__import__('numpy').ones(3)]",
    "h = s['n'].real; h += 1": "dict(n=3)",
    "h = s[0].sum(); h += 1": "[__import__('numpy').ones(3)]",
}


@pytest.mark.parametrize("body", PLAIN)
def test_what_numbers_and_arrays_have_as_well_tells_nothing(body: str) -> None:
    text = "import torch\n\n\ndef use(s):\n    {}\n    return h\n".format(body.replace("; ", "\n    "))
    scope: dict[str, Any] = {}
    exec(text, scope)
    scope["use"](eval(PLAIN[body]))
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


SCALED = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, m):
        {body}
"""
CONVERTED = (
    *("m.to(x.dtype)", "m.to(x)", "m.to(torch.float32)", "m.to('cpu')", "m.type(x.dtype)", "m.cpu()"),
    *("m.float()", "m.double()", "m.bool()", "m.long()", "m[:, None].float()", "(m > 0).float()", "(m == 0).long()"),
)


@pytest.mark.parametrize("converted", CONVERTED)
def test_what_is_converted_and_multiplied_with_a_tensor_is_a_tensor(converted: str) -> None:
    text = SCALED.format(body=f"w = {converted}\n        y = self.fc(x) * w\n        w[0] = 0\n        return y")
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["Scaled"]()(torch.ones(3, 3), torch.ones(3)).sum().backward()
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING
    assert "`w`" in found.words.message


MOVED = {
    "m = m.to('cpu'); y = self.fc(x) + m.shift; m.shift = 0; m.shift += 1; return y": (
        "type('Batch', (), {'shift': 1.0, 'to': lambda self, d: self})()"
    ),
    "m = m.to('cpu'); y = self.fc(x) * m(x); m = 2; m += 1; return y * m": "nn.Linear(3, 3)",
    "w = m.to('cpu'); w = w + 1; y = self.fc(x) + w; w += 1; return y": "torch.ones(3)",
    "w = m > 0; w = w + 1 if w else 2; y = self.fc(x) * w; w += 1; return y": "3",
}


@pytest.mark.parametrize("body", MOVED)
def test_what_is_moved_may_be_something_else(body: str) -> None:
    text = SCALED.format(body=body.replace("; ", "\n        "))
    scope: dict[str, Any] = {}
    exec(text, scope)
    scope["Scaled"]()(torch.ones(3, 3), eval(MOVED[body], scope)).sum().backward()
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


CALLED = (
    *("h.size()", "h.size(0)", "h.mean(0)", "h.mean()", "h.mean(dim=1, keepdim=True)", "h.split(2, dim=0)[0]"),
    *(
        "h.split([1, 2])[0]",
        "h.expand(3, 3)",
        "h.max(dim=0)",
        "h.sort(dim=-1, descending=True)",
        "h.type(torch.float32)",
    ),
)


@pytest.mark.parametrize("called", CALLED)
def test_what_is_called_as_only_tensors_are_is_a_tensor(called: str) -> None:
    text = SCALED.format(body=f"h = m\n        {called}\n        y = h * self.fc(x)\n        h += 1\n        return y")
    found = told_of_refused(text, "Scaled()(torch.ones(3, 3), torch.ones(3, 3))")
    assert found.severity is Severity.WARNING


def test_that_a_size_is_no_tensor_is_known_where_it_divides() -> None:
    text = """\
import torch


def loss(source, estimate):
    n = source.shape[0]
    z = source - torch.sum(source, 0, keepdim=True) / n
    e = estimate - torch.sum(estimate, 0, keepdim=True) / n
    dot = torch.sum(e * z, 0)
    z += 1
    return dot
"""
    found = told_of_refused(text, "loss(torch.ones(3), torch.ones(3, requires_grad=True))")
    assert found.severity is Severity.WARNING
    assert "`estimate` requires grad" in found.words.message


def test_a_buffer_that_has_a_size_is_no_tensor() -> None:
    text = """\
import torch


def learn(buffer, net):
    if buffer.size() > 1:
        x = buffer.sample(2)
        y = torch.sigmoid(net(x))
        y += 1
        y.sum().backward()
"""
    scope: dict[str, Any] = {}
    exec(text, scope)
    buffer = type("Buffer", (), {"size": lambda self: 2, "sample": lambda self, n: torch.rand(n, 3)})()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["learn"](buffer, torch.nn.Linear(3, 3))
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING

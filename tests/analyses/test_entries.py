"""What is entered with arguments that nobody gave: told where a caller that PyTorch refuses is to be expected.

Each text is a library without a program. `call` is how somebody may use it, and PyTorch is asked what comes of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gradguard.analyses import replay
from gradguard.analyses.operators import conversions
from gradguard.analyses.program.session import Session
from gradguard.rules.diagnostic import Severity, diagnose
from gradguard.syntax.chunks import parse
from gradguard.workspace.files import Document
from gradguard.workspace.project import Project

from .replaying import Alone

if TYPE_CHECKING:
    from pathlib import Path

    from gradguard.analyses.domain.values import Cond
    from gradguard.analyses.python.machine import Machine


@dataclass(frozen=True, slots=True)
class Library:
    """A text, the part of it that makes it fail, what stands there in the form that does not, and a use of both."""

    text: str
    fails: str
    works: str
    call: str

    def form(self, part: str) -> str:
        return dedent(self.text).replace("# PART", part)


LIBRARIES = {
    "mode_of_a_decorator": Library(
        """\
        import torch

        # PART
        def centred(rows: torch.Tensor):
            first, *others = rows.unbind(0)
            first -= rows.mean(0)
            return first
        """,
        "@torch.enable_grad()",
        "@torch.no_grad()",
        "centred(torch.rand(2, 3, requires_grad=True) * 1)",
    ),
    "mode_of_a_static_method": Library(
        """\
        import torch

        class Filters:
            @staticmethod
            # PART
            def centred(rows: torch.Tensor):
                first, *others = rows.unbind(0)
                first -= rows.mean(0)
                return first
        """,
        "@torch.enable_grad()",
        "@torch.no_grad()",
        "Filters.centred(torch.rand(2, 3, requires_grad=True) * 1)",
    ),
    "private_helper_with_a_caller": Library(
        """\
        import torch

        def _halved(rows: torch.Tensor, reuse: bool):
            top, bottom = rows.chunk(2)
            return top.mul_(0.5) if reuse else top * 0.5

        def halved(rows: torch.Tensor):
            return _halved(rows, reuse=# PART)
        """,
        "True",
        "not (torch.is_grad_enabled() and rows.requires_grad)",
        "halved(torch.rand(2, 3, requires_grad=True) * 1)",
    ),
    "private_method_with_a_caller": Library(
        """\
        import torch

        class Grid:
            def _moved(self, rows: torch.Tensor, reuse: bool):
                top, bottom = rows.chunk(2)
                return top.sub_(1) if reuse else top - 1

            def moved(self, rows: torch.Tensor):
                return self._moved(rows, reuse=# PART)
        """,
        "True",
        "False",
        "Grid().moved(torch.rand(2, 3, requires_grad=True) * 1)",
    ),
    "private_method_after_another": Library(
        """\
        import torch

        class Tracker:
            def __init__(self):
                self.mean = torch.zeros(3)

            def # PART(self):
                with torch.inference_mode():
                    self.mean = torch.zeros(3) + 1

            def _clear(self):
                self.mean.fill_(0)
        """,
        "prepare",
        "_prepare",
        "t = Tracker(); getattr(t, 'prepare', bool)(); t._clear()",
    ),
    "flag_that_a_caller_may_set": Library(
        """\
        import torch
        from torch import nn

        class Smoothed(nn.Module):
            def __init__(self, width: int = 3, mask_silence: bool = False):
                super().__init__()
                self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
                self.mask_silence = mask_silence

            def forward(self, sound):
                rough = self.first(sound)
                fine = rough + self.second(rough)
                if self.mask_silence:
                    # PART
                return rough, fine
        """,
        "rough.masked_fill_(sound < 0, 0.0)",
        "fine.masked_fill_(sound < 0, 0.0)",
        "sum(Smoothed(mask_silence=True)(torch.rand(2, 3))).sum().backward()",
    ),
    "flag_that_is_handed_on": Library(
        """\
        import torch
        from torch import nn

        class Gate(nn.Module):
            def __init__(self, width: int, bias: bool = True, inplace: bool = False):
                super().__init__()
                self.mix = nn.Linear(width, width, bias=bias)
                self.cut = nn.ReLU(inplace=inplace)

            def forward(self, x):
                gate = self.mix(x)# PART
                return self.cut(gate)
        """,
        ".sigmoid()",
        ".abs()",
        "Gate(3, inplace=True)(torch.rand(2, 3)).sum().backward()",
    ),
    "number_that_a_caller_may_give": Library(
        """\
        import torch
        from torch import nn

        class Tempered(nn.Module):
            def __init__(self, temperature: float = 0.1, weighted: bool = False):
                super().__init__()
                self.temperature, self.weighted = temperature, weighted

            def forward(self, right, wrong):
                chance = torch.sigmoid(self.temperature * (right - wrong))
                if self.weighted:
                    # PART
                return chance.mean()
        """,
        "chance *= wrong.detach().exp()",
        "chance = chance * wrong.detach().exp()",
        "Tempered(weighted=True)(torch.rand(3, requires_grad=True), torch.rand(3)).backward()",
    ),
    "searched_for_a_number": Library(
        """\
        import torch

        def masked(texts: torch.Tensor, end: int):
            for text in texts:
                if # PART:
                    text[0] = 0
        """,
        "(text * 2).sum() > end",
        "end in text",
        "masked(torch.ones(2, 3, requires_grad=WANTED) * 1, 1)",
    ),
    "handed_to_a_collective": Library(
        """\
        import torch
        from torch import distributed

        def averaged(slices: torch.Tensor, workers: int):
            for one in slices:
                # PART
            for one in slices:
                one /= workers
        """,
        "pass",
        "distributed.all_reduce(one)",
        "averaged(torch.rand(2, 3, requires_grad=WANTED) * 1, 2)",
    ),
    "loss_by_its_name": Library(
        """\
        import torch

        def dice_loss(inputs: torch.Tensor, targets: torch.Tensor):
            chance = torch.sigmoid(inputs)
            both = chance * targets
            # PART
            return 1 - 2 * both.sum() / (chance.sum() + targets.sum())
        """,
        "targets += 1",
        "both += 1",
        "dice_loss(torch.rand(3, requires_grad=True), torch.rand(3)).backward()",
    ),
    "loss_of_a_loss": Library(
        """\
        import torch
        from torch.nn import functional as F

        def weighed(inputs, targets, gamma: float = 2.0):
            entropy = F.cross_entropy(inputs, targets, reduction="none")
            chance = torch.exp(-entropy)
            # PART
            return (chance * entropy).mean()
        """,
        "chance.clamp_(max=1)",
        "chance = chance.clamp(max=1)",
        "weighed(torch.rand(3, 2, requires_grad=True), torch.tensor([0, 1, 1])).backward()",
    ),
    "model_of_a_zoo": Library(
        """\
        import functools
        import torch
        from torch import nn

        def registered(make):
            @functools.wraps(make)
            def wrapper(*args, **kwargs):
                return make(*args, **kwargs)
            return wrapper

        class Plain(nn.Module):
            def __init__(self, width: int):
                super().__init__()
                self.mix = nn.Linear(width, width)

            def forward(self, x):
                return self.mix(x)

        class Gated(Plain):
            def forward(self, x):
                return torch.sigmoid(self.mix(x))

        class Net(nn.Module):
            def __init__(self, block, depths):
                super().__init__()
                self.blocks = nn.Sequential(*[block(3) for depth in depths for _ in range(depth)])

            def forward(self, x):
                x = self.blocks(x)
                # PART
                return x

        def made(block, depths, **kwargs):
            return Net(block, depths, **kwargs)

        @registered
        def plain_net(**kwargs) -> Net:
            return made(Plain, [1, 1], **kwargs)

        @registered
        def gated_net(**kwargs) -> Net:
            return made(Gated, [1, 1], **kwargs)
        """,
        "x += 1",
        "x = x + 1",
        "gated_net()(torch.rand(2, 3)).sum().backward()",
    ),
    "factory_with_arguments": Library(
        """\
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, embed: nn.Module, layers: nn.Module):
                super().__init__()
                self.embed = embed
                self.layers = layers

            def forward(self, x):
                x = x.sin()
                y = self.embed(x)
                # PART
                return self.layers(x + y)

        def make_net(width: int, depth: int) -> Net:
            embed = nn.Linear(width, width)
            return Net(embed, nn.Sequential(*[nn.Linear(width, width) for _ in range(depth)]))
        """,
        "x += y",
        "x = x + y",
        "make_net(3, 2)(torch.rand(2, 3)).sum().backward()",
    ),
    "loss_that_others_only_log": Library(
        """\
        import torch
        from torch.distributions import Transform, constraints

        class Base(Transform):
            domain, codomain, bijective = constraints.real, constraints.real, True

            def _call(self, x):
                with torch.no_grad():
                    self.last = self.loss(x, x)
                return x * 2

            def log_abs_det_jacobian(self, x, y):
                return torch.zeros_like(x)

        class Own(Base):
            def loss(self, y_pred, y_actual):
                chance = torch.sigmoid(y_pred)
                # PART
                return (chance - y_actual).square()
        """,
        "chance.clamp_(max=1)",
        "chance = chance.clamp(max=1)",
        "Own().loss(torch.rand(3, requires_grad=True), torch.rand(3)).sum().backward()",
    ),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_failing_use_is_told(name: str) -> None:
    library = LIBRARIES[name]
    text = library.form(library.fails)
    with pytest.raises(RuntimeError):
        exec(text + library.call.replace("WANTED", "True"), {})
    assert alarms(text)


@pytest.mark.parametrize("name", [name for name, library in LIBRARIES.items() if "WANTED" not in library.call])
def test_the_harmless_form_runs(name: str) -> None:
    library = LIBRARIES[name]
    exec(library.form(library.works) + library.call, {})


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_harmless_form_is_silent(name: str) -> None:
    library = LIBRARIES[name]
    assert not alarms(library.form(library.works))


# -- kernels ------------------------------------------------------------------------------------------


KERNEL = """\
import torch
import triton
import numba

{decorator}
def moved(pointer, offset, CHUNK: int):
    pointer += offset

def move(weight: torch.nn.Parameter):
    moved[(1,)](weight, 3, CHUNK=8)

move(torch.nn.Parameter(torch.ones(3)))
"""


@pytest.mark.parametrize("decorator", ["@triton.jit", "@triton.autotune(configs=[], key=[])\n@triton.jit"])
def test_the_arguments_of_a_kernel_are_addresses(decorator: str) -> None:
    assert severities(KERNEL.format(decorator=decorator)) == []


def test_a_function_of_the_same_text_changes_its_argument() -> None:
    text = KERNEL.format(decorator="").replace("moved[(1,)]", "moved")
    with pytest.raises(RuntimeError, match="a leaf Variable"):
        exec(text.replace("import triton\nimport numba\n", ""), {})
    assert severities(text) == [Severity.ERROR]


# -- out= ---------------------------------------------------------------------------------------------


ADDED_INTO = """\
import torch

def counted(scores: torch.Tensor, more: torch.Tensor):
    best = torch.{what}
    torch.where(best > 2, best, more, out=best)
    return best
"""


def test_whoever_writes_out_expects_no_gradients() -> None:
    text = ADDED_INTO.format(what="exp(scores)")
    with pytest.raises(RuntimeError, match="automatic differentiation"):
        exec(f"{text}counted(torch.rand(3, requires_grad=True), torch.rand(3))", {})
    assert severities(text) == []


def test_a_module_that_is_trained_must_not_write_out() -> None:
    text = """\
import torch

class Shifted(torch.nn.Module):
    def forward(self, x):
        return torch.add(x, 1, out=torch.empty(3))
"""
    assert severities(text) == [Severity.WARNING]


def test_no_gradient_flows_into_integers() -> None:
    text = ADDED_INTO.format(what="argmax(scores, 0)")
    with pytest.raises(RuntimeError, match="Long"):
        exec(f"{text}counted(torch.rand(3, 2), torch.rand(2))", {})
    assert severities(text) == []


# -- alternatives -------------------------------------------------------------------------------------


ENCODED = """\
import torch

class Model(torch.nn.Module):
    def __init__(self, layers: int = 1):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)
        self.layers = layers

    def encode(self, x, lengths):
        if self.layers > 0:
            return self.inner(x), lengths
        return self.inner(x)

    def forward(self, x, lengths):
        # PART
        hidden += 1
        return hidden
"""


def test_that_a_tensor_has_as_many_rows_as_a_tuple_that_is_meant_is_a_guess() -> None:
    text = ENCODED.replace("# PART", "hidden, lengths = self.encode(x, lengths)")
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(ValueError, match="not enough values to unpack"):
        scope["Model"](0)(torch.rand(1, 3), None)
    with pytest.raises(RuntimeError, match="multiple views"):
        scope["Model"](0)(torch.rand(2, 3), None)
    assert severities(text) == [Severity.HINT]


def test_what_is_unpacked_whatever_happens_has_as_many_rows() -> None:
    text = ENCODED.replace("# PART", "hidden, lengths = self.inner(x)")
    assert severities(text) == [Severity.WARNING]


# -- names --------------------------------------------------------------------------------------------


PIECES = (
    "import torch\n\ndef shifted({name}: torch.Tensor):\n    for one in {name}.clone().split(2):\n        one -= 1\n"
)


@pytest.mark.parametrize("name", ["edge_index", "token_ids", "idx", "lengths"])
def test_indices_require_no_grad(name: str) -> None:
    assert severities(PIECES.format(name=name)) == []


@pytest.mark.parametrize("name", ["edge_weight", "indexed", "features"])
def test_other_names_tell_nothing(name: str) -> None:
    assert severities(PIECES.format(name=name)) == [Severity.WARNING]


# -- flags that the program sets ------------------------------------------------------------------------


FLAGGED = """\
import torch

def descend(start, text: str):
    log = torch.log(torch.ones(1) * {number})
    for _ in range(2):
        (-(log * start.detach()).mean()).backward()
"""
FLAGS = ("start.requires_grad_()", "start.requires_grad = True", "start = (start * 2).requires_grad_(True)")
PERTURBED = """\
import torch

def perturbed(start):
    {flag}
    moved = start.exp()
    moved.add_(1)
    (moved * torch.ones(3, requires_grad=True)).sum().backward()
"""


@pytest.mark.parametrize("number", ["float(text)", "start.item()", "start.shape[0]"])
def test_what_has_no_history_and_is_told_to_require_grad_is_a_leaf(number: str) -> None:
    text = FLAGGED.format(number=number).replace("\n    for", ".requires_grad_(True)\n    for")
    exec(f"{text}descend(torch.rand(1), '2')", {})
    assert alarms(text) == []


@pytest.mark.parametrize("number", ["float(text)", "math.exp(start)", "random.random()", "time.time()"])
def test_a_number_has_no_history(number: str) -> None:
    text = FLAGGED.format(number=number).replace("import torch", "import math, random, time\nimport torch", 1)
    with pytest.raises(RuntimeError, match="does not require grad"):
        exec(f"{text}descend(torch.rand(1), '2')", {})
    assert "freed-graph" not in {one.rule.kind for one in diagnose(replay([parse(text, "main.py")], Alone()))}


@pytest.mark.parametrize("flag", FLAGS)
def test_an_argument_that_is_told_to_require_grad_does(flag: str) -> None:
    text = PERTURBED.format(flag=flag)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(f"{text}perturbed(torch.rand(3))", {})
    assert severities(text) == [Severity.ERROR]


@pytest.mark.parametrize("flag", FLAGS)
def test_an_argument_that_is_told_to_require_none_does_not(flag: str) -> None:
    text = PERTURBED.format(flag=flag.replace("True", "False").replace("_()", "_(False)"))
    exec(f"{text}perturbed(torch.rand(3))", {})
    assert severities(text) == []


# -- devices ------------------------------------------------------------------------------------------


MOVED = """\
import torch

def moved(device):
    x, y = torch.rand(3), torch.rand(3)
    if (x.to(device) is x) {compared} (y.to(device) is y):
        torch.ones(2, requires_grad=True).add_(1)
"""


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_all_that_is_brought_to_a_device_is_there_already_or_nothing_is(device: str) -> None:
    exec(f"{MOVED.format(compared='!=')}moved('{device}')", {})
    assert severities(MOVED.format(compared="!=")) == []
    with pytest.raises(RuntimeError, match="a leaf Variable"):
        exec(f"{MOVED.format(compared='==')}moved('{device}')", {})
    assert severities(MOVED.format(compared="==")) != []


MADE_THERE = """\
import torch

def learned(device):
    w = torch.rand(3, requires_grad=True)
    x = {made}.to(device)
    loss = (w * x).sum()
    {written} += 1
    loss.backward()
"""


def test_whether_a_device_copies_what_nobody_else_holds_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not asked, for every question doubles what there is to replay; of what another holds it is."""
    asked: list[str] = []
    question = conversions.to_itself

    def asking(m: Machine, name: str, *given: Any) -> Cond:
        asked.append(name)
        return question(m, name, *given)

    monkeypatch.setattr(conversions, "to_itself", asking)
    fresh = MADE_THERE.format(made="torch.rand(3)", written="x")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(f"{fresh}learned('cpu')", {})
    assert (severities(fresh), asked) == ([Severity.ERROR], [])
    held = MADE_THERE.format(made="(y := torch.rand(3))", written="y")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(f"{held}learned('cpu')", {})
    exec(f"{held}learned('meta')".replace("(3, ", "(3, device='meta', "), {})
    assert (severities(held), asked) == ([Severity.HINT], ["to"])


@pytest.mark.parametrize("made", ["torch.from_numpy(y)", "torch.as_tensor(y)", "kept(y)"])
def test_memory_that_others_have_too_is_brought_to_a_device_or_not(made: str) -> None:
    text = MADE_THERE.format(made=made, written="y").replace("    w =", "    y = numpy.zeros(3)\n    w =")
    text = f"import numpy\n{text}".replace("def learned", "def kept(y):\n    return torch.from_numpy(y)\n\ndef learned")
    assert severities(text) == [Severity.HINT]


# -- buffers ------------------------------------------------------------------------------------------


BUFFERS = """\
import torch
from torch import nn

class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = nn.Buffer(torch.zeros([1], dtype=torch.long))
        self.scale = nn.Buffer(torch.ones(3))
        self.shift = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        y = (x + self.shift) * self.scale
        self.{changed} += 1
        return y
"""


@pytest.mark.skipif(not hasattr(torch.nn, "Buffer"), reason="newer than this PyTorch")
@pytest.mark.parametrize(("changed", "fails"), [("seen", False), ("scale", True)])
def test_a_buffer_is_no_parameter(changed: str, fails: bool) -> None:
    text = BUFFERS.format(changed=changed)
    names = "[name for name, _ in Scaled().named_buffers()] == ['seen', 'scale']"
    scope: dict[str, object] = {}
    exec(f"{text}assert {names}\nout = Scaled()(torch.ones(3)).sum()", scope)
    loss = scope["out"]
    assert isinstance(loss, torch.Tensor)
    if fails:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    else:
        loss.backward()
    assert bool(alarms(text)) is fails
    assert not alarms(
        f"{text.replace('self.scale += 1', '')}if not {names}:\n    torch.ones(2, requires_grad=True).add_(1)"
    )


def severities(text: str) -> list[Severity]:
    return [diagnostic.severity for diagnostic in diagnose(replay([parse(text, "main.py")], Alone()))]


def alarms(text: str) -> list[Severity]:
    return [severity for severity in severities(text) if severity <= Severity.WARNING]


# -- classes in classes -------------------------------------------------------------------------------


NESTED = """\
import torch

class Model:
    kind = torch.nn.Linear

    class Parts:
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = torch.nn.Linear(3, 3)

            def forward(self, x):
                out = self.lin(x).sigmoid()
                {write}
                return out

    Again = Parts
"""


def test_a_class_in_a_class_is_trained() -> None:
    text = NESTED.format(write="out += 1")
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["Model"].Parts.Net()(torch.randn(2, 3)).sum().backward()
    assert severities(text) == [Severity.WARNING]


def test_an_edit_of_a_class_in_a_class_enters_it_again(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(NESTED.format(write="pass"))
    project = Project(tmp_path)
    session = Session(project)
    found = []
    for write in ("pass", "out += 1", "out = out + 1", "out.mul_(2)"):
        project.overlay(Document(str(path), NESTED.format(write=write)))
        found.append([one.rule.code for one in diagnose(session.replay([project.source(str(path))]))])
    assert found == [[], ["GG101"], [], ["GG101"]]

"""The known limits: on what GradGuard and PyTorch differ, why, and the smallest program that shows it.

A limit is told by its mechanism: what differs, and what the program does where it differs. A difference that no
limit explains fails the run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from .compare import Disagreement


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that GradGuard does not follow."""

    name: str
    reason: str
    about: str
    """a pattern of what differs (`Disagreement.about`)"""
    mechanism: str
    """a pattern of the program's text that brings it about"""
    program: str
    ours: str = ""
    """a pattern of what GradGuard says there, where the limit is one of that"""
    instead: tuple[str, str] | None = None
    """a pattern of the program's text, and what stands in its place in a program on which the two agree"""

    def explains(self, difference: Disagreement, text: str, about: Callable[[str], Collection[str] | None]) -> bool:
        """Whether a difference on the smallest program found comes from this limit.

        `about` tells on what the two differ on another program, None for one that PyTorch doesn't run.
        """
        if not self.fits(difference, text):
            return False
        differs = about(re.sub(*self.instead, text)) if self.instead else ()
        return differs is not None and difference.about not in differs

    def fits(self, difference: Disagreement, text: str) -> bool:
        """Whether a difference and its program are as those of this limit."""
        known = re.fullmatch(self.about, difference.about) and re.match(self.ours, difference.ours)
        return bool(known and re.search(self.mechanism, text))


LIMITS: tuple[Limit, ...] = (
    Limit(
        "A result that is a view of what its operator has made",
        "A linear layer gives a view of a matrix that nobody sees, and hooks on it are lost with a write that isn't "
        "recorded; the view is taken for a tensor of its own.",
        r"false overlap-write|missed leaf-inplace",
        r"inear\(|repeat_interleave\(",
        """
import torch

x = torch.nn.Linear(4, 4)(torch.rand(2, 3, 4))
x.register_hook(lambda grad: grad.mul_(2))
with torch.no_grad():
    x[0] = 1
x.sum().backward()
""",
    ),
    Limit(
        "Numbers that the data decide",
        "How many rows `argwhere` finds depends on the data, and with it how a row of its columns lies.",
        r"missed overlap-write",
        r"(argwhere|nonzero)\(",
        """
import torch

x = torch.argwhere(torch.ones(4)).split(1)[1]
x[:, 0] = x
""",
    ),
    Limit(
        "A gradient whose formula uses only the sign of what it saved",
        "With `create_graph=True` a gradient is taken to require grad where its formula saved something that does.",
        r"requires_grad|is_leaf",
        r"create_graph=True",
        """
import torch

x = torch.rand(3, requires_grad=True)
(g,) = torch.autograd.grad(torch.nan_to_num(x).sum(), x, create_graph=True)
""",
    ),
    Limit(
        "A gradient that has saved less than its formula has read",
        "With `create_graph=True` a gradient is taken to save what its formula reads of what was saved; of the input "
        "of a loss of class numbers it reads the shape alone, so that the loss itself is what fails.",
        r"saved line of stale-saved",
        r"create_graph=True",
        """
import torch

x = torch.rand(3, 4, requires_grad=True).clone()
loss = torch.nn.functional.nll_loss(x, torch.tensor([0, 1, 2]))
(g,) = torch.autograd.grad(loss, x, create_graph=True)
x.add_(1)
(loss + g.mean()).backward()
""",
        ours=r"stale-saved of .* by grad, ",
    ),
    Limit(
        "A gradient of a gradient through results that nobody sees",
        "A cell has gates inside; with `create_graph` its gradient leads back through these, and to what they saved.",
        r"missed stale-saved",
        r"(?s)(GRU|gru_c|LSTM|lstm_c|RNN|rnn_\w+_c).*create_graph",
        """
import torch

h = torch.rand(4, requires_grad=True).clone()
out = torch.nn.GRUCell(3, 4)(torch.rand(3), h)
(g,) = torch.autograd.grad(out.sum(), h, create_graph=True)
h[1:] %= 2
g.mean().backward()
""",
    ),
    Limit(
        "Numbers on which single precision is exact",
        "`gradcheck` in single precision passes on zeros, and by chance; it is taken to fail, and to end the program.",
        r"false gradcheck|missed [\w-]+",
        r"gradcheck\(",
        """
import torch

x = torch.zeros(3, requires_grad=True)
torch.nn.init.zeros_(x)
torch.autograd.gradcheck(lambda t: t, x)
""",
        r"gradcheck of",
    ),
    Limit(
        "Zeros, and what is no number, which stay what they are",
        "A write that nothing counts, and that multiplies, adds or cuts, is taken to change what it writes; another "
        "number does.",
        r"false silent-stale",
        r"\.data(\.mul_\(2\)| \+= 1|\.copy_\(.* (\* 2|\+ 1)\))|unsafe_(split|chunk)[^.]*\n.*inplace=True",
        """
import torch

x = torch.zeros(3, requires_grad=True)
y = x.sin()
x.data.mul_(2)
y.sum().backward()
""",
        instead=(
            r"(\.data)(?:\.mul_\(2\)| \+= 1|\.copy_\(.* (?:\* 2|\+ 1)\))"
            r"|[\w.]+\(([\w\[\]]+)(?:, [^,\n]*)*, inplace=True\)",
            r"\1\2.fill_(3)",
        ),
    ),
    Limit(
        "A part of a graph that PyTorch doesn't show",
        "The gradient is another one, as GradGuard says; but what a checkpoint computes again, and what a write of a "
        "view has saved, can't be looked at.",
        r"false silent-stale",
        r"checkpoint\(.*use_reentrant=False|\.data",
        """
import torch

x = torch.rand(3, requires_grad=True)
y = torch.utils.checkpoint.checkpoint(lambda t: t.sin(), x, use_reentrant=False)
x.data.mul_(2)
y.sum().backward()
""",
        r"silent-stale of .* by (checkpoint_function|copy_slices)",
    ),
    Limit(
        "`out=` of an operator that hands the call on by its arguments",
        "`diff` and its kin refuse what requires grad, or take it, by the operator that they call; it is not followed.",
        r"missed (out-grad|leaf-inplace)",
        r"torch\.(diff|inner|norm|normal|scatter|(linalg\.)?(pinv|matrix_power)|fft\.ihfft[2n])\(.*out=",
        """
import torch

x = torch.rand(3, requires_grad=True)
torch.diff(torch.rand(4), out=x * 2)
""",
    ),
    Limit(
        "A backward in Python that doesn't allow another one",
        "That of `CrossMapLRN2d` writes with `out=`, which PyTorch refuses where the backward is recorded.",
        r"missed out-grad",
        r"(?s)CrossMapLRN2d.*create_graph=True",
        """
import torch

x = torch.rand(2, 4, 6, 6, requires_grad=True)
torch.nn.CrossMapLRN2d(2)(x).mean().backward(create_graph=True)
""",
    ),
    Limit(
        "What is made in inference mode and kept",
        "An optimizer makes its state at its first step, `Adagrad` at once, and can't write it later; and a function "
        "of the program's own is recorded where grad mode is turned on again inside.",
        r"missed inference-tensor",
        r"(?s)optim\..*inference_mode.*step\(|inference_mode.*(Adagrad|set_grad_enabled|enable_grad)",
        """
import torch

x = torch.rand(3, requires_grad=True)
with torch.inference_mode():
    optimizer = torch.optim.Adagrad([x])
x.sum().backward()
optimizer.step()
""",
    ),
    Limit(
        "What `save_on_cpu` keeps on the CPU",
        "It copies nothing there, and a change goes unseen; where the tensors are is a guess, so that a hint tells it.",
        r"missed silent-stale",
        r"save_on_cpu\(",
        """
import torch

x = torch.rand(3, requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = x.exp()
y.mul_(2)
y.sum().backward()
""",
    ),
)

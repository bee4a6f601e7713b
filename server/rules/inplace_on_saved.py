"""GG101: a tensor that was saved for backward is changed in place before that backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A stale saved tensor, whatever changed it but an update of parameters or a custom Function."""
    return failure.kind == "stale-saved" and failure.cause in ("inplace", "direct", "second")


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What is changed here, and which operation saved it."""
    return phrases.stale(failure, locale)


RULE = Rule(
    code="GG101",
    name="inplace-on-saved",
    kinds=("stale-saved",),
    summary="A tensor that an operation saved for backward is changed in place before that backward.",
    error=("one of the variables needed for gradient computation has been modified by an inplace operation",),
    what="""\
Finds a change in place of a tensor that an earlier operation still needs for its backward.

An operation saves what its derivative is written in: its result (`exp`, `sigmoid`, `tanh`, `relu`,
`softmax`, `sqrt`), its input (`sin`, `log`, `x ** 2`, `clamp`, most losses), its other operand (`*`, `/`,
`@`, `linear`), its weight (convolution, normalisation layers), and its index, mask or target, integers
included. `+`, `-`, `sum`, `mean`, `cat`, reshaping and slicing save nothing.

A change in place is `x += y` and its kin, `x[i] = y`, every method that ends in `_`, `out=x`,
`inplace=True`, `torch.nn.init`, and an update of a buffer.""",
    why="""\
Each tensor has a version counter, which it shares with its views and with what `detach()` gives. Every
change in place adds one to it: in every element or in one, to a new value or to the same, with grad mode
on or off. An operation that saves a tensor notes the version, and `backward()` compares: "is at version 1;
expected version 0 instead".

In the example `exp` saves its result `y` at version 0, because the derivative of `exp` is `exp`. `y += 1`
makes it version 1. The gradient would be computed from the wrong numbers, so PyTorch raises.

What is often said about it:

- *"`y += 1` is only short for `y = y + 1`."* It is not: the first changes the tensor that all names
  share, the second makes a new one and binds the name to it. That is why the second one works.
- *"`b = a` makes a copy."* It binds a second name to the same tensor, and is no change in place either.
  `a.clone()` copies, and autograd follows it.
- *"Set `inplace=False` everywhere."* `ReLU(inplace=True)` is mostly innocent: it saves its own result,
  and what it overwrites (the result of a convolution or a batch norm) nobody saved. It does harm where its
  input was saved: after `sigmoid`, or where a second branch reads the same tensor first.
- *"Use `.data`."* That hides the change from the counter: no error, and wrong gradients (GG111).
- *"Add `retain_graph=True`"*: it keeps the graph, and the saved tensor in it is as stale as before.
- *"Downgrade PyTorch."* Where an older release lets the same program run, its gradients are wrong.""",
    fails="""\
import torch

x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
loss = y.sum()
loss.backward()
""",
    works="""\
import torch

x = torch.ones(3, requires_grad=True)
y = x.exp()
y = y + 1
loss = y.sum()
loss.backward()
""",
    limits="""\
One counter serves a whole memory: `x[:2]` being saved and `x[2:]` changed fails in PyTorch, too, and is
reported. What a function outside the project and outside PyTorch does with its arguments is not known:
it is taken to change none of them, unless its name ends in `_`. Tensors behind a container with keys that
are only known at run time are told apart by guess, and reported as hints.""",
    fixes="""\
Safe: what was saved is copied (`y.clone()` at the operation that saves it), or the change makes a new
tensor: `y = y + 1` for `y += 1`, `y = y.f()` for `y.f_()`, a functional form for `y[i] = v`, `y = y.clone()`
before the change, `inplace=True` left out. All of them keep the values and give the gradients that were
meant, and cost the memory of one tensor. Where another name reads the changed tensor afterwards, a fix that
would part the two is unsafe.""",
    matches=matches,
    message=message,
)

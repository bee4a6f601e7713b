"""GG201: a leaf that requires grad is changed in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analyses.domain.report import LATE
from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A write to a leaf itself."""
    return failure.kind == "leaf-inplace"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Which leaf is changed, and where it was made."""
    if failure.detail == LATE:
        return phrases.at_once("late-leaf-inplace", failure, locale)
    leaf, in_place = phrases.leaf(failure, locale), phrases.in_place(locale)
    return phrases.at_once("leaf-inplace", failure, locale, in_place=in_place, leaf=leaf)


RULE = Rule(
    code="GG201",
    name="leaf-inplace",
    kinds=("leaf-inplace",),
    summary="A leaf that requires grad is changed in place with grad mode on.",
    error=("a leaf Variable that requires grad is being used in an in-place operation",),
    what="""\
Finds a change in place (`w -= …`, `w.zero_()`, `w.normal_()`) of a leaf that requires
grad, while grad mode is on. A leaf is a tensor that no operation computed: one made with
`requires_grad=True`, or an `nn.Parameter`.""",
    why="""\
Backward puts a leaf's gradient into its `.grad`. A change in place would make the tensor the result of an
operation, and it could be a leaf no longer: the gradient that you asked for would have no place to go. So
PyTorch refuses at once, whatever the version counter says.

A view counts as a leaf, too, if its memory came to require grad only later: two views of a buffer of plain
numbers, a change of the first that is computed with gradients, then one of the second. Take the second view
after the first change (`buffer[2:].copy_(x)`), or change the buffer itself.

What to do depends on what is meant:

- a step of training, or an initialisation: `with torch.no_grad(): w -= …`. The tensor stays a leaf, and its
  version moves by one, so do it after the backwards that need the old values;
- another tensor, computed from the leaf: `v = w * 2`, under another name (`w = w * 2` is legal, but then
  `w` names the result, and the leaf with its `.grad` is lost: GG302);
- a copy to work on: `v = w.clone()`, which may be changed in place.

`w.data -= …` works, too, but nobody notices any more if something has saved `w` (GG111).""",
    fails="""\
import torch

w = torch.ones(3, requires_grad=True)
loss = (w * 2).sum()
loss.backward()
w -= 0.1 * w.grad
""",
    works="""\
import torch

w = torch.ones(3, requires_grad=True)
loss = (w * 2).sum()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
""",
    limits="""\
Whether a function's argument is a leaf is not shown by the function alone. Where its callers do not show
it either, the message says what it assumes.""",
    fixes="""\
Unsafe, all of them, as only the author can tell which is meant: `with torch.no_grad():` around the change,
which is right for an update and wrong for a computation; or a new tensor under the leaf's name
(`w = w - …`), which optimizers do not see.""",
    mend="unsafe",
    matches=matches,
    message=message,
)

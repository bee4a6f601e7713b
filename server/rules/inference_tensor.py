"""GG207: an inference tensor is saved for backward, or changed outside inference mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .messages import Locale, say
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A use of an inference tensor that needs a version counter."""
    return failure.kind == "inference-tensor"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Whether the tensor is to be saved, to be changed or to require grad here."""
    if failure.detail == "required":
        return phrases.at_once("inference-required", failure, locale, "requires-grad-label")
    if failure.saved is None and failure.detail != "saved":
        return phrases.at_once("inference-changed", failure, locale)
    name = failure.saved.op if failure.saved else failure.via
    op = say("quote", locale, text=name.removesuffix("()")) if name else say("an-operation", locale)
    return phrases.at_once("inference-saved", failure, locale, "inference-saved-label", op=(op, say("it", locale)))


RULE = Rule(
    code="GG207",
    name="inference-tensor",
    kinds=("inference-tensor",),
    summary="A tensor made in inference mode is saved for backward, or changed outside inference mode.",
    error=(
        "Inplace update to inference tensor outside InferenceMode is not allowed",
        "Inference tensors cannot be saved for backward",
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed",
    ),
    what="""\
Finds a tensor that was computed under `torch.inference_mode()` and then meets autograd: an operation needs
to save it for backward, or, outside of inference mode, it is changed in place or made to require grad.""",
    why="""\
`inference_mode` is faster than `no_grad` because its tensors have no version counter. Without one, backward
could not tell whether a saved tensor was changed; so PyTorch refuses to save it, and refuses to change it
where others might have saved it.

`.clone()` outside of inference mode gives a normal tensor. Or compute it under `no_grad`: the tensors made
there have counters, and may be used in training afterwards.""",
    fails="""\
import torch

weight = torch.ones(3, requires_grad=True)
with torch.inference_mode():
    features = torch.arange(3.0)
loss = (features * weight).sum()
loss.backward()
""",
    works="""\
import torch

weight = torch.ones(3, requires_grad=True)
with torch.no_grad():
    features = torch.arange(3.0)
loss = (features * weight).sum()
loss.backward()
""",
    limits="""\
Operations that save nothing (`+`, `cat`, slicing) take inference tensors, and are not reported. What a
function outside the project returned is not taken for an inference tensor.""",
    fixes="""\
Safe: `.clone()` where the tensor is saved or changed, outside of inference mode. Unsafe: `no_grad` for
`inference_mode`, which gives the same values, but changes everything else in the block too.""",
    matches=matches,
    message=message,
)

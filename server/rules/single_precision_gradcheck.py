"""GG401: `gradcheck` runs on inputs or modules that are not in double precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .messages import Locale, say
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A gradcheck that the precision of its inputs fails."""
    return failure.kind == "gradcheck" and failure.cause != "function"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What is checked here, and in which precision."""
    return phrases.at_once(
        "gradcheck",
        failure,
        locale,
        "gradcheck-label",
        call=failure.via or phrases.call_name(failure.site),
        dtype=failure.detail or say("single-precision", locale),
        fails=phrases.certainly(failure, "will-fail", "may-fail", locale),
    )


RULE = Rule(
    code="GG401",
    name="single-precision-gradcheck",
    kinds=("gradcheck",),
    summary="gradcheck runs on inputs or modules that are not in double precision.",
    error=("Jacobian mismatch for output",),
    what="""\
Finds `torch.autograd.gradcheck` and `gradgradcheck` on inputs, or on a module with parameters, that are in
single or half precision.""",
    why="""\
`gradcheck` compares the gradient of backward with a finite difference: it moves each input by
`eps = 1e-6` and looks at the change of the result. Single precision has about seven digits; moving 0.5 by
a millionth leaves one digit of the change, and the difference is noise: "Jacobian mismatch". The gradient
is right, the yardstick is too coarse. No version counter is involved.

Raising `eps` or `atol` until it passes only hides the noise, and real mistakes with it. Use double
precision for the inputs *and* for the module.""",
    fails="""\
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(3, 2)
x = torch.randn(4, 3, requires_grad=True)
torch.autograd.gradcheck(layer, (x,))
""",
    works="""\
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(3, 2).double()
x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(layer, (x,))
""",
    limits="""\
A mismatch that comes from a wrong backward formula is another rule's (GG403). Inputs whose dtype is not known are
not reported. A change of the default dtype in another process or file that is not replayed is not seen.""",
    fixes="""\
Unsafe, as it changes what is computed: `.double()` on the module, and double precision for the inputs.""",
    mend="unsafe",
    matches=matches,
    message=message,
)

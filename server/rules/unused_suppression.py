"""GG900: a suppression comment suppresses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rule import Rule, Severity
from .wording import remark

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """No failure of a program: the rule is about comments (`diagnostic.unused_suppression`)."""
    return False


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """The words about a suppression that names no codes."""
    return remark("unused-suppression-all", locale, "unused-suppression-label")


RULE = Rule(
    code="GG900",
    name="unused-suppression",
    kinds=(),
    summary="A suppression comment suppresses nothing.",
    error=(),
    what="""\
Finds `# gradguard: ignore[…]`, `# gradguard: ignore-file` and `# noqa: GG…` comments, or codes in them,
where nothing is reported that they would suppress, or that no rule has.""",
    why="""\
A suppression that outlives its reason hides the next, real failure in the same statement. This rule is
about comments only; no tensor and no version counter is involved.""",
    fails="""\
import torch

x = torch.ones(3, requires_grad=True)
y = x + 1
y += 1  # gradguard: ignore[GG101]
y.sum().backward()
""",
    works="""\
import torch

x = torch.ones(3, requires_grad=True)
y = x + 1
y += 1
y.sum().backward()
""",
    limits="""\
A bare `# noqa` belongs to other tools as well, and is not reported; of `# noqa: GG101, F401` only the
codes that begin with GG are. A code of a rule that the configuration turns off is not reported either.""",
    fixes="""\
Safe: the comment, or the idle code in it, is removed.""",
    matches=matches,
    message=message,
    severity=Severity.WARNING,
)

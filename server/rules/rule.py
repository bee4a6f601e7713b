"""What a rule is: its names, the failure that it predicts, how it tells one, and what its page says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..analyses.domain.report import Failure, Kind
    from .messages import Locale
    from .wording import Wording

PAGES = Path(__file__).parent / "pages"
"""the rules' pages as files, which `page.py` makes and the package carries: links lead there, and need no connection"""


Mend = Literal["safe", "unsafe", "none"]


class Severity(IntEnum):
    """How sure a diagnostic is; the numbers are those of LSP's DiagnosticSeverity, the gravest first."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4

    @property
    def label(self) -> str:
        """The name that users write and read: `error`, `warning`, `information` or `hint`."""
        return self.name.lower()

    @property
    def level(self) -> str:
        """The level that SARIF 2.1.0 (section 3.27.10) has for it: `error`, `warning` or `note`."""
        return self.label if self <= Severity.WARNING else "note"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, with the text that its page, `gradguard explain` and the hover on its code show.

    The texts are Markdown in English; `fails` and `works` are complete programs, which the tests run on
    PyTorch.
    """

    code: str
    name: str
    """kebab-case, and reads after “allow …”"""
    kinds: tuple[Kind, ...]
    """what PyTorch does if the rule is right; empty for a rule about comments"""
    summary: str
    """one sentence, without markup other than code"""
    error: tuple[str, ...]
    """pieces of PyTorch's own messages that the rule explains; empty where PyTorch says nothing"""
    what: str
    why: str
    fails: str
    works: str
    limits: str
    fixes: str
    matches: Callable[[Failure], bool]
    """whether this rule reports a failure of the replay"""
    message: Callable[[Failure, Locale], Wording]
    """the words of a diagnostic about a failure that matches"""
    severity: Severity = Severity.ERROR
    """the severity of a diagnostic that depends on no assumption"""
    mend: Mend = "safe"
    """the best fix that there is for it: one that keeps every value, one that changes what it says, or none"""
    unrecorded: bool = False
    """whether those who write such code say by it that nothing is recorded there"""

    @property
    def kind(self) -> Kind | None:
        """The kind of failure that the rule is mostly about."""
        return self.kinds[0] if self.kinds else None

    def file(self, locale: Locale = "en") -> Path:
        """The file of the rule's page in a language."""
        return PAGES / f"{self.code}{'.zh' if locale == 'zh-cn' else ''}.md"

    def address(self, locale: Locale = "en") -> str:
        """The address of that file."""
        return self.file(locale).as_uri()

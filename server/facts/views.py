"""Where a call goes on with views of what it was given, or gives a view of what it has made (`views.json`, measured).

An operator that is made of others saves what it has made of its argument: a view, or one of several pieces, whose
node is asked for when it is unpacked. A result that it has reshaped last is a view, which under `no_grad` must not be
written in grad mode afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .rows import Rows

Form = Literal["itself", "view", "pieces"]
"""As what an argument is saved: `itself`; a `view` or a copy of it, if only at times; one of the `pieces` of it that
one call has made."""


class Views:
    """The views that calls make in a release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def saved_as(self, name: str, parameter: str) -> Form:
        """Return as what a call saves an argument."""
        form: Form = self._row(name).get("saved", {}).get(parameter, "itself")
        return form

    def gives_view(self, name: str, result: int, rank: int) -> bool:
        """Return whether a result of so many dimensions, in memory of its own, is a view of another tensor."""
        known: list[list[int]] = self._row(name).get("results", [])
        return result < len(known) and rank in known[result]

    def _row(self, name: str) -> dict[str, Any]:
        return self._rows.get(name) or {}

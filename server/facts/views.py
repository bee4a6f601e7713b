"""Where a call saves views of its arguments, or returns a view of a tensor that it has made (`views.json`, measured).

An operator that is composed of others saves what it has made of its argument: a view, or one of several pieces, whose
node is looked up when it is unpacked. If its last step was a reshape, the result is a view; made under `no_grad`, it
must not be written in grad mode afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .rows import Rows

Form = Literal["itself", "view", "pieces"]
"""As what an argument is saved: `itself`; a `view` or a copy of it, if only at times; one of the `pieces` of it that
one call has made."""


class Views:
    """The views that calls make, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def saved_as(self, name: str, parameter: str) -> Form:
        """Return in which form a call saves an argument."""
        form: Form = self._row(name).get("saved", {}).get(parameter, "itself")
        return form

    def gives_view(self, name: str, result: int, rank: int) -> bool:
        """Return whether a new result with this number of dimensions is a view of another tensor."""
        known: list[list[int]] = self._row(name).get("results", [])
        return result < len(known) and rank in known[result]

    def _row(self, name: str) -> dict[str, Any]:
        return self._rows.get(name) or {}

"""Which calls save views of their arguments, or return a view of a tensor that they made (`views.json`, measured).

An operator that is composed of others saves what it made of its argument: a view, or one of several pieces. PyTorch
looks up the node of such a view when it unpacks it. If the last step was a reshape, the result is a view of a tensor
that nobody else has; if it was made under `no_grad`, it must not be written in grad mode.

    "torch.einsum": {"saved": {"operands": "view"}, "results": [[3]]}   # result 0 is a view if it has 3 dimensions
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .rows import Rows

Form = Literal["itself", "view", "pieces"]
"""How an argument is saved: `itself`; as a `view` or a copy of it (in some samples, at least); as one of the `pieces`
that one call made of it (`CreationMeta::MULTI_OUTPUT_NODE`)."""


class Views:
    """The views that calls save and return, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def saved_as(self, name: str, parameter: str) -> Form:
        """Return how a call saves an argument, by the names of the callable and the parameter."""
        form: Form = self._row(name).get("saved", {}).get(parameter, "itself")
        return form

    def gives_view(self, name: str, result: int, rank: int) -> bool:
        """Return whether a new result with `rank` dimensions is a view of a tensor that the call made."""
        known: list[list[int]] = self._row(name).get("results", [])
        return result < len(known) and rank in known[result]

    def _row(self, name: str) -> dict[str, Any]:
        return self._rows.get(name) or {}

"""What PyTorch's own tables say of devices that were not measured (`published.json`, from `derivatives.yaml`).

An operator that has a kernel and a derivative of its own on such a device, and is composed of others on the CPU, saves
other tensors there:

    {"torch.nn.functional.linear": {"mps": {"saves": ["input", "weight"], "for": ["bias", "input", "weight"]}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .rows import Rows


class Published:
    """What PyTorch's tables say of devices that were not measured, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def told(self, name: str) -> Iterator[str]:
        """Yield lines that say what a callable saves on each device, for `gradguard facts NAME`."""
        row: dict[str, Any] = self._rows.get(name) or {}
        for device, case in row.items():
            saved, needing = " and ".join(case["saves"]), " or ".join(case["for"])
            yield f"  on {device}: saves {saved}, if {needing} requires grad (PyTorch's tables say so; not measured)"

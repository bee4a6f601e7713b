"""What share of PyTorch's own databases of tests was measured, and why the rest was not."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from ..model import Op
from .samples import full_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..model import Fact
    from .functions import Measured, Tally


@dataclass(slots=True)
class Share:
    """How many there are, how many were measured, and the reason for each that wasn't."""

    total: int = 0
    measured: int = 0
    missing: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.measured} of {self.total} ({self.measured / self.total:.1%})"


def operators(tallies: Mapping[str, Tally], device: str) -> Share:
    """Return the measured share of those OpInfos that support autograd on the device."""
    kind = torch.device(device).type
    differentiable = [info for info in op_db if info.supports_autograd and info.supported_backward_dtypes(kind)]  # type: ignore[no-untyped-call]
    return share({full_name(info): tallies.get(full_name(info)) for info in differentiable})


def share(tallies: Mapping[str, Tally | None]) -> Share:
    """Return the share of the sources (OpInfos, classes) of which at least one sample ran."""
    found = Share(total=len(tallies))
    for name, tally in sorted(tallies.items()):
        if tally is not None and tally.ran:
            found.measured += 1
        else:
            reason = tally.reason.strip().split("\n")[0] if tally else ""
            found.missing[name] = reason or "no sample that its callables take"
    return found


def report(measured: Measured, facts: Iterable[Fact], shares: Mapping[str, Share], device: str) -> dict[str, Any]:
    """Return the coverage of a release as plain data, which `record` writes."""
    facts = list(facts)
    return {
        "torch": torch.__version__.partition("+")[0],
        "device": device,
        "callables": len(facts),
        "declared only": sorted(f.name for f in facts if isinstance(f, Op) and not f.measured),
        "probes": measured.probes,
        "told differently by the graph's saved tensors": sorted(measured.disagreed),
        **{name: asdict(s) for name, s in shares.items()},
    }

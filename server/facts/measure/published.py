"""Read what PyTorch's tables say of a device that cannot be measured here.

`native_functions.yaml` says which operators have a kernel there, `derivatives.yaml` what their nodes save. Operators
count that have both, and that are composed of others on the CPU: the node of any other is the one that was measured.

    linear   kernel: MPS   derivative: input, weight, bias ← linear_backward(input, grad, weight)
    →  "torch.nn.functional.linear": {"mps": {"saves": ["input", "weight"], "for": ["bias", "input", "weight"]}}
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torchgen  # type: ignore[import-untyped]
from torchgen.gen import parse_native_yaml  # type: ignore[import-untyped]
from torchgen.model import DispatchKey  # type: ignore[import-untyped]
from torchgen.packaged.autograd.load_derivatives import load_derivatives  # type: ignore[import-untyped]

from .modules import forward_params

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch

    from .catalogue import Entry

DEVICE = "mps"

MEASURED = {DispatchKey.CPU, DispatchKey.CompositeExplicitAutograd}
"""an operator with one of these kernels has the node that was measured"""

TENSORS = ("Tensor", "Tensor[]", "Tensor?[]", "Tensor?")


def read(entries: Iterable[Entry], classes: Iterable[type[torch.nn.Module]]) -> dict[str, Any]:
    """Return, by callable, the rows of those named like an operator that has a node of its own on the device."""
    own = {_plain(name.removesuffix(f"_{DEVICE}")): derivatives for name, derivatives in _own().items()}
    found: dict[str, Any] = {}
    for entry in entries:
        home = entry.name.rpartition(".")[0]
        if home in ("torch", "torch.nn.functional") and (derivatives := own.get(_plain(entry.basename))):
            found[entry.name] = {DEVICE: _row(derivatives, {p.name for p in entry.params})}
    for cls in classes:
        if derivatives := own.get(_plain(cls.__name__)):
            found[f"torch.nn.{cls.__name__}"] = {DEVICE: _row(derivatives, {p.name for p in forward_params(cls)})}
    return found


def _own() -> dict[str, Any]:
    """The derivatives of the operators whose node on the device isn't the one on the CPU, by the operator's name."""
    root = Path(torchgen.__file__).parent / "packaged"
    native, tags = (str(root / "ATen" / "native" / f"{name}.yaml") for name in ("native_functions", "tags"))
    loaded, _ = load_derivatives(str(root / "autograd" / "derivatives.yaml"), native, tags)
    derived = {str(by["Default"].func.func.name): by["Default"] for by in loaded.values() if "Default" in by}
    parsed = parse_native_yaml(native, tags)
    found = {}
    for function in parsed.native_functions:
        kernels = {key for key, known in parsed.backend_indices.items() if known.has_kernel(function)}
        name = str(function.func.name)
        if DispatchKey[DEVICE.upper()] in kernels and not kernels & MEASURED and name in derived:
            found[name] = derived[name]
    return found


def _plain(name: str) -> str:
    """A name in one spelling for operators, functions and classes: `maxpool2d` for `max_pool2d` and `MaxPool2d`."""
    return name.replace("_", "").lower()


def _row(derivatives: Any, taken: set[str]) -> dict[str, list[str]]:
    """What a node saves, and for which inputs, by the parameters that are `taken`; `self`: a module's own tensors."""
    arguments = [a.name for a in derivatives.func.func.arguments.flat_all if str(a.type) in TENSORS]
    saved = {s.nctype.name for one in derivatives.derivatives for s in one.saved_inputs}
    inputs = {name for one in derivatives.derivatives for name in one.var_names}

    def named(some: set[str]) -> list[str]:
        told = ("input" if name == "self" else name for name in arguments if name in some)
        return list(dict.fromkeys(name if name in taken else "self" for name in told))

    return {"saves": named(saved), "for": named(inputs)}

"""Ask PyTorch for what is defined in those of its modules that programs look through: layers, functions, optimizers."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import torch

MODULES = ("torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.distributions")
PACKAGES = (torch.nn.modules, torch.optim)


def measure() -> dict[str, list[str]]:
    """Return the public classes and functions of each module in `MODULES` and `PACKAGES`, in the module's order."""
    inside = [
        f"{package.__name__}.{one.name}" for package in PACKAGES for one in pkgutil.iter_modules(package.__path__)
    ]
    defined = {name: _defined(name) for name in (*MODULES, *inside) if "._" not in name}
    return {name: some for name, some in defined.items() if some}


def _defined(module: str) -> list[str]:
    there = {name: v for name, v in vars(import_module(module)).items() if not name.startswith("_")}
    callables = {name: v for name, v in there.items() if inspect.isclass(v) or inspect.isroutine(v)}
    return [name for name, v in callables.items() if (inspect.getmodule(v) or torch).__name__.startswith(module)]

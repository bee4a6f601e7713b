"""Full names of operators, as the facts have them."""

from __future__ import annotations


def functions(names: str) -> tuple[str, ...]:
    """`torch.NAME`, for each of some names that blanks separate."""
    return tuple(f"torch.{name}" for name in names.split())


def methods(names: str) -> tuple[str, ...]:
    """`torch.Tensor.NAME`."""
    return tuple(f"torch.Tensor.{name}" for name in names.split())


def both(names: str) -> tuple[str, ...]:
    """What is a function and a method."""
    return (*functions(names), *methods(names))


def functional(names: str) -> tuple[str, ...]:
    """`torch.nn.functional.NAME`."""
    return tuple(f"torch.nn.functional.{name}" for name in names.split())


def modules(names: str) -> tuple[str, ...]:
    """`torch.nn.NAME`: classes, whose objects are called."""
    return tuple(f"torch.nn.{name}" for name in names.split())


def within(home: str, names: str) -> tuple[str, ...]:
    """`torch.HOME.NAME`, for the functions of a module such as `linalg`."""
    return tuple(f"torch.{home}.{name}" for name in names.split())

"""Finds the in-place tensor operations that break PyTorch's backward pass, as you type."""


def load_ipython_extension(ipython: object) -> None:
    """`%load_ext gradguard` in a notebook: a cell that begins with `%%gradguard` runs under observation."""
    from .runtime.notebook import load

    load(ipython)

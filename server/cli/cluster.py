"""Check on the workers of a Dask cluster, which must see the files under the same paths."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

TIMEOUT = 10
"""Seconds to wait for the scheduler."""


@contextmanager
def executor(address: str) -> Iterator[Executor]:
    """The cluster whose scheduler is at `address`, as an executor. Raises ConfigError if it doesn't answer."""
    from ..workspace.config import ConfigError

    try:
        from distributed import Client
    except ImportError:
        raise ConfigError("--dask needs the package distributed: pip install 'gradguard[dask]'") from None
    try:
        client = Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConfigError(f"no Dask scheduler answers at {address} ({error})") from None
    with client:
        yield client.get_executor(pure=False)

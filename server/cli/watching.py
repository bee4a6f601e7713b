"""Waiting for files to change, for `--watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WATCHED = (".py", ".ipynb", ".toml", ".cfg", ".gitignore")


def changes(paths: Sequence[str]) -> Iterator[None]:
    """Yield after each change below the paths, until the user stops it. Raises ConfigError without the library."""
    from ..workspace.config import ConfigError

    try:
        from watchfiles import DefaultFilter, watch
    except ImportError:
        raise ConfigError("--watch needs the package watchfiles: pip install 'gradguard[watch]'") from None

    default = DefaultFilter()

    def matters(change: Any, path: str) -> bool:
        return path.endswith(WATCHED) and bool(default(change, path))

    for _ in watch(*paths, watch_filter=matters, raise_interrupt=False):
        yield

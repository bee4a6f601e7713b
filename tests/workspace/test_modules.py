"""Which file an import means."""

from pathlib import Path

import pytest
from gradguard.workspace.modules import find_module

FILES = (
    "main.py",
    "tools.py",
    "pkg/__init__.py",
    "pkg/a.py",
    "pkg/b.py",
    "pkg/b/__init__.py",
    "pkg/sub/__init__.py",
    "pkg/sub/c.py",
    "spaces/inner/d.py",
    "src/lib/__init__.py",
    "extra/e.py",
    "scripts/train.py",
    "scripts/tools.py",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (tmp_path / "outside.py").touch()
    return root


@pytest.mark.parametrize(
    ("importer", "level", "name", "expected"),
    [
        ("main.py", 0, "tools", "tools.py"),
        ("scripts/train.py", 0, "tools", "scripts/tools.py"),
        ("scripts/train.py", 0, "pkg.a", "pkg/a.py"),
        ("main.py", 0, "pkg", "pkg/__init__.py"),
        ("main.py", 0, "pkg.b", "pkg/b/__init__.py"),
        ("main.py", 0, "spaces.inner.d", "spaces/inner/d.py"),
        ("main.py", 0, "spaces.inner", None),
        ("main.py", 0, "lib", "src/lib/__init__.py"),
        ("main.py", 0, "e", "extra/e.py"),
        ("main.py", 0, "outside", None),
        ("main.py", 0, "torch", None),
        ("pkg/sub/c.py", 1, "", "pkg/sub/__init__.py"),
        ("pkg/sub/c.py", 2, "a", "pkg/a.py"),
        ("pkg/sub/__init__.py", 1, "c", "pkg/sub/c.py"),
        ("pkg/sub/c.py", 2, "", "pkg/__init__.py"),
        ("pkg/a.py", 1, "sub.c", "pkg/sub/c.py"),
        ("pkg/a.py", 99, "x", None),
    ],
)
def test_find_module(root: Path, importer: str, level: int, name: str, expected: str | None) -> None:
    found = find_module(name, level, root / importer, root, ("extra",))
    assert (None if found is None else found.relative_to(root).as_posix()) == expected

"""Which file an import means: on trees of files, held against what CPython imports."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from gradguard.workspace.config import Config
from gradguard.workspace.files import Document
from gradguard.workspace.modules import Layout
from gradguard.workspace.project import Project

FILES = (
    "main.py",
    "tools.py",
    "pkg/__init__.py",
    "pkg/a.py",
    "pkg/b.py",
    "pkg/tools.py",
    "pkg/only_here.py",
    "pkg/b/__init__.py",
    "pkg/sub/__init__.py",
    "pkg/sub/c.py",
    "spaces/inner/d.py",
    "src/lib/__init__.py",
    "extra/e.py",
    "extra/spaces/inner/f.py",
    "scripts/train.py",
    "scripts/tools.py",
)


def grow(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside.py").touch()
    return grow(tmp_path / "project", dict.fromkeys(FILES, ""))


def told(found: Path | None, root: Path) -> str | None:
    return None if found is None else found.relative_to(root).as_posix()


@pytest.mark.parametrize(
    ("importer", "level", "name", "expected"),
    [
        ("main.py", 0, "tools", "tools.py"),
        ("scripts/train.py", 0, "tools", "scripts/tools.py"),
        ("scripts/train.py", 0, "pkg.a", "pkg/a.py"),
        ("main.py", 0, "pkg", "pkg/__init__.py"),
        ("main.py", 0, "pkg.b", "pkg/b/__init__.py"),
        ("main.py", 0, "pkg.a.x", None),
        ("main.py", 0, "spaces.inner.d", "spaces/inner/d.py"),
        ("main.py", 0, "spaces.inner.f", "extra/spaces/inner/f.py"),
        ("main.py", 0, "spaces.inner", None),
        ("main.py", 0, "lib", "src/lib/__init__.py"),
        ("main.py", 0, "e", "extra/e.py"),
        ("main.py", 0, "outside", None),
        ("main.py", 0, "torch", None),
        ("pkg/a.py", 0, "tools", "tools.py"),
        ("pkg/a.py", 0, "only_here", "pkg/only_here.py"),
        ("main.py", 0, "only_here", None),
        ("pkg/sub/c.py", 1, "", "pkg/sub/__init__.py"),
        ("pkg/sub/c.py", 2, "a", "pkg/a.py"),
        ("pkg/sub/__init__.py", 1, "c", "pkg/sub/c.py"),
        ("pkg/sub/c.py", 2, "", "pkg/__init__.py"),
        ("pkg/a.py", 1, "sub.c", "pkg/sub/c.py"),
        ("pkg/a.py", 99, "x", None),
        ("spaces/inner/d.py", 1, "", None),
    ],
)
def test_the_file_of_an_import(root: Path, importer: str, level: int, name: str, expected: str | None) -> None:
    assert told(Layout(root, ("extra",)).find(name, level, root / importer), root) == expected


# -- CPython ----------------------------------------------------------------------------------------

IMPORTS = """
import importlib, json, sys
found = {}
for name in sys.argv[1].split():
    try:
        found[name] = importlib.import_module(name).__file__
    except ImportError:
        found[name] = None
if __name__ == "__main__":
    print(json.dumps(found))
"""


def imported(script: Path, names: list[str], *path: Path, module: str | None = None) -> dict[str, str | None]:
    """The file of each module that CPython imports in a script, or in a module that is run by its name."""
    run = ["-m", module] if module else [str(script)]
    command = [sys.executable, *run, " ".join(names)]
    environment = {"PYTHONPATH": ":".join(map(str, path)), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, cwd=path[0], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def found_by_us(root: Path, importer: Path, names: list[str], src: tuple[str, ...] = ()) -> dict[str, str | None]:
    layout = Layout(root, src)
    text = importer.read_text()
    return {name: path and str(path) for name in names for path in [layout.find(name, 0, importer, text)]}


NAMES = ["tools", "pkg", "pkg.a", "pkg.b", "pkg.sub.c", "pkg.tools", "spaces", "spaces.inner.d", "spaces.inner.f"]
NAMES += ["lib", "e", "pkg.nothing", "tools.nothing", "outside"]


def test_a_script_imports_what_cpython_imports(root: Path) -> None:
    script = root / "scripts/train.py"
    script.write_text(IMPORTS)
    real = imported(script, NAMES, root, root / "src", root / "extra")
    assert real["tools"] == str(root / "scripts/tools.py")
    assert found_by_us(root, script, NAMES, ("extra",)) == real


def test_a_module_of_a_package_imports_what_cpython_imports(root: Path) -> None:
    module = root / "pkg/a.py"
    module.write_text(IMPORTS)
    real = imported(module, NAMES, root, root / "src", root / "extra", module="pkg.a")
    assert real["tools"] == str(root / "tools.py")
    assert found_by_us(root, module, NAMES, ("extra",)) == real


def drawn(seed: int) -> dict[str, str]:
    """A small tree in which packages, modules and plain folders of the same names stand in each other's way."""
    dice = random.Random(seed)
    files: dict[str, str] = {"main.py": IMPORTS}
    for _ in range(dice.randint(3, 9)):
        start = dice.choice(["", "", "src/", "extra/"])
        place = start + "".join(f"{dice.choice('ab')}/" for _ in range(dice.randint(0, 2)))
        files[f"{place}{dice.choice(['a', 'b', '__init__'] if place not in ('', 'src/', 'extra/') else 'ab')}.py"] = ""
    return files


DOTTED = [".".join(parts) for parts in ["a", "b", *[x + y for x in "ab" for y in "ab"]]]
DOTTED += [f"{one}.{last}" for one in DOTTED[2:] for last in "ab"]


@pytest.mark.parametrize("seed", range(12))
def test_drawn_trees(tmp_path: Path, seed: int) -> None:
    root = grow(tmp_path, drawn(seed))
    real = imported(root / "main.py", DOTTED, root, root / "src", root / "extra")
    assert found_by_us(root, root / "main.py", DOTTED, ("extra",)) == real


# -- what a script adds to the path ---------------------------------------------------------------------

ADDED = [
    "sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'common'))",
    "HERE = os.path.dirname(__file__)\nsys.path.insert(0, os.path.join(HERE, '../common'))",
    "sys.path.append(str(Path(__file__).resolve().parent.parent / 'common'))",
    "sys.path.append(str(Path(__file__).resolve().parents[1].joinpath('common')))",
    "sys.path.append(f'{Path(__file__).parent}/../common')",
    "for _ in range(2):\n    sys.path.append(os.path.dirname(__file__) + os.sep + os.pardir + '/common')",
    "sys.path[0:0] = [os.path.join(os.path.dirname(__file__), '..', 'common')]",
    "sys.path += [str(Path(__file__).parent), os.path.join(os.path.dirname(__file__), os.pardir, 'common')]",
    "sys.path = [str((Path(__file__) / '..').resolve().parent / 'common')] + sys.path",
    "def add(folder):\n    sys.path.append(folder)\nadd(os.path.join(os.path.dirname(__file__), '../common'))",
]


@pytest.mark.parametrize("line", ADDED)
@pytest.mark.parametrize("rival", [False, True], ids=["alone", "with another of the name"])
def test_folders_that_a_script_adds_to_the_path(tmp_path: Path, line: str, rival: bool) -> None:
    text = f"import os, sys\nfrom pathlib import Path\n{line}\n{IMPORTS}"
    files = {"scripts/train.py": text, "common/helpers.py": ""} | ({"other/helpers.py": ""} if rival else {})
    root = grow(tmp_path / "project", files)
    script = root / "scripts/train.py"
    real = imported(script, ["helpers"], root)["helpers"]
    assert real is not None and Path(real).resolve() == root / "common/helpers.py"
    ours = found_by_us(root, script, ["helpers"])
    assert ours == {"helpers": str(root / "common/helpers.py")}


def test_a_folder_far_below_that_a_script_adds(tmp_path: Path) -> None:
    """Deeper than modules are searched for that nobody names, and one of several of its name."""
    place = "a/b/c/d/e/f"
    text = "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent / 'vendored' / 'x'))\n"
    root = grow(tmp_path, {f"{place}/{one}/vendored/x/helpers.py": "" for one in "gh"})
    found = Layout(root).find("helpers", 0, root / place / "h/main.py", text)
    assert found == root / place / "h/vendored/x/helpers.py"


def test_without_a_word_of_the_path_a_folder_beside_is_not_looked_into(tmp_path: Path) -> None:
    root = grow(tmp_path, {"scripts/train.py": "", "common/helpers.py": ""})
    assert Layout(root).find("helpers", 0, root / "scripts/train.py", "import helpers") is None


HOSTILE = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"


def test_jedi_runs_nothing_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a module that stands for one of the standard library, nor an interpreter, nor an extension."""
    tree = {f"{place}/helpers.py": HOSTILE for place in ("common", "other")}
    tree |= {
        f"{place}/{name}.py": HOSTILE for place in ("", "common", "scripts") for name in ("os", "sys", "gi", "math")
    }
    tree |= {".venv/bin/python": f"#!{sys.executable}\n{HOSTILE}", ".venv/pyvenv.cfg": "home = .\n"}
    tree |= {"common/gi.so": "no library", "scripts/train.py": ADDED[0]}
    root = grow(tmp_path / "project", tree)
    (root / ".venv/bin/python").chmod(0o755)
    monkeypatch.setenv("VIRTUAL_ENV", str(root / ".venv"))
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **kwargs: started.append(args))
    before = list(sys.path), set(sys.modules)
    text = f"import os, sys, gi, math\n{ADDED[0]}\n"
    Layout(root).find("helpers", 0, root / "scripts/train.py", text)
    assert not started and not list(root.rglob("ran"))
    assert sys.path == before[0]
    assert not [
        name
        for name in set(sys.modules) - before[1]
        if not name.startswith(("jedi", "parso")) and str(root) in str(getattr(sys.modules[name], "__file__", ""))
    ]


def test_one_answer_takes_no_jedi(tmp_path: Path) -> None:
    root = grow(tmp_path, {"scripts/train.py": ADDED[2], "common/helpers.py": ""})
    code = f"""
import sys
from pathlib import Path
from gradguard.workspace.files import Document
from gradguard.workspace.modules import Layout
root = Path({str(root)!r})
assert Layout(root).find("helpers", 0, root / "scripts/train.py", {ADDED[2]!r})
assert Layout(root).find("numpy", 0, root / "scripts/train.py", {ADDED[2]!r}) is None
assert "jedi" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# -- manifests --------------------------------------------------------------------------------------

SETUP_CFG = "[options]\npackage_dir =\n    = code\n    acme = elsewhere\n[options.packages.find]\nwhere = more\n"

MANIFESTS = {
    "a folder of packages": ("[tool.setuptools.package-dir]\n'' = 'code'", "code/acme/core.py"),
    "a package by its folder": ("[tool.setuptools]\npackage-dir = {acme = 'server'}", "server/core.py"),
    "where packages are found": ("[tool.setuptools.packages.find]\nwhere = ['code']", "code/acme/core.py"),
    "poetry": ("[[tool.poetry.packages]]\ninclude = 'acme'\nfrom = 'code'", "code/acme/core.py"),
    "hatch": ("[tool.hatch.build.targets.wheel]\npackages = ['code/acme']", "code/acme/core.py"),
    "pdm": ("[tool.pdm.build]\npackage-dir = 'code'", "code/acme/core.py"),
    "uv": ("[tool.uv.build-backend]\nmodule-root = 'code'", "code/acme/core.py"),
    "maturin": ("[tool.maturin]\npython-source = 'python'", "python/acme/core.py"),
    "pytest": ("[tool.pytest.ini_options]\npythonpath = ['code', '.']", "code/acme/core.py"),
    "nothing to read": ("[tool", None),
    "values of other kinds": ("tool.setuptools.package-dir = 3\ntool.pytest.ini_options.pythonpath = {a = 1}", None),
}


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_what_a_manifest_says(tmp_path: Path, manifest: str) -> None:
    text, file = MANIFESTS[manifest]
    root = grow(tmp_path, {"pyproject.toml": text, "tests/test_core.py": ""} | ({file: ""} if file else {}))
    assert told(Layout(root).find("acme.core", 0, root / "tests/test_core.py"), root) == file


def test_what_setup_cfg_says(tmp_path: Path) -> None:
    root = grow(tmp_path, {"setup.cfg": SETUP_CFG, "elsewhere/a.py": "", "code/b.py": "", "more/c.py": ""})
    layout = Layout(root)
    found = [told(layout.find(name, 0, root / "tests/test.py"), root) for name in ("acme.a", "b", "c", "d")]
    assert found == ["elsewhere/a.py", "code/b.py", "more/c.py", None]


MONOREPO = {
    "packages/core/pyproject.toml": "[project]\nname = 'core'\n",
    "packages/core/src/company/core/__init__.py": "",
    "packages/app/setup.py": "raise SystemExit\n",
    "packages/app/src/company/app/main.py": "",
    "packages/app/tests/test_app.py": "",
    "tools/setup.cfg": "",
    "tools/lint.py": "",
    "node_modules/setup.py": "",
    "node_modules/hidden.py": "",
}


def test_members_of_a_monorepo_find_each_other(tmp_path: Path) -> None:
    root = grow(tmp_path, MONOREPO)
    layout = Layout(root)
    for importer in ("packages/app/src/company/app/main.py", "packages/app/tests/test_app.py"):
        names = ("company.core", "company.app.main", "lint", "hidden")
        assert [told(layout.find(name, 0, root / importer), root) for name in names] == [
            "packages/core/src/company/core/__init__.py",
            "packages/app/src/company/app/main.py",
            "tools/lint.py",
            None,
        ]


def test_the_project_around_a_folder_that_is_checked_alone(tmp_path: Path) -> None:
    root = grow(tmp_path, {"setup.py": "", "net.py": "", "jobs/night/train.py": ""})
    assert told(Layout(root / "jobs/night").find("net", 0, root / "jobs/night/train.py"), root) == "net.py"


def test_a_link_back_to_the_root_ends(tmp_path: Path) -> None:
    root = grow(tmp_path, {"a/setup.py": "", "a/b/x.py": ""})
    (root / "a/b/loop").symlink_to(root)
    assert Layout(root).find("nothing", 0, root / "a/b/x.py", "sys.path") is None


# -- through a project ------------------------------------------------------------------------------


def test_modules_that_import_each_other_are_loaded(tmp_path: Path) -> None:
    root = grow(tmp_path, {"a.py": "import torch, b\n", "b.py": "import a\n"})
    result = Project(root, Config(root)).check([str(root / "a.py"), str(root / "b.py")])
    assert not result.problems and set(result.documents) == {str(root / "a.py"), str(root / "b.py")}


def test_a_library_is_known_by_name_to_its_own_files(tmp_path: Path) -> None:
    (tmp_path / "torch/nn").mkdir(parents=True)
    (tmp_path / "torch/__init__.py").touch()
    (tmp_path / "torch/nn/__init__.py").write_text("raise RuntimeError('never replayed')\n")
    own = tmp_path / "torch/nn/own.py"
    own.write_text(
        "from . import functional as F\nfrom .parameter import Parameter\nimport torch\n"
        "w = Parameter(torch.ones(2))\ny = F.sigmoid(w)\ny += 1\ny.sum().backward()\n"
    )
    project = Project(tmp_path)
    assert project.package(str(own)) == "torch.nn"
    assert [(found.rule.code, found.span.start_line) for found in project.check([str(own)]).findings] == [("GG101", 5)]


def test_functions_of_imported_files_are_lowered_as_far_as_they_run(tmp_path: Path) -> None:
    functions = "def used(x):\n    return x.exp()\n\n\ndef unused(x):\n    return (\n"
    (tmp_path / "helpers.py").write_text(f"{functions}\n\nclass Net:\n    def unused(self):\n        pass\n")
    (tmp_path / "main.py").write_text("import torch\nfrom helpers import used\n\ny = used(torch.ones(2))\n")
    project = Project(tmp_path)
    project.check([str(tmp_path / "main.py")])
    helpers = project.load("helpers", 0, str(tmp_path / "main.py"))
    assert helpers is not None and not helpers.problems
    assert [chunk.body[0].name for chunk in helpers.chunks if chunk.is_left()] == ["unused", "unused"]
    result = project.check([str(tmp_path / "helpers.py")])
    assert [problem.line for problem in result.problems] == [6]
    assert not any(chunk.is_left() for chunk in project.source(str(tmp_path / "helpers.py")).chunks)


def test_a_module_of_a_package_does_not_hide_one_of_the_standard_library(tmp_path: Path) -> None:
    """`pkg/warnings.py` imports `warnings`, and the package is imported by its name."""
    for name in ("__init__.py", "warnings.py", "helpers.py", "a.py"):
        (tmp_path / "pkg" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "pkg" / name).touch()
    layout = Layout(tmp_path)
    assert layout.find("warnings", 0, tmp_path / "pkg" / "warnings.py") is None
    assert layout.find("warnings", 1, tmp_path / "pkg" / "a.py") == tmp_path / "pkg" / "warnings.py"
    assert layout.find("helpers", 0, tmp_path / "pkg" / "a.py") == tmp_path / "pkg" / "helpers.py"


def test_what_is_wrong_in_an_imported_file_shows_when_it_is_opened(tmp_path: Path) -> None:
    """Its text is the same then; what was left for later goes with it."""
    broken = "import torch\n\n\ndef used(x):\n    return x.exp()\n\n\ndef unused(x):\n    return (\n"
    (tmp_path / "helpers.py").write_text(broken)
    (tmp_path / "main.py").write_text("import torch\nfrom helpers import used\n\ny = used(torch.ones(2))\n")
    project, path = Project(tmp_path), str(tmp_path / "helpers.py")
    project.check([str(tmp_path / "main.py")])
    (tmp_path / "helpers.py").touch()
    project.overlay(Document(path, broken))
    assert [problem.line for problem in project.check([path]).problems] == [9]

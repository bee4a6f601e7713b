"""A project that does harm where any of it runs: it is read, and nothing of it runs.

Every file of it leaves a mark when it is executed. Beside the marks, an audit hook in the process under test
tells what that process has executed, which processes it has started, and what it has written.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradguard
import pytest
from lsprotocol import types

from ..lsp.conftest import start

if TYPE_CHECKING:
    from ..lsp.conftest import Start

__all__ = ["start"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has neither pipes among files nor scripts to run")

PACKAGE = Path(gradguard.__file__).parents[1]

STALE = """\
import torch
{imports}
x = torch.rand(3, requires_grad=True)
y = torch.exp(x)
y += 1
y.sum().backward()
"""
LINE = 4
"""The line of STALE (from 0, with one line of imports) that is wrong."""

AUDIT = """\
import os, sys

home, log = {home!r}, os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn")
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.link", "os.symlink")


def inside(path):
    if not isinstance(path, (str, bytes)):
        return False
    path = os.fsdecode(path)
    return path[:1] not in ("", "<") and os.path.abspath(path).startswith(home)


def watch(event, args):
    if event in STARTS or event == "socket.connect":
        told = args
    elif event == "exec" and inside(args[0].co_filename):
        told = args[0].co_filename
    elif event in CHANGES and inside(args[0]):
        told = args
    elif event == "open" and inside(args[0]) and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):
        told = args
    else:
        return
    os.write(log, f"{{event}} {{told}}\\n".encode(errors="backslashreplace"))


sys.addaudithook(watch)
sys.path[0] = {package!r}
from gradguard.cli.main import main

sys.exit(main())
"""


class Hostile:
    """The project, in `folder`; `marks` is where its code would leave its marks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.marks = folder / "marks"
        self.log = folder / "log"
        self.marks.mkdir()
        self.write("victim.txt", "precious")

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def harm(self, name: str, more: str = "") -> Path:
        """A file that leaves a mark, and removes another, when it runs."""
        mark, victim = str(self.marks / name.replace("/", "_")), str(self.folder / "victim.txt")
        return self.write(
            name,
            f"import os\nopen({mark!r}, 'w').close()\nos.path.exists({victim!r}) and os.remove({victim!r})\n{more}",
        )

    def command(self, *arguments: str) -> list[str]:
        """`gradguard ARGUMENTS…` with the audit hook."""
        code = AUDIT.format(home=str(self.folder), log=str(self.log), package=str(PACKAGE))
        return [sys.executable, "-c", code, *arguments]

    def state(self) -> dict[str, Any]:
        """All that is in the project."""
        found: dict[str, Any] = {}
        for top, folders, files in os.walk(self.folder):
            for name in (*folders, *files):
                path = Path(top, name)
                mode = path.lstat().st_mode
                found[str(path)] = (mode, path.read_bytes() if stat.S_ISREG(mode) and mode & stat.S_IRUSR else None)
        return found

    def harmed(self) -> list[str]:
        """What has run."""
        told = self.log.read_text().splitlines() if self.log.exists() else []
        return [*(path.name for path in self.marks.iterdir()), *told]


DEFINITIONS = """\
from torch import nn


def marking(f):
    {leave}
    return f


class Meta(type):
    def __new__(cls, name, bases, names):
        {leave}
        return super().__new__(cls, name, bases, names)


class Base(metaclass=Meta):
    def __init_subclass__(cls):
        {leave}


class Net(nn.Module, Base):
    size = eval("__import__('os').system('touch {mark}')")

    @property
    @marking
    def width(self):
        return exec("{leave}")


@marking
def scale(x, by=os.popen("touch {mark}")):
    return x * 2


os.system("touch {mark}")
os.environ["PATH"] = "."
__import__("subprocess").run(["touch", "{mark}"])
"""

SHADOWS = (
    *("typing.py", "logging.py", "asyncio/__init__.py", "gradguard/__init__.py", "pathspec.py", "tomli.py"),
    *("libcst/__init__.py", "jedi/__init__.py", "parso/__init__.py", "pygls/__init__.py", "cattrs/__init__.py"),
)
RUN_BY_TOOLS = (
    "conftest.py",
    "setup.py",
    "noxfile.py",
    "sitecustomize.py",
    "usercustomize.py",
    "backend.py",
    "__main__.py",
)


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    h = Hostile(tmp_path)
    leave = f"open('{h.marks / 'definition'}', 'w').close()"
    h.harm("evil.py", DEFINITIONS.format(leave=leave, mark=h.marks / "system"))
    for name in (*SHADOWS, *RUN_BY_TOOLS):
        h.harm(name)
    h.write(
        "main.py", STALE.format(imports="import evil, typing, libcst, jedi, conftest, setup, loop, pipe, nulls, huge")
    )
    h.write("package/__init__.py", "from evil import Net\n")
    h.write("package/train.py", STALE.format(imports="from evil import *; from . import Net; from .. import evil"))
    # a path that has to be worked out, and two modules of the name
    h.harm("one/chosen.py", "def scale(x):\n    return x\n")
    h.harm("two/chosen.py", "def scale(x):\n    return x\n")
    h.write(
        "scripts/run.py",
        STALE.format(
            imports="import os, sys, evil; sys.path.insert(0, evil.f() or os.path.abspath('one')); import chosen"
        ),
    )
    h.write(
        "pyproject.toml",
        "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n[project]\nname = 'x'\n",
    )
    h.write("setup.cfg", "[options]\npackages = find:\npackage_dir =\n  = .\n[options.data]\nx = attr: evil.x\n")
    h.write(".jedi/project.json", '[1, {"environment_path": ".venv/bin/python", "load_unsafe_extensions": true}]')
    h.write(
        ".vscode/settings.json",
        '{"gradguard.path": ".venv/bin/python", "python.defaultInterpreterPath": ".venv/bin/python"}',
    )
    environment(h)
    unusual(h)
    return h


def environment(h: Hostile) -> None:
    """A virtual environment whose interpreter, and whatever it would read at its start, leave a mark."""
    for folder in (".venv", "venv", "env"):
        for name in ("python", "python3", "pip"):
            path = h.write(f"{folder}/bin/{name}", f"#!/bin/sh\ntouch '{h.marks / 'interpreter'}'\n")
            path.chmod(0o755)
        h.write(f"{folder}/pyvenv.cfg", "home = .\ninclude-system-site-packages = true\nversion = 3.11.0\n")
        site = f"{folder}/lib/python3.{sys.version_info.minor}/site-packages"
        h.write(f"{site}/hook.pth", f"import os; open({str(h.marks / 'pth')!r}, 'w').close()\n")
        h.harm(f"{site}/sitecustomize.py")
        h.harm(f"{site}/torch/__init__.py")
    h.write("hook.pth", f"import os; open({str(h.marks / 'pth')!r}, 'w').close()\n")
    for name in ("python", "git", "touch"):
        h.write(name, f"#!/bin/sh\n: > '{h.marks / 'program'}'\n").chmod(0o755)


def unusual(h: Hostile) -> None:
    """What a reader may choke on."""
    h.write("nulls.py", b"import torch\nx = '\0\0'\n\0\n")
    h.write("utf16.py", "import torch\n".encode("utf-16"))
    h.write("latin.py", "# -*- coding: latin-1 -*-\nname = 'caf\u00e9'\n".encode("latin-1"))
    h.write("rot13.py", "# -*- coding: rot13 -*-\nvzcbeg bf\n")
    h.write("codec.py", "# -*- coding: evil -*-\nimport torch\n")
    h.write("invalid.py", b"import torch\nx = '\xff\xfe\xc3'\n")
    h.write("deep.py", "import torch\nx = " + "(" * 50_000 + ")" * 50_000 + "\n")
    h.write("minus.py", "import torch\nx = " + "-" * 50_000 + "1\n")
    h.write("huge.py", "import torch\nTABLE = [\n" + "    [0, 1, 2, 3, 4, 5, 6, 7],\n" * 2_000 + "]\n")
    h.write("long.py", "import torch\nx = '" + "x" * 3_000_000 + "'\n")
    h.write("closed.py", "import torch\n").chmod(0)
    (h.folder / "folder.py").mkdir()
    (h.folder / "loop.py").symlink_to("loop.py")
    (h.folder / "nowhere.py").symlink_to("gone.py")
    (h.folder / "loop").symlink_to(".")
    (h.folder / "package" / "up").symlink_to("..")
    (h.folder / "zero.py").symlink_to("/dev/zero")
    os.mkfifo(h.folder / "pipe.py")


SOUND = ("main.py", "package/train.py", "scripts/run.py")


def test_a_check_runs_nothing_of_it(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hostile.state()
    monkeypatch.chdir(hostile.folder)
    monkeypatch.setenv("PATH", f"{hostile.folder}:.venv/bin:{os.environ['PATH']}")
    arguments = ("check", ".", "--output-format", "concise", "--jobs", "1", "--no-cache")
    done = subprocess.run(hostile.command(*arguments), capture_output=True, text=True, timeout=60)
    assert not hostile.harmed()
    assert hostile.state() == before
    found = [line for line in done.stdout.splitlines() if "GG1" in line]
    assert {line.split(":")[0] + ":" + line.split(":")[1] for line in found} >= {f"{name}:{LINE + 1}" for name in SOUND}
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr


def test_processes_and_the_cache_touch_nothing_else(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hostile.folder)
    subprocess.run(hostile.command("check", ".", "--jobs", "2"), capture_output=True, text=True, timeout=60)
    assert (hostile.folder / ".gradguard_cache" / "CACHEDIR.TAG").is_file()
    assert [harm for harm in hostile.harmed() if "fork" not in harm and ".gradguard_cache" not in harm] == []


@pytest.mark.parametrize("arguments", [("versions", "main.py"), ("check", "--diff", "main.py")], ids=" ".join)
def test_other_commands_run_nothing_of_it(
    hostile: Hostile, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    before = hostile.state()
    monkeypatch.chdir(hostile.folder)
    done = subprocess.run(hostile.command(*arguments), capture_output=True, text=True, timeout=60)
    assert done.stdout
    assert "Traceback" not in done.stderr
    assert not hostile.harmed()
    assert hostile.state() == before


def test_the_commands_do_not_import_from_where_they_run(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hostile.folder)
    shutil.rmtree(hostile.folder / "gradguard")  # `-m gradguard` itself looks there first
    for command in ([sys.executable, "-m", "gradguard"], [str(Path(sys.executable).with_name("gradguard"))]):
        done = subprocess.run([*command, "check", "main.py"], capture_output=True, text=True, timeout=60)
        assert "GG1" in done.stdout, done.stderr
        assert not hostile.harmed()


@pytest.mark.asyncio
async def test_a_server_runs_nothing_of_it(hostile: Hostile, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hostile.state()
    monkeypatch.chdir(hostile.folder)
    monkeypatch.setenv("PATH", f"{hostile.folder}:.venv/bin:{os.environ['PATH']}")
    editor = await start(hostile.command("server"))
    for name in ("evil.py", *SOUND, "conftest.py", "nulls.py", "deep.py", "huge.py"):
        text = (hostile.folder / name).read_text()
        found = await editor.open(f"project/{name}", text)
        if name in SOUND:
            assert LINE in [one.range.start.line for one in found if one.severity == types.DiagnosticSeverity.Error]
    name = f"project/{SOUND[0]}"
    assert await editor.hover(name, LINE, 0)
    for action in await editor.actions(name, LINE):
        if action.edit is None:
            await editor.resolve(action)
    mended = (hostile.folder / SOUND[0]).read_text().replace("y += 1", "y = y + 1")
    assert not await editor.retype(name, mended)
    assert not hostile.harmed()
    assert hostile.state() == before


def unused_home(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """An empty folder where the user's home and caches are."""
    folder.mkdir()
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    return folder


def test_a_check_without_a_cache_keeps_nothing_of_the_user(
    hostile: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = unused_home(monkeypatch, tmp_path / "home")
    command = [sys.executable, "-m", "gradguard", "check", "project", "--jobs", "1", "--no-cache"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "GG1" in done.stdout
    assert not list(home.iterdir())


@pytest.mark.asyncio
async def test_a_server_without_a_cache_keeps_nothing_of_the_user(
    hostile: Hostile, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = unused_home(monkeypatch, tmp_path / "home")
    editor = await start()
    assert await editor.open("project/scripts/run.py", (hostile.folder / "scripts/run.py").read_text())
    assert not list(home.iterdir())


def test_the_hook_would_tell(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the other tests rely on: had the project's code run, they would have seen it."""
    monkeypatch.chdir(hostile.folder)
    command = hostile.command()
    command[2] = command[2].replace(
        "from gradguard.cli.main import main", "import runpy; runpy.run_path('evil.py')\nmain = int"
    )
    subprocess.run(command, capture_output=True, timeout=60)
    told = "\n".join(hostile.harmed())
    assert {"evil.py", "definition", "system"} <= {path.name for path in hostile.marks.iterdir()}
    assert "exec" in told
    assert "os.system" in told
    assert "os.remove" in told
    assert not (hostile.folder / "victim.txt").exists()

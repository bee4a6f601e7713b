"""Programs of several files, without tensors: what they import is what CPython imports, and runs when it does."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch
from gradguard.analyses.domain import budget
from gradguard.analyses.domain.values import Unknown
from gradguard.analyses.program import session as programs
from gradguard.analyses.python import library, sequences
from gradguard.workspace.project import Project

from .replaying import Alone, replayed_file
from .test_python import SAME, held_against

if TYPE_CHECKING:
    from pathlib import Path

    from gradguard.analyses.domain.values import Value
    from gradguard.analyses.python.machine import Machine

TELL = """
import ast, runpy
def is_plain(v):
    try:
        return ast.literal_eval(repr(v)) == v
    except (ValueError, SyntaxError):
        return False
names = runpy.run_path("main.py", run_name="__main__")
print({k: v for k, v in names.items() if not k.startswith("__") and is_plain(v)})
"""

PROGRAMS = {
    "a package runs before its modules": {
        "main.py": "from pkg.sub.leaf import order\nfrom pkg import order as again\nname = again is order\n",
        "pkg/__init__.py": "order = ['pkg']\n",
        "pkg/sub/__init__.py": "from .. import order\norder.append('sub')\n",
        "pkg/sub/leaf.py": "from pkg import order\norder.append('leaf')\nNAME = __name__\n",
    },
    "registering by import": {
        "main.py": "from zoo.registry import MODELS\nnames = sorted(MODELS)\nmade = MODELS['small']()\n",
        "zoo/__init__.py": "from . import big, small\n",
        "zoo/registry.py": "MODELS = {}\ndef register(f):\n    MODELS[f.__name__] = f\n    return f\n",
        "zoo/small.py": "from .registry import register\n@register\ndef small():\n    return 'a small one'\n",
        "zoo/big.py": "from zoo.registry import register\n@register\ndef big():\n    return 'a big one'\n",
    },
    "registering in the module that something is defined in": {
        "main.py": "from zoo import small\nfrom zoo.registry import register\n@register\nclass Own:\n    pass\n"
        "names = __all__, small.__all__, small.kinds\nwhere = Own.__module__, Own().__module__, register.__module__\n",
        "zoo/__init__.py": "",
        "zoo/registry.py": "import sys\ndef register(one):\n    module = sys.modules[one.__module__]\n"
        "    kinds = module.kinds if hasattr(module, 'kinds') else one.__module__.split('.')[:-1]\n"
        "    module.kinds = [*kinds, one.__name__]\n    if not hasattr(module, '__all__'):\n"
        "        module.__all__ = []\n    module.__all__.append(one.__name__)\n    return one\n",
        "zoo/small.py": "from .registry import register\n@register\ndef small():\n    return 1\n"
        "@register\nclass Smaller:\n    pass\n",
    },
    "reexports": {
        "main.py": "import api\nfrom api import *\nfrom api import deep as d\nx = api.f(1), f(2), d.g(3)\n"
        "y = 'hidden' in dir()\n",
        "api/__init__.py": "from .impl import *\nfrom .impl import hidden\nfrom . import deep\n",
        "api/impl.py": "def f(v):\n    return v + 10\ndef hidden():\n    return 0\n_private = 1\n",
        "api/deep.py": "from .impl import f\ndef g(v):\n    return f(v) * 2\n",
    },
    "what __all__ lists": {
        "main.py": "from api import *\nmine = 5\n"
        "left = [n for n in ('a', 'b', '_c', 'more') if n in globals()]\nv = _c + a\nw = more.W\n",
        "api/__init__.py": "__all__ = ['a', '_c']\n__all__ += ['more']\na, b, _c = 1, 2, 3\n",
        "api/more.py": "W = 'a module that nobody has imported'\n",
    },
    "lists of other modules": {
        "main.py": "from api import *\nfrom api import __all__ as listed\nx = one(), two()\n",
        "api/__init__.py": "from . import a, b\nfrom .a import *\nfrom .b import *\n__all__ = a.__all__ + b.__all__\n",
        "api/a.py": "__all__ = ['one']\ndef one(): return 1\ndef other(): return 0\n",
        "api/b.py": "__all__ = ('two',)\n__all__ = list(__all__)\ndef two(): return 2\n",
    },
    "names made when they are asked for": {
        "main.py": "import lazy\nfrom lazy import size\nx = lazy.width, size\ny = getattr(lazy, 'nothing', 'none')\n",
        "lazy.py": "def __getattr__(name):\n    if name in ('width', 'size'):\n        return len(name)\n"
        "    raise AttributeError(name)\n",
    },
    "submodules of a package as attributes": {
        "main.py": "import a.b.c\nimport a.b as short\nx = a.b.c.V, short.c.V, a.U\n",
        "a/__init__.py": "U = 1\n",
        "a/b/__init__.py": "",
        "a/b/c.py": "V = 'v'\n",
    },
    "namespace packages": {
        "main.py": "import space.one\nfrom space import two\n"
        "from space.deep import three\nx = space.one.A, two.B, three.C\n",
        "space/one.py": "A = 'a'\n",
        "space/two.py": "from space.one import A\nB = A * 2\n",
        "space/deep/three.py": "from ..two import B\nfrom . import four\nC = B + four.D\n",
        "space/deep/four.py": "D = 'd'\n",
    },
    "a cycle": {
        "main.py": "import left\nx = left.f(3), left.right.SEEN\n",
        "left.py": "import right\nFIRST = 1\ndef f(n):\n    return n if n == 0 else right.g(n - 1)\n",
        "right.py": "import left\nSEEN = hasattr(left, 'FIRST')\ndef g(n):\n    return left.f(n)\n",
    },
    "a cycle of packages": {
        "main.py": "from p.a import A\nx = A().b().name\n",
        "p/__init__.py": "from . import a, b\n",
        "p/a.py": "class A:\n    name = 'a'\n    def b(self):\n        from .b import B\n        return B()\n",
        "p/b.py": "from .a import A\nclass B(A):\n    name = A.name + 'b'\n",
    },
    "the main program's folder comes first": {
        "main.py": "from tools.lib import V\nimport conf\nx = conf.W\n",
        "conf.py": "W = 'outer'\n",
        "tools/lib.py": "import conf\nV = conf.W\n",
        "tools/conf.py": "W = 'inner'\n",
    },
    "imports by a text": {
        "main.py": "import importlib\nfrom importlib import import_module\nm = importlib.import_module('plug.one')\n"
        "x = m.V, [import_module(f'plug.{n}').V for n in ('one', 'two')]\n",
        "plug/__init__.py": "from importlib import import_module\nW = import_module('.two', __name__).V\n",
        "plug/one.py": "V = 1\n",
        "plug/two.py": "V = 2\n",
    },
    "state is shared": {
        "main.py": "import state\nfrom worker import work\nfrom state import log\nwork()\nstate.count += 1\n"
        "x = state.count, log\n",
        "state.py": "count = 0\nlog = []\n",
        "worker.py": "import state\ndef work():\n    state.count += 10\n    state.log.append(state.count)\n",
    },
    "imports inside functions and conditions": {
        "main.py": "from late import choose\nx = choose('a'), choose('b')\n",
        "late.py": "def choose(name):\n    if name == 'a':\n        from impl.a import f\n"
        "    else:\n        from impl.b import f\n    return f()\n",
        "impl/a.py": "def f(): return 'from a'\n",
        "impl/b.py": "def f(): return 'from b'\n",
    },
    "a choice of implementations": {
        "main.py": "from fallback import VALUE\n",
        "fallback.py": "try:\n    from impl.fast import VALUE\nexcept ImportError:\n    VALUE = 'slow'\n",
        "impl/fast.py": "VALUE = 'fast'\n",
    },
}


OPTIONAL = """
try:
    import nowhere_to_be_found
    FAST = True
except ImportError:
    FAST = False
try:
    from .neither_here import f
except (ImportError, AttributeError):
    f = None
x = 1 if FAST else 2
y = (1 if FAST else 2) == x
"""


def test_a_library_that_may_be_missing_is_followed_both_ways(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(OPTIONAL)
    machine, names = names_of(tmp_path)
    values = {name: {repr(v) for _, v in machine.state.alternatives(names[name])} for name in ("FAST", "x", "y")}
    assert values == {"FAST": {"True", "False"}, "x": {"1", "2"}, "y": {"True"}}
    assert None in [v for _, v in machine.state.alternatives(names["f"])]


def names_of(root: Path) -> tuple[Machine, dict[str, Value]]:
    project = Project(root)
    result = replayed_file(project.source(str(root / "main.py")), project)
    return result.machine, result.names


@pytest.mark.parametrize("program", PROGRAMS)
def test_names_are_what_cpython_imports(tmp_path: Path, program: str) -> None:
    for name, text in PROGRAMS[program].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done = subprocess.run([sys.executable, "-c", TELL], cwd=tmp_path, capture_output=True, text=True, check=True)
    real = ast.literal_eval(done.stdout)
    machine, names = names_of(tmp_path)
    found = {k: held_against(machine, names.get(k, Unknown("never bound")), v) for k, v in real.items()}
    assert found and {k: v for k, v in found.items() if v != SAME} == {}


def test_a_file_that_imports_more_than_there_are_steps_for_is_replayed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "LIMITS", replace(budget.LIMITS, entry_steps=1_000))
    (tmp_path / "large.py").write_text("".join(f"v{number} = len([{number}])\n" for number in range(2_000)))
    (tmp_path / "main.py").write_text("from large import v3\nmine = v3 + 1\n")
    _, names = names_of(tmp_path)
    assert names["mine"] == 2


def runs_of_what_is_imported(session: programs.Session, project: Project, root: Path) -> int:
    """How often `used.py` has run in a replay of the project as it is now."""
    session.replay([project.source(str(root / name)) for name in ("main.py", "used.py")])
    kept = session.m.files.loaded[str(root / "kept.py")]
    assert kept is not None
    return len(sequences.sequence(session.m, kept.frame.variables["seen"]).known())


def test_a_file_that_was_imported_runs_once_more_only_if_it_asks_how_it_is_run(tmp_path: Path) -> None:
    used = "import kept\nkept.seen.append(1)\ndef f():\n    return {}\n"
    (tmp_path / "kept.py").write_text("seen = []\n")
    (tmp_path / "used.py").write_text(used.format(1))
    (tmp_path / "main.py").write_text("import used\n")
    project = Project(tmp_path)
    session = programs.Session(project)
    assert runs_of_what_is_imported(session, project, tmp_path) == 1
    (tmp_path / "used.py").write_text(used.format("__name__"))
    assert runs_of_what_is_imported(session, project, tmp_path) == 2


PACKAGE = {
    "pkg/__init__.py": "from .zoo import *\nfrom .zoo.other import again\n",
    "pkg/base.py": "step = 1\n",
    "pkg/zoo/__init__.py": "from .net import *\nscale = 3\nfrom . import other\n",
    "pkg/zoo/other.py": "from .net import build as again, unbound\n",
    "pkg/zoo/net.py": "from ..base import step\nscale = 1\ndef build():\n    return step + 1\n",
    "train.py": "from pkg import again, build, scale\nmade = build(), again(), scale\n",
}


def test_a_file_that_its_own_package_imports_is_whole_for_the_programs_that_use_the_package(tmp_path: Path) -> None:
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    project = Project(tmp_path)
    session = programs.Session(project)
    roots = ["pkg/zoo/net.py", "train.py"]
    session.replay([project.source(str(tmp_path / name)) for name in roots])
    assert session.m.files.frames[str(tmp_path / "train.py")].variables["made"] == (2, 2, 3)


def test_what_pytorch_takes_from_its_part_in_c_has_the_name_that_it_documents() -> None:
    m = programs.Session(Alone()).m
    same = [name for name in dir(torch._VF.vf) if getattr(torch, name, None) is getattr(torch._VF.vf, name)]
    found = {library.canonical(m, f"torch._VF.{name}") for name in same}
    assert {"torch.lstm", "torch.rnn_tanh", "torch.dropout"} <= found
    assert found <= {f"torch{part}.{name}" for name in same for part in ("", "._VF")}

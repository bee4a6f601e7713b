"""Imports: modules of the program are replayed once; everything else is a library's name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...syntax import ir
from ..domain import registry
from ..domain.modules import MODELS
from ..domain.paths import Exhausted, Raised
from ..domain.steps import ANY
from ..domain.values import ABSENT, Args, Frame, ListV, ModuleV, Unknown, Value
from . import functions, library, sequences, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...syntax.chunks import Source
    from .machine import Machine

MISSING = "import"
"""what the keys of names begin with that an imported module does not have"""

LIBRARIES = frozenset(
    {"torch", "numpy", "math", "typing", "typing_extensions", "collections", "functools", "itertools", "copy"}
)
"""Modules that are never looked for among the program's own files."""


def load(m: Machine, name: str, level: int, importer: str) -> ModuleV | None:
    """The module of the program that an import names, replayed when it is first imported; None for a library's.

    The packages that it is in are imported before it.
    """
    if of_library(whole := absolute(m, name, level, importer)):
        return modelled(m, whole)
    if level and not importer.startswith(MODELS):
        load_one(m, "", level, importer)
    parts = name.split(".")
    packages = [".".join(parts[:i]) for i in range(1, len(parts))]
    spaces = [package for package in packages if load_one(m, package, level, importer) is None]
    found = load_one(m, name, level, importer)
    if found is not None and not level:
        for space in spaces:
            m.files.spaces.setdefault(space, ModuleV(space, importer, Frame(None, None, space)))
    return found


def load_one(m: Machine, name: str, level: int, importer: str) -> ModuleV | None:
    """As `load`, without the packages. The folder of the main program comes first, as on Python's path.

    The project's own sources come before models of libraries, and these before installed sources.
    """
    if importer.startswith(MODELS):
        return modelled(m, absolute(m, name, level, importer))
    source = None if level or not m.files.main else m.find(name, 0, m.files.main)
    source = source or m.find(name, level, importer)
    if source is None or is_installed(source.path):
        told = modelled(m, name) if not level else None
        if told is not None or source is None:
            return told
    known = m.files.module(source.path)
    if known is ABSENT:
        return run_module(m, source, absolute(m, name, level, importer))
    return known if isinstance(known, ModuleV) else None


def absolute(m: Machine, name: str, level: int, importer: str) -> str:
    """The whole name of a module that is imported by a relative one, as far as the importing module's is known."""
    if not level:
        return name
    own = m.files.loaded.get(importer)
    if own is None or own.name == "__main__":
        package = m.files.package(importer)
    else:
        package = own.name if own.is_package else own.name.rpartition(".")[0]
    parts = package.split(".") if package else []
    return ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])


def of_library(name: str) -> bool:
    """Whether a full name belongs to a library even if that library's own files import it."""
    return name.partition(".")[0] in LIBRARIES


def modelled(m: Machine, name: str) -> ModuleV | None:
    """The model of a library's module, if there is one; replayed when the program first names it."""
    source = m.files.model_of(name)
    if source is None:
        return None
    known = m.files.module(source.path)
    return known if isinstance(known, ModuleV) else run_module(m, source, name)


def is_installed(path: str) -> bool:
    """Whether a file is a library's, installed in a folder of the project."""
    return "site-packages" in path or "dist-packages" in path


def run_module(m: Machine, source: Source, name: str) -> ModuleV:
    """Replay a module's code. A cyclic import sees what is bound so far.

    What a file's own code imports has its own budget and takes nothing from the file's. If that isn't enough, the
    modules stay as they are by then, and the file goes on.
    """
    frame = m.files.frame(name)
    module = ModuleV(name, source.path, frame)
    m.files.loaded[source.path] = module
    frame.variables["__name__"] = name
    frame.variables["__package__"] = name if module.is_package else name.rpartition(".")[0]
    frame.variables["__file__"] = source.path
    here = m.here
    before = (m.frame, here.chunk, here.node, here.stack, here.written, here.via, here.called)
    here.called = here.site
    m.frame, here.stack, here.written, here.via = frame, (), None, ""
    m.files.importing += 1
    given_up = m.work.given_up
    try:
        apart = m.files.importing == 1 and not m.work.entering
        with m.state.unwinding(), m.work.importing_apart() if apart else m.work.trying():
            statements.run_block(m, list(source.body))
        module.whole = m.work.given_up == given_up
    except Raised as error:
        m.stop("raises", error.name)
        m.lost(error)
    except Exhausted:
        m.work.given_up += 1
        m.stop("work")
        if m.files.importing > 1 or m.work.entering:
            raise
    finally:
        m.files.importing -= 1
        m.frame, here.chunk, here.node, here.stack, here.written, here.via, here.called = before
    return module


def importer(m: Machine) -> str:
    """The file that the running code belongs to."""
    assert m.here.chunk is not None
    return m.here.chunk.path


def import_(m: Machine, s: ir.Import) -> Value:
    """`import a.b as c`."""
    for alias in s.names:
        if alias.asname is not None:
            m.state.set(m.frame.variables, alias.asname, module(m, alias.name))
            continue
        module(m, alias.name)
        top = alias.name.partition(".")[0]
        m.state.set(m.frame.variables, top, module(m, top))
    return None


def module(m: Machine, name: str) -> Value:
    """A module by its absolute name: one of the program, or else of a library."""
    own = load(m, name, 0, importer(m)) or m.files.spaces.get(name)
    return own if own is not None else library.resolve(m, name)


def running(m: Machine, name: str) -> Value:
    """`sys.modules[name]`: the module of the program that runs under that name, or else the result of importing it."""
    m.files.seen.add((m.files.loaded_names, ANY))
    found = (one for one in m.files.loaded.values() if isinstance(one, ModuleV) and one.name == name)
    main = m.files.loaded.get(m.files.main) if name == "__main__" else None
    return main or next(found, None) or module(m, name)


def import_from(m: Machine, s: ir.ImportFrom) -> Value:
    """`from a import b`: a name of the module, or a submodule."""
    path = importer(m)
    own = load(m, s.module or "", s.level, path) if (s.module or s.level) else None
    for name, v in bound_names(m, s, own):
        m.state.set(m.frame.variables, name, v)
    if own is not None and (is_main(m, own) or any(frame is own.frame for frame, _ in m.files.awaiting)):
        m.state.set(m.files.awaiting, (m.frame, s), own)
    return None


def bound_names(m: Machine, s: ir.ImportFrom, own: ModuleV | None) -> Iterator[tuple[str, Value]]:
    """What `from module import …` binds."""
    for alias in s.names:
        if alias.name == "*":
            yield from star(m, s, own)
        else:
            yield alias.asname or alias.name, member(m, s, own, alias.name, importer(m))


def is_main(m: Machine, own: ModuleV) -> bool:
    """Whether a module is the file that is being run as the main program."""
    return own.path == m.files.main and own.name == "__main__"


def bind_awaited(m: Machine) -> None:
    """Bind what modules have imported from a main program that had only begun: it has run by now.

    A package that imports the file which is run, `python -m package.file`, gets all of it: Python runs it once more.
    """
    for (frame, s), own in list(m.files.awaiting.items()):
        m.frame, m.here.chunk, m.here.node = frame, s.chunk, s
        for name, v in bound_names(m, s, own):
            if is_missing(frame.variables.get(name, ABSENT)):
                m.state.set(frame.variables, name, v)
        m.state.delete(m.files.awaiting, (frame, s))


def is_missing(v: Value) -> bool:
    """Whether a name is bound to nothing, or stands for something that its module did not have."""
    return v is ABSENT or (isinstance(v, Unknown) and isinstance(v.key, tuple) and v.key[0] == MISSING)


def optional(m: Machine, s: ir.Try) -> str | None:
    """The library that a `try` begins by importing, if it may be missing and a handler expects that.

    The standard library and libraries with models are assumed to be installed.
    """
    first = s.body[0]
    if isinstance(first, ir.Import):
        name, level = first.names[0].name, 0
    elif isinstance(first, ir.ImportFrom):
        name, level = first.module or "", first.level
    else:
        return None
    top = name.partition(".")[0]
    if not level and (top in LIBRARIES or top in sys.stdlib_module_names or top in registry.libraries(m.facts)):
        return None
    if m.find(name, level, importer(m)) is not None or m.files.model_of(name) is not None or (level and not name):
        return None
    expected = any(functions.catches(m, h, Raised(None, "ModuleNotFoundError")) for h in s.handlers)
    return "." * level + name if expected else None


def member(m: Machine, s: ir.ImportFrom, own: ModuleV | None, name: str, path: str) -> Value:
    """The value that `from module import name` binds."""
    if own is not None:
        found = named(m, own, name)
        if found is not ABSENT:
            return found
    dotted = f"{s.module}.{name}" if s.module else name
    sub = load(m, dotted, s.level, path) or m.files.spaces.get(dotted)
    if sub is not None:
        return sub
    if s.level and of_library(whole := absolute(m, dotted, s.level, path)):
        return library.resolve(m, whole)
    if own is not None and own.path.startswith(MODELS):
        return below(m, own, name)
    if own is not None or s.level:
        return Unknown(name, (MISSING, path, s.level, dotted))
    return exported(m, dotted)


def exported(m: Machine, dotted: str) -> Value:
    """A library's name by its dotted path: from the model of its package if its module has none, else just the name."""
    found = of_model(m, dotted)
    return library.resolve(m, dotted) if found is ABSENT else found


def of_model(m: Machine, dotted: str) -> Value:
    """A library's module that has a model, or a name in the innermost package that has one; ABSENT without a model."""
    own = modelled(m, dotted)
    if own is not None:
        return own
    *parts, name = dotted.split(".")
    packages = (modelled(m, ".".join(parts[:i])) for i in range(len(parts), 0, -1))
    package = next((one for one in packages if one is not None), None)
    return ABSENT if package is None else named(m, package, name)


def below(m: Machine, own: ModuleV, name: str) -> Value:
    """A name that a module doesn't bind: a submodule, or something that a library's model leaves out."""
    dotted = f"{own.name}.{name}"
    sub = load(m, dotted, 0, own.path) or m.files.spaces.get(dotted)
    if sub is not None:
        return sub
    if own.path.startswith(MODELS):
        return library.resolve(m, dotted)
    return Unknown(dotted, ("attr", own.uid, name))


def named(m: Machine, own: ModuleV, name: str) -> Value:
    """A name of a module: bound there, or the result of its `__getattr__`; ABSENT if there is neither."""
    found = own.frame.variables.get(name, ABSENT)
    make = own.frame.variables.get("__getattr__") if found is ABSENT and not name.startswith("__") else None
    if make is None:
        return found
    try:
        with m.state.unwinding():
            return m.call(make, Args([name]))
    except Raised as error:
        if error.name != "AttributeError":
            raise
        return ABSENT


def star(m: Machine, s: ir.ImportFrom, own: ModuleV | None) -> Iterator[tuple[str, Value]]:
    """`from module import *`: the names that a module of the program lists, or has; of a library, the known ones.

    Of PyTorch's modules that have models, others are native.
    """
    if own is not None:
        listed = m.state.resolve(own.frame.variables.get("__all__"))
        names = (
            sequences.sequence(m, listed).known() if isinstance(listed, (ListV, tuple)) else list(own.frame.variables)
        )
        for name in names:
            if isinstance(name, str) and (listed is not None or not name.startswith("_")):
                yield name, member(m, s, own, name, importer(m))
    if s.module and (own is None or own.path.startswith(MODELS)) and of_library(s.module):
        prefix = f"{s.module}."
        for name in registry.names(m.facts):
            short = name[len(prefix) :]
            if name.startswith(prefix) and "." not in short and not short.startswith("_"):
                yield short, library.resolve(m, name)

"""How long a keystroke takes: from didChange to the diagnostics, beside other servers, on the same machine.

    python -m bench.latency [--write docs/latency.md] [--keystrokes N] [--server NAME …] [--place NAME …] [FILE…]

Opens each file (PyTorch's `nn/modules/conv.py` and `nn/functional.py` if none is named) in each server over
standard input and output, goes to the middle of its longest function around the middle line, and types
statements there, letter by letter, as an editor sends them: a new line comes with its indentation. After each
letter it waits for the diagnostics of that version of the text. In the places of `places.py` it types so, too, and
then once more at a person's speed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ecosystem import packages

from . import report
from .client import PATIENCE, Client
from .places import PLACES, middle, using
from .report import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .client import Document
    from .places import Place

FILES = ("nn/modules/conv.py", "nn/functional.py")
FOLDERS = ("nn", "nn/modules", "nn/utils", "optim", "distributions")
MANY = 50
BIN = Path(sys.executable).parent
SERVERS = {
    "gradguard": [str(BIN / "gradguard"), "server"],
    "ruff": [str(BIN / "ruff"), "server"],
    "basedpyright": [str(BIN / "basedpyright-langserver"), "--stdio"],
}
PACE = 0.15
"""seconds between two letters of somebody who types fast"""
REST = 0.02
"""seconds between the diagnostics of a letter and the next letter, at full speed"""
LONGEST = 60.0
"""seconds after which nothing more is typed at full speed"""


@dataclass(frozen=True)
class Work:
    """A file to open, the line before which one types in it, and the files that are open before."""

    root: Path
    path: Path
    texts: tuple[str, ...]
    """of the file, or of the cells of a notebook"""
    line: int
    indent: str
    typed: tuple[str, ...]
    beside: tuple[Path, ...] = ()

    @property
    def typed_into(self) -> int:
        """Which of the texts is typed into."""
        return len(self.texts) // 2

    @property
    def is_notebook(self) -> bool:
        """Whether the texts are those of cells."""
        return self.path.suffix == ".ipynb"


def in_file(path: Path) -> Work:
    """Typing into the middle of a file."""
    text = path.read_text("utf-8")
    return Work(path.parent, path, (text,), *middle(text), using("input"))


def at_place(place: Place, root: Path) -> Work:
    """Typing at a place of a program that is in a folder."""
    path = root / place.file
    content = path.read_text("utf-8")
    texts = tuple(cell["source"] for cell in json.loads(content)["cells"]) if path.suffix == ".ipynb" else (content,)
    line, indent = place.spot(texts[len(texts) // 2])
    beside = tuple(sorted({*path.parent.glob("*.py")} - {path})) if place.crowded else ()
    return Work(root, path, texts, line, indent, place.typed, beside)


def changes(work: Work, most: int) -> Iterator[tuple[int, int, str]]:
    """What is typed, a keystroke each: line, column and text. The first makes the line that the others are typed on."""
    line, column = work.line, len(work.indent)
    yield line, 0, work.indent + "\n"
    keys: Iterator[str] = itertools.chain.from_iterable(
        [*statement.lstrip(), "\n" + work.indent + ("    " if statement.endswith(":") else "")]
        for statement in itertools.cycle(work.typed)
    )
    for key in itertools.islice(keys, most):
        yield line, column, key
        line, column = (line + 1, len(key) - 1) if "\n" in key else (line, column + 1)


def measure(command: list[str], work: Work, most: int, pace: float | None = None) -> Result | None:
    """Open a file and type into it, at a pace or at full speed; None where a server does not know such files.

    A key without an answer counts as one that took as long as was waited for it.
    """
    client = Client(command, work.root)
    client.initialize()
    if work.is_notebook and not client.knows_notebooks:
        client.stop()
        return None
    for path in work.beside:
        client.open(path, path.read_text("utf-8"))
    result = Result()
    began = time.perf_counter()
    if work.is_notebook:
        document = client.open_notebook(work.path, work.texts)[work.typed_into]
    else:
        document = client.open(work.path, work.texts[0])
    result.opened = (client.diagnosed(document, began) - began) * 1000
    sent = _typed(client, document, changes(work, most), pace)
    came = {version: client.came(document, version, since) for version, since in sent.items()}
    result.keys = [((came[version] or since + PATIENCE) - since) * 1000 for version, since in sent.items()]
    result.memory = client.memory()
    client.stop()
    return result


def _typed(
    client: Client, document: Document, changes: Iterable[tuple[int, int, str]], pace: float | None
) -> dict[int, float]:
    """Type, and wait for the last diagnostics; when each version was sent."""
    sent: dict[int, float] = {}
    due = time.perf_counter()
    end = due + LONGEST
    for change in changes:
        time.sleep(REST if pace is None else max(due - time.perf_counter(), 0))
        since = client.insert(document, *change)
        sent[document.version] = since
        if pace is None:
            _wait(client, document, since)
            if time.perf_counter() > end:
                break
        else:
            due = since + pace
    _wait(client, document, since)
    return sent


def _wait(client: Client, document: Document, since: float) -> None:
    """Wait for diagnostics, but not for ever."""
    try:
        client.diagnosed(document, since)
    except TimeoutError as problem:
        print(problem, file=sys.stderr)


def reopen(command: list[str], path: Path) -> float:
    """Open a file in our server, and then in another one that finds what the first has kept of it.

    How many milliseconds it took the second; raises TimeoutError where nothing is kept.
    """
    with tempfile.TemporaryDirectory() as folder:
        for known in False, True:
            client = Client(command, path.parent, Path(folder))
            client.initialize()
            began = time.perf_counter()
            took = (client.diagnosed(client.open(path, path.read_text("utf-8")), began) - began) * 1000
            end = time.perf_counter() + PATIENCE
            while not (known or list(Path(folder).glob("*.json"))):
                if time.perf_counter() > end:
                    raise TimeoutError("nothing was kept")
                time.sleep(0.1)
            client.stop()
    return took


def crowd(command: list[str], root: Path) -> tuple[float, float]:
    """Open many files, the longest of some folders; the seconds until all have diagnostics, and the memory in MiB."""
    found = sorted(
        (path for folder in FOLDERS for path in (root / folder).glob("*.py")), key=lambda p: p.stat().st_size
    )
    client = Client(command, root)
    client.initialize()
    began = time.perf_counter()
    documents = [client.open(path, path.read_text("utf-8")) for path in found[-MANY:]]
    took, memory = max(client.diagnosed(document, began) for document in documents) - began, client.memory()
    client.stop()
    return took, memory


def measure_files(files: dict[str, Path], servers: list[str], most: int) -> dict[tuple[str, str], Result]:
    """Type into files, in one server after the other."""
    results = {}
    for name, file in files.items():
        for server in servers:
            result = measure(SERVERS[server], in_file(file), most)
            assert result is not None
            results[name, server] = result
            if server == "gradguard":
                result.again = reopen(SERVERS[server], file)
            print(name, server, f"median {result.median:.1f} ms", flush=True, file=sys.stderr)
    return results


def measure_places(
    names: list[str], fetched: Path, servers: list[str], most: int
) -> dict[tuple[str, str], tuple[Result, Result]]:
    """Type in places, at both speeds, in one server after the other."""
    results = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            root = PLACES[name].program(fetched.resolve(), Path(folder).resolve())
            work = at_place(PLACES[name], root)
            for server in servers:
                fast, slow = map(partial(measure, SERVERS[server], work, most), (None, PACE))
                if fast is None or slow is None:
                    print(name, server, "cannot", flush=True, file=sys.stderr)
                    continue
                results[PLACES[name].title, server] = fast, slow
                print(report.row(name, server, fast, slow), flush=True, file=sys.stderr)
    return results


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--write", type=Path, help="the page to write, with a plot beside it; of a whole run")
    parser.add_argument("--keystrokes", type=int, default=150)
    parser.add_argument("--server", action="append", choices=SERVERS)
    parser.add_argument("--place", action="append", choices=PLACES, help="these places only, and no files")
    parser.add_argument("--into", type=Path, default=packages.HERE / ".packages", help="where PyPI's packages are")
    options = parser.parse_args()
    if options.write and (options.files or options.place):
        parser.error("only a whole run is written")
    servers, most = options.server or list(SERVERS), options.keystrokes
    results, crowds, places = {}, {}, {}
    if options.files or not options.place:
        spec = find_spec("torch")
        torch = Path(spec.origin).parent if spec and spec.origin else Path()
        files = {str(file): file.resolve() for file in options.files}
        results = measure_files(files or {f"torch/{name}": torch / name for name in FILES}, servers, most)
        crowds = {server: crowd(SERVERS[server], torch) for server in servers}
        print(report.table(results), report.crowds(crowds), sep="\n\n", end="\n\n")
    if options.place or not options.files:
        places = measure_places(options.place or list(PLACES), options.into, servers, most)
        print(report.places(places))
    if options.write:
        page = report.PAGE.format(
            machine=report.machine(),
            table=report.table(results),
            many=MANY,
            folders=", ".join(f"`torch/{folder}`" for folder in FOLDERS),
            crowds=report.crowds(crowds),
            places=report.places(places),
            longest=LONGEST,
            **asdict(report.TARGET),
        )
        options.write.write_text(page, "utf-8")
        options.write.with_suffix(".svg").write_text(report.plot(results), "utf-8")


if __name__ == "__main__":
    main()

"""What PyTorch says of edits: trains a model for two steps, each edit in a process of its own.

Run by the Python that has the packages; imports nothing of this project. Reads a job as JSON from standard input: the
`script`, the `file` (as it is imported) and either nothing, for which it tells what runs there, or the `edits`, each
with its text, the lines that were replaced and those that replace them. Writes a line of JSON for each answer.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import threading
import warnings
from collections import defaultdict
from importlib.util import find_spec
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 60
"""seconds that two steps may take"""

AUTOGRAD = (
    "modified by an inplace operation",
    "a leaf Variable that requires grad",
    "a view of a leaf Variable",
    "is a view and is being modified inplace",
    "being modified inplace",
    "backward through the graph a second time",
    "does not require grad and does not have a grad_fn",
    "nference tensor",
)
"""parts of what autograd says when it raises"""


def main() -> None:
    """Answer one job."""
    warnings.simplefilter("ignore")
    job = json.load(sys.stdin)
    torch.set_num_threads(1)
    _stand_in()
    path = find_spec(job["file"][:-3].replace("/", ".")).origin
    script = compile(job["script"], "<script>", "exec")
    loaded = _run(script)
    if loaded != "works":
        print(json.dumps({"problem": loaded}))
        return
    if "edits" not in job:
        print(json.dumps(_running(script, path)))
        return
    with open(path, encoding="utf-8") as file:
        before = dict(_codes(compile(file.read(), path, "exec", dont_inherit=True)))
    for edit in job["edits"]:
        print(json.dumps(_forked(script, path, before, edit)), flush=True)


def _stand_in() -> None:
    """Leave out what torchvision says of its operators in C++, which come with another PyTorch than the one at hand."""
    name = "torchvision._meta_registrations"
    sys.modules[name] = ModuleType(name)


def _run(script: CodeType) -> str:
    """How a script ends: it works, autograd refuses, or anything else."""
    random.seed(0)
    torch.manual_seed(0)
    try:
        exec(script, {"__name__": "__main__"})
    except Exception as error:
        said = str(error)
        if isinstance(error, RuntimeError) and any(part in said for part in AUTOGRAD):
            return "fails: " + said.split("\n")[0]
        return f"other: {type(error).__name__}: {said[:200]}"
    return "works"


def _running(script: CodeType, path: str) -> dict[str, Any]:
    """The lines of a file that the script runs, and the variables of its functions that are tensors of floats."""
    lines: set[int] = set()
    tensors: defaultdict[int, set[str]] = defaultdict(set)

    def on_line(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            lines.add(frame.f_lineno)
        found = tensors[frame.f_code.co_firstlineno]
        for name, value in frame.f_locals.items():
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                found.add(name)
        return on_line

    def on_call(frame: FrameType, event: str, _: object) -> Any:
        return on_line if frame.f_code.co_filename == path else None

    sys.settrace(on_call)
    _run(script)
    sys.settrace(None)
    return {"lines": sorted(lines), "tensors": {first: sorted(names) for first, names in tensors.items()}}


def _codes(code: CodeType, counts: dict[str, int] | None = None) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """The code of each function and class in a file, by its name and number of that name."""
    counts = defaultdict(int) if counts is None else counts
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            counts[inner.co_qualname] += 1
            yield (inner.co_qualname, counts[inner.co_qualname]), inner
            yield from _codes(inner, counts)


def _forked(script: CodeType, path: str, before: dict, edit: dict) -> dict[str, Any]:
    """What comes of an edit, in a child process."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        timer = threading.Timer(PATIENCE, os._exit, (3,))
        timer.daemon = True
        timer.start()
        try:
            said = _edited(script, path, before, edit)
        except BaseException as error:
            said = {"verdict": f"other: {type(error).__name__}: {error}"}
        with os.fdopen(writing, "w") as out:
            json.dump(said, out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"verdict": "other: took too long"}


def _edited(script: CodeType, path: str, before: dict, edit: dict) -> dict[str, Any]:
    """Give the functions of a file that an edit changes their new code, and run the script."""
    first, _ = edit["lines"]
    after = dict(_codes(compile(edit["text"], path, "exec", dont_inherit=True)))
    code, new = next(  # the outermost function around the edit
        (old, after[key])
        for key, old in before.items()
        if old.co_firstlineno <= first <= max(_lines(old)) and old.co_flags & 1
    )
    functions = [one for one in gc.get_objects() if isinstance(one, FunctionType) and one.__code__ == code]
    if not functions or new.co_freevars != code.co_freevars:
        return {"verdict": "other: no such function"}
    for function in functions:
        function.__code__ = new
    ran: set[int] = set()

    def on_line(frame: FrameType, event: str, _: object) -> Any:
        ran.add(frame.f_lineno)
        return on_line

    def on_call(frame: FrameType, event: str, _: object) -> Any:
        return on_line if frame.f_code is new or frame.f_code.co_filename == path else None

    sys.settrace(on_call)
    verdict = _run(script)
    sys.settrace(None)
    return {"verdict": verdict, "ran": any(first <= line < first + edit["count"] for line in ran)}


def _lines(code: CodeType) -> Iterator[int]:
    """The lines of a function, and of those inside it."""
    yield from (line for *_, line in code.co_lines() if line is not None)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _lines(inner)


if __name__ == "__main__":
    main()

"""What real PyTorch does with a program: the truth that a static verdict is held against.

`run_program` runs a program with anomaly mode on and tells whether PyTorch refused it or got its
gradients silently wrong, and which lines did what. `trace_versions` runs one file and tells the state
of its tensors after each line.

Each program runs in a process of its own, forked from a server that has imported torch already, so
that a run costs some milliseconds. Run as a script, this file is that server.
"""

from __future__ import annotations

import ast
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import traceback
import warnings
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

    import torch

SECONDS = 60
"""how long a program may run"""

DEPTH = 64
"""so many nodes in a row are looked for that one call has made"""

KINDS = {
    "stale-saved": r"modified by an inplace operation",
    "view-of-leaf-inplace": r"a view of a leaf Variable that requires grad is being used in an in-place operation",
    "leaf-inplace": r"a leaf Variable that requires grad is being used in an in-place operation",
    "multi-view-inplace": r"is a view and (is being|its base or another view of its base has been) modified inplace",
    "no-grad-view-inplace": r"view (which )?was created in (no_grad|inference) mode",
    "overlap-write": r"unsupported operation: (more than one element of the written-to tensor|some elements of the)",
    "freed-graph": r"Trying to backward through the graph a second time",
    "gradcheck": r"Jacobian mismatch|Backward is not reentrant",
    "requires-grad-dtype": r"[Oo]nly Tensors of floating point",
    "inference-tensor": r"[Ii]nference tensor",
    "deepcopy-nonleaf": r"Only Tensors created explicitly by the user .* support the deepcopy",
    "out-grad": r"functions with out=\.\.\. arguments don't support automatic differentiation",
}
"""The kinds of failure that PyTorch announces, by its message; the first that matches counts."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What PyTorch did with a program. Lines are told as `FILE:LINE`, in the order of the text.

    `saved` are the lines whose operation saved a tensor that backward found stale, `mutation` those
    that changed it since (for a failure that is raised at once: the line that raises), `raised` the
    innermost line of the program that raised, `stack` its lines on the stack, outermost first.
    """

    ok: bool
    kind: str | None = None
    message: str | None = None
    saved: tuple[str, ...] = ()
    mutation: tuple[str, ...] = ()
    raised: str | None = None
    stack: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """the lines that read `.grad` of a non-leaf, of which PyTorch warns"""
    silent: tuple[str, ...] = ()
    """the lines whose operation saved a tensor that a backward found changed behind its counter's back"""


@dataclass(frozen=True, slots=True)
class Row:
    """The state of a named tensor after the statement at `line`, when it last ran.

    Names with one `storage` share memory; the numbers count storages in the order of appearance.
    """

    line: int
    name: str
    version: int
    requires_grad: bool
    is_leaf: bool
    storage: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A tensor that a backward is about to read: the line and the node that saved it, the storage (numbered as in
    `Row`) and the version then; the line of the backward, the version that it finds, and whether the content is the
    same.
    """

    saved_line: int
    node: str
    storage: int
    saved_version: int
    line: int
    version: int
    same: bool


def run_program(path: Path) -> Verdict:
    """Run a program, a file or a folder with a `main.py`, and tell what PyTorch did with it.

    Raises RuntimeError if it crashes its interpreter or takes more than `SECONDS`.
    """
    entry = path / "main.py" if path.is_dir() else path
    reply = _server().ask("judge", entry)
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in reply.items()}
    return Verdict(**fields)


def trace_versions(path: Path) -> list[Row]:
    """The state of the tensors that each statement of a file names, in the order of lines and names.

    A program that fails is traced up to its failure. Raises RuntimeError as `run_program` does.
    """
    return [Row(**row) for row in _server().ask("trace", path)]


def trace_readings(path: Path) -> tuple[list[Row], list[Reading]]:
    """What `trace_versions` tells of a file, and what each backward in it reads of the tensors that the rows tell of,
    as far as PyTorch shows it. Raises RuntimeError as `run_program` does.
    """
    told = _server().ask("readings", path)
    return [Row(**row) for row in told["rows"]], [Reading(**reading) for reading in told["readings"]]


def printed_error(path: Path, anomaly: bool = True) -> str:
    """What Python prints when a program, a file or a folder with a `main.py`, fails: its traceback, and before it
    the trace of anomaly mode, if that is on. Empty if the program runs. Raises RuntimeError as `run_program` does.
    """
    entry = path / "main.py" if path.is_dir() else path
    text: str = _server().ask("print-anomaly" if anomaly else "print", entry)
    return text


# -- the side of the tests ------------------------------------------------------------------------


class _Server:
    """A process with torch imported that forks a child for each program."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, what: str, path: Path) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([what, str(path.resolve())]) + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline().strip()
        if not reply:
            raise RuntimeError(f"{path} crashed its interpreter or ran for more than {SECONDS} s")
        return json.loads(reply)


@cache
def _server() -> _Server:
    return _Server()


# -- the side of the server -----------------------------------------------------------------------


def serve() -> None:
    """Answer requests, one JSON line each, until standard input ends."""
    import torch
    import torch._dynamo  # imported by optimizers, which would cost each child a second
    import torch.utils.checkpoint

    torch.set_num_threads(1)
    sys.dont_write_bytecode = True
    replies = os.fdopen(os.dup(1), "w")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    answers: dict[str, Callable[[Path], object]] = {
        "judge": judge,
        "trace": trace,
        "readings": readings,
        "print": partial(print_error, anomaly=False),
        "print-anomaly": partial(print_error, anomaly=True),
    }
    for request in sys.stdin:
        what, path = json.loads(request)
        replies.write(_in_child(answers[what], Path(path)) + "\n")
        replies.flush()


def _in_child(answer: Callable[[Path], object], path: Path) -> str:
    """What a forked child answers, as JSON; empty if it died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(SECONDS)
            os.write(writer, json.dumps(answer(path)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        reply = pipe.read()
    os.waitpid(child, 0)
    return reply


def _execute(path: Path) -> None:
    """Run a file as `python path` would, from a fixed seed."""
    import torch

    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    sys.argv = [str(path)]
    with suppress(SystemExit), patch.object(sys, "path", [str(path.parent), *sys.path]):
        runpy.run_path(str(path), run_name="__main__")


# -- what is printed ------------------------------------------------------------------------------


def print_error(path: Path, anomaly: bool) -> str:
    """What `printed_error` returns."""
    import torch

    told: list[str] = []

    def hear(message: Warning | str, *_: object, **__: object) -> None:
        told.append(f"UserWarning: {message}\n")

    with warnings.catch_warnings(), torch.autograd.set_detect_anomaly(anomaly):
        warnings.simplefilter("always")
        warnings.showwarning = hear
        try:
            _execute(path)
        except Exception:
            return "".join(told) + traceback.format_exc()
    return ""


# -- the verdict ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Unpacked:
    """A tensor that a node saved, as it was when the node was made. `tensor` shares its version counter."""

    attribute: str
    tensor: torch.Tensor
    version: int
    content: torch.Tensor
    memory: torch.UntypedStorage
    """where it was then, kept alive: `set_` gives the tensor another"""
    own: bool = False
    """whether it is scratch memory of the node, which no call took or gave: its backward may write there"""

    @property
    def storage(self) -> int:
        return _address(self.memory)


@dataclass(slots=True)
class Made:
    """A node of the graph, the line that made it, what it saved, and how many bumps came before it."""

    node: Any
    line: str | None
    saved: list[Unpacked]
    bumps_before: int
    spoilt: bool = False
    """whether it saved something that its own call then changed"""


@dataclass(slots=True)
class Bump:
    """The storage whose counter moved (kept alive, so that no other gets its address), and the line that did it."""

    storage: torch.UntypedStorage
    line: str | None


@dataclass(slots=True)
class Recorder:
    """Sees every call of torch that a program makes: which nodes it makes, which counters it moves."""

    root: Path
    made: dict[int, Made] = field(default_factory=dict)
    bumps: list[Bump] = field(default_factory=list)
    moved: list[tuple[torch.UntypedStorage, torch.UntypedStorage]] = field(default_factory=list)
    """the memory that a tensor had, and what it was given instead, its counter the same (`.data = …`)"""
    roots: list[Any] = field(default_factory=list)
    """where the last backward began"""
    wanted: list[torch.Tensor] = field(default_factory=list)
    """the tensors whose gradients it was asked for, where it was asked for some"""
    silent: list[tuple[Made, Unpacked]] = field(default_factory=list)
    """tensors that a backward was about to use, changed without their counter moving"""
    changed: list[str] = field(default_factory=list)
    """the lines that have changed these"""
    unread: dict[int, list[tuple[Made, Unpacked]]] = field(default_factory=dict)
    """such tensors of custom functions, by node: their backward may not ask for them"""
    lost: set[str] = field(default_factory=set)
    """lines that read `.grad` of a non-leaf"""
    forward: str | None = None
    """the line that made the node which failed, where anomaly mode told it"""
    calls: list[tuple[str | None, int, set[int]]] = field(default_factory=list)
    """each call's line, the bumps before it and the storages that it touched"""

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make a call and note what it did to the graph and to version counters."""
        given = [tensor for tensor in _tensors((args, kwargs)) if _counts(tensor)]
        inputs = [(tensor, tensor._version, tensor.untyped_storage()) for tensor in given]
        statistics = [(tensor, _copy(tensor)) for tensor in given if _writes_unseen(function)]
        memories = [_address(memory) for *_, memory in inputs]
        twins = {id(tensor): _copy(tensor) for i, tensor in enumerate(given) if memories.count(memories[i]) > 1}
        bumps_before, calls_before = len(self.bumps), len(self.calls)
        result = function(*args, **kwargs)
        line = self.line()
        outputs = _tensors(result)
        touched = {_storage(tensor) for tensor in (*given, *outputs)}
        within = touched.union(*(there for *_, there in self.calls[calls_before:]))
        self.calls.append((line, bumps_before, touched))
        self.bumps += [Bump(memory, line) for tensor, version, memory in inputs if tensor._version != version]
        after = [(memory, tensor.untyped_storage()) for tensor, _, memory in inputs if _counts(tensor)]
        self.moved += [(old, new) for old, new in after if _address(old) != _address(new)]
        self.bumps += [Bump(tensor.untyped_storage(), line) for tensor, was in statistics if not tensor.equal(was)]
        unmoved = {id(tensor) for tensor, version, _ in inputs if tensor._version == version}
        before = {tensor: content for tensor, content in twins.items() if tensor in unmoved}
        for tensor in outputs:
            if _counts(tensor):
                self.note(_grad_fn(tensor), line, within, before, DEPTH)
        return result

    def note(self, node: Any, line: str | None, within: set[int], before: dict[int, torch.Tensor], depth: int) -> None:
        """Remember the nodes from `node` down that weren't there before: one call may make several.

        `within` are the storages that this call, and those that it made itself, took and gave. `before` has by `id` the
        content that operands had whose memory the call may have written behind their counters' backs.
        """
        if node is None or depth < 0 or id(node) in self.made:
            return
        unpacked = list(_unpack(node))
        saved = [
            replace(one, own=one.storage not in within, content=before.get(id(one.tensor), one.content))
            for one in unpacked
            if one is not None
        ]
        self.made[id(node)] = Made(node, line, saved, len(self.bumps), spoilt=len(saved) < len(unpacked))
        for earlier, _ in node.next_functions:
            self.note(earlier, line, within, before, depth - 1)

    def before_backward(self, outputs: Any, inputs: Any) -> None:
        """Look for saved tensors whose content is no longer what it was, while their version is."""
        self.roots = [_grad_fn(tensor) for tensor in _tensors(outputs)]
        self.wanted = _tensors(inputs)
        self.unread = {}
        for made in self.reached():
            if not any(earlier is not None for earlier, _ in made.node.next_functions):
                continue  # it computes nothing
            # batch norm's kernel writes the running statistics, which its backward doesn't use in train mode
            kernel_writes = {"_saved_running_mean", "_saved_running_var"} if _in_train_mode(made.node) else set()
            for saved in made.saved:
                if saved.tensor._version == saved.version and not saved.own and saved.attribute not in kernel_writes:
                    now = _copy(saved.tensor)
                    if now.shape == saved.content.shape and not bool(((now == saved.content) | now.isnan()).all()):
                        custom = saved.attribute == "saved_tensors"
                        if custom:
                            self.unread.setdefault(id(made.node), []).append((made, saved))
                        else:
                            self.add_silent(made, saved)

    def add_silent(self, made: Made, saved: Unpacked) -> None:
        """Note what is about to be used, and the lines that have changed it by now."""
        self.silent.append((made, saved))
        self.changed += self.changes(made, saved, {saved.storage})

    def read(self, node: Any) -> None:
        """A custom function's backward asks for what it has saved."""
        for made, saved in self.unread.pop(id(node), ()):
            self.add_silent(made, saved)

    def reached(self) -> list[Made]:
        """The known nodes that the last backward runs, or all where none was seen."""
        if not self.roots:
            return list(self.made.values())
        reached: dict[int, Any] = {}
        later: dict[int, list[int]] = {}
        todo = list(self.roots)
        while todo:
            node = todo.pop()
            if node is not None and id(node) not in reached:
                reached[id(node)] = node
                for earlier, _ in node.next_functions:
                    later.setdefault(id(earlier), []).append(id(node))
                    todo.append(earlier)
        run = self.leading(reached, later) if self.wanted else set(reached)
        return [made for made in self.made.values() if id(made.node) in run]

    def leading(self, reached: dict[int, Any], later: dict[int, list[int]]) -> set[int]:
        """The nodes that lead to one of the tensors whose gradients are wanted: the engine runs no others."""
        made = [_grad_fn(tensor) for tensor in self.wanted]
        leaves = {id(tensor) for tensor, node in zip(self.wanted, made, strict=True) if node is None}
        goals = [id(node) for node in made if node is not None]
        goals += [key for key, node in reached.items() if id(getattr(node, "variable", None)) in leaves]
        found = set[int]()
        while goals:
            new = set(later.get(goals.pop(), ())) - found
            found |= new
            goals += new
        return found

    def stale(self) -> list[tuple[Made, Unpacked]]:
        """What the last backward would unpack although its version has moved."""
        return [(made, saved) for made in self.reached() for saved in made.saved if _is_stale(made.node, saved)]

    def changes(self, made: Made, saved: Unpacked, where: set[int] | None = None) -> list[str]:
        """The lines that moved a saved tensor's counter after it was saved; or wrote, through any, `where` it was."""
        where = self.followed({saved.storage}) if where is None else where
        return [b.line for b in self.bumps[made.bumps_before :] if b.line and _address(b.storage) in where]

    def followed(self, memory: set[int]) -> set[int]:
        """Memory, and what tensors that were there have been given in its place."""
        found = set(memory)
        for old, new in self.moved:
            found |= {_address(new)} if _address(old) in found else set()
        return found

    def spoilt(self) -> tuple[str, ...]:
        """The lines whose operation saved what was changed where no counter sees it."""
        return _ordered([made.line for made, _ in self.silent if made.line])

    def hidden_changes(self) -> list[str]:
        """The lines that moved a counter which a call of the failing line touched, in it or after it."""
        calls = [(before, self.followed(touched)) for line, before, touched in self.calls if line == self.forward]
        return [
            b.line
            for i, b in enumerate(self.bumps)
            if b.line and any(i >= before and _address(b.storage) in touched for before, touched in calls)
        ]

    def line(self) -> str | None:
        """The innermost line of the program that is running."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self.is_program(frame.f_code.co_filename):
                return self.told(frame.f_code.co_filename, frame.f_lineno)
            frame = frame.f_back
        return None

    def is_program(self, filename: str) -> bool:
        return filename.startswith(f"{self.root}{os.sep}")

    def told(self, filename: str, line: int) -> str:
        return f"{os.path.relpath(filename, self.root)}:{line}"

    def hear(self, message: Warning | str, *_: object, **__: object) -> None:
        """A warning: anomaly mode's traceback of the failing node, or the read of a lost gradient."""
        text = str(message)
        if "Traceback of forward call that caused the error" in text:
            places = re.findall(r'File "([^"]+)", line (\d+)', text)
            self.forward = next((self.told(f, int(n)) for f, n in reversed(places) if self.is_program(f)), None)
        elif "not a leaf Tensor is being accessed" in text and (line := self.line()):
            self.lost.add(line)


def judge(path: Path) -> dict[str, Any]:
    """The verdict on a program, as plain data."""
    recorder = Recorder(path.parent)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("always", message="(?s).*(Traceback of forward call|not a leaf Tensor is being)")
            warnings.showwarning = recorder.hear
            with _recording(recorder):
                _execute(path)
    except Exception as error:
        return asdict(_refused(recorder, error))
    return asdict(_ran(recorder))


def _refused(recorder: Recorder, error: Exception) -> Verdict:
    """The verdict on a program that raised."""
    message = str(error)
    kind = next((kind for kind, pattern in KINDS.items() if re.search(pattern, message)), "other")
    stack, at = [], error.__traceback__
    while at is not None:
        if recorder.is_program(at.tb_frame.f_code.co_filename):
            stack.append(recorder.told(at.tb_frame.f_code.co_filename, at.tb_lineno))
        at = at.tb_next
    saved, mutation = [], stack[-1:]
    if kind == "stale-saved":
        stale = recorder.stale()
        saved = [made.line for made, _ in stale if made.line]
        spoilt = [made.line for made in recorder.reached() if made.spoilt and made.line]
        mutation = [line for made, unpacked in stale for line in recorder.changes(made, unpacked)]
        saved, mutation = saved + spoilt, mutation + spoilt
        if recorder.forward and recorder.forward not in saved:  # the node is out of Python's sight
            saved, mutation = [*saved, recorder.forward], [*mutation, *recorder.hidden_changes()]
    return Verdict(
        False,
        kind,
        message,
        _ordered(saved),
        _ordered(mutation),
        stack[-1] if stack else None,
        tuple(stack),
        _ordered(recorder.lost),
        recorder.spoilt(),
    )


def _ran(recorder: Recorder) -> Verdict:
    """The verdict on a program that ran to its end."""
    if recorder.silent:
        saved, lost = recorder.spoilt(), _ordered(recorder.lost)
        mutation = _ordered(recorder.changed)
        return Verdict(False, "silent-stale", saved=saved, mutation=mutation, lost=lost, silent=saved)
    if recorder.lost:
        lines = _ordered(recorder.lost)
        return Verdict(False, "nonleaf-grad", mutation=lines, raised=lines[0], lost=lines)
    return Verdict(True)


@contextmanager
def _recording(recorder: Recorder) -> Iterator[None]:
    """A context in which `recorder` sees what a program asks of torch."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **kwargs or {}) if _is_getter(func) else recorder.call(func, args, kwargs or {})

    saved_tensors: Any = torch._C._FunctionBase.__dict__["saved_tensors"]
    run_engine: Any = vars(torch.autograd)["_engine_run_backward"]
    apply: Any = vars(torch.autograd.Function)["apply"].__func__

    def engine(outputs: Any, *args: Any, **kwargs: Any) -> Any:
        with torch._C.DisableTorchFunction():
            recorder.before_backward(outputs, args[3])  # after the gradients, retain_graph and create_graph
        with nullcontext() if torch._C._len_torch_function_stack() else Mode():  # for hooks and Functions' backwards
            return run_engine(outputs, *args, **kwargs)

    def read(node: Any) -> Any:
        recorder.read(node)
        return saved_tensors.__get__(node)

    def applied(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return recorder.call(lambda *a, **k: apply(cls, *a, **k), args, kwargs)

    with (
        patch.object(torch.autograd, "_engine_run_backward", engine),
        patch.object(torch.autograd.Function, "apply", classmethod(applied)),
        patch.object(torch.autograd.function.BackwardCFunction, "saved_tensors", property(read), create=True),
        torch.autograd.set_detect_anomaly(True, check_nan=False),
        Mode(),
    ):
        yield


def _is_getter(function: Any) -> bool:
    return getattr(function, "__name__", "") == "__get__"


def _counts(tensor: torch.Tensor) -> bool:
    """Whether a tensor has a version; one made in inference mode has none, whatever `data` it is given later."""
    try:
        return tensor._version >= 0
    except RuntimeError:
        return False


def _tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in a nest of containers, less those that a torch.func transform has wrapped."""
    import torch
    from torch.utils._pytree import tree_leaves

    wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor) and not wrapped(leaf)]


def _storage(tensor: torch.Tensor) -> int:
    """The identity of a tensor's memory, as long as that is alive."""
    return _address(tensor.untyped_storage())


def _address(storage: torch.UntypedStorage) -> int:
    """Where a storage's memory is: several storages may share it (dlpack makes such). Empty ones share nothing."""
    return storage.data_ptr() or int(storage._cdata)


def _grad_fn(tensor: torch.Tensor) -> Any:
    """The node that made a tensor; None for a view that may not be used any more, which raises when asked."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def _unpack(node: Any) -> Iterator[Unpacked | None]:
    """What a node saved, None for what the very call that saved it has changed since.

    What went through a pack hook is nobody's memory any more, and not versioned.
    """
    for raw_name in dir(node):
        if raw_name.startswith("_raw_saved_"):
            name = "saved_tensors" if raw_name == "_raw_saved_tensors" else raw_name.removeprefix("_raw")
            raw = getattr(node, raw_name)
            if all(one.unpack_hook is None for one in (raw if isinstance(raw, tuple) else [raw])):
                try:
                    for tensor in _tensors(getattr(node, name)):
                        yield Unpacked(name, tensor, tensor._version, _copy(tensor), tensor.untyped_storage())
                except RuntimeError:
                    yield None


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """A copy that the program's own dispatch modes don't see: one in PyTorch fails on numbers that were saved."""
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        return tensor.detach().clone()


def _is_stale(node: Any, saved: Unpacked) -> bool:
    if saved.tensor._version == saved.version:
        return False
    try:
        getattr(node, saved.attribute)
    except RuntimeError as error:
        return re.search(KINDS["stale-saved"], str(error)) is not None
    return False


def _writes_unseen(function: Callable[..., Any]) -> bool:
    """Whether a kernel may write without moving a counter, as batch norm's does with running statistics."""
    return getattr(function, "__name__", "") == "batch_norm"


def _in_train_mode(node: Any) -> bool:
    return bool(getattr(node, "_saved_training", False))


def _ordered(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(lines), key=lambda line: (line.rpartition(":")[0], int(line.rpartition(":")[2]))))


# -- version rows ---------------------------------------------------------------------------------


def trace(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, as plain data.

    To ask whether a view is a leaf makes its node anew, if it has to be, which may change what backward does first. So
    that is asked in a run of its own.
    """
    tracer = Tracer(path, asks=False)
    tracer.follow()
    rows = tracer.rows
    if tracer.has_views:
        asking = Tracer(path)
        asking.follow()
        rows = {key: replace(row, is_leaf=asking.rows[key].is_leaf) for key, row in rows.items() if key in asking.rows}
    return [asdict(row) for row in sorted(rows.values(), key=lambda row: (row.line, row.name))]


def readings(path: Path) -> dict[str, Any]:
    """What `trace_readings` tells, as plain data."""
    tracer, reader = Tracer(path), Reader(path.parent)
    with _recording(reader), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tracer.follow()
    named = len(tracer.storages)
    told = [Reading(*head, tracer.number(storage), *tail) for head, storage, tail in reader.readings]
    return {
        "rows": [asdict(row) for row in sorted(tracer.rows.values(), key=lambda row: (row.line, row.name))],
        "readings": [asdict(reading) for reading in told if reading.storage < named],
    }


class Reader(Recorder):
    """Notes before each backward what that will read."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.readings: list[tuple[tuple[int, str], torch.UntypedStorage, tuple[int, int, int, bool]]] = []
        """of each: the line and node that saved, the storage, and the rest of a Reading's fields"""

    def before_backward(self, outputs: Any, inputs: Any) -> None:
        super().before_backward(outputs, inputs)
        line = _number(self.line())
        for made in self.reached():
            for saved in made.saved:
                same = bool((_copy(saved.tensor) == saved.content).all())
                rest = saved.version, line, saved.tensor._version, same
                self.readings.append(((_number(made.line), made.node.name()), saved.tensor.untyped_storage(), rest))


def _number(place: str | None) -> int:
    """The line's number in `FILE:LINE`."""
    assert place is not None
    return int(place.rpartition(":")[2])


class Tracer:
    """Follows the statements of one file and looks at the tensors that each names, once it is done."""

    def __init__(self, path: Path, asks: bool = True) -> None:
        self.path, self.filename = path, str(path)
        self.asks = asks
        """whether views are asked if they are leaves"""
        self.has_views = False
        self.rows: dict[tuple[int, str], Row] = {}
        self.statements: dict[int, tuple[int, set[str]]] = {}
        """by line: where its statement begins, and what that names"""
        self.running: dict[FrameType, int] = {}
        """the line that each frame is at"""
        self.storages: list[torch.UntypedStorage] = []
        """every storage seen, kept alive so that no two share an address"""
        for statement in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(statement, ast.stmt) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                parts = list(_own_parts(statement))
                last = max((part.end_lineno or 0 for part in parts), default=statement.lineno)
                entry = statement.lineno, {name for part in parts for name in _names(part)}
                self.statements |= dict.fromkeys(range(statement.lineno, last + 1), entry)

    def follow(self) -> None:
        """Run the file; a program that fails is followed up to its failure."""
        sys.settrace(self.enter)
        try:
            with suppress(Exception):
                _execute(self.path)
        finally:
            sys.settrace(None)

    def enter(self, frame: FrameType, event: str, _: Any) -> Any:
        name = frame.f_code.co_name  # that of a lambda, or of a comprehension before Python 3.12, is `<…>`
        own = frame.f_code.co_filename == self.filename and (name == "<module>" or not name.startswith("<"))
        return self.step if event == "call" and own else None

    def step(self, frame: FrameType, event: str, _: Any) -> Any:
        done = self.running.pop(frame, None)
        if done is not None and event != "exception":
            self.look(frame, done)
        if event == "line":
            self.running[frame] = frame.f_lineno
        return self.step

    def look(self, frame: FrameType, line: int) -> None:
        """Note the state of the tensors that the statement at `line` names."""
        import torch

        first, names = self.statements.get(line, (line, set()))
        scope = frame.f_globals | frame.f_locals
        for name in names:
            value = _look_up(scope, name)
            self.rows.pop((first, name), None)
            if isinstance(value, torch.Tensor) and _counts(value):
                number, is_view = self.number(value.untyped_storage()), value._is_view()
                self.has_views = self.has_views or is_view
                with suppress(RuntimeError):  # a view that may not be used any more raises when asked
                    is_leaf = value.is_leaf if self.asks or not is_view else False
                    self.rows[first, name] = Row(first, name, value._version, value.requires_grad, is_leaf, number)

    def number(self, storage: torch.UntypedStorage) -> int:
        """The number of a storage: several may share their memory, or a part (`from_numpy`), which counts as one."""
        for number, seen in enumerate(self.storages):
            if seen._cdata == storage._cdata or _overlap(seen, storage):
                return number
        self.storages.append(storage)
        return len(self.storages) - 1


def _overlap(a: torch.UntypedStorage, b: torch.UntypedStorage) -> bool:
    """Whether two storages have a place in memory in common."""
    return max(a.data_ptr(), b.data_ptr()) < min(a.data_ptr() + a.nbytes(), b.data_ptr() + b.nbytes())


def _own_parts(statement: ast.stmt) -> Iterator[ast.expr]:
    """A statement's expressions, without the statements in its body."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.withitem):
            yield from (part for part in (child.context_expr, child.optional_vars) if part)


def _names(part: ast.AST, inner: frozenset[str] = frozenset()) -> Iterator[str]:
    """The names in an expression, and its dotted ones as far as they are only that.

    The `inner` ones are those that only a part of the expression has: the targets of a comprehension and the like.
    """
    if isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        inner |= {n.id for g in part.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    elif isinstance(part, ast.Lambda):
        inner |= {a.arg for a in ast.walk(part.args) if isinstance(a, ast.arg)}
    if isinstance(part, ast.Name) and part.id not in inner:
        yield part.id
    elif isinstance(part, ast.Attribute):
        text = ast.unparse(part)
        if re.fullmatch(r"[\w.]+", text) and text.partition(".")[0] not in inner:
            yield text
    for child in ast.iter_child_nodes(part):
        yield from _names(child, inner)


def _look_up(scope: dict[str, Any], name: str) -> Any:
    """What a dotted name stands for, found without running a property."""
    first, *rest = name.split(".")
    value = scope.get(first)
    for attribute in rest:
        members = getattr(value, "__dict__", {})
        value = (members | members.get("_parameters", {}) | members.get("_buffers", {})).get(attribute)
    return value


if __name__ == "__main__":
    serve()

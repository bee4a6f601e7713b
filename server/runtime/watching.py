"""Lets a recorder watch: enters its mode in every thread, and hears of backwards and of memory that others can write.

Descriptors take the place of some attributes of PyTorch. One acts when its name is looked up, then gives what was there
before, so that the program calls PyTorch's own function, and no frame of ours is in its tracebacks:

    a = x.numpy()   # `x.numpy` runs `_Taking.__get__`, which notes that others can write to the memory of `x`;
                    # then PyTorch's own `numpy` is called
"""

from __future__ import annotations

import sys
import threading
import warnings
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, wraps
from time import monotonic, sleep
from types import CodeType
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch
import torch.utils.dlpack
from torch.autograd import Variable
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode, _pop_mode, _push_mode

from . import graph
from .contents import fingerprint
from .inspection import LOST, Inspector, asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextvars import Context

    from ..workspace.record import Sighting
    from .graph import Kept
    from .recorder import Recorder

GIVERS = ("from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack")
"""functions of torch whose result may lie in memory that others can write to"""

SCRIPTING: tuple[tuple[Any, str], ...] = (
    (torch._C.ScriptFunction, "__call__"),
    (torch._C.ScriptMethod, "__call__"),
    (torch._C.ScriptModule, "save"),
    *((kind, name) for kind in (torch._C.Graph, torch._C.Node) for name in ("__str__", "__repr__")),
    *((torch.jit, name) for name in ("trace", "trace_module", "save", "freeze", "optimize_for_inference")),
)
"""functions that make, run, show and save TorchScript code: its tracer and its passes fail below a dispatch mode"""

PUSH = "_push_saved_tensors_default_hooks"
"""what `saved_tensors_hooks` and all that derive from it hand their hooks to PyTorch by"""

BRIDGE = "to_dlpack"
"""a function that gives a tensor's memory to others"""

TAKERS = ("numpy", "__array__", "__dlpack__", "data_ptr", "share_memory_")
"""methods that give a tensor's memory to others"""

PATIENCE = 1.0
"""how many seconds to wait for PyTorch's threads at the end"""


@contextmanager
def watching(watcher: Recorder, inspector: Inspector, tell: Callable[[Sighting], None]) -> Iterator[None]:
    """A context in which `watcher` sees what the program does; `tell` reports what is wrong without an error."""
    _skip_dynamo()
    with ExitStack() as stack:
        watch = Watch(watcher, inspector, tell)
        for undo in _installed(watch):
            stack.callback(undo)
        stack.callback(watch.await_threads)
        stack.enter_context(watcher)
        yield


class Watch:
    """What is heard from PyTorch besides its operations: backwards, warnings, reads of saved tensors."""

    def __init__(self, watcher: Recorder, inspector: Inspector, tell: Callable[[Sighting], None]) -> None:
        self.recorder, self.inspector, self.tell = watcher, inspector, tell
        self.told: set[object] = set()
        self.deafen: Callable[[], None] | None = None
        """what undoes `listen`, while it is in effect"""
        self.unread: dict[int, list[tuple[Kept, torch.Tensor]]] = {}
        """what a custom Function's node saved and has changed, by the node's `id`: its backward may not read it"""
        self.contexts: list[ref[Context]] = []
        """the contexts that PyTorch hands to the threads that work for a backward"""

    def begin(self) -> None:
        """Note the backward that the engine is about to run, and look for saved tensors that changed unseen."""
        frame = sys._getframe(1)
        while frame.f_code.co_filename == __file__ and frame.f_back is not None:
            frame = frame.f_back  # out of the property, and of those of others that watch
        if torch._C._is_key_in_tls("context"):
            self.contexts.append(ref(torch._C._get_obj_in_tls("context"), self.contexts.remove))
        outputs, inputs, keeps = asked(frame)
        self.recorder.begin(frame, keeps)
        if self.recorder.may_be_silent:
            with torch._C._DisableTorchDispatch(), torch.no_grad():
                self.unread = {}
                for node in graph.nodes(outputs, inputs):
                    self.look(node, frame)
            self.listen()

    def look(self, node: Any, frame: Any) -> None:
        """Compare what a node saved with what it holds now, and report a change."""
        contents = self.recorder.contents
        made = self.recorder.made(node)
        if made is None or contents is None or made.time > contents.latest:
            return
        if all(earlier is None for earlier, _ in node.next_functions):
            return  # it computes no gradient
        for one, tensor, packed in self.saved(node):
            if self.recorder.changed(tensor, made, packed):
                if one.name == "saved_tensors":
                    self.unread.setdefault(id(node), []).append((one, tensor))
                else:
                    self.see(self.inspector.silent(one, tensor, frame))

    def saved(self, node: Any) -> Iterator[tuple[Kept, torch.Tensor, int]]:
        """The tensors that a node has saved; those that a hook keeps with the time since when, else with 0."""
        training = bool(getattr(node, "_saved_training", False))
        packs = self.recorder.packs(node)
        for pack in packs or ():
            if (tensor := pack.find()) is not None:
                yield graph.packed(node, pack.is_result), tensor, pack.time
        for one in graph.kept(node) if packs is None else ():
            if training and one.name in ("_saved_running_mean", "_saved_running_var"):
                continue  # batch norm's kernel writes them, and its backward doesn't use them in training mode
            try:
                tensor = one.read()
            except RuntimeError:  # stale or freed: PyTorch will raise
                continue
            if tensor is not None:
                yield one, tensor, 0

    def listen(self) -> None:
        """Hear when a custom Function's backward reads what it saved, as long as any of it has changed."""
        kind = torch.autograd.function.BackwardCFunction
        if self.unread and self.deafen is None:
            saved: Any = getattr(kind, "saved_tensors")  # noqa: B009

            def read(node: Any) -> Any:
                for one, tensor in self.unread.pop(id(node), ()):
                    self.see(self.inspector.silent(one, tensor, sys._getframe(1)))
                return saved.__get__(node)

            self.deafen = _set(kind, "saved_tensors", property(read))
        elif not self.unread:
            self.stop_listening()

    def stop_listening(self) -> None:
        """Hear of it no more: a frame of ours would be in the traceback if that backward failed."""
        if self.deafen is not None:
            self.deafen()
            self.deafen = None

    def hear(self, message: str) -> None:
        """Report a read of a gradient that isn't kept, of which PyTorch warns."""
        if LOST in message:
            self.see(self.inspector.lost(sys._getframe(2)))

    def await_threads(self) -> None:
        """Wait until PyTorch's threads have let go of the contexts of backwards, at most `PATIENCE` seconds.

        The threads of a process group may be late. They need Python to free a context, and abort the process if it has
        ended by then (https://github.com/pytorch/pytorch/issues/190489).
        """
        end = monotonic() + PATIENCE
        while self.contexts and monotonic() < end:
            sleep(0.001)

    def see(self, sighting: Sighting) -> None:
        """Report what was seen, once for each place."""
        if sighting.places not in self.told:
            self.told.add(sighting.places)
            self.tell(sighting)


def _installed(watch: Watch) -> Iterator[Callable[[], None]]:
    """Put in place all that hears, one after the other, and yield for each what takes it away again."""
    yield _set(Variable, "_execution_engine", _engine(watch))
    yield _set(threading.Thread, "_bootstrap_inner", _Entering(vars(threading.Thread)["_bootstrap_inner"], watch))
    if not isinstance(vars(threading.Thread)["_delete"], _Leaving):  # it stays in place: threads may end later
        setattr(threading.Thread, "_delete", _Leaving(vars(threading.Thread)["_delete"]))  # noqa: B010
    yield _set(warnings, "showwarning", _hearing(warnings.showwarning, watch))
    for owner, name in SCRIPTING if _may_be_subclassed() else (*SCRIPTING, (torch.Tensor, "as_subclass")):
        yield _set(owner, name, _unwatched(getattr(owner, name), watch.recorder))
    yield _set(torch, "ctc_loss", _with_numbers(torch.ctc_loss))
    if watch.recorder.contents is None:
        return
    yield watch.stop_listening
    autograd: Any = torch._C._autograd
    yield _set(autograd, PUSH, _pushing(getattr(autograd, PUSH), watch.recorder))
    for name in TAKERS:
        yield _set(torch.Tensor, name, _Taking(getattr(torch.Tensor, name), watch))
    yield _set(torch.Tensor, "data", _Data(vars(torch._C.TensorBase)["data"], watch))
    for module in (torch, torch.utils.dlpack):
        if hasattr(module, BRIDGE):
            yield _set(module, BRIDGE, _bridging(getattr(module, BRIDGE), watch))
    for name in GIVERS:
        if hasattr(torch, name):
            yield _set(torch, name, _giving(getattr(torch, name), watch))


def _with_numbers(loss: Callable[..., Any]) -> Callable[..., Any]:
    """`ctc_loss` as it is without a mode: it reads the numbers in its lengths, and saves no tensor of them
    (`ATen/native/LossCTC.cpp`).
    """

    @wraps(loss)
    def given(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *args: Any, **kwargs: Any) -> Any:
        lengths = [input_lengths, target_lengths]
        if log_probs.is_cpu and all(type(one) is torch.Tensor and not one.is_floating_point() for one in lengths):
            lengths = [one.tolist() for one in lengths]
        return loss(log_probs, targets, *lengths, *args, **kwargs)

    return given


@cache
def _may_be_subclassed() -> bool:
    """Whether a tensor can be made one of a subclass below a dispatch mode; PyTorch 2.4 refuses."""
    with _Passing():  # type: ignore[no-untyped-call]
        try:
            torch.empty(0).as_subclass(torch.nn.Parameter)
        except RuntimeError:
            return False
    return True


class _Passing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode that does nothing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _set(owner: Any, name: str, value: Any) -> Callable[[], None]:
    own = name in vars(owner)
    before = vars(owner).get(name)
    setattr(owner, name, value)
    return lambda: setattr(owner, name, before) if own else delattr(owner, name)


def _engine(watch: Watch) -> Any:
    kind: Any = type(Variable._execution_engine)

    class Engine(kind):  # type: ignore[misc]
        @property
        def run_backward(self) -> Any:
            watch.begin()
            return super().run_backward

    return Engine()


class _Entering:
    """A thread's first method, which the new thread itself looks up: there the recorder's mode is entered."""

    def __init__(self, method: Callable[..., Any], watch: Watch) -> None:
        self.method, self.watch = method, watch

    def __get__(self, thread: Any, kind: type | None = None) -> Any:
        if thread is None:
            return self.method
        self.watch.recorder.enter()
        _push_mode(self.watch.recorder)
        _entered.by_thread = True
        return self.method.__get__(thread)


_entered = threading.local()
"""has `by_thread` in a thread that a recorder has watched since it began"""


class _Leaving:
    """A thread's last method: the mode has to be left while Python can still free it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method

    def __get__(self, thread: Any, kind: type | None = None) -> Any:
        if thread is not None and getattr(_entered, "by_thread", False):
            _entered.by_thread = False
            _pop_mode()
        return self.method if thread is None else self.method.__get__(thread)


class _Taking:
    """A method by which others get access to a tensor's memory (`TAKERS`)."""

    def __init__(self, method: Any, watch: Watch) -> None:
        self.method, self.watch = method, watch

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        if tensor is None:
            return self.method
        with suppress(RuntimeError):
            self.watch.recorder.export(tensor)
        return self.method.__get__(tensor)


class _Data:
    """`Tensor.data`: assigning it gives the tensor other memory, which its version counter doesn't see."""

    def __init__(self, attribute: Any, watch: Watch) -> None:
        self.attribute, self.watch = attribute, watch

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        if tensor is None:
            return self.attribute
        with suppress(RuntimeError):
            return self.attribute.__get__(tensor)
        with torch._C._DisableTorchDispatch():  # PyTorch 2.4 refuses inference tensors below a mode
            return self.attribute.__get__(tensor)

    def __set__(self, tensor: Any, value: Any) -> None:
        print_, memory = None, self.watch.recorder.memory(tensor)
        with suppress(RuntimeError, NotImplementedError, TypeError, ValueError), torch._C._DisableTorchDispatch():
            print_ = fingerprint(tensor)
        self.attribute.__set__(tensor, value)
        if print_ is not None and memory is not None and self.watch.recorder.memory(tensor) is not memory:
            self.watch.recorder.move(tensor, memory.key, print_, sys._getframe(1))


def _giving(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    @wraps(function)
    def given(*args: Any, **kwargs: Any) -> Any:
        tensor = function(*args, **kwargs)
        if not any(isinstance(one, (torch.Tensor, int, float, list, tuple)) for one in args[:1]):
            watch.recorder.export(tensor)
        return tensor

    return given


def _bridging(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    @wraps(function)
    def bridged(tensor: Any) -> Any:
        watch.recorder.export(tensor)
        return function(tensor)

    return bridged


def _pushing(push: Callable[..., None], recorder: Recorder) -> Callable[..., None]:
    @wraps(push)
    def pushed(pack: Callable[[torch.Tensor], Any], unpack: Callable[[Any], torch.Tensor]) -> None:
        push(pack if isinstance(pack, torch.nn.Module) else _noted(pack, recorder), unpack)

    return pushed


def _noted(pack: Callable[[torch.Tensor], Any], recorder: Recorder) -> Callable[[torch.Tensor], Any]:
    """A hook whose results are noted. PyTorch's compiler takes one that is a module into its graphs, and that alone."""

    @wraps(pack)
    def noted(tensor: torch.Tensor) -> Any:
        try:
            packed = pack(tensor)
        except BaseException as error:
            _leave_out(error)
            raise
        with torch._C._DisableTorchDispatch():
            recorder.pack(tensor, packed)
        return packed

    return noted


def _leave_out(error: BaseException) -> None:
    """Take the frame that handles an error out of its traceback: a bare `raise` adds none."""
    own = error.__traceback__
    error.__traceback__ = own.tb_next if own is not None else None


def _unwatched(function: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    @wraps(function)
    def unwatched(*args: Any, **kwargs: Any) -> Any:
        if _get_current_dispatch_mode() is not recorder:  # another mode is the program's, and stays
            return function(*args, **kwargs)
        _pop_mode()
        before = recorder.state(args)
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            _leave_out(error)
            raise
        finally:
            _push_mode(recorder)
            recorder.catch_up(before, sys._getframe(1))

    return unwatched


def _hearing(show: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    @wraps(show)
    def heard(message: Any, *args: Any, **kwargs: Any) -> Any:
        watch.hear(str(message))
        return show(message, *args, **kwargs)

    return heard


def _skip_dynamo() -> None:
    """Let PyTorch's compiler leave our own functions alone: they run where a program is compiled in part."""
    package = __name__.rpartition(".")[0]
    for module in [one for name, one in sys.modules.items() if name.startswith(f"{package}.")]:
        for value in vars(module).values():
            for one in vars(value).values() if isinstance(value, type) else (value,):
                function = getattr(one, "__func__", getattr(one, "fget", one))  # of a static method, a property
                if getattr(function, "__module__", None) == module.__name__ and hasattr(function, "__code__"):
                    _skip(function.__code__)


def _skip(code: CodeType) -> None:
    frames = torch._C._dynamo.eval_frame
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            _skip(inner)
    if hasattr(frames, "skip_code"):  # in earlier releases
        frames.skip_code(code)
    elif hasattr(frames, "set_code_exec_strategy"):
        skip = frames._FrameExecStrategy(frames._FrameAction.SKIP, frames._FrameAction.DEFAULT)
        frames.set_code_exec_strategy(code, skip)

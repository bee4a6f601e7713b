"""What PyTorch says when a backward fails: its message, traceback and anomaly trace as data, and in plain words.

Source: torch/csrc/autograd/saved_variable.cpp for the message about versions, and
torch/csrc/autograd/python_anomaly_mode.cpp for the trace of anomaly mode.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import explaining

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .rule import Rule


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback: `line` counts from 1, `text` is the line's text where it was printed."""

    path: str
    line: int
    function: str
    text: str

    @property
    def in_cell(self) -> bool:
        """Whether it is in a cell of a notebook: the path is then not the notebook's, and the line the cell's own."""
        return CELL.match(self.path) is not None


@dataclass(frozen=True, slots=True)
class StaleTensor:
    """The tensor that a message about versions speaks of.

    `dtype` is as in `torch.float32`, without `torch.`; `device` is `cpu`, `cuda` …; `node` is the grad_fn that made
    the tensor, and `output` which of its outputs it is: None where PyTorch names none.
    """

    dtype: str
    device: str
    shape: tuple[int, ...]
    node: str | None
    output: int | None
    version: int
    expected: int


@dataclass(frozen=True, slots=True)
class PytorchError:
    """What could be read from a text with one of PyTorch's messages in it.

    `raised` is the traceback of the error, `forward` the trace of the operation whose gradient failed (`forward_node`),
    which anomaly mode prints; both outermost first, empty if the text has none. `others` are the keys of our words
    about messages that no rule is about, `said` of those about this message in particular, `advice` of those about
    PyTorch's own advice in it.
    """

    rules: tuple[Rule, ...]
    tensor: StaleTensor | None = None
    raised: tuple[Frame, ...] = ()
    forward: tuple[Frame, ...] = ()
    forward_node: str | None = None
    others: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()


SAID = {
    "Trying to backward through the graph a second time": "said-freed",
    "This view is the output of a function that returns multiple views": "said-several-views",
    "This view was created inside a custom Function": "said-function-view",
}
"""pieces of messages that several rules or several causes share, and what happened"""

ADVICE = {
    "Specify retain_graph=True": "advice-retain",
    "Hint: enable anomaly detection": "advice-anomaly",
    "Hint: the backtrace further above": "advice-backtrace",
    "cloning the output of the custom Function": "advice-clone-output",
    "replace the inplace operation by an out-of-place one": "advice-out-of-place",
    "moving both the view and the inplace either both inside the no_grad block": "advice-both-sides",
    "make a clone to get a normal tensor": "advice-normal-tensor",
    "Please clone() the tensor before performing the operation": "advice-clone-first",
}
"""pieces of PyTorch's own advice, and what each is worth"""

OTHERS = {
    "does not require grad and does not have a grad_fn": "said-no-graph",
    "grad can be implicitly created only for scalar outputs": "said-not-scalar",
    "appears to not have been used in the graph": "said-unused",
    "One of the differentiated Tensors does not require grad": "said-not-requiring",
    "Can't call numpy() on Tensor that requires grad": "said-numpy",
    "you can only change requires_grad flags of leaf variables": "said-flags",
    "Can't detach views in-place": "said-detach-view",
    "Trying to use a saved tensor that has been detached in-place": "said-detached-saved",
    "can't optimize a non-leaf Tensor": "said-optimizer",
    "that would mutate a captured Tensor": "said-captured",
    "cannot resize variables that require grad": "said-resize",
    "doesn't match the broadcast shape": "said-broadcast",
    "can't be cast to the desired output type": "said-cast",
}
"""pieces of other messages that people meet, which no rule is about, and the key of our words about each"""

DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
    "ComplexHalf": "complex32",
}
"""dtypes by the tensor types that PyTorch's messages name (`torch.cuda.FloatTensor`, `CUDABFloat16Type`)"""

VERSIONS = re.compile(
    rf"\[(?:torch\.(?:(?P<device>\w+)\.)?(?P<type>\w+)Tensor|(?P<backend>\w+?)(?P<other_type>{'|'.join(DTYPES)})Type)"
    r" (?:\[(?P<shape>[\d, ]*)\])?\]"
    r"(?:, which is output (?P<output>\d+) of (?P<node>[\w:]+),)?"
    r" is at version (?P<version>\d+); expected version (?P<expected>\d+)"
)
FRAME = re.compile(
    r'^[ \t]*File "(?P<path>[^"\n]+)", line (?P<line>\d+), in (?P<function>[^\n]+)'
    r'(?:\n(?![ \t]*File ")(?P<text>[^\n]*))?',  # frames without a source, as of frozen modules, have no text
    re.MULTILINE,
)
DECORATION = re.compile(r"\x1b\[[\d;]*m|^\[rank\d+\]: ?", re.MULTILINE)
"""colours of a terminal, and what torchrun puts before each line of a process"""
CELL = re.compile(r"Cell In\[|<ipython-input|.*[/\\]ipykernel_\d+[/\\]")
IPYTHON_PLACE = re.compile(
    r"(?:File )?(?P<path>Cell In\[\d+\]|<ipython-input[^>]*>|\S+\.py)(?::\d+|, line \d+)?,?(?: in (?P<function>.+))?"
)
IPYTHON_LINE = re.compile(r"-+> ?(?P<line>\d+) +(?P<text>.+)")
ANOMALY = re.compile(r"Error detected in (?P<node>[\w:]+)\. Traceback of forward call that caused the error:")


def read(text: str) -> PytorchError | None:
    """Read what Python printed, or just the message; None if we know nothing about it."""
    text = DECORATION.sub("", text)
    rules = tuple(explaining(text))
    others, said, advice = (_keys(table, " ".join(text.split())) for table in (OTHERS, SAID, ADVICE))
    if not rules and not others:
        return None
    anomaly = ANOMALY.search(text)
    before, trace = (text[: anomaly.start()], text[anomaly.end() :]) if anomaly else (text, "")
    trace, _, rest = trace.partition("Traceback (most recent call last)")
    return PytorchError(
        rules,
        _tensor(" ".join(text.split())),
        _frames(before + rest),
        _frames(trace.partition("(Triggered internally")[0]),
        anomaly["node"] if anomaly else None,
        others,
        said,
        advice,
    )


def _keys(pieces: Mapping[str, str], text: str) -> tuple[str, ...]:
    return tuple(key for piece, key in pieces.items() if piece in text)


def _tensor(text: str) -> StaleTensor | None:
    found = VERSIONS.search(text)
    if found is None:
        return None
    named = found["type"] or found["other_type"]
    return StaleTensor(
        DTYPES.get(named, named),
        (found["device"] or found["backend"] or "cpu").lower(),
        tuple(int(size) for size in re.findall(r"\d+", found["shape"] or "")),
        found["node"],
        int(found["output"]) if found["output"] else None,
        int(found["version"]),
        int(found["expected"]),
    )


def _frames(text: str) -> tuple[Frame, ...]:
    printed = tuple(
        Frame(found["path"], int(found["line"]), found["function"].strip(), (found["text"] or "").strip())
        for found in FRAME.finditer(text)
    )
    return printed + tuple(_ipython_frames(text))


def _ipython_frames(text: str) -> Iterator[Frame]:
    """The frames of a traceback as IPython and Jupyter print it: a place, the lines around, an arrow at the line."""
    place = None
    for line in text.splitlines():
        if found := IPYTHON_PLACE.fullmatch(line.strip()):
            place = found
        elif place and (found := IPYTHON_LINE.fullmatch(line.strip())):
            yield Frame(place["path"], int(found["line"]), place["function"] or "<module>", found["text"].strip())

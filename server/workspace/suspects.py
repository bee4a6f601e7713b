"""What may have caused an error of PyTorch: a project's findings, compared with the error's message."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ..rules.error_words import bare
from .lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..analyses.domain.report import Failure, Kind, Site
    from ..rules.pytorch_error import Frame, PytorchError
    from .files import Document
    from .project import Finding


@dataclass(frozen=True, slots=True)
class Suspect:
    """A finding that may be what PyTorch complains about; `clues` name what supports it, the strongest first."""

    finding: Finding
    clues: tuple[str, ...]
    weight: int


WEIGHTS = {
    "saved-in-trace": 8,
    "raised-in-traceback": 6,
    "node": 3,
    "expected": 3,
    "shape": 3,
    "version": 2,
    "dtype": 1,
}
"""the weight of a clue that agrees with the message; one that contradicts it counts as much against"""


def suspects(error: PytorchError, findings: Iterable[Finding], documents: Mapping[str, Document]) -> list[Suspect]:
    """The findings of the kinds that the error is about: the likeliest first, of equals those in files that the
    traceback names.

    `findings` are those of a project down to hints, `documents` the texts that they are in.
    """
    kinds = _kinds(error)
    found = [
        _suspect(error, finding, finding.diagnostic.failure, documents)
        for finding in findings
        if finding.diagnostic.failure is not None and finding.diagnostic.failure.kind in kinds
    ]
    frames = (*error.raised, *error.forward)
    named = {path for path in documents if any(_means(frame, path, documents) for frame in frames)}
    return sorted(found, key=lambda one: (-one.weight, one.finding.path not in named, one.finding.severity))


def _kinds(error: PytorchError) -> set[Kind]:
    """The kinds of failure that a message may be about: those that all matching rules share, if any."""
    each = [set(rule.kinds) for rule in error.rules]
    return set.intersection(*each) or set.union(*each) if each else set()


def _suspect(error: PytorchError, finding: Finding, failure: Failure, documents: Mapping[str, Document]) -> Suspect:
    clues = dict(_clues(error, failure, documents))
    told = sorted((clue for clue, agrees in clues.items() if agrees), key=lambda clue: -WEIGHTS[clue])
    weight = sum(WEIGHTS[clue] if agrees else -WEIGHTS[clue] for clue, agrees in clues.items())
    return Suspect(finding, tuple(told), weight)


def _clues(error: PytorchError, failure: Failure, documents: Mapping[str, Document]) -> Iterator[tuple[str, bool]]:
    """What both the message and the failure say, and whether they agree."""
    saved, write, tensor = failure.saved, failure.write, error.tensor
    if error.raised:
        yield "raised-in-traceback", _shows(error.raised, failure.backward or failure.raised or failure.site, documents)
    if error.forward and saved is not None:
        yield "saved-in-trace", _shows(error.forward, saved.site, documents)
    if error.forward_node and failure.detail:
        yield "node", bare(error.forward_node) == bare(failure.detail)
    if tensor is None or saved is None:
        return
    if saved.version is not None:
        yield "expected", saved.version == tensor.expected
    if write is not None and write.after is not None:
        yield "version", tensor.expected < write.after <= tensor.version
    if saved.shape is not None:
        yield "shape", _fits(saved.shape, tensor.shape)
    if saved.dtype is not None:
        yield "dtype", saved.dtype == tensor.dtype


def _shows(frames: Iterable[Frame], site: Site, documents: Mapping[str, Document]) -> bool:
    """Whether one of the frames is at a site's statement, by its line, or by its text if the lines have moved."""
    span = site.chunk.span(site.node)
    text = Lines(documents[site.chunk.path].text)[span.start_line].strip()
    here = [frame for frame in frames if _means(frame, site.chunk.path, documents)]
    if any(span.start_line < frame.line <= span.end_line + 1 for frame in here if not frame.in_cell):
        return True
    return any(frame.text and frame.text == text for frame in here)


def _means(frame: Frame, path: str, documents: Mapping[str, Document]) -> bool:
    """Whether a frame is in that file of the project; its path may come from another machine or place."""
    printed = frame.path
    if frame.in_cell:
        return path.endswith(".ipynb")
    if printed == path:
        return True
    common = [_common_parts(printed, document) for document in documents]
    return printed not in documents and 0 < _common_parts(printed, path) == max(common)


def _common_parts(a: str, b: str) -> int:
    """How many trailing parts two paths have in common."""
    pairs = zip(reversed(_parts(a)), reversed(_parts(b)), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _parts(path: str) -> tuple[str, ...]:
    return PurePosixPath(path.replace("\\", "/")).parts


def _fits(known: Sequence[int | None], shape: Sequence[int]) -> bool:
    """Whether the known sizes agree, in any order: a linear layer saves its weight transposed."""
    sizes = Counter(size for size in known if size is not None)
    return len(known) == len(shape) and sizes <= Counter(shape)

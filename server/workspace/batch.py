"""Checking many files: parts of projects come from the cache or are given to an executor; then they are merged.

Any executor of `concurrent.futures` will do: processes of this machine, or those of a cluster. The answer depends
neither on who did the work nor on the order.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING

from .files import read_document
from .findings import Found, judged, merged
from .parts import KEPT, Outcome, Part, Reached, check_part, parse_files, prepare, ready, size, split
from .problems import Problem, Unreadable
from .project import comment_site, removal, span_of
from .suppressions import find_suppressions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor, Future
    from multiprocessing.process import BaseProcess

    from ..rules.messages import Locale
    from ..rules.rule import Severity
    from .cache import Cache
    from .config import Config
    from .files import Document
    from .suppressions import Suppression

SHARES = 24
"""into how many pieces the parsing of all files is divided"""


@dataclass(frozen=True, slots=True)
class Group:
    """Files below one configuration; findings less grave than `least` are left out.

    `documents` stand for files of these paths, `locale` is the language of the messages.
    """

    config: Config
    paths: Sequence[str]
    least: Severity
    documents: tuple[Document, ...] = ()
    locale: Locale = "en"


@dataclass(slots=True)
class Checked:
    """What was found, in the order of files and lines; if `interrupted`, as far as known when the user stopped it."""

    found: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    documents: Documents = field(default_factory=lambda: Documents(()))
    checked: int = 0
    interrupted: bool = False
    reach: Reached = field(default_factory=Reached)


@dataclass(slots=True)
class Means:
    """How to check: with how many processes or which executor, with which cache, and which shard of the parts.

    `mend`: also look for fixes, at most `most` for each finding. `cache` returns the cache of a configuration.
    `on_part` is called for each finished part with the number of its files. If no other process works, `wanted` is
    asked whether to go on.
    """

    jobs: int = 1
    executor: Executor | None = None
    cache: Callable[[Config], Cache] | None = None
    shard: tuple[int, int] = (1, 1)
    mend: bool = False
    most: int | None = None
    on_part: Callable[[int], None] = lambda files: None
    wanted: Callable[[], bool] = lambda: True


class Documents(dict[str, "Document"]):
    """The texts of files by path, each read on demand."""

    def __init__(self, shown: Sequence[Document]) -> None:
        super().__init__({document.path: document for document in shown})

    def __missing__(self, path: str) -> Document:
        document = self[path] = read_document(path)
        return document


def check_all(groups: Sequence[Group], means: Means) -> Checked:
    """Check groups of files, each by its own configuration. Raises Unwanted soon after `means.wanted` says so."""
    parts = [
        (
            index,
            Part(
                group.config,
                paths,
                group.documents,
                group.least if means.mend else None,
                means.most,
                locale=group.locale,
            ),
        )
        for index, group in enumerate(groups)
        for paths in split(group.paths, str(group.config.root))
    ]
    mine = _share([part for _, part in parts], *means.shard)
    outcomes, interrupted = _outcomes(mine, means)
    checked = Checked(
        documents=Documents([document for group in groups for document in group.documents]), interrupted=interrupted
    )
    for index, group in enumerate(groups):
        own = [outcomes.get(part) for at, part in parts if at == index]
        _add(checked, group, own, complete=len(own) == sum(one is not None for one in own))
    checked.found.sort(key=lambda found: found.position)
    return checked


def _share(parts: Sequence[Part], number: int, of: int) -> list[Part]:
    """The parts of one shard: every `of`-th part, in order of size, the largest first."""
    chosen = sorted(parts, key=lambda part: -part.size)[number - 1 :: of] if of > 1 else parts
    return list(chosen)


def _add(checked: Checked, group: Group, outcomes: Sequence[Outcome | None], complete: bool) -> None:
    """Add the findings in the parts of a group."""
    done = [outcome for outcome in outcomes if outcome is not None]
    checked.checked += sum(outcome.checked for outcome in done)
    for outcome in done:
        checked.reach.add(outcome.reach)
    checked.problems += dict.fromkeys(problem for outcome in done for problem in outcome.problems)
    complete = complete and not any(problem.internal for outcome in done for problem in outcome.problems)
    texts = checked.documents
    gone: dict[str, Problem] = {}

    def is_there(path: str) -> bool:
        """Whether a file that was checked can still be read."""
        try:
            return path not in gone and bool(texts[path])
        except Unreadable as error:
            gone[path] = error.problem
            return False

    def comments(path: str) -> Sequence[Suppression]:
        return find_suppressions(texts[path].text)

    def idle(path: str, comment: Suppression, codes: tuple[str, ...]) -> Found:
        return _idle(texts[path], comment, codes, group.locale)

    whole = {path for outcome in done for path in outcome.whole if is_there(path)} if complete else set()
    still = [
        replace(one, related=tuple(place for place in one.related if is_there(place.path)))
        for one in merged(outcome.found for outcome in done)
        if is_there(one.path)
    ]
    found = judged(still, group.config, comments, whole, idle)
    checked.problems += gone.values()
    checked.found += [one for one in found if one.severity <= group.least]


def _idle(document: Document, comment: Suppression, codes: tuple[str, ...], locale: Locale) -> Found:
    """The finding that a comment silences nothing."""
    from ..rules.diagnostic import unused_suppression

    diagnostic = unused_suppression(comment_site(document.path, document.text, comment), codes, locale)
    fix = removal(document.path, document.text, comment, codes, locale)
    return Found(
        path=document.path,
        span=span_of(diagnostic.site),
        code=diagnostic.rule.code,
        severity=diagnostic.severity,
        words=diagnostic.words,
        kind=diagnostic.rule.kind,
        start=comment.line,
        end=comment.line + 1,
        fixes=(fix,) if fix else (),
    )


# -- who does the work ------------------------------------------------------------------------


def _outcomes(parts: Sequence[Part], means: Means) -> tuple[dict[Part, Outcome], bool]:
    """What was found in each part, and whether the user stopped it before all was done."""
    outcomes: dict[Part, Outcome] = {}
    todo = []

    def done(part: Part, outcome: Outcome) -> None:
        outcomes[part] = outcome
        means.on_part(len(part.paths))

    try:
        for part in parts:
            known = means.cache(part.config).get(part) if means.cache else None
            if known is None:
                todo.append(part)
            else:
                done(part, known)
        todo.sort(key=lambda part: -part.size)
        for part, outcome in _run(todo, means):
            done(part, outcome)
            if means.cache:
                means.cache(part.config).put(part, outcome)
    except KeyboardInterrupt:
        return outcomes, True
    if means.cache and todo:
        means.cache(todo[0].config).trim()
    return outcomes, False


def _run(parts: Sequence[Part], means: Means) -> Iterator[tuple[Part, Outcome]]:
    """Check parts, the largest first; yield each when it is done."""
    jobs = min(means.jobs, len(parts))
    if means.executor is not None:
        yield from _handed_out(parts, means.executor)
    elif jobs < 2 or not _can_start_processes():
        for part in parts:
            yield part, check_part(part, means.wanted)
    else:
        yield from _in_processes(parts, jobs)


def _handed_out(parts: Sequence[Part], executor: Executor) -> Iterator[tuple[Part, Outcome]]:
    futures = {executor.submit(check_part, part): part for part in parts}
    for future in as_completed(futures):
        yield futures[future], future.result()


def _in_processes(parts: Sequence[Part], jobs: int) -> Iterator[tuple[Part, Outcome]]:
    """Check parts in processes. If one is killed, the parts lost with it are tried again, each by itself."""
    _parse_all(parts, jobs)
    lost = []
    with _processes(jobs) as executor:
        futures: dict[Future[Outcome], Part] = {executor.submit(check_part, part): part for part in parts}
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BrokenProcessPool:  # noqa: PERF203
                lost.append(futures[future])
    for part in lost:
        with _processes(1) as executor:
            try:
                yield part, executor.submit(check_part, part).result()
            except BrokenProcessPool:
                yield part, _killed(part)


def _parse_all(parts: Sequence[Part], jobs: int) -> None:
    """Parse all files in processes, so that processes forked later find them parsed.

    Checking a part needs more files than those in it. If all files are too much for one process, each parses its own.
    """
    ready.clear()
    paths = sorted({path for part in parts for path in part.paths}, key=size, reverse=True)
    if not hasattr(os, "fork") or sum(map(size, paths)) > KEPT:
        return
    gc.disable()  # what is already parsed is kept
    try:
        with _processes(jobs) as executor:
            for pickled in executor.map(parse_files, (paths[start::SHARES] for start in range(SHARES))):
                ready.update((source.path, source) for source in map(pickle.loads, pickled))
    except BrokenProcessPool:
        pass  # a process that needs a file parses it
    gc.enable()


def _killed(part: Part) -> Outcome:
    more = f" and {len(part.paths) - 1} more files" if len(part.paths) > 1 else ""
    words = f"the process that checked it{more} was killed, twice; there may be too little memory"
    return Outcome(problems=[Problem(part.paths[0], words, internal=True)])


@contextmanager
def _processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes to give work to; none is left when the block ends, however it ends."""
    # A new interpreter would look for its modules in the working directory first, which may be anyone's: so it is
    # told not to. A fork has all modules that it needs, and what is imported already need not be again.
    if forks := hasattr(os, "fork"):
        prepare()
    else:
        os.environ["PYTHONSAFEPATH"] = "1"
    executor = ProcessPoolExecutor(jobs, mp_context=get_context("fork" if forks else "spawn"), initializer=_begin)
    try:
        yield executor
    except BaseException:
        for process in list((getattr(executor, "_processes", None) or {}).values()):
            process.terminate()
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    executor.shutdown()


def _can_start_processes() -> bool:
    """Whether no new interpreter is needed, or one can be kept from importing out of the working directory."""
    return hasattr(os, "fork") or sys.version_info >= (3, 11)


def _begin() -> None:
    """Set up a worker process: the parent alone handles interrupts, and the worker ends with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    if (first := parent_process()) is not None:
        threading.Thread(target=_end_with, args=(first,), daemon=True).start()


def _end_with(process: BaseProcess) -> None:
    """End when that process has ended: nobody would collect the results or give out more work."""
    process.join()
    os._exit(1)
